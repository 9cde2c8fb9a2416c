"""experiments/noise_free.py: cost of GLADE with exact estimates against closed forms."""

import numpy as np
import pytest

import semibandits as sb
from semibandits.kernels.machine import tiers
from verification_scripts import script

noise_free, star = script("noise_free"), script("panel").star

COARSE = {"share": 0.02, "step": 0.01}
"""Overshoot of counts and time: at most 3 %."""


@pytest.fixture
def as_python(monkeypatch):
    """Compiling the game takes longer than a short one in Python."""
    monkeypatch.setattr(tiers, "_tier", "python")
    for name in ("advance", "decide"):
        monkeypatch.setattr(noise_free, name, getattr(noise_free, name).py_func)


def spend(problem, policy, levels=(10.0, 100.0)):
    found = noise_free.spend(problem, policy, levels, **COARSE)
    for level, spending in zip(levels, found, strict=True):
        assert level <= spending.level <= 1.04 * level
        assert spending.ratio >= 1 - 2e-4  # the minimum is computed to 1e-4
        assert spending.needs.max() <= 1 + 1e-9
        assert spending.cost == pytest.approx(spending.plays @ problem.gaps)
    return found


@pytest.mark.verify
def test_on_the_star_foresight_is_nearly_optimal_and_plausible_decisions_cost_two_and_a_half_times_as_much():
    problem = noise_free.problem_of(star())
    assert all(spending.ratio < 1.1 for spending in spend(problem, sb.GLADE()))
    alone = spend(problem, sb.GLADE(foresight=0))
    assert [spending.ratio for spending in alone] == pytest.approx([2.5, 2.5], rel=0.04)
    assert alone[-1].plays[1:-1] / alone[-1].level == pytest.approx(np.full(9, 4.0), rel=0.04)  # 2 sigma^2 / gap^2
    assert alone[-1].plays[-1] < 1e-3 * alone[-1].plays.sum()


@pytest.mark.verify
@pytest.mark.parametrize("foresight", [0.0, sb.GLADE().foresight])
def test_plays_of_items_on_an_m_set_agree_with_the_closed_form(foresight):
    theta = np.array([0.9, 0.6, 0.5, 0.3, 0.2])
    problem = noise_free.Problem.of(sb.MSets(5, 2), theta, 0.5)
    late = spend(problem, sb.GLADE(foresight=foresight), (200.0,))[-1]
    assert late.ratio < 1.03
    rates = late.plays @ problem.rows / late.level
    assert rates[2:] == pytest.approx(1 / (0.6 - theta[2:]) ** 2, rel=0.06)  # logarithms of items differ


def test_ties_cost_nothing(as_python):
    problem = noise_free.Problem.of(sb.MSets(4, 1), np.array([1.0, 1.0, 1.0, 0.5]), 0.5)
    late = spend(problem, sb.GLADE(), (100.0,))[-1]
    assert late.cost / late.level == pytest.approx(2.0, rel=0.04)  # 2 sigma^2 / gap


def test_the_least_cost_is_the_bound_times_a_logarithm_common_to_all_items():
    problem = noise_free.Problem.of(*noise_free.hub(3, 0.7, 2.0))
    assert problem.least(np.full(len(problem.theta), 5.0)) == pytest.approx(5 * problem.bound.value, rel=2e-4)


def test_the_cost_of_the_hub_agrees_with_the_closed_form(as_python):
    # n plays of each of k decisions refute these if 1/n + 2 variance / (k n) = 1; the joint decision costs too much here.
    k, variance = 4, 0.5
    problem = noise_free.Problem.of(*noise_free.hub(k, variance, 20.0))
    assert problem.bound.value == pytest.approx(k * (1 + 2 * variance / k), rel=2e-4)
    assert spend(problem, sb.GLADE(), (100.0,))[-1].ratio < 1.03


def test_a_best_decision_that_is_played_too_early_is_reported(monkeypatch):
    problem = noise_free.problem_of(star())

    def too_early(t, level, params, share, step, spread, stats, *others):
        stats[0] = 1.0
        return 1e9

    monkeypatch.setattr(noise_free, "advance", too_early)
    with pytest.raises(RuntimeError, match="played while another one was plausible"):
        noise_free.spend(problem, sb.GLADE(), (10.0,))
