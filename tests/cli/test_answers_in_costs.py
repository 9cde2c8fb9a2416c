"""Instances in costs are answered in costs, all others in rewards."""

import json

import pytest

from semibandits.instances import read_json
from semibandits_studies.reporting.formatting import cost_text, lost_text

ROADS = "tail,head,{}\na,b,{s}9\nb,d,{s}6\na,c,{s}7\nc,d,{s}9.5\n"
ENDS = ["--source", "a", "--target", "d"]
JSON = {"family": "paths", "edges": [["a", "b"], ["b", "d"], ["a", "c"], ["c", "d"]], "source": "a", "target": "d"}
MINUTES = [9, 6, 7, 9.5]
FILES = {
    "minus signs": (ROADS.format("theta", s="-"), ENDS),
    "a column of costs": (ROADS.format("cost", s=""), ENDS),
    "an option": (ROADS.format("theta", s=""), [*ENDS, "--minimize"]),
}


@pytest.mark.parametrize("name", FILES)
def test_the_cost_of_the_best_path(run, name):
    table, options = FILES[name]
    out = run.output(["bound", "table.csv", *options], table)
    text = " ".join(out.split())
    assert "Best path a → b → d Its cost 15 C(θ)" in text
    assert "at least C(θ) ln T of extra cost against always playing the best path" in text
    assert "reward" not in text.replace("Gaussian rewards", "")
    answer = run.json(["bound", "table.csv", *options], table)
    assert (answer["optimal"]["reward"], answer["optimal"]["cost"]) == (-15.0, 15.0)


def test_rewards_stay_rewards(run):
    table = "item,theta\nu,1\nv,0.75\nw,0.5\n"
    text = " ".join(run(["bound", "table.csv", "--size", "2"], table)[1].split())
    assert "Its reward 1.75" in text
    assert "at least C(θ) ln T of reward against" in text
    answer = run.json(["bound", "table.csv", "--size", "2"], table)
    assert (answer["optimal"]["reward"], answer["optimal"]["cost"]) == (1.75, None)


@pytest.mark.parametrize(("unit", "lost"), [
    ("min", "min of extra time"), ("ms", "ms of extra delay"), ("EUR", "EUR of extra cost"), ("", "of extra cost"),
])  # fmt: skip
def test_the_unit_of_what_is_lost(tmp_path, run, unit, lost):
    path = tmp_path / "roads.json"
    path.write_text(json.dumps(JSON | {"costs": MINUTES, "unit": unit}), encoding="utf-8")
    text = " ".join(run(["bound", str(path)])[1].split())
    assert f"Its cost 15 {unit}".strip() in text
    assert f"at least C(θ) ln T {lost} against" in text


@pytest.mark.parametrize("key", ["theta", "costs"])
def test_what_is_lost_with_rewards_of_both_signs(tmp_path, key):
    path = tmp_path / "roads.json"
    path.write_text(json.dumps(JSON | {key: [1, -2, 3, -4], "unit": "min"}), encoding="utf-8")
    expected = {"theta": "min of reward", "costs": "min of extra time"}[key]
    assert lost_text(read_json(path)) == expected


@pytest.mark.parametrize(("value", "text"), [
    (26.3111, "26.31 min"), (173.001333, "173 min"), (0.0123456, "0.01235 min"), (0.0, "0 min"),
    (12345.0, "12,345 min"), (1234567.8, "1,234,568 min"), (-74.19634, "−74.2 min"),
])  # fmt: skip
def test_costs_keep_all_digits_before_the_point(value, text):
    assert cost_text(value, "min") == text


def test_simulations_of_costs(run):
    table, options = FILES["a column of costs"]
    _, out, err = run(["simulate", "table.csv", *options, "--variance", "1", "-T", "50", "-n", "2", "-p", "CUCB"], table)
    assert err == ""
    assert "\nCosts " in out
    assert "\nRewards " not in out


def test_datasets_are_shown_in_costs(run):
    text = " ".join(run(["datasets", "air-fares"])[1].split())
    assert "Best path costs 173 USD" in text
    assert "sb.graves_lai(dataset.decision_set, costs=dataset.costs, variance=dataset.variance)" in text
    text = " ".join(run(["datasets", "films-shortlist"])[1].split())
    assert "Best set 21.84 stars" in text
    assert "sb.graves_lai(dataset.decision_set, dataset.theta, variance=dataset.variance)" in text
    rows = {row["name"]: row for row in run.json(["datasets"])}
    assert rows["air-fares"]["cost"] == -rows["air-fares"]["reward"] > 0
    assert rows["films-shortlist"]["cost"] is None
