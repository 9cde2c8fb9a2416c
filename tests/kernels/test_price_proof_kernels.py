"""The searches over prices, of the upper certificate and of the solver, against all cycles of small graphs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cycle_lists import all_cycles
from semibandits.kernels.graphs.exchange import arcs_of
from semibandits.kernels.solver.price_proof import open_cycles, ways_back
from strategies import ends_of, multigraphs

ENOUGH = 10_000


@st.composite
def priced_graphs(draw):
    """(n, tails, heads, costs, weights): items of Gaussian rewards on most arcs, whose raises some caps limit."""
    n, more = draw(multigraphs((2, 5), (0, 10), loops=False))
    ends = [(v, (v + 1) % n) for v in range(n)] + more
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    costs = rng.random(len(ends)) if draw(st.booleans()) else rng.integers(0, 3, len(ends)) / 4.0
    return priced(rng, n, ends, costs, draw(st.integers(1, 5)))


def priced(rng, n, ends, costs, n_prices):
    """Weights at random prices, for items of random rates."""
    a = len(ends)
    rates = np.exp(rng.normal(0.0, 1.0, a))
    caps = np.where(rng.random(a) < 0.8, rng.choice([0.1, 0.5, 3.0], a), 0.0)
    prices = np.sort(np.exp(rng.normal(0.0, 1.0, n_prices)))
    # psi(s) is the largest s e - w e^2 / 2 over raises e up to the cap: convex, 0 at 0, at most s cap.
    raises = np.minimum(prices / rates[:, None], caps[:, None])
    weights = np.outer(costs, prices) - raises * prices + rates[:, None] * raises**2 / 2.0
    rows = np.column_stack((weights, costs - caps))  # by columns if there is one price: another version of the kernel
    return n, *ends_of(ends), costs, np.ascontiguousarray(rows)


def search(graph, level, *, begin=1e-7, max_labels=ENOUGH, max_found=ENOUGH, starts=None):
    n, tails, heads, costs, weights = graph
    begins, limits = np.zeros(weights.shape[1]), np.full(weights.shape[1], level)
    begins[-1], limits[-1] = begin, 0.0
    starts = np.arange(n) if starts is None else starts
    return open_cycles(arcs_of(n, tails, heads), starts, costs, weights, begins, limits, max_labels, max_found)


def open_ones(graph, level, begin):
    """For each open cycle whose weights are below the level, its largest weight."""
    n, tails, heads, _, weights = graph
    sums = np.array([weights[cycle].sum(axis=0) for cycle in all_cycles(n, tails, heads)])
    return sums[(sums[:, :-1] < level).all(axis=1) & (sums[:, -1] + begin < 0.0), :-1].max(axis=1)


@given(priced_graphs(), st.sampled_from([0.05, 0.5, 2.0]), st.sampled_from([1e-7, 1e-3]))
@settings(max_examples=100)
def test_the_least_bound_of_all_cycles_is_found(graph, level, begin):
    n, tails, heads, _, weights = graph
    ptr, arcs, found, labels, complete = search(graph, level, begin=begin)
    assert complete
    assert n <= labels + n - 1 <= ENOUGH
    truth = open_ones(graph, level * (1.0 - 1e-9), begin)
    least = found[:, :-1].max(axis=1).min(initial=level)
    assert least == pytest.approx(truth.min(initial=level), rel=1e-8, abs=1e-12)
    assert len(ptr) == len(found) + 1
    assert len(arcs) == ptr[-1]
    for k, row in enumerate(found):
        cycle = arcs[ptr[k] : ptr[k + 1]][::-1]
        np.testing.assert_array_equal(heads[cycle], np.roll(tails[cycle], -1))
        assert len(set(tails[cycle])) == len(cycle)
        exact = weights[cycle].sum(axis=0)
        exact[-1] += begin
        assert (row <= exact + 1e-16).all()
        np.testing.assert_allclose(row, exact, rtol=0.0, atol=1e-13)
        assert (row[:-1] < level).all()
        assert row[-1] < 0.0


@given(priced_graphs())
@settings(max_examples=40)
def test_a_search_that_is_broken_off_is_incomplete(graph):
    _, _, whole, labels, _ = search(graph, 2.0)
    assert search(graph, 2.0, max_labels=labels)[4]
    for most in (0, labels // 2):
        *_, few, complete = search(graph, 2.0, max_labels=most)
        assert complete == (most >= labels)
        assert few <= max(most, 1) + len(graph[1])
    assert search(graph, 2.0, max_found=len(whole))[4]
    if len(whole):
        ptr, arcs, found, _, complete = search(graph, 2.0, max_found=len(whole) - 1)
        assert not complete
        assert (len(found), len(ptr), len(arcs)) == (len(whole) - 1, len(whole), ptr[-1])
        np.testing.assert_array_equal(found, whole[:-1])


@given(priced_graphs())
@settings(max_examples=100)
def test_ways_back_are_lower_bounds(graph):
    """They are exact where no cycle has a negative weight, and -inf elsewhere."""
    n, tails, heads, _, weights = graph
    inner = np.flatnonzero(tails != 0)
    least = ways_back(n, 0, tails, heads, inner, weights)
    shortest = np.full((n, weights.shape[1]), np.inf)
    shortest[0] = 0.0
    lengths = [shortest]
    for _ in range(3 * n):
        last = lengths[-1].copy()
        for arc in inner:
            last[tails[arc]] = np.minimum(last[tails[arc]], weights[arc] + lengths[-1][heads[arc]])
        lengths.append(last)
    assert (least <= lengths[-1]).all()
    settled = (abs(lengths[n] - lengths[-1]) <= 1e-12).all(axis=0, where=np.isfinite(lengths[n]))
    np.testing.assert_allclose(least[:, settled], lengths[n][:, settled], rtol=0.0, atol=1e-11)
    away = np.arange(n) != 0
    assert np.isneginf(least[:, ~settled][away][np.isfinite(lengths[n][:, ~settled][away])]).all()


def test_searches_outgrow_their_first_arrays():
    """There are more walks and cycles than the first arrays hold; deleted starts are skipped."""
    n, rng = 7, np.random.default_rng(0)
    ends = [(v, w) for v in range(n) for w in range(n) if v != w]
    graph = priced(rng, n, ends, 0.1 * rng.random(len(ends)), 6)
    _, _, found, labels, complete = search(graph, 10.0)
    assert complete
    assert labels > 256
    assert len(found) > 64
    assert found[:, :-1].max(axis=1).min() == pytest.approx(open_ones(graph, 10.0, 1e-7).min(), rel=1e-9)
    again = search(graph, 10.0, starts=np.array([0, 0, 1, 2, 3, 4, 5, 5]))
    assert again[2].tolist() == found.tolist()
    assert again[3] == labels
