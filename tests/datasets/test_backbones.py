"""Trees on backbones against networkx."""

import networkx as nx
import numpy as np
import pytest
from built import built

from semibandits import datasets
from semibandits.datasets import DelayModel


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
    dataset, raw, model = built(f"{network}-multicast"), datasets.network(network), DelayModel()
    assert dataset.decision_set.count() == pytest.approx(nx.number_of_spanning_trees(raw.graph()), rel=1e-9)
    graph = nx.DiGraph()
    for link in raw.links:
        for (u, v), utilisation in zip((link.ends, link.ends[::-1]), link.utilisation, strict=True):
            if v != root:
                graph.add_edge(u, v, delay=model.mean(link.km, utilisation), variance=model.variance(utilisation))
    arcs = [item[:2] for item in dataset.decision_set.items]
    assert sorted(arcs) == sorted(graph.edges)
    assert np.allclose(dataset.theta, [-graph.edges[arc]["delay"] for arc in arcs], rtol=1e-14)
    assert np.allclose(dataset.variance, [graph.edges[arc]["variance"] for arc in arcs], rtol=1e-14)
    best = dataset.decision_set.maximize(dataset.theta)
    expected = nx.minimum_spanning_arborescence(graph, attr="delay").size(weight="delay")
    assert dataset.theta @ best == pytest.approx(-expected, rel=1e-12)
    chosen = nx.DiGraph([arc for arc, taken in zip(arcs, best, strict=True) if taken])
    assert nx.is_arborescence(chosen)
    assert set(chosen) == set(raw.positions) == set(dataset.positions)
    assert [node for node, degree in chosen.in_degree if degree == 0] == [root]
    assert dataset.labels == tuple(f"{u} → {v}" for u, v in arcs)
    assert dataset.instance.geographic
