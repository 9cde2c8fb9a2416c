"""Matroid intersections: P_LM against second methods and weight splitting; the exchange graph. `test_small_sets.py` has lists."""

import networkx as nx
import numpy as np
import pytest
from brute_force import costs_of_potentials
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from matroid_cases import defined_intersections
from semibandits import matroids
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.testing._exchange import _cheapest_cycles
from strategies import WEIGHTS, vectors


def certified_bound(common, graph, weights):
    """Upper bound on the value of every decision from two greedy bases, with the potentials as a weight splitting.

    For weights w1 + w2 >= weights, no decision is worth more than the best independent sets of m items under w1 in the
    first matroid and under w2 in the second. Items without an arc are loops of one of them, and weigh nothing to speak of.
    """
    members, arcs = np.flatnonzero(graph.decision), np.flatnonzero(graph.entering >= 0)
    z, pi = graph.entering[arcs], graph.potentials
    w1, w2 = np.full((2, common.d), -10.0 * (1.0 + np.abs(weights).sum() + np.abs(pi).sum()))
    w1[members], w2[members] = weights[members] + pi[: len(members)], -pi[: len(members)]
    w1[z], w2[z] = pi[graph.tails[arcs]], -pi[graph.heads[arcs]]
    assert (w1[z] + w2[z] >= weights[z] - 1e-12 * np.abs(weights).max()).all()
    value = 0.0
    for w, matroid in ((w1, common.m1), (w2, common.m2)):
        order = np.argsort(-w, kind="stable")
        kept = matroid.greedy(order)
        value += w[order[kept[order]][: common.m]].sum()
    return value


def assert_exchanges_lead_to(graph, x, weights, tolerance):
    """The step from x* to x is a sum of arcs: members paired with ways in, ways out with members (then it closes)."""
    leaving = np.flatnonzero(graph.decision & ~x)
    arc = {int(z): a for a, z in enumerate(graph.entering) if z >= 0}
    entering = [arc[z] for z in np.flatnonzero(x & ~graph.decision).tolist()]
    position = np.cumsum(graph.decision) - 1
    cost = graph.costs[entering].sum()
    cheapest = {}
    for tail, head, c in zip(graph.tails, graph.heads, graph.costs, strict=True):
        cheapest[int(tail), int(head)] = min(c, cheapest.get((int(tail), int(head)), np.inf))
    into = np.array([[cheapest.get((position[y], graph.tails[a]), 1e9) for a in entering] for y in leaving])
    out = np.array([[cheapest.get((graph.heads[a], position[y]), 1e9) for a in entering] for y in leaving])
    for table in (into, out):
        if len(leaving):
            cost += table[linear_sum_assignment(table)].sum()
    assert cost == pytest.approx(weights[graph.decision].sum() - weights[x].sum(), rel=0, abs=tolerance)


@given(st.data())
@settings(max_examples=150)
def test_exchange_graph(data):
    common, rows = data.draw(defined_intersections())
    weights = data.draw(vectors(common.d, data.draw(st.sampled_from(WEIGHTS))))
    graph = common.exchange_graph(weights)
    x_star, scale = graph.decision, max(1e-300, np.abs(weights).max())
    tolerance = 1e-12 * scale
    assert np.array_equal(x_star, common.maximize(weights))
    assert (graph.costs >= 0).all()
    assert costs_of_potentials(graph, weights) == pytest.approx(graph.costs, rel=0, abs=tolerance)
    value = weights[x_star].sum()
    assert certified_bound(common, graph, weights) <= value + 10 * tolerance
    gaps = value - rows @ weights
    assert (gaps >= -tolerance).all()
    through = _cheapest_cycles(graph)
    for i in range(common.d):
        if x_star[i]:
            arcs, changed = graph.leaving == i, gaps[~rows[:, i]]
        else:
            arcs, changed = graph.entering == i, gaps[rows[:, i]]
            assert arcs.sum() <= 1
        cheapest, smallest = through[arcs].min(initial=np.inf), changed.min(initial=np.inf)
        assert cheapest == pytest.approx(smallest, rel=0, abs=tolerance)
    for x in rows:
        assert_exchanges_lead_to(graph, x, weights, tolerance)


def test_items_with_the_same_exchanges_share_nodes():
    d, m = 40, 5
    common = MatroidIntersection(matroids.Uniform(d, m), matroids.Uniform(d, d))
    graph = common.exchange_graph(np.arange(d))
    assert graph.n_nodes == m + 2
    assert graph.n_arcs == d - m + 2 * m


