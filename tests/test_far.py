"""experiments/far.py and its parts: regret at horizons too long to play, and the least possible regret on a star."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import ks_2samp

import semibandits as sb
from verification_scripts import script

far, hindsight, skipping = script("far"), script("hindsight"), script("skipping")
listed_star = script("stars").listed_star

STAR = (9, 0.5, 1.8)


@pytest.mark.verify
@pytest.mark.parametrize(("decision_set", "theta"), [(sb.MSets(5, 2), [0.9, 0.6, 0.5, 0.3, 0.2]), listed_star(*STAR)[:2]])
def test_skipped_rounds_have_the_regret_of_rounds_that_are_played(decision_set, theta):
    theta, checkpoints, replications = np.array(theta), [30, 300, 3_000], 500
    skipped = skipping.regrets(sb.GLADE(), decision_set, theta, 0.5, checkpoints, replications, seed=1)
    played = sb.simulate(
        decision_set, sb.GaussianRewards(theta, variance=0.5), sb.GLADE(), checkpoints[-1], replications, seed=2, n_jobs=1,
        checkpoints=checkpoints, bound=False,
    ).regret["GLADE"]  # fmt: skip
    for one, other in zip(skipped.T.round(9), played.T.round(9), strict=True):
        assert ks_2samp(one, other).pvalue > 1e-4
    assert ks_2samp(skipped[:, -1], 1.25 * played[:, -1]).pvalue < 1e-4  # regret larger by a quarter would be detected


@pytest.mark.verify
def test_no_run_on_the_star_does_better_in_the_mean_than_hindsight():
    decision_set, theta, variance = listed_star(*STAR)
    rounds = [1e3, 1e6, 1e12]
    regret = skipping.regrets(sb.GLADE(), decision_set, theta, variance, rounds, 100, seed=5).mean(axis=0)
    least = hindsight.least_regrets(*STAR, 1.0, rounds, 100, seed=6).mean(axis=0)
    assert (regret > 1.05 * least).all()
    assert (regret < 1.8 * least).all()


@pytest.mark.verify
def test_regret_is_the_sum_of_gaps():
    theta = np.array([1.0, 0.0])
    regret = skipping.regrets(sb.GLADE(), sb.MSets(2, 1), theta, 1e-6, [1, 2, 1e3, 1e100, 1e300], 3, seed=0)
    assert regret[:, :2] == pytest.approx(np.array([[0.0, 1.0]] * 3))  # each item once
    assert regret[:, -1] == pytest.approx(np.ones(3))  # one play suffices: 2e-6 * 690 < 1


def test_the_least_cost_is_that_of_the_best_number_of_joint_plays():
    rng = np.random.default_rng(0)
    for _ in range(200):
        k = int(rng.integers(1, 6))
        needed = rng.integers(1, 12, k)
        single, joint = rng.random(2) * (1.0, 3.0)
        least = min(joint * j + single * np.maximum(needed - j, 0).sum() for j in range(13))
        assert hindsight.least_cost(single, joint, needed) == pytest.approx(least)


def test_first_refuting_plays_agree_with_a_loop():
    checkpoints = [1e2, 1e4, 1e6]
    for seed, discount in itertools.product(range(20), (0.0, 1.0)):
        found = hindsight.first_refuting(0.7, discount, checkpoints, np.random.default_rng(seed))
        noise = np.random.default_rng(seed).normal(0.0, math.sqrt(0.5), found.max())
        for t, needed in zip(checkpoints, found, strict=True):
            total = 0.0
            for n in range(1, needed + 1):
                total += noise[n - 1]
                gap = 0.7 - total / n
                is_refuted = gap > 0 and n * gap**2 > max(math.log(t / n) - discount, 0.0)
                assert is_refuted == (n == needed)


def test_two_singles_have_the_second_order_of_the_closed_form():
    single, joint = 0.5, 0.8  # between √2 singles and two: joint plays until the first of them is refuted
    expected = (2 * single - joint) / math.sqrt(math.pi) * math.sqrt(2.0) / single**2
    assert hindsight.second_order(2, single, joint) == pytest.approx(expected, rel=0.03)


@pytest.mark.verify
def test_the_least_regret_exceeds_the_bound_by_the_second_order():
    t, replications = math.exp(690.0), 300
    cost = hindsight.least_regrets(*STAR, 0.0, [t], replications, seed=3)[:, 0]
    level = 690.0
    for _ in range(50):
        level = 690.0 - math.log(4.0 * level)  # ln(t / n) after n = level / 0.25 plays
    excess = (cost - 7.2 * level) / math.sqrt(level)
    assert excess.std() / math.sqrt(replications) < 0.4
    assert excess.mean() == pytest.approx(hindsight.second_order(*STAR), rel=0.15)


@pytest.mark.verify
def test_far_away_the_slope_of_glade_on_the_star_approaches_the_bound():
    """With a foresight that does not grow with the level, it is 1.2 from 10^50 to 10^100, and 1.3 from 10^200 on."""
    decision_set, theta, variance = listed_star(*STAR)
    rounds = [1e50, 1e100, 1e200, 1e300]
    regret = skipping.regrets(sb.GLADE(), decision_set, theta, variance, rounds, 40, seed=4)
    slopes = np.diff(regret.mean(axis=0)) / np.diff(np.log(rounds)) / 7.2
    assert slopes[0] < 1.15
    assert slopes[2] < 1.10
    assert slopes[2] > 0.98


def test_the_page_has_slopes_and_ratios_of_means():
    regret = np.outer([1.0, 3.0], far.LOGARITHMS)  # slopes 1 and 3
    found = far.Growth("star", 4.0, regret, 0.5 * regret, np.ones(len(far.EXPONENTS) - 1))
    glade, least, _ = far.rows(found)
    assert glade.startswith("| star | 4 | GLADE | 0.50 [")
    assert least.startswith("|  |  | in hindsight | 0.25 [")
    lines = far.ratios([found, far.Growth("other", 1.0, regret)]).splitlines()
    assert len(lines) == 3  # there is no hindsight value for "other"
    assert lines[2].startswith("| star | 2.00 [")
