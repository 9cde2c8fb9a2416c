"""Journeys from Boston to San Diego: two counts of paths, independent distances and fares."""

import networkx as nx
import numpy as np
import pytest
from built import built, great_circle, solved

from semibandits.datasets import FareModel
from semibandits_studies.datasets.airways import boston_san_diego


@pytest.fixture
def dataset():
    return built("air-fares")


def test_there_are_3_300_091_paths(dataset):
    """Counted by the set, and by powers of the adjacency matrix."""
    arcs = dataset.decision_set.items
    assert dataset.decision_set.count() == 3_300_091
    codes = sorted(dataset.positions)
    matrix = np.zeros((26, 26), dtype=np.int64)
    for u, v in arcs:
        matrix[codes.index(u), codes.index(v)] = 1
    power, total = matrix, 0
    for _ in range(25):
        total += power[codes.index("BOS"), codes.index("SAN")]
        power = power @ matrix
    assert total == 3_300_091


def test_every_flight_leads_nearer_and_lies_on_a_journey(dataset):
    graph = nx.DiGraph(list(dataset.decision_set.items))
    for u, v in graph.edges:
        assert great_circle(dataset.positions[v], dataset.positions["SAN"]) < great_circle(
            dataset.positions[u], dataset.positions["SAN"]
        )
    assert nx.descendants(graph, "BOS") | {"BOS"} == set(graph)
    assert nx.ancestors(graph, "SAN") | {"SAN"} == set(graph)
    assert dataset.decision_set.m == nx.dag_longest_path_length(graph) == 21


def test_fares_follow_the_stated_formula(dataset):
    """The length of a flight is known to 0.1 km; 1 to 7 carriers operate it, a number that the fare gives away."""
    for (u, v), theta, variance in zip(dataset.decision_set.items, dataset.theta, dataset.variance, strict=True):
        alone = 20 + 0.1 * great_circle(dataset.positions[u], dataset.positions[v])
        carriers = 1 + (alone / -theta - 1) / 0.5
        assert abs(carriers - round(carriers)) < 0.005
        assert 1 <= round(carriers) <= 7
        assert -theta == pytest.approx(alone / (1 + 0.5 * (round(carriers) - 1)), abs=0.02)
        assert variance == pytest.approx((0.2 * theta) ** 2, rel=1e-12)


def test_the_bound_has_the_best_journey(dataset):
    assert list(dataset.decision_set.walk(solved("air-fares").optimal_decision)) == ["BOS", "DEN", "SAN"]


def best_journey(**parameters):
    dataset = boston_san_diego(model=FareModel(**parameters))
    paths = dataset.decision_set
    graph = nx.DiGraph()
    for (u, v), theta in zip(paths.items, dataset.theta, strict=True):
        graph.add_edge(u, v, fare=-theta)
    journey = nx.shortest_path(graph, "BOS", "SAN", weight="fare")
    assert list(paths.walk(paths.maximize(dataset.theta))) == journey
    return journey


def test_which_journey_is_best_under_other_parameters():
    """The formula in the documentation of the model."""
    assert best_journey() == ["BOS", "DEN", "SAN"]
    assert best_journey(competition=0.3) == ["BOS", "SAN"]
    assert best_journey(competition=0.1) == ["BOS", "SAN"]
    assert best_journey(competition=0.0) == ["BOS", "SAN"]
    assert best_journey(base=30.0) == ["BOS", "SAN"]
    model = FareModel()
    assert model.mean(1_000, 2) == pytest.approx(model.mean(1_000, 1) * 2 / 3)
    assert model.mean(1_000, 3) == pytest.approx(model.mean(1_000, 1) / 2)
