"""Rounds, statistics and uncounted arrays against plain Python."""

import math

import numpy as np
import pytest

import semibandits as sb
from semibandits.kernels import rounds
from semibandits.kernels.rules.statistics import MEANS, PLAYS, ROOTS, SCALES, SUMS, exploration, fresh_statistics, observe
from semibandits.kernels.uncounted import uncounted


@pytest.mark.parametrize("seed", range(20))
def test_observations_add_up(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 8))
    variance = rng.uniform(0.1, 2.0, d)
    stats = fresh_statistics(variance)
    assert (stats[SCALES] == 2.0 * variance).all()
    history: list[list[float]] = [[] for _ in range(d)]
    for _ in range(15):
        items = np.flatnonzero(rng.random(d) < 0.5)
        outcomes = rng.normal(size=d)
        new = sum(not history[i] for i in items)
        assert observe(stats, 2.0 * variance, items, len(items), outcomes) == new
        for i, outcome in zip(items, outcomes, strict=False):
            history[i].append(outcome)
    for i, seen in enumerate(history):
        total = 0.0
        for outcome in seen:
            total += outcome
        n = len(seen)
        assert stats[PLAYS, i] == n
        assert stats[SUMS, i] == total
        assert stats[MEANS, i] == (total / n if n else 0.0)
        assert stats[SCALES, i] == 2.0 * variance[i] / max(n, 1)
        assert stats[ROOTS, i] == math.sqrt(stats[SCALES, i])


@pytest.mark.parametrize("t", [1, 2, 3, 10, 10**6])
def test_confidence_grows_as_stated(t):
    assert exploration(t, 1.0, 0.0) == math.log(t)
    expected = 2.0 * math.log(t) + (3.0 * math.log(math.log(t)) if t > 2 else 0.0)
    assert exploration(t, 2.0, 3.0) == pytest.approx(expected, rel=1e-15)


def test_uncounted_arrays_are_the_same_memory():
    array = np.arange(6.0).reshape(2, 3)
    assert uncounted(array) is array
    player = sb.CUCB().start(sb.MSets(4, 2), 0.5).player
    lent = rounds.lend_player(player)
    for mine, theirs in zip(player, lent, strict=True):
        assert np.array_equal(mine, theirs)
        assert mine.dtype == theirs.dtype