def test_items_that_can_never_be_chosen_have_no_arc():
    free, loops = matroids.Uniform(4, 2), matroids.Partition("abbc", {"a": 0, "b": 2, "c": 1})
    graph = MatroidIntersection(free, loops).exchange_graph([9, 1, 2, 3])
    assert graph.decision.tolist() == [False, False, True, True]
    assert graph.entering[graph.entering >= 0].tolist() == [1]


@pytest.mark.parametrize("integers", [False, True])
def test_arborescences_against_edmonds(integers):
    """Forests with one arc into each node but the root, of a graph with arcs both ways."""
    n, root = 25, 3
    graph = nx.connected_watts_strogatz_graph(n, 4, 0.3, seed=1)
    arcs = [arc for u, v in graph.edges for arc in ((u, v), (v, u))]
    rng = np.random.default_rng(5)
    weights = rng.integers(0, 4, len(arcs)).astype(float) if integers else rng.random(len(arcs))
    into = matroids.Partition([head for _, head in arcs], {v: int(v != root) for v in range(n)})
    common = MatroidIntersection(matroids.Graphic(arcs), into, size=n - 1)
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((u, v, w) for (u, v), w in zip(arcs, weights, strict=True) if v != root)
    best = nx.maximum_spanning_arborescence(graph).size(weight="weight")
    x = common.maximize(weights)
    assert x in common
    assert weights[x].sum() == pytest.approx(best, rel=1e-12)
    assert certified_bound(common, common.exchange_graph(weights), weights) == pytest.approx(best, rel=1e-12)


def test_large_instance_is_certified_by_weight_splitting():
    rng = np.random.default_rng(2)
    carrier, origin = rng.integers(0, 16, 288), rng.integers(0, 3, 288)
    common = MatroidIntersection(matroids.Partition(carrier, 2), matroids.Partition(origin, 4), 10)
    for weights in (rng.random(288), rng.integers(-4, 5, 288).astype(float), -rng.random(288)):
        graph = common.exchange_graph(weights)
        assert graph.decision in common
        assert certified_bound(common, graph, weights) == pytest.approx(weights[graph.decision].sum(), rel=1e-12, abs=1e-12)
        assert graph.n_arcs < 350


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e12, 1e300])
def test_scale_of_the_weights_does_not_matter(scale):
    rng = np.random.default_rng(7)
    weights = rng.random(12)
    common = MatroidIntersection(matroids.Partition(np.arange(12) % 4, 1), matroids.Partition(np.arange(12) % 3, 1))
    assert np.array_equal(common.maximize(weights * scale), common.maximize(weights))
    costs, reference = common.exchange_graph(weights * scale).costs, common.exchange_graph(weights).costs
    assert costs / scale == pytest.approx(reference, rel=1e-9, abs=1e-13)


def test_sums_of_integers_are_exact_and_do_not_overflow():
    """Up to 45 bits."""
    common = MatroidIntersection(matroids.Uniform(3, 1), matroids.Uniform(3, 2))
    assert common.maximize([2**45 - 2, 2**45 - 1, 2**45 - 3]).tolist() == [False, True, False]
    common = MatroidIntersection(matroids.Uniform(3, 2), matroids.Uniform(3, 3))
    assert common.maximize([1.7e308, -1.7e308, 1.6e308]).tolist() == [True, False, True]


def test_no_items_chosen_is_one_decision():
    common = MatroidIntersection(matroids.Uniform(3, 0), matroids.Graphic([(0, 1), (1, 2), (2, 0)]))
    assert common.m == 0
    assert common.enumerate().tolist() == [[False, False, False]]
    graph = common.exchange_graph([1, 2, 3])
    assert graph.n_nodes == graph.n_arcs == 0
    assert MatroidIntersection(matroids.Uniform(3, 2), matroids.Uniform(3, 2), size=0).count() == 1


def test_properties():
    m1, m2 = matroids.Partition("aabb", 1), matroids.Uniform(4, 3)
    common = MatroidIntersection(m1, m2)
    assert (common.m1, common.m2, common.d, common.m) == (m1, m2, 4, 2)
    assert repr(common) == "MatroidIntersection(Partition(d=4, groups=2), Uniform(d=4, m=3), size=2)"
