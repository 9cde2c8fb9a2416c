"""Rounds in which an optimal decision is played: counted by simulations and summarised. Their files: test_results.py."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import semibandits as sb
from example_sets import OnlyMaximizes
from semibandits.simulation.statistics import settled_round


@pytest.mark.parametrize("wrap", [lambda x: x, OnlyMaximizes], ids=["kernels", "python"])
def test_optimal_rounds_are_those_without_regret(wrap):
    rewards = sb.GaussianRewards([1.0, 1.0, 0.5, 0.25], variance=0.01)  # {0, 2} and {1, 2} are second; the best is {0, 1}
    rounds = np.arange(1, 61)
    result = sb.simulate(wrap(sb.MSets(4, 2)), rewards, sb.CUCB(), horizon=60, replications=3, checkpoints=rounds, bound=False)
    lost = np.diff(result.regret["CUCB"], axis=1, prepend=0.0)
    assert np.array_equal(result.optimal["CUCB"], (lost == 0.0).cumsum(axis=1))
    assert 0 < result.optimal["CUCB"][:, -1].min() < 60
    (row,) = result.summary()
    assert row.optimal_share == pytest.approx((lost == 0.0).mean())


def test_tied_decisions_are_all_optimal():
    rewards = sb.GaussianRewards([0.5] * 5, variance=0.01)
    result = sb.simulate(sb.MSets(5, 2), rewards, sb.ThompsonSampling(), horizon=40, replications=2, bound=False)
    assert (result.optimal["ThompsonSampling"] == result.checkpoints).all()
    (row,), (unknown,) = result.summary(), replace(result, optimal=None).summary()
    assert (row.settled, unknown.settled, unknown.optimal_share) == (1, None, None)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.sampled_from((0.25, 0.5, 0.9)))
def test_settled_round(best_of_four, share):
    """Four replications with a checkpoint in every round: the count of those that play an optimal decision."""
    played = np.array([[k < number for number in best_of_four] for k in range(4)])
    rounds = np.arange(1, len(best_of_four) + 1)
    found = settled_round(rounds, played.cumsum(axis=1), share)
    good = [t for t in rounds if all(number >= 4 * share for number in best_of_four[t - 1 :])]
    good = [t for t in good if t - 1 <= 0.9 * len(rounds)]
    assert found == (good[0] if good else None)


def test_settled_round_between_checkpoints():
    rounds, optimal = np.array([10, 100, 1000]), np.array([[1, 40, 895], [3, 60, 905]])  # 850 of the last 900 rounds on average
    assert [settled_round(rounds, optimal, share) for share in (0.9, 0.95, 0.5)] == [101, None, 11]
