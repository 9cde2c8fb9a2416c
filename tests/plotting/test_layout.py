"""Computed positions of nodes."""

import networkx as nx
import numpy as np
import pytest
from scipy.spatial.distance import pdist

from semibandits.decisions.routes import Routes
from semibandits.families.registry import family_of
from semibandits_studies.plotting.layout import layered_layout, node_positions, spring_layout


def crossings(places, tails, heads):
    """Pairs of arcs that cross, by orientation of the four triangles."""

    def turn(p, q, r):
        return np.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    count = 0
    for i in range(len(tails)):
        for j in range(i):
            if {tails[i], heads[i]} & {tails[j], heads[j]}:
                continue
            a, b, c, d = (places[v] for v in (tails[i], heads[i], tails[j], heads[j]))
            count += turn(a, b, c) != turn(a, b, d) and turn(c, d, a) != turn(c, d, b)
    return count


def test_layers_are_longest_distances_from_the_source():
    tails, heads = np.array([0, 0, 1, 2, 3]), np.array([1, 2, 2, 3, 4])
    places = layered_layout(np.arange(5), tails, heads)
    np.testing.assert_array_equal(places[:, 0], [0, 1, 2, 3, 4])


def test_nodes_of_a_layer_stand_apart():
    graph = nx.gnp_random_graph(40, 0.15, seed=1)
    arcs = np.array(sorted(graph.edges()))
    places = layered_layout(np.arange(40), arcs[:, 0], arcs[:, 1])
    assert len({tuple(place) for place in places}) == 40


def test_sweeps_untangle_two_crossed_chains():
    """Two chains whose nodes are numbered crosswise: as numbered they cross, after the sweeps they do not."""
    tails, heads = np.array([0, 1, 2, 5, 4, 5]), np.array([5, 2, 4, 3, 6, 6])
    graph = nx.DiGraph(zip(tails.tolist(), heads.tolist(), strict=True))
    order = np.array(list(nx.topological_sort(graph)))
    places = layered_layout(order, tails, heads)
    assert crossings(places, tails, heads) == 0


def test_routes_go_from_left_to_right():
    streets = [("work", "b"), ("b", "c"), ("c", "home"), ("work", "e"), ("e", "home"), ("b", "e")]
    routes = Routes(streets, "home", "work", directed=False)
    network = family_of(routes).network(routes)
    places, springs = node_positions(network, None), spring_layout(len(network.nodes), network.tails, network.heads)
    (left, low), (right, high) = places[[network.source, network.target]]
    assert right - left == pytest.approx(np.linalg.norm(springs[network.target] - springs[network.source]))
    assert high == pytest.approx(low)
    np.testing.assert_allclose(pdist(places), pdist(springs))
