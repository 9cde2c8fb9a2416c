"""Draws of the largest means, against draws of all means."""

import numpy as np
import pytest
from scipy import stats

from marks import later
from semibandits._typing import FloatArray, IntArray
from semibandits.policies.many.draws import Draws
from semibandits.policies.many.posteriors import Beta, Normal, Posterior

ROUNDS = 2_000
PROBABILITY = 1e-6
"""Of a failure by chance, of each test."""


def times_chosen(draws: FloatArray, roles: IntArray, most: IntArray) -> FloatArray:
    """How often each item has one of the largest draws of its role; a row of draws for each round."""
    times = np.zeros(len(roles))
    for r, k in enumerate(most.tolist()):
        items = np.flatnonzero(roles == r)
        chosen = items[np.argsort(-draws[:, items], axis=1)[:, :k]]
        times += np.bincount(chosen.ravel(), minlength=len(roles))
    return times


def cases() -> dict[str, tuple[Posterior, FloatArray, FloatArray]]:
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 40, 60).astype(float)
    successes = rng.binomial(counts.astype(int), 0.1)
    return {
        "normal": (Normal(2.0), counts, rng.normal(size=60)),
        "normal, equal": (Normal(0.5), np.full(60, 3.0), np.zeros(60)),
        "probabilities": (Beta(1.0), counts, successes / counts),
        "probabilities, equal": (Beta(1.5), np.full(60, 50.0), np.full(60, 0.02)),
    }


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", cases())
def test_items_are_chosen_as_often_as_by_draws_of_all(name: str) -> None:
    posterior, counts, means = cases()[name]
    rounds = 700 if isinstance(posterior, Beta) else ROUNDS  # its draws take eight times as long
    roles, most = np.repeat([0, 1, 2], [40, 15, 5]), np.array([3, 2, 5])  # all items of the last role are needed
    draws = Draws(posterior, roles, most, counts, means)
    rng, levels = np.random.default_rng(1), np.zeros(3)
    found = np.full((rounds, 60), -np.inf)
    for of_all in found:
        items, values = draws.largest(rng, levels)
        assert len(np.unique(items)) == len(items)
        of_all[items] = values
    whole = posterior.draw(rng.random((rounds, 60)), counts, means)
    a, b = (times_chosen(values, roles, most) for values in (found, whole))
    p = (a + b) / (2 * rounds)
    z = (a - b) / np.sqrt(np.maximum(2.0 * rounds * p * (1.0 - p), 1.0))
    assert (np.abs(z) < stats.norm.isf(PROBABILITY / 120)).all()
    assert stats.ks_2samp(found.max(axis=1), whole.max(axis=1)).pvalue > PROBABILITY


@pytest.mark.parametrize("start", [-50.0, *later(50.0)])
def test_any_start_of_the_search_for_levels_gives_the_same_law(start: float) -> None:
    posterior, counts, means = cases()["normal"]
    draws = Draws(posterior, np.zeros(60, dtype=np.int64), np.array([4]), counts, means)
    rng = np.random.default_rng(2)
    sums = [np.sort(draws.largest(rng, np.array([start]))[1])[-4:].sum() for _ in range(ROUNDS)]
    whole = np.sort(posterior.draw(rng.random((ROUNDS, 60)), counts, means), axis=1)
    assert stats.ks_2samp(sums, whole[:, -4:].sum(axis=1)).pvalue > PROBABILITY


@pytest.mark.parametrize("name", cases())
def test_the_way_to_the_present_counts_does_not_matter(name: str) -> None:
    """After many changes, the same numbers are drawn as by classes that were told the last ones only."""
    posterior, counts, means = cases()[name]
    roles, most = np.repeat([0, 1], [45, 15]), np.array([3, 2])
    steps, now, values = np.random.default_rng(3), counts.copy(), means.copy()
    long = Draws(posterior, roles, most, counts, means)
    long.follow(now, values)
    for _ in range(300):
        item = int(steps.integers(60))
        now[item] = counts[item] + steps.integers(0, 3)
        values[item] = means[item] if now[item] == counts[item] else steps.choice(means)
        long.update([item])
    short = Draws(posterior, roles, most, counts, means)
    short.follow(now.copy(), values.copy())
    for seed in range(30):
        one, other = (x.largest(np.random.default_rng(seed), np.zeros(2)) for x in (long, short))
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])
    sizes = long._table[3, : len(long._classes)]
    assert sizes.sum() == 60
    assert len(long._known) <= 2 * 60


@pytest.mark.parametrize("posterior", [Normal(0.7), Beta(1.3)])
def test_posteriors(posterior: Posterior) -> None:
    n, mean, tail = np.array([1.0, 5.0, 300.0]), np.array([0.0, 0.2, 0.97]), np.array([0.9, 1e-3, 1e-12])
    np.testing.assert_allclose(posterior.tail(posterior.draw(tail, n, mean), n, mean), tail, rtol=1e-7)
    np.testing.assert_allclose(posterior.mean_at(n, posterior.position(n, mean)), mean, atol=1e-12)
    assert (posterior.draw(tail, n, mean + 0.01) > posterior.draw(tail, n, mean)).all()
