"""Two objectives by P_LM only, against the list of all decisions in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

import semibandits as sb
from example_sets import OnlyMaximizes, matching, partitions, random_dag
from semibandits.decisions.ordered import maximize_in_order
from semibandits.kernels.oracles.status import ANSWERED
from semibandits.kernels.search import ordered

SETS = {
    "msets": lambda rng: sb.MSets(9, 4),
    "paths": random_dag,
    "matchings": lambda rng: matching(3, 4, "rows"),
    "intersection": lambda rng: partitions(10, 4, rng=rng),
    "own": lambda rng: OnlyMaximizes(random_dag(rng)),
}


def drawn(rng, d):
    """A first objective of small integers, and a second one of any numbers of several sizes."""
    sizes = 10.0 ** rng.choice([0, 0, 0, -9, 12, 60, -200], d)
    second = [rng.normal(size=d) * sizes, rng.integers(-2, 3, d) * sizes, np.zeros(d), 2.0**-1074 * rng.integers(0, 9, d)]
    return rng.integers(-1, 3, d).astype(float), second[rng.integers(4)]


def best_by_listing(rows, first, second):
    """The exact values of both objectives at the best decision, and its row."""
    values = [(int(first[row].sum()), sum(map(Fraction, second[row])), k) for k, row in enumerate(rows)]
    return max(values)


@pytest.mark.parametrize("kind", SETS)
def test_it_is_the_best_by_both_objectives(kind):
    rng = np.random.default_rng(len(kind))
    for _ in range(60):
        decision_set = SETS[kind](rng)
        rows = getattr(decision_set, "_inner", decision_set).enumerate()
        first, second = drawn(rng, decision_set.d)
        before = first.copy(), second.copy()
        x = maximize_in_order(decision_set, first, second)
        assert np.array_equal([first, second], before)
        most, value, k = best_by_listing(rows, first, second)
        assert x in decision_set
        assert first[x].sum() == most
        differing = np.abs(second[x != rows[k]])
        lost = value - sum(map(Fraction, second[x]))
        assert lost <= Fraction(1, 10**12) * sum(map(Fraction, differing))


def test_one_call_suffices_for_numbers_of_one_scale():
    calls = []

    def linear(data, weights, x):
        calls.append(weights.copy())
        x[:] = weights == weights.max()
        return ANSWERED

    python = getattr(ordered.maximize_in_order, "py_func", ordered.maximize_in_order)
    for second, expected in (([0.0] * 3, 1), ([1.0, -1e-6, 0.5], 1), ([1.0, 1e-7, 0.5], 2), ([1e12, 1.0, -1e-9], 3)):
        calls.clear()
        x = np.zeros(3, dtype=bool)
        python(linear, (), np.array([0.0, 1.0, 0.0]), np.array(second), 1, np.zeros(3), x)
        assert x.tolist() == [False, True, False]
        assert len(calls) == expected
    assert python(lambda *_: 0, (), np.zeros(3), np.zeros(3), 1, np.zeros(3), x) == 0
