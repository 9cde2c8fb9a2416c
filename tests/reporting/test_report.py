"""`write_report`: results in memory as one HTML file."""

import json
import re

import numpy as np
import pytest
from report_cases import DECISIONS, case

import semibandits as sb
from semibandits._printable import visible
from semibandits.errors import InvalidInputError
from semibandits.instances import instance_from_description


def data_of(path):
    """The content of a page, read as by a browser."""
    text = path.read_text(encoding="utf-8")
    found = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


@pytest.mark.parametrize("name", DECISIONS)
def test_a_file_is_written_for_every_family(name, tmp_path):
    _, _, bound, result = case(name)
    path = tmp_path / "report.html"
    assert sb.write_report(path, simulation=result, bound=bound, title=name) is None
    assert data_of(path)["title"] == name
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]
    first = path.read_bytes()
    sb.write_report(str(path), simulation=result, bound=bound, title=name)
    assert path.read_bytes() == first
    assert str(tmp_path).encode() not in first


def test_names_are_given_by_the_caller(tmp_path):
    decisions = sb.SpanningTrees([("a", "b"), ("b", "c"), ("a", "c")])
    bound = sb.graves_lai(decisions, [1, 2, 3])
    path = tmp_path / "r.html"
    places = {"a": (0, 0), "b": (1, 0), "c": (0, 2)}
    sb.write_report(path, bound=bound, labels=["p", "q", "r"], positions=places, unit="kWh", title="Grid")
    data = data_of(path)
    assert (data["title"], data["unit"], data["items"]["labels"]) == ("Grid", "kWh", ["p", "q", "r"])
    assert [(node["x"], node["y"]) for node in data["drawing"]["nodes"]] == [(0, 1), (1, 1), (0, 0)]
    assert "kWh" in data["answers"][2]["headline"]
    assert data["answers"][1]["headline"] == "q, r"


def test_control_characters_in_names_are_not_in_the_text_of_the_page(tmp_path):
    instance = instance_from_description(
        {"family": "msets", "size": 1, "items": ["a\x0b", "\x9b"], "theta": [1, 2], "name": "\x07"}
    )
    sb.write_report(
        tmp_path / "r.html",
        bound=sb.graves_lai(instance.decision_set, instance.theta, instance.variance),
        instance=instance,
    )
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)[0]
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text.replace(data, ""))
    assert data_of(tmp_path / "r.html")["items"]["labels"] == [r"a\x0b", r"\x9b"]


HOSTILE = "</script><script>alert(1)</script><b>&amp;\u2028\ud800'\""


def test_names_with_html_in_them_come_out_escaped(tmp_path):
    nodes = [HOSTILE, "b", "<!--"]
    edges = [[nodes[0], nodes[1]], [nodes[1], nodes[2]], [nodes[0], nodes[2]]]
    description = {
        "family": "trees",
        "edges": edges,
        "theta": [1, 2, 3],
        "name": HOSTILE,
        "unit": "<i>",
        "note": HOSTILE,
    }
    instance = instance_from_description(description)
    bound = sb.graves_lai(instance.decision_set, instance.theta, instance.variance)
    rewards = sb.GaussianRewards(instance.theta, variance=instance.variance)
    policies = {HOSTILE.replace("\ud800", ""): sb.CUCB()}
    result = sb.simulate(instance.decision_set, rewards, policies, horizon=20, replications=2, bound=bound)
    path = tmp_path / "r.html"
    sb.write_report(path, simulation=result, bound=bound, instance=instance)
    text = path.read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<b>" not in text
    assert "<i>" not in text
    data = data_of(path)
    assert data["title"] == visible(HOSTILE)
    assert data["drawing"]["nodes"][0]["name"] == visible(HOSTILE)


def test_hidden_characters_of_names_are_shown(tmp_path):
    name = "a\x1b[31m\r\x9b\u202eb\ufffe"
    instance = instance_from_description(
        {"family": "msets", "size": 1, "theta": [1, 2], "items": [name, "c"], "name": name, "note": name, "unit": name}
    )
    path = tmp_path / "r.html"
    sb.write_report(path, instance=instance)
    text = path.read_text(encoding="utf-8")
    assert not {char for char in name if not char.isprintable()} & set(text)
    data = data_of(path)
    assert data["items"]["labels"] == [visible(name), "c"]
    assert data["title"] == data["note"] == data["unit"] == visible(name)


