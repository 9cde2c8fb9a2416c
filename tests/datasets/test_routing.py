"""Routing datasets against paths listed by networkx and sums of delays."""

import networkx as nx
import numpy as np
import pytest
from built import built

from semibandits import datasets
from semibandits.datasets import DelayModel

CASES = [
    ("germany50-routing", "germany50", "Saarbruecken", "Greifswald", 69, 1_442),
    ("janos-us-ca-routing", "janos-us-ca", "Seattle", "Boston", 57, 401),
]


@pytest.mark.parametrize(("name", "network", "source", "target", "d", "count"), CASES)
def test_paths_and_delays(name, network, source, target, d, count):
    dataset, model = built(name), DelayModel()
    paths = dataset.decision_set
    assert (dataset.name, dataset.family, paths.d) == (name, "paths", d)
    links = {}
    for link in datasets.network(network).links:
        links[link.ends], links[link.ends[::-1]] = (link.km, link.utilisation[0]), (link.km, link.utilisation[1])
    delays = {item: model.mean(*links[item]) for item in paths.items}
    assert np.allclose(dataset.theta, [-delays[item] for item in paths.items], rtol=1e-14)
    assert np.allclose(dataset.variance, [model.variance(links[item][1]) for item in paths.items], rtol=1e-14)
    graph = nx.DiGraph(list(paths.items))
    listed = [sum(delays[arc] for arc in nx.utils.pairwise(path)) for path in nx.all_simple_paths(graph, source, target)]
    assert len(listed) == count
    best = paths.maximize(dataset.theta)
    assert dataset.theta @ best == pytest.approx(-min(listed), rel=1e-12)
    assert paths.walk(best)[0] == source
    assert paths.walk(best)[-1] == target
