"""Gaps, reduced costs, potentials and flows to the last digits, against exact rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from enumeration_reference import simple_cycles

import semibandits as sb
from example_sets import partitions
from semibandits.decisions.ties import Ties
from semibandits.kernels.graphs.exchange import arcs_of, distances_to, lowered
from semibandits.kernels.solver.newton import chords_to_circulation, spanning_tree
from semibandits.regret_bound.precision import gaps_below, refined

DAG = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (0, 3), (1, 4), (3, 5), (4, 5), (2, 5), (0, 1)]


FAMILIES = {
    "paths": lambda: sb.Paths(DAG, 0, 5),
    "perfect matchings": lambda: sb.Matchings([(i, j) for i in range(4) for j in range(4)]),
    "any matchings": lambda: sb.Matchings([(i, j) for i in range(3) for j in range(4)], saturate="none"),
    "intersections": lambda: partitions(9, 3),
    "m-sets": lambda: sb.MSets(6, 2),
}


def rewards(seed, d):
    """Rewards with near-ties down to 1e-12, some of them with a large common part."""
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 3, d) * rng.choice([1.0, 0.1, 1 / 3])
    return base + 10.0 ** -rng.integers(4, 13) * rng.random(d) * rng.integers(0, 3, d) + rng.choice([0.0, 0.1, 1e3, 1e6])


def exact(theta, arcs_or_items):
    return sum((Fraction(float(theta[i])) for i in arcs_or_items), Fraction(0))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(30))
def test_gaps_of_decisions_are_right_to_the_last_digits(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 40))
    decisions, theta = rng.random((600, d)) < 0.5, rewards(seed, d)
    truth = [float(exact(theta, np.flatnonzero(decisions[0])) - exact(theta, np.flatnonzero(x))) for x in decisions]
    np.testing.assert_allclose(gaps_below(decisions[0], decisions, theta), truth, rtol=1e-14, atol=1e-21 * abs(theta).max())


@pytest.mark.parametrize("theta", [[0.0, 0.0], [-0.0, 5e-324], [1e300, -1e300], [3.0, 0.0]])
def test_gaps_of_difficult_rewards(theta):
    theta = np.array(theta)
    decisions = np.array([[True, False], [False, True]])
    assert gaps_below(decisions[0], decisions, theta).tolist() == [0.0, theta[0] - theta[1]]
    assert gaps_below(decisions[0], decisions[:0], theta).shape == (0,)


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("family", FAMILIES)
def test_sharpened_costs_add_up_to_the_gap_of_each_cycle(family, seed):
    decision_set = FAMILIES[family]()
    theta = rewards(seed, decision_set.d)
    given = decision_set.exchange_graph(theta)
    graph, lack = refined(given, theta, Ties.of(theta, given.decision, decision_set.m, 1e-12))
    assert (graph.costs >= 0).all()
    assert lack <= 1e-12 * abs(theta).max()
    in_hub = np.isin(np.arange(graph.n_nodes), graph.hub)
    assert (graph.costs[in_hub[graph.tails] & in_hub[graph.heads] & (graph.entering < 0)] == 0).all()
    for cycle in simple_cycles(graph.tails, graph.heads):
        gone, come = graph.leaving[cycle], graph.entering[cycle]
        gap = float(exact(theta, gone[gone >= 0]) - exact(theta, come[come >= 0]))
        assert abs(graph.costs[cycle].sum() - gap) <= 2 * lack + 1e-14 * abs(gap) + 1e-24 * abs(theta).max()


def test_a_decision_that_is_best_but_for_rounding_is_admitted():
    """Of two items the one that loses by 2^-60 is x*, as a family that rounds its weights may find."""
    decision_set = sb.MatroidIntersection(sb.matroids.Uniform(3, 1), sb.matroids.Uniform(3, 1))
    theta = np.array([1.0, 1.0 + 2.0**-52, 0.0])
    graph = decision_set.exchange_graph(theta)
    assert graph.decision.tolist() == [True, False, False]
    sharp, lack = refined(graph, theta, Ties.of(theta, graph.decision, 1, 1e-12))
    assert (sharp.costs >= 0).all()
    assert 2.0**-52 <= lack <= 2.0**-48
    s = sb.graves_lai(decision_set, theta)
    assert s.suboptimal_items.tolist() == [False, False, True]
    truth = 1.0 / float(theta.max())
    assert s.lower <= truth <= s.value
    with pytest.raises(sb.InvalidInputError, match="tie_tolerance must be above the rounding of rewards"):
        sb.graves_lai(decision_set, np.array([1.0, 1.0 + 2.0**-52, 1.0 - 2.0**-51]), tie_tolerance=0.0)


@pytest.mark.parametrize("seed", range(40))
def test_lowered_potentials_are_the_largest_below(seed):
    rng = np.random.default_rng(seed)
    n, a = int(rng.integers(2, 9)), int(rng.integers(4, 30))
    tails, heads = (np.append(rng.integers(0, n, a), np.arange(n)), np.append(rng.integers(0, n, a), (np.arange(n) + 1) % n))
    costs = rng.integers(0, 4, a + n) * 10.0 ** -rng.integers(0, 12, a + n)
    pi = rng.normal(size=n) * 10.0 ** rng.integers(-2, 6)
    graph, alive = arcs_of(n, tails, heads), np.ones(n, dtype=np.bool_)
    found = lowered(pi, heads, costs, graph.out_ptr, graph.out_arcs)
    distance = np.array([distances_to(v, graph, costs, alive)[0] for v in range(n)]).T
    np.testing.assert_allclose(found, ((pi - pi.min())[:, None] + distance).min(axis=0), rtol=1e-14, atol=1e-15)
    assert (costs + (found[tails] - found[heads]) >= -1e-15 * distance.max()).all()
    assert found.min() == 0.0


def test_small_flows_beside_large_ones_stay_exact():
    """Two clusters with large flows inside, joined by flows of 1: all balances hold to the last digit of what is small."""
    tails = np.array([0, 1, 2, 3, 4, 5, 2, 3, 0, 5])
    heads = np.array([1, 2, 0, 4, 5, 3, 3, 2, 5, 0])
    flow = np.array([1e18, 1e18, 1e18, 3e17, 3e17, 3e17, 1.25, 0.75, 0.5, 1.0])
    tree, in_tree = spanning_tree(6, tails, heads, np.argsort(-flow, kind="stable"))
    parent, arc, sign, order = tree.parent, tree.parent_arc, tree.sign, tree.order
    chords = np.flatnonzero(~in_tree)
    found = chords_to_circulation(flow[chords], chords, tree)
    values = [Fraction(float(x)) for x in flow]
    for v in np.flatnonzero(parent >= 0):
        below = {v}
        for w in order:
            if parent[w] in below:
                below.add(int(w))
        crossing = sum((values[c] * ((heads[c] in below) - (tails[c] in below)) for c in chords.tolist()), Fraction(0))
        assert found[arc[v]] == float(-int(sign[v]) * crossing)
    assert found[6] + found[8] == found[7] + found[9]
