"""Printed and reported results of the studies agree with independent computations."""

import json
import math
import re

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import LinearConstraint, linear_sum_assignment, milp
from study_runs import REPLICATIONS, ROUNDS, STUDIES

import semibandits as sb

pytestmark = pytest.mark.long  # as in test_example_pages.py: in the process that has run the studies


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_leaves_figures_and_a_report_with_the_regret_that_is_printed(run_of, name):
    run = run_of(name)
    assert name.startswith("which_")
    stem, pictures = name.replace("_", "-"), list(run.folder.glob("*.png"))
    assert len(pictures) in (1, 2)
    for path in pictures:
        assert path.name.startswith(stem)
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size > 5_000
    assert run.printed.endswith(f"{stem}.html is written\n")
    simulation = run.payload(f"{stem}.html")["simulation"]
    assert (simulation["horizon"], simulation["replications"]) == (run.rounds, REPLICATIONS)
    policies = simulation["policies"]
    result = run.names["results"]["replay"] if name == "which_assignment" else run.names["result"]
    assert [policy["name"] for policy in policies] == list(result.policies)
    for policy in policies:
        mean = float(result.regret[policy["name"]][:, -1].mean())
        assert policy["regret"] == pytest.approx(mean, rel=1e-5)
        shown = f"{mean / run.rounds:6.1f}" if name == "which_shortlist" else f"{mean:6,.0f}"
        assert re.search(rf"^ *{re.escape(policy['name'])} +(loses +)?{re.escape(shown.strip())} ", run.printed, re.MULTILINE)


def test_the_route_is_the_fastest_of_all(run_of):
    run = run_of("which_route")
    dataset = sb.datasets.load("germany50-routing")
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(
        (tail, head, -theta) for (tail, head), theta in zip(dataset.decision_set.items, dataset.theta, strict=True)
    )
    routes = {
        tuple(route): nx.path_weight(graph, route, "weight") for route in nx.all_simple_paths(graph, "Saarbruecken", "Greifswald")
    }
    best, second = sorted(routes, key=routes.get)[:2]
    assert f"{len(routes):,} routes over {graph.number_of_edges()} links; delays are modelled\n" in run.printed
    assert f"the best: {' -> '.join(best)}, {routes[best]:.3f} ms\n" in run.printed
    assert f"at {routes[second] - routes[best]:.3f} ms more each: {' -> '.join(second)}\n" in run.printed


def test_the_horizons_are_the_first_in_which_the_plan_fits(run_of):
    run = run_of("which_route")
    total = run.names["bound"].plan.rates.sum()
    found = re.findall(r"at most +(\d+)% of all packets from T = ([\d,]+) on", run.printed)
    assert len(found) == 3
    for percent, packets in found:
        horizon = int(packets.replace(",", ""))
        assert total * math.log(horizon) <= int(percent) / 100 * horizon
        assert total * math.log(horizon / 10) > int(percent) / 100 * horizon / 10


def test_the_timetable_is_the_best_one(run_of):
    run = run_of("which_assignment")
    dataset = sb.datasets.load("flights-by-hour")
    cities, hours = (sorted({item[k] for item in dataset.decision_set.items}) for k in (0, 1))
    shares = np.full((len(cities), len(hours)), -1e3)
    for (city, hour), theta in zip(dataset.decision_set.items, dataset.theta, strict=True):
        shares[cities.index(city), hours.index(hour)] = theta
    rows, columns = linear_sum_assignment(shares, maximize=True)
    value = shares[rows, columns].sum()
    assert f"{value:.2f} are on time at best" in run.printed
    printed = re.findall(r"^  (\d\d:\d\d)  (.+)$", run.printed, re.MULTILINE)
    assert {(city, hour) for hour, city in printed} == {(cities[r], hours[c]) for r, c in zip(rows, columns, strict=True)}
    others = []  # the second best timetable lacks some pair of the best one
    for r, c in zip(rows, columns, strict=True):
        without = shares.copy()
        without[r, c] = -1e3
        others.append(without[linear_sum_assignment(without, maximize=True)].sum())
    assert f"loses one flight in {1 / (value - max(others)):,.0f} days" in run.printed


