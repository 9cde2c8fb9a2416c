"""`write_report`: results in memory as one HTML file."""

import copy
import json
import re

import numpy as np
import pytest
from report_cases import DECISIONS, case

import semibandits as sb
from semibandits.formats.printable import visible
from semibandits.instances import instance_from_description
from semibandits_studies.reporting.page import _size


def data_of(path):
    """The content of a page, read as by a browser."""
    return json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)[1])


@pytest.mark.parametrize("name", DECISIONS)
def test_a_file_is_written_for_every_family(name, tmp_path):
    _, _, bound, result = case(name)
    path = tmp_path / "report.html"
    assert sb.write_report(path, simulation=result, bound=bound, title=name) is None
    assert data_of(path)["title"] == name
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]
    first = path.read_bytes()
    sb.write_report(str(path), simulation=copy.deepcopy(result), bound=bound, title=name)
    assert path.read_bytes() == first
    assert str(tmp_path).encode() not in first


def test_headlines_are_smaller_the_longer_they_are():
    sizes = {"At once": "short", "word " * 10: "long", "extraordinarily": "long", "word " * 20: "very-long"}
    assert {text: _size(text) for text in sizes} == sizes


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


HIDDEN = "a\x1b[31m\r\x07\x0b\x9b\u202eb\ufffe"
HOSTILE = "</script><script>alert(1)</script><b><i>&amp;\u2028'\"" + HIDDEN


def test_names_with_html_come_out_escaped_and_their_hidden_characters_are_shown(tmp_path):
    half = HOSTILE + "\ud800"
    nodes = [half, "b", "<!--"]
    named = {"name": half, "note": half, "unit": half, "items": [half, "c", "d"]}
    edges = [[nodes[0], nodes[1]], [nodes[1], nodes[2]], [nodes[0], nodes[2]]]
    instance = instance_from_description({"family": "trees", "edges": edges, "theta": [1, 2, 3]} | named)
    rewards = sb.GaussianRewards(instance.theta, variance=instance.variance)
    result = sb.simulate(instance.decision_set, rewards, {HOSTILE: sb.CUCB()}, horizon=20, replications=2)
    path = tmp_path / "r.html"
    sb.write_report(path, simulation=result, instance=instance)
    text, data = path.read_text(encoding="utf-8"), data_of(path)
    assert not any(tag in text for tag in ("<script>alert", "<b>", "<i>"))
    assert not {char for char in HIDDEN if not char.isprintable()} & set(text)
    assert data["items"]["labels"] == [visible(half), "c", "d"]
    assert data["title"] == data["note"] == data["unit"] == data["drawing"]["nodes"][0]["name"] == visible(half)


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


def test_a_bound_applies_whether_its_equal_variances_were_given_as_one_or_as_many(tmp_path):
    decisions, theta = sb.MSets(100, 1), np.linspace(0, 1, 100)
    result = sb.simulate(decisions, sb.GaussianRewards(theta), sb.CUCB(), horizon=20, replications=2, bound=False)
    sb.write_report(tmp_path / "r.html", simulation=result, bound=sb.graves_lai(decisions, theta, np.full(100, 0.5)))
    assert data_of(tmp_path / "r.html")["bound"]["applies"]
