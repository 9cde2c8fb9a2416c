"""The part of a large set that a report shows, and routes in words."""

import itertools
import json

import numpy as np
import pytest
from payload_schema import payload_for as shown

import semibandits as sb
from example_sets import street_grid
from semibandits.instances import instance_from_description
from semibandits_studies.reporting.figures import write_figure
from semibandits_studies.reporting.report import report_data
from semibandits_studies.reporting.selection import MOST_ITEMS, shown_items
from semibandits_studies.reporting.streets import directions, stretches


def city(side=30):
    """A grid of two-way streets with more links than a report shows: columns are avenues, rows are lanes."""
    x, costs = street_grid(side, side, "separate", np.random.default_rng(0), least=0.9)
    nodes = [f"{i}.{j}" for i, j in x.nodes]
    ends = [[nodes[tail], nodes[head]] for tail, head in zip(x.tails, x.heads, strict=True)]
    streets = [f"Avenue {t[0]}" if t[0] == h[0] else f"Lane {t[1]}" for t, h, *_ in x.items]
    places = {node: [float(i), float(j)] for node, (i, j) in zip(nodes, x.nodes, strict=True)}
    return instance_from_description({
        "family": "routes", "name": "city", "edges": ends, "source": "0.0", "target": "4.4", "least": x.least.tolist(),
        "theta": (-costs).tolist(), "variance": 0.04, "streets": streets, "positions": places,
    })  # fmt: skip


@pytest.fixture(scope="module")
def town():
    return city()


def test_a_large_network_is_shown_where_something_happens_on_a_map_with_a_backdrop_and_street_names(town):
    bound = sb.graves_lai(town.decision_set, town.theta, town.variance)
    rewards = sb.GaussianRewards(town.theta, variance=town.variance)
    run = sb.simulate(town.decision_set, rewards, [sb.GLADE(), sb.CUCB()], horizon=200, replications=2, bound=bound)
    payload = shown(run, bound, town)
    numbers = np.array(payload["items"]["numbers"])
    used = bound.optimal_decision | (bound.rates > 0)
    for policy in run.policies:
        used |= run.item_plays(policy).mean > 0
    assert payload["items"]["total"] == town.decision_set.d > MOST_ITEMS
    assert np.array_equal(numbers, np.flatnonzero(used))
    assert payload["items"]["theta"] == town.theta[numbers].tolist()
    assert payload["items"]["optimal"] == bound.optimal_decision[numbers].tolist()
    plan = next(layer for layer in payload["layers"] if layer["key"] == "plan")
    assert plan["values"] == bound.rates[numbers].tolist()
    assert all(label.startswith(("Avenue", "Lane")) for label in payload["items"]["labels"])
    assert f"of {town.decision_set.d:,}" in payload["items"]["note"]
    assert len(json.dumps(payload)) < 400_000
    drawing = payload["drawing"]
    names = [node["name"] for node in drawing["nodes"] if node["name"]]
    assert {"start", "destination"} <= set(names)
    assert any(name.startswith(("Avenue", "Lane")) for name in names)
    assert len(names) == len(set(names))
    drawn = {frozenset((edge["tail"], edge["head"])) for edge in drawing["edges"]}
    assert 0 < len(drawing["backdrop"]) < town.decision_set.d / 2
    assert len(drawing["nodes"]) < len(town.decision_set.nodes)
    assert len(drawn) + len(drawing["backdrop"]) < town.decision_set.d


def test_the_figure_of_a_plan_shows_the_part_of_a_large_network_around_it(tmp_path, monkeypatch):
    town, drawn = city(6), []
    bound = sb.graves_lai(town.decision_set, town.theta, town.variance)
    for most in (10, 10_000):
        monkeypatch.setattr("semibandits_studies.plotting.network.MOST_LINKS", most)
        write_figure(town, bound, tmp_path / "plan.svg")
        drawn.append((tmp_path / "plan.svg").read_text(encoding="utf-8"))
    assert len(drawn[0]) < len(drawn[1])


def test_nodes_have_their_own_names_where_streets_are_single_links():
    """A name at a crossing would not say which of its links is meant."""
    links = [["a", "b"], ["b", "d"], ["a", "c"], ["c", "d"], ["d", "a"]]
    single = ["First", "Second", "Third", "Fourth", ""]
    for streets, names in ((single, {"a", "b", "c", "d"}), (["Ring"] * 5, {"start", "destination", "Ring"})):
        town = instance_from_description({
            "family": "routes", "edges": links, "source": "a", "target": "d", "costs": [1, 2, 1.5, 2.5, 1], "streets": streets,
        })  # fmt: skip
        bound = sb.graves_lai(town.decision_set, town.theta, town.variance)
        assert {node["name"] for node in shown(None, bound, town)["drawing"]["nodes"] if node["name"]} == names


def test_a_small_set_is_shown_whole():
    small = city(6)
    assert np.array_equal(shown_items(report_data(None, None, small, None)), np.arange(small.decision_set.d))
    assert shown(instance=small)["drawing"]["backdrop"] == []


def test_large_sets_show_what_the_plan_plays_most():
    d = 4 * MOST_ITEMS
    theta = np.random.default_rng(1).permutation(np.arange(d) / d)
    bound = sb.graves_lai(sb.MSets(d, 3), theta)
    items = shown(bound=bound)["items"]
    assert len(items["labels"]) == MOST_ITEMS
    assert set(np.argsort(-theta)[:3]) <= set(items["numbers"])
    rates = np.where(bound.optimal_decision, np.inf, bound.rates)
    assert set(items["numbers"]) == set(np.argsort(-rates)[:MOST_ITEMS])


def test_stretches_cover_a_route(town):
    best = town.decision_set.maximize(town.theta)
    parts = stretches(town, best)
    assert [i for part in parts for i in part.items] == town.decision_set.order(best).tolist()
    nodes = [*parts[0].nodes, *(node for part in parts[1:] for node in part.nodes[1:])]
    assert tuple(nodes) == town.decision_set.walk(best)
    assert all(one.street != two.street for one, two in itertools.pairwise(parts))


def test_directions_name_turns():
    corners = {"a": [0, 0], "b": [0, 1], "c": [1, 1], "d": [1, 2], "e": [1.1, 3], "f": [1, 2.1]}
    town = instance_from_description({
        "family": "routes", "name": "town", "edges": list(itertools.pairwise("abcdef")), "source": "a", "target": "f",
        "theta": [-1, -2, -3, -4, -5], "streets": ["North", "East", "North", "", "Back"], "positions": corners,
    })  # fmt: skip
    rows = directions(town, np.ones(5, dtype=np.bool_), -town.theta)
    assert rows == [
        ("start on North", 1.0),
        ("turn right into East", 2.0),
        ("turn left into North", 3.0),
        ("continue on an unnamed street", 4.0),
        ("turn sharp left into Back", 5.0),
    ]


def test_all_pairs_of_a_matrix_are_shown():
    pairs = sb.Matchings([(f"row {r}", c) for r in range(40) for c in range(60)], "rows")
    assert pairs.d > MOST_ITEMS
    data = report_data(None, sb.graves_lai(pairs, np.ones(pairs.d)), None, None)
    assert np.array_equal(shown_items(data), np.arange(pairs.d))
