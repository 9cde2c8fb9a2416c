"""Rewards whose n-th draw of an item is fixed: independent of the order of draws, and normally distributed."""

import math

import numpy as np
from scipy import stats

from semibandits.kernels.rewards import STACKED, draw, stacked_normal

MASK = 2**64 - 1


def twin_mixed(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def twin_normal(key, item, n):
    place = twin_mixed((key * 0x9E3779B97F4A7C15 + item * 0xD1B54A32D192ED03) & MASK) + n * 0x9E3779B97F4A7C15
    first, second = twin_mixed(place & MASK), twin_mixed((place & MASK) ^ 0xA0761D6478BD642F)
    radius = math.sqrt(-2 * math.log(((first >> 11) + 0.5) / 2**53))
    return radius * math.cos(2 * math.pi * (second >> 11) / 2**53)


def law(d):
    means, deviations = np.arange(d, dtype=float), np.linspace(0.5, 2.0, d)
    return np.concatenate((means, deviations)), np.concatenate(([d, 0], np.zeros(d))).astype(np.int64)


def rounds(seed, decisions, d=4):
    """Rewards of each item in the order of its plays."""
    floats, ints = law(d)
    rng, seen = np.random.default_rng(seed), {i: [] for i in range(d)}
    for items in decisions:
        out, chosen = np.zeros(d), np.array(items, dtype=np.int64)
        draw(STACKED, floats, ints, chosen, len(items), rng, np.zeros(d), out)
        for i, reward in zip(items, out, strict=False):
            seen[i].append(reward)
    assert ints[2:].tolist() == [len(rewards) for rewards in seen.values()]
    return seen


def test_an_item_has_the_same_rewards_in_any_order():
    first = rounds(1, [[0, 1], [0, 2], [1, 2], [0, 1, 2, 3]])
    second = rounds(1, [[3], [1], [1], [1, 2], [2], [0, 2], [0], [0]])
    assert first == second
    assert first[0] != rounds(2, [[0]] * 3)[0]


def test_rewards_are_mean_plus_deviation_times_the_number_of_the_stack():
    floats, ints = law(3)
    out, rng = np.zeros(3), np.random.default_rng(5)
    key = 1 + int(np.random.default_rng(5).random() * 2.0**53)
    for n in (1, 2, 3):
        draw(STACKED, floats, ints, np.array([0, 2]), 2, rng, np.zeros(3), out)
        expected = [floats[i] + floats[3 + i] * twin_normal(key, i, n) for i in (0, 2)]
        assert np.allclose(out[:2], expected, rtol=1e-14)


def test_stacks_are_normal_and_uncorrelated():
    """4 tests at 1e-4 each, with fixed keys."""
    z = np.array([[stacked_normal(12345 + 7919 * k, k % 5, n) for n in range(1, 2001)] for k in range(20)])
    assert stats.kstest(z.ravel(), "norm").pvalue > 1e-4
    bound = stats.norm.isf(0.5e-4)
    for pairs in (z[:, 1:] * z[:, :-1], z[1:] * z[:-1], z[:, 2:] * z[:, :-2]):
        assert abs(pairs.mean()) * math.sqrt(pairs.size) < bound
