"""Built-in networks against published counts, independent geometry, and their own file."""

import math
import sys

import networkx as nx
import numpy as np
import pytest

from semibandits import InvalidInputError, SemibanditsError, datasets
from semibandits.datasets import DelayModel

DRAWINGS = {
    "atlanta", "di-yuan", "france", "giul39", "india35", "newyork", "norway", "pioro40", "sun", "ta1", "ta2", "zib54",
}  # fmt: skip


def great_circle(a, b):
    """Haversine distance in km of two (longitude, latitude) pairs in degrees."""
    (x, y), (u, v) = (map(math.radians, point) for point in (a, b))
    h = math.sin((v - y) / 2) ** 2 + math.cos(y) * math.cos(v) * math.sin((u - x) / 2) ** 2
    return 2 * 6371.0 * math.asin(math.sqrt(h))


def test_all_26_networks_load_and_are_connected():
    assert len(datasets.list_networks()) == 26
    for name in datasets.list_networks():
        network = datasets.network(name)
        graph = network.graph()
        assert graph.number_of_edges() == len(network.links), name
        assert graph.number_of_nodes() == len(network.nodes), name
        assert nx.is_connected(graph), name
        assert max(max(link.utilisation) for link in network.links) == 100.0, name


def test_exactly_the_drawings_have_no_distances():
    networks = [datasets.network(name) for name in datasets.list_networks()]
    assert {network.name for network in networks if not network.geographic} == DRAWINGS
    for network in networks:
        if not network.geographic:
            first, second = network.links[0].ends
            message = f"got the network {network.name}, whose coordinates are positions in a drawing"
            for make in (lambda net=network, ends=(first, second): net.delay_dag(*ends), network.spanning_trees):
                with pytest.raises(InvalidInputError, match=message):
                    make()
        assert all((link.km is not None) == network.geographic for link in network.links)


def test_lengths_are_great_circles_of_the_coordinates():
    """Coordinates are rounded to 0.01 degrees, each end may be off by 0.8 km; and the Earth's radius is 6,371 to 6,378 km."""
    for name in set(datasets.list_networks()) - DRAWINGS:
        network = datasets.network(name)
        for link in network.links:
            expected = great_circle(*(network.positions[end] for end in link.ends))
            assert abs(link.km - expected) <= 1.6 + 5e-4 * expected, (name, link.ends)


@pytest.mark.parametrize(("name", "nodes", "links"), [("germany50", 50, 88), ("polska", 12, 18), ("nobel-germany", 17, 26)])
def test_sizes_are_those_of_sndlib(name, nodes, links):
    network = datasets.network(name)
    assert (len(network.nodes), len(network.links)) == (nodes, links)


def test_delay_dag_by_a_second_method():
    """Arcs lead to a smaller distance (from all pairs), and each lies on a path (from a list of all paths)."""
    network = datasets.network("nobel-germany")
    names = [node.name for node in network.nodes]
    source, target = names[0], names[-1]
    instance = network.delay_dag(source, target)
    distance = dict(nx.all_pairs_dijkstra_path_length(network.graph(), weight="km"))
    towards = nx.DiGraph()
    for link in network.links:
        for u, v in (link.ends, link.ends[::-1]):
            if distance[v][target] < distance[u][target]:
                towards.add_edge(u, v)
    on_paths = {arc for path in nx.all_simple_paths(towards, source, target) for arc in nx.utils.pairwise(path)}
    assert set(instance.decision_set.items) == on_paths


def test_delays_follow_the_stated_formula():
    model = DelayModel(speed=150.0, service=0.4, peak_load=0.5)
    sojourn = 0.4 / (1 - 0.5 * 70 / 100)
    assert model.mean(300.0, 70.0) == pytest.approx(300 / 150 + sojourn, rel=1e-14)
    assert model.variance(70.0) == pytest.approx(sojourn**2, rel=1e-14)
    graph = datasets.network("germany50")
    own, usual = (graph.delay_dag("Saarbruecken", "Greifswald", model=each) for each in (model, DelayModel()))
    assert (own.theta != usual.theta).all()
    assert (own.variance != usual.variance).all()


def test_sojourn_in_an_mm1_queue_has_the_modelled_moments():
    """Lindley's recursion, 400,000 packets at load 0.5: standard errors of mean and variance are below 0.5 % and 2 %."""
    rng = np.random.default_rng(7)
    service = rng.exponential(0.25, 400_000)
    arrivals = rng.exponential(0.5, 400_000)
    waits = np.zeros(400_000)
    for n in range(1, 400_000):
        waits[n] = max(0.0, waits[n - 1] + service[n - 1] - arrivals[n])
    sojourn = waits + service
    model = DelayModel(service=0.25, peak_load=0.5)
    assert sojourn.mean() == pytest.approx(model.mean(0.0, 100.0), rel=0.025)
    assert sojourn.var() == pytest.approx(model.variance(100.0), rel=0.1)


def test_without_topohub_the_error_names_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "topohub", None)
    with pytest.raises(SemibanditsError, match="run pip install topohub"):
        datasets.network("germany50")
