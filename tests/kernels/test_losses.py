"""Losses of forcing an item in or out, against enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_cases import SETS as INDEXED

import semibandits as sb
from semibandits.kernels.graphs.exchange import shortest_walks
from semibandits.kernels.oracles.pointers import KNOWN
from semibandits.matroids import Partition

SETS = {name: decisions for name, decisions in INDEXED.items() if name not in ("real", "paths")} | {
    "no item": sb.MSets(3, 0),
    "columns": sb.Matchings([(c, r) for r in range(3) for c in range(4)], saturate="columns"),
    "an edge in no decision": sb.Matchings([(0, 0), (0, 1), (1, 0)]),
    "smaller than both": sb.MatroidIntersection(Partition([0, 0, 1, 1, 2, 2], 1), Partition([0, 1, 2] * 2, 1), size=2),
}
ROWS = {name: decisions.enumerate() for name, decisions in SETS.items()}


def problem(name, seed):
    """Weights with many ties, forced items, the decisions that agree with them, and the heaviest of these."""
    rng = np.random.default_rng(seed)
    d, rows = SETS[name].d, ROWS[name]
    weights = rng.integers(-2, 3, d) + (0.0 if rng.random() < 0.5 else rng.normal(size=d))
    seen = rows[rng.integers(len(rows))]
    forced = np.where(rng.random(d) < 0.25, np.where(seen, 1, -1), 0)
    part = rows[(rows == (forced > 0))[:, forced != 0].all(axis=1)]
    return weights, forced, part, part[np.argmax(part @ weights)]


@pytest.mark.parametrize("name", SETS)
@given(seed=st.integers(0, 100_000))
@settings(max_examples=40)
def test_no_decision_loses_less(name, seed):
    """The loss is a bound; for m-sets, bases and matchings the best decision with the item changed attains it."""
    weights, forced, part, x = problem(name, seed)
    exchange_costs, oracle = np.zeros(SETS[name].d), SETS[name].compiled()
    assert oracle.family.exchange_costs(oracle.data, weights, x, forced, exchange_costs) == KNOWN
    sums = part @ weights
    for i in np.flatnonzero(forced == 0):
        changed = sums[part[:, i] != x[i]]
        expected = sums.max() - changed.max() if len(changed) else np.inf
        assert exchange_costs[i] <= expected + 1e-12
        if not isinstance(SETS[name], sb.MatroidIntersection):
            assert exchange_costs[i] == pytest.approx(expected, abs=1e-12)
        assert exchange_costs[i] >= -1e-12


@given(seed=st.integers(0, 100_000), n=st.integers(1, 6))
@settings(max_examples=150)
def test_shortest_walks_have_the_lengths_of_a_plain_search(seed, n):
    rng = np.random.default_rng(seed)
    heights = rng.normal(size=n)
    steps = np.where(rng.random((n, n)) < 0.4, np.inf, rng.random((n, n)) + heights - heights[:, None])
    expected = np.where(np.eye(n, dtype=bool), 0.0, steps)
    for _ in range(n):
        expected = np.minimum(expected, (expected[:, :, None] + expected[None]).min(axis=1))
    assert np.allclose(shortest_walks(steps), expected, rtol=0, atol=1e-12)


def test_cycles_that_are_negative_by_rounding_do_not_add_up():
    """A cycle of zero lengths, each lowered by one rounding error: walks around it must not gain more than a few of them."""
    n = 40
    assert np.abs(shortest_walks(np.full((n, n), -1e-16))).max() <= n * n * 1e-16
