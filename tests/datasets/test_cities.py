"""Road networks of cities: links, directions and names as in the package, modelled travel times, and routes told by streets."""

import networkx as nx
import numpy as np
import pytest
from built import built

import semibandits as sb
from semibandits_studies.datasets import cities
from semibandits_studies.reporting.formatting import change_text, decision_text


def test_sizes_of_the_networks():
    nauru, serena = cities.road_network("nauru", "Nauru"), cities.road_network("coquimbo", "La Serena")
    assert len(nauru.links) == 2752
    assert len(serena.links) == 34_249
    assert len({link.street for link in serena.links}) > 1_000
    two_way = {(link.tail, link.head) for link in nauru.links}
    assert sum((v, u) in two_way for u, v in two_way) > 0.97 * len(two_way)


@pytest.mark.parametrize("name", ["sioux-falls-routing", "nauru-routing", "la-serena-routing"])
def test_travel_times_are_at_least_those_of_free_flow(name):
    dataset = built(name)
    routes = dataset.decision_set
    assert isinstance(routes, sb.Routes)
    assert (-dataset.theta >= routes.least).all()
    assert np.allclose(np.sqrt(dataset.variance), 0.3 * -dataset.theta)
    assert dataset.unit == "min"
    assert dataset.origin == "modelled"
    graph = nx.MultiDiGraph()
    for u, v, cost in zip(routes.tails.tolist(), routes.heads.tolist(), (-dataset.theta).tolist(), strict=True):
        graph.add_edge(u, v, cost=cost)
    ends = routes.nodes.index(routes.source), routes.nodes.index(routes.target)
    best = routes.maximize(dataset.theta)
    assert -dataset.theta[best].sum() == pytest.approx(nx.dijkstra_path_length(graph, *ends, weight="cost"), rel=1e-9)


def test_sioux_falls_is_the_network_of_the_literature():
    network, loads = cities._sioux_falls()
    assert len(network.links) == 76
    assert len(network.nodes) == 24
    assert loads.max() == 2.0
    by_ends = {(link.tail, link.head): link.minutes for link in network.links}
    assert (by_ends[1, 2], by_ends[1, 3], by_ends[10, 15]) == (6.0, 4.0, 6.0)


def test_routes_are_told_by_their_streets():
    la_serena = built("la-serena-routing")
    instance = la_serena.instance
    best = la_serena.decision_set.maximize(la_serena.theta)
    text = decision_text(instance, best)
    assert text.startswith("Manuel Antonio Matta, ")
    assert "→" not in text
    second = next(row for row in la_serena.decision_set.ranked(la_serena.theta) if (row != best).any())
    assert " instead of " in change_text(instance, second, best)


def test_links_of_networks_can_be_used_both_ways():
    instance = sb.datasets.network("germany50").delay_routes("Saarbruecken", "Greifswald")
    routes = instance.decision_set
    assert (routes.d, routes.directed) == (88, False)
    assert (-instance.theta > routes.least).all()
