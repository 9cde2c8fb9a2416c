"""Bounds from potentials against all simple cycles."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import semibandits as sb
from example_sets import grid, matching
from semibandits.kernels.graphs.exchange import arcs_of
from semibandits.regret_bound.certificates.cycle_ratios import ratio_bound
from semibandits.regret_bound.cycles import circulation


@st.composite
def cycles_of_graphs(draw):
    """Strongly connected digraphs whose arcs lie on cycles: ends, costs, u, and all simple cycles as lists of arcs."""
    n = draw(st.integers(2, 6))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] != pair[1])
    ring = [(v, (v + 1) % n) for v in range(n)]
    arcs = list(dict.fromkeys(ring + draw(st.lists(pairs, max_size=20))))
    numbers = st.sampled_from([0.0, 1.0, 2.0, 1e-9]) | st.floats(0.0, 1.0, allow_subnormal=False)
    costs = np.array(draw(st.lists(numbers, min_size=len(arcs), max_size=len(arcs))))
    u = np.array(draw(st.lists(numbers, min_size=len(arcs), max_size=len(arcs))))
    place = {arc: k for k, arc in enumerate(arcs)}
    lists = [
        [place[v, w] for v, w in zip(cycle, cycle[1:] + cycle[:1], strict=True)] for cycle in nx.simple_cycles(nx.DiGraph(arcs))
    ]
    gaps = np.full(len(arcs), math.inf)
    for cycle in lists:
        gaps[cycle] = np.minimum(gaps[cycle], costs[cycle].sum())
    u[gaps < 1e-12] = 0.0
    tails, heads = np.array(arcs).T
    return arcs_of(n, tails.copy(), heads.copy()), costs, gaps, u, lists


@given(cycles_of_graphs())
def test_no_cycle_exceeds_the_bound(case):
    graph, costs, gaps, u, cycles = case
    if not u.any():
        assert ratio_bound(graph, costs, gaps, u, math.inf) == 0.0
        return
    sums = [(u[cycle].sum(), costs[cycle].sum(), cycle) for cycle in cycles if u[cycle].any()]
    worst = max(total / gap**2 for total, gap, _ in sums)
    gains = u / np.maximum(gaps, gaps[u > 0.0].min())
    best = max(gains[cycle].sum() / gap for _, gap, cycle in sums)
    bound = ratio_bound(graph, costs, gaps, u, math.inf)
    assert worst * (1.0 - 1e-12) <= bound
    assert best * (1.0 - 1e-12) <= bound <= best * (1.0 + 1e-3)
    assert bound <= ratio_bound(graph, costs, gaps, u, -math.inf) * (1.0 + 1e-3)


def test_numbers_that_overflow_give_no_bound():
    ring = arcs_of(3, np.array([0, 1, 2]), np.array([1, 2, 0]))
    assert ratio_bound(ring, np.full(3, 1e-300), np.full(3, 3e-300), np.ones(3), math.inf) == math.inf
    assert ratio_bound(ring, np.ones(3), np.full(3, 3.0), np.array([math.inf, 1.0, 1.0]), math.inf) == math.inf


@pytest.mark.parametrize("decision_set", [matching(12), matching(12, saturate="none"), grid(9)])
def test_a_plan_that_is_not_verified_costs_little_more(decision_set, monkeypatch):
    """The bound replaces the search for the worst cycle; added up, the ratios of items would give up to m times the value."""
    theta = np.random.default_rng(1).random(decision_set.d)
    full = sb.graves_lai(decision_set, theta, gap=1e-2)
    monkeypatch.setattr(circulation, "MAX_LABELS", 0)
    monkeypatch.setattr(circulation, "LABELS_AN_ARC", 0)
    short = sb.graves_lai(decision_set, theta, gap=1e-2, throw=False)
    assert full.lower <= short.value <= 1.7 * full.value
    assert short.status == "stalled"
