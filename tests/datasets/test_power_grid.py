"""The 33-bus grid: published numbers, trees by networkx, and an independent load flow."""

import json
from importlib.resources import files

import networkx as nx
import numpy as np
import pytest
from built import built, solved

from semibandits.datasets import LossModel
from semibandits_studies.datasets.power_grid import radial


@pytest.fixture(scope="module")
def table():
    path = files("semibandits_studies.datasets").joinpath("tables", "power_grid.json")
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def dataset():
    return built("power-grid")


def load_flow(table, closed):
    """Losses in kW of a radial grid with constant loads, by sweeps to the substation and back."""
    graph = nx.Graph()
    for k in closed:
        u, v, r, x, _ = table["lines"][k]
        graph.add_edge(u, v, z=complex(r, x))
    order = list(nx.bfs_tree(graph, table["substation"]))
    above = {below: node for node, below in nx.bfs_edges(graph, table["substation"])}
    load = {bus: complex(p, q) / 1000 for bus, _, _, p, q in table["buses"]}
    volts = dict.fromkeys(order, complex(table["kilovolts"]))
    for _ in range(60):
        current = {bus: (load[bus] / volts[bus]).conjugate() for bus in order}
        for bus in order[:0:-1]:
            current[above[bus]] += current[bus]
        for bus in order[1:]:
            volts[bus] = volts[above[bus]] - graph.edges[bus, above[bus]]["z"] * current[bus]
    return 1000 * sum(graph.edges[bus, above[bus]]["z"].real * abs(current[bus]) ** 2 for bus in order[1:])


def test_the_table_is_that_of_baran_and_wu(table):
    """Total load and losses as published: 3.715 MW, 2.3 Mvar, 202.7 kW; 139.6 kW after the best reconfiguration known."""
    assert len(table["buses"]) == 33
    assert len(table["lines"]) == 37
    assert sum(bus[3] for bus in table["buses"]) == pytest.approx(3_715)
    assert sum(bus[4] for bus in table["buses"]) == pytest.approx(2_300)
    usual = [k for k, line in enumerate(table["lines"]) if not line[4]]
    assert load_flow(table, usual) == pytest.approx(202.7, abs=0.05)
    opened = {(7, 8), (9, 10), (14, 15), (32, 33), (25, 29)}
    best = [k for k, line in enumerate(table["lines"]) if tuple(line[:2]) not in opened]
    assert load_flow(table, best) == pytest.approx(139.55, abs=0.05)


def test_description_of_the_model(table, dataset):
    usual = [line for line in table["lines"] if not line[4]]
    assert sum(LossModel(current=57.3).mean(line[2]) for line in usual) == pytest.approx(202.7, abs=0.2)
    closed = np.flatnonzero(dataset.decision_set.maximize(dataset.theta))
    assert load_flow(table, closed) == pytest.approx(206, abs=0.5)
    assert radial(model=LossModel(current=120.0)).theta == pytest.approx(4 * dataset.theta)


def test_trees_and_exchange_costs(dataset, table):
    trees = dataset.decision_set
    graph = nx.Graph()
    for u, v, ohm, *_ in table["lines"]:
        graph.add_edge(str(u), str(v), ohm=ohm)
    assert trees.count() == round(nx.number_of_spanning_trees(graph)) == 50_751
    assert sum("normally open" in label for label in dataset.labels) == 5
    losses = {frozenset(edge): 3 * 60**2 * ohm / 1000 for *edge, ohm in graph.edges(data="ohm")}
    assert np.allclose(dataset.theta, [-losses[frozenset(item)] for item in trees.items], rtol=1e-14)
    assert np.allclose(dataset.variance, (0.3 * dataset.theta) ** 2, rtol=1e-14)
    least = nx.minimum_spanning_tree(graph, weight="ohm").size(weight="ohm")
    assert dataset.theta @ trees.maximize(dataset.theta) == pytest.approx(-10.8 * least, rel=1e-12)
    assert solved("power-grid").method == "closed-form"


def test_the_loss_of_a_varying_current_has_the_modelled_moments():
    """A Gaussian current with 15 %: squares vary by 30 % of their mean, to 3 %; 400,000 draws, standard error 0.1 %."""
    current = np.random.default_rng(3).normal(60.0, 9.0, 400_000)
    watts = 3 * current**2 * 0.5
    model = LossModel()
    assert watts.mean() / 1000 == pytest.approx(model.mean(0.5), rel=0.03)
    assert watts.std() / 1000 == pytest.approx(model.variance(0.5) ** 0.5, rel=0.03)


def test_the_drawing_has_a_place_for_each_bus(dataset):
    places = list(dataset.positions.values())
    assert len(set(places)) == 33
    distances = [np.hypot(x - u, y - v) for k, (x, y) in enumerate(places) for u, v in places[:k]]
    assert min(distances) > 0.9
    assert not dataset.instance.geographic