def test_a_dataset_brings_its_provenance(tmp_path):
    dataset = sb.datasets.load("germany50-routing")
    path = tmp_path / "r.html"
    sb.write_report(path, instance=dataset)
    data = data_of(path)
    assert data["subtitle"] == dataset.question
    assert data["drawing"]["geographic"]
    assert {"Source", "Licence", "Mean rewards", "Map"} <= {row["label"] for row in data["tables"]["provenance"]}
    assert data["items"]["theta"] == dataset.theta.tolist()
    best = dataset.decision_set.maximize(dataset.theta)
    assert data["items"]["optimal"] == best.tolist()
    assert data["answers"][0]["headline"] == "One of 1,442 paths"


def refused(tmp_path, message, path="report.html", **given):
    with pytest.raises(InvalidInputError, match=message):
        sb.write_report(tmp_path / path, **given)
    assert not list(tmp_path.rglob("*"))


def test_refusals(tmp_path):
    decisions, _, bound, result = case("trees")
    other = case("msets")
    refused(tmp_path, "got no results")
    refused(tmp_path, "got no results", decision_set=decisions)
    refused(tmp_path, "simulation must be a SimulationResult, got str", simulation="result.zip")
    refused(tmp_path, "instance must be a Instance or Dataset, got dict", instance={})
    refused(tmp_path, "leave decision_set out", bound=bound, decision_set=decisions)
    refused(tmp_path, "d = 6 items, got one over 5", simulation=result, bound=other.bound)
    refused(tmp_path, "end in .html", bound=bound, path="simulation.zip")
    refused(tmp_path, "must exist", bound=bound, path="nowhere/report.html")
    refused(tmp_path, "labels must be d = 5 strings, got 2", bound=bound, labels=["a", "b"])
    refused(tmp_path, "labels must be d = 5 strings", bound=bound, labels="abcde")
    refused(tmp_path, "labels must be d = 5 strings", bound=bound, labels=range(5))
    refused(tmp_path, "title must be strings", bound=bound, title=3)
    refused(tmp_path, "positions must be given with decisions", simulation=result, positions={})
    refused(tmp_path, "positions must place every node", bound=bound, positions={})


def test_results_of_different_problems_are_refused(tmp_path):
    description = {"family": "msets", "size": 1, "theta": [1, 0.5, 0]}
    instance = instance_from_description(description)
    decisions = sb.MSets(3, 1)
    for theta, variance, word in (([1, 0.5, 0.1], 0.5, "mean rewards"), ([1, 0.5, 0], 1.0, "variances")):
        bound = sb.graves_lai(decisions, theta, variance)
        refused(tmp_path, f"got one with other {word}", instance=instance, bound=bound)
        rewards = sb.GaussianRewards(theta, variance=variance)
        result = sb.simulate(decisions, rewards, sb.CUCB(), horizon=20, replications=2)
        refused(tmp_path, word, instance=instance, simulation=result)
        with pytest.raises(InvalidInputError, match=word):
            sb.write_report(tmp_path / "r.html", bound=sb.graves_lai(decisions, [1, 0.5, 0], 0.5), simulation=result)
    bound = sb.graves_lai(sb.MSets(3, 2), [1, 0.5, 0], 0.5)
    refused(tmp_path, "got one with other decisions", instance=instance, bound=bound)
    rewards = sb.GaussianRewards(np.linspace(0, 1, 100))
    result = sb.simulate(sb.MSets(100, 1), rewards, sb.CUCB(), horizon=20, replications=2, bound=False)
    other = sb.graves_lai(sb.MSets(100, 1), np.linspace(0, 1.1, 100), 0.5)
    refused(tmp_path, "mean rewards", simulation=result, bound=other)
    scalar = sb.graves_lai(sb.MSets(100, 1), np.linspace(0, 1, 100), np.full(100, 0.5))
    sb.write_report(tmp_path / "r.html", simulation=result, bound=scalar)
    assert data_of(tmp_path / "r.html")["bound"]["applies"]
