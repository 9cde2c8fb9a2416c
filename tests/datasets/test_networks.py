"""Networks against published counts, independent geometry and their own file; their datasets against networkx."""

import networkx as nx
import numpy as np
import pytest
from built import built, great_circle

from semibandits import InvalidInputError, datasets
from semibandits.datasets import DelayModel

DRAWINGS = {
    "atlanta", "di-yuan", "france", "giul39", "india35", "newyork", "norway", "pioro40", "sun", "ta1", "ta2", "zib54",
}  # fmt: skip


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


def assert_modelled(dataset, arcs):
    """Means and variances are those of the links of the network that the dataset is named after."""
    model, links = DelayModel(), {}
    for link in datasets.network(dataset.name.rpartition("-")[0]).links:
        links[link.ends], links[link.ends[::-1]] = ((link.km, utilisation) for utilisation in link.utilisation)
    assert np.allclose(dataset.theta, [-model.mean(*links[arc]) for arc in arcs], rtol=1e-14)
    assert np.allclose(dataset.variance, [model.variance(links[arc][1]) for arc in arcs], rtol=1e-14)


@pytest.mark.parametrize("network", ["polska", "nobel-germany", "germany50"])
def test_spanning_trees(network):
    dataset = built(f"{network}-backbone")
    trees, graph = dataset.decision_set, datasets.network(network).graph()
    assert trees.count() == pytest.approx(nx.number_of_spanning_trees(graph), rel=1e-9)
    shortest = nx.minimum_spanning_tree(graph, weight="km").size(weight="km")
    assert dataset.theta @ trees.maximize(dataset.theta) == pytest.approx(-shortest / 200, rel=1e-12)
    assert set(dataset.positions) == set(graph)


@pytest.mark.parametrize(("network", "root"), [("nobel-us", "Ann-Arbor"), ("germany50", "Frankfurt")])
def test_multicast(network, root):
    """The best arborescence is Edmonds's; each tree can be directed away from the root in one way, so counts are equal."""
    dataset, raw = built(f"{network}-multicast"), datasets.network(network)
    assert dataset.decision_set.count() == pytest.approx(nx.number_of_spanning_trees(raw.graph()), rel=1e-9)
    arcs = [item[:2] for item in dataset.decision_set.items]
    assert sorted(arcs) == sorted((u, v) for link in raw.links for u, v in (link.ends, link.ends[::-1]) if v != root)
    assert_modelled(dataset, arcs)
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((*arc, -theta) for arc, theta in zip(arcs, dataset.theta, strict=True))
    best = dataset.decision_set.maximize(dataset.theta)
    expected = nx.minimum_spanning_arborescence(graph).size(weight="weight")
    assert dataset.theta @ best == pytest.approx(-expected, rel=1e-12)
    chosen = nx.DiGraph([arc for arc, taken in zip(arcs, best, strict=True) if taken])
    assert nx.is_arborescence(chosen)
    assert set(chosen) == set(raw.positions) == set(dataset.positions)
    assert [node for node, degree in chosen.in_degree if degree == 0] == [root]
    assert dataset.labels == tuple(f"{u} → {v}" for u, v in arcs)
    assert dataset.instance.geographic


CASES = [("germany50-routing", "Saarbruecken", "Greifswald", 69, 1_442), ("janos-us-ca-routing", "Seattle", "Boston", 57, 401)]


@pytest.mark.parametrize(("name", "source", "target", "d", "count"), CASES)
def test_paths_and_delays(name, source, target, d, count):
    dataset = built(name)
    paths = dataset.decision_set
    assert (dataset.name, dataset.family, paths.d) == (name, "paths", d)
    assert_modelled(dataset, paths.items)
    delays = dict(zip(paths.items, -dataset.theta, strict=True))
    graph = nx.DiGraph(list(paths.items))
    listed = [sum(delays[arc] for arc in nx.utils.pairwise(path)) for path in nx.all_simple_paths(graph, source, target)]
    assert len(listed) == count
    best = paths.maximize(dataset.theta)
    assert dataset.theta @ best == pytest.approx(-min(listed), rel=1e-12)
    assert paths.walk(best)[0] == source
    assert paths.walk(best)[-1] == target