def test_the_rankings_are_those_of_the_regret(run_of):
    run = run_of("which_assignment")
    for world, result in run.names["results"].items():
        regret = {policy: result.regret[policy][:, -1].mean() for policy in result.policies}
        assert f"{world}: {' before '.join(sorted(regret, key=regret.get))}\n" in run.printed
        assert result.lower_bound is None
    rankings = re.findall(r"^(?:Gaussian|replay): (.+ before .+)$", run.printed, re.MULTILINE)
    assert len(rankings) == 2
    assert ("the ranking is the same" in run.printed) == (rankings[0] == rankings[1])


def test_the_shortlists_are_the_best_ones(run_of):
    run = run_of("which_shortlist")
    dataset = sb.datasets.load("flights-delays")
    heads = [label.split(" → ")[0] for label in dataset.labels]
    carriers, airports = [head[:-4] for head in heads], [head[-3:] for head in heads]
    assert len(set(airports)) == 3

    def at_most(capacity, groups):
        rows = np.array([[group == name for group in groups] for name in sorted(set(groups))])
        return LinearConstraint(rows, ub=np.full(len(rows), capacity))

    ten = LinearConstraint(np.ones((1, len(heads))), 10, 10)
    quotas = {
        "no quotas": [],
        "two a carrier": [at_most(2, carriers)],
        "four an airport": [at_most(4, airports)],
        "both": [at_most(2, carriers), at_most(4, airports)],
    }
    for name, rules in quotas.items():
        solved = milp(-dataset.theta, integrality=np.ones(len(heads)), bounds=(0, 1), constraints=[ten, *rules])
        assert re.search(rf"^{name} +{-solved.fun:.2f} minutes early", run.printed, re.MULTILINE)
    chosen = set(re.findall(r"minutes early on average: (.+)$", run.printed, re.MULTILINE))
    assert chosen == {dataset.labels[i] for i in np.flatnonzero(solved.x > 0.5)}


def test_the_tree_and_its_bound_are_right(run_of):
    run = run_of("which_tree")
    dataset = sb.datasets.load("power-grid")
    grid = nx.Graph()
    for i, (u, v) in enumerate(dataset.decision_set.items):
        grid.add_edge(u, v, item=i, weight=float(dataset.theta[i]))
    tree = nx.maximum_spanning_tree(grid)
    closed = {data["item"] for _, _, data in tree.edges(data=True)}
    assert f"the best one {-sum(dataset.theta[i] for i in closed):.2f}\n" in run.printed
    assert set(np.flatnonzero(run.names["best"])) == closed
    bound = 0.0  # an open line takes the place of a closed one on the way between its ends: 2 variance / smallest gap
    for i in set(range(grid.number_of_edges())) - closed:
        way = nx.shortest_path(tree, *dataset.decision_set.items[i])
        gaps = [grid.edges[link]["weight"] - dataset.theta[i] for link in nx.utils.pairwise(way)]
        bound += 2 * dataset.variance[i] / min(gap for gap in gaps if gap > 1e-9)
    assert f"C(theta) = {bound:.2f} kWh per ln T" in run.printed


def test_the_control_room_continues_from_its_file(run_of):
    run = run_of("which_tree")
    learner, trees = run.names["learner"], run.names["trees"]
    reported = ROUNDS // 24 * 24
    assert learner.rounds == ROUNDS
    assert learner.plays.sum() == reported * trees.m
    assert learner.open_rounds == ()
    state = json.loads((run.folder / "which-tree-learner.json").read_text(encoding="utf-8"))
    half_way = sb.Learner.from_state(state)
    assert half_way.rounds == ROUNDS // 2 + 1
    assert (half_way.plays <= learner.plays).all()
    costs = re.search(r"learning cost ([\d,]+) kWh; keeping the usual tree would have cost ([\d,]+) kWh", run.printed)
    theta = run.names["dataset"].theta
    normally_open = np.array(["open" in label for label in run.names["dataset"].labels])
    assert float(costs[2].replace(",", "")) == pytest.approx(
        ROUNDS * (theta @ run.names["best"] - theta[~normally_open].sum()), abs=0.5
    )
    assert 0 < float(costs[1].replace(",", "")) == pytest.approx(run.names["lost"], abs=0.5)
