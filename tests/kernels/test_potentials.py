"""Node potentials by Bellman and Ford's method."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.kernels.graphs.potentials import potentials


def twin(n, arcs):
    """Cheapest walks of at most n arcs that end in each node, and whether one more arc still improves one."""
    cheapest = [0.0] * n
    for _ in range(n):
        cheapest = relaxed(cheapest, arcs)
    return cheapest, relaxed(cheapest, arcs) == cheapest


def relaxed(cheapest, arcs):
    better = list(cheapest)
    for tail, head, cost in arcs:
        better[head] = min(better[head], cheapest[tail] + cost)
    return better


def run(n, arcs):
    tails, heads = (np.array([arc[k] for arc in arcs], dtype=np.int64) for k in (0, 1))
    costs = np.array([arc[2] for arc in arcs], dtype=np.float64)
    pi, ok = potentials(n, tails, heads, costs)
    return pi, ok, costs + pi[tails] - pi[heads]


@st.composite
def multigraphs(draw, costs):
    n = draw(st.integers(1, 7))
    node = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(node, node, costs), max_size=20))


@settings(max_examples=150)
@given(multigraphs(st.integers(-3, 9)))
def test_equal_to_the_twin_on_integers(instance):
    n, arcs = instance
    expected, feasible = twin(n, arcs)
    pi, ok, reduced = run(n, arcs)
    assert ok == feasible
    if feasible:
        assert pi.tolist() == expected
        assert (reduced >= 0).all()
    else:
        assert reduced.min() < 0


@settings(max_examples=150)
@given(multigraphs(st.floats(0, 10)), st.lists(st.floats(-1e3, 1e3), min_size=7, max_size=7))
def test_disguised_non_negative_costs(instance, disguise):
    """Costs that differ from non-negative ones by potentials: cycles of cost zero have sums of either sign by rounding."""
    n, arcs = instance
    arcs = [(tail, head, cost - disguise[tail] + disguise[head]) for tail, head, cost in arcs]
    pi, ok, reduced = run(n, arcs)
    assert ok
    assert (pi <= 0).all()
    assert (reduced >= -1e-12 * max([abs(cost) for *_, cost in arcs], default=0.0)).all()


@pytest.mark.parametrize("lack", [0.0, 1e-17, 1e-16, 1e-13])
def test_a_zero_cycle_that_rounding_made_negative_ends(lack):
    n = 50
    arcs = [(v, (v + 1) % n, -lack) for v in range(n)] + [(0, n // 2, 1.0)]
    _, ok, reduced = run(n, arcs)
    assert ok
    assert reduced.min() >= -1e-11


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_a_slightly_negative_cycle_is_detected(scale):
    triangle = [(0, 1, scale), (1, 2, -2 * scale), (2, 0, scale * (1 - 1e-7))]
    assert not run(3, triangle)[1]
    triangle[2] = (2, 0, scale)
    assert run(3, triangle)[1]
