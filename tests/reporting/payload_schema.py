"""The schema of the payload in docs/report.md: `check_payload` finds every deviation."""

import json
import math

from semibandits_studies.reporting.payload import payload_of
from semibandits_studies.reporting.report import report_data

KEYS = {
    "payload": "schema title subtitle unit note answers bound simulation items plan drawing layers tables version",
    "answers": "key label headline text header rows",
    "answers.rows": "label value ratio",
    "bound": "lower value gap method status applies exception text",
    "simulation": "rewards horizon replications seed checkpoints policies",
    "simulation.policies": "name parameters mean lower upper regret regret_interval regret_ratio slope slope_interval "
    "slope_ratio calls within seconds",
    "simulation.policies.stopped": "share rounds wrong",
    "simulation.policies.calls": "linear index plans undecided",
    "items": "labels theta variance optimal suboptimal total numbers note",
    "plan": "rows more words",
    "plan.rows": "text gap rate share items",
    "layers": "key label text unit values",
    "tables": "provenance again",
    "tables.provenance": "label text",
    "tables.again": "label code",
    "network": "kind directed geographic aspect nodes edges borders backdrop",
    "network.nodes": "name x y end",
    "network.edges": "item tail head parallel",
    "heatmap": "kind rows columns cells",
    "heatmap.cells": "item row column",
    "bars": "kind groups group_name",
}


def check_keys(value, path):
    """All keys are there, in their order."""
    if isinstance(value, dict):
        given = [key for key in value if (path, key) != ("simulation.policies", "stopped")]  # where replications stop
        assert given == KEYS[path].split()
    for part in value if isinstance(value, list) else []:
        check_keys(part, path)
    for key, part in value.items() if isinstance(value, dict) else ():
        if key != "drawing":
            check_keys(part, key if path == "payload" else f"{path}.{key}")


def is_list(values, length, kind=(int, float)):
    return len(values) == length and all(
        isinstance(value, kind) and isinstance(value, bool) == (kind is bool) for value in values
    )


def check_payload(payload):
    """Check that a payload follows the schema."""
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    check_keys(payload, "payload")
    bound, simulation, items, tables = (payload[part] for part in ("bound", "simulation", "items", "tables"))
    assert payload["schema"] == 2
    assert all(isinstance(payload[key], str) for key in ("title", "subtitle", "unit", "note", "version"))
    about_policies = [] if simulation is None else ["earned", "settled"]
    if simulation is not None and "stopped" in simulation["policies"][0]:
        about_policies.append("sure")
    assert [answer["key"] for answer in payload["answers"]] == [*(about_policies or ["decided"]), "best", "cost"]
    for answer in payload["answers"]:
        texts = [answer[key] for key in ("key", "label", "headline", "text")]
        assert all(isinstance(text, str) and text.strip() == text and text for text in texts)
        assert not answer["rows"] or answer["key"] in about_policies
        assert len(answer["header"]) == (3 if answer["rows"] else 0)
        assert all(isinstance(text, str) for row in answer["rows"] for text in row.values())
    d = len(items["labels"])
    assert d
    assert all(isinstance(label, str) for label in items["labels"])
    for name, kind in (("theta", float), ("variance", float), ("optimal", bool), ("suboptimal", bool)):
        assert items[name] is None or is_list(items[name], d, kind)
    shown = range(d) if items["numbers"] is None else items["numbers"]
    assert list(shown) == sorted(set(shown))
    assert len(shown) == d <= items["total"]
    assert (items["note"] == "") == (items["numbers"] is None) == (items["total"] == d)
    if bound is not None:
        assert bound["lower"] >= 0
        assert all(bound[key] is None or math.isfinite(bound[key]) for key in ("value", "gap"))
        assert isinstance(bound["applies"], bool)
        assert "C(θ)" in bound["text"]
    if simulation is not None:
        check_simulation(simulation)
    if payload["drawing"] is not None:
        check_drawing(payload["drawing"], d)
    if payload["plan"] is not None:
        check_plan(payload["plan"], d)
    for layer in payload["layers"]:
        assert is_list(layer["values"], d)
        assert layer["key"] in ("plan", "theta") or layer["key"].startswith("policy:")
    assert len({layer["key"] for layer in payload["layers"]}) == len(payload["layers"])
    assert all(row["label"] and row["text"] for row in tables["provenance"])
    assert all(row["code"].strip() for row in tables["again"])


def check_simulation(simulation):
    rounds = simulation["checkpoints"]
    assert rounds == sorted(set(rounds))
    assert rounds[-1] == simulation["horizon"]
    for policy in simulation["policies"]:
        assert is_list(policy["mean"], len(rounds))
        for end in ("lower", "upper"):
            assert (policy[end] is None) == (simulation["replications"] == 1)
            assert policy[end] is None or is_list(policy[end], len(rounds))
        for name in ("regret", "regret_ratio", "slope", "slope_ratio", "within", "seconds"):
            assert policy[name] is None or math.isfinite(policy[name])
        assert all(policy[name] is None or is_list(policy[name], 2) for name in ("regret_interval", "slope_interval"))


def check_plan(plan, d):
    assert len(plan["rows"]) <= 100
    assert plan["more"] >= 0
    for row in plan["rows"]:
        assert row["text"]
        assert row["rate"] > 0
        assert row["items"] == sorted(set(row["items"]))
        assert all(0 <= i < d for i in row["items"])
    rates = [row["rate"] for row in plan["rows"]]
    assert rates == sorted(rates, reverse=True)


def check_drawing(drawing, d):
    """Every item is drawn exactly once and within the box."""
    check_keys(drawing, drawing["kind"])
    if drawing["kind"] == "network":
        nodes, edges = drawing["nodes"], drawing["edges"]
        assert 0.2 <= drawing["aspect"] <= 5
        assert all(0 <= node["x"] <= 1 and 0 <= node["y"] <= 1 and node["end"] in ("source", "target", None) for node in nodes)
        assert [edge["item"] for edge in edges] == list(range(d))
        assert len({(frozenset((edge["tail"], edge["head"])), edge["parallel"]) for edge in edges}) == d
        assert {edge[end] for edge in edges for end in ("tail", "head")} <= set(range(len(nodes)))
        for lines, length in ((drawing["backdrop"], 4), ([point for line in drawing["borders"] for point in line], 2)):
            assert all(len(line) == length and -0.061 < min(line) <= max(line) < 1.061 for line in lines)
    elif drawing["kind"] == "heatmap":
        assert [cell["item"] for cell in drawing["cells"]] == list(range(d))
        places = {(cell["row"], cell["column"]) for cell in drawing["cells"]}
        assert len(places) == d
        assert all(0 <= r < len(drawing["rows"]) and 0 <= c < len(drawing["columns"]) for r, c in places)
    else:
        assert drawing["groups"] is None or len(drawing["groups"]) == d
        assert (drawing["groups"] is None) == (drawing["group_name"] == "")


def checked_payload(data):
    made = payload_of(data)
    check_payload(made)
    return made


def payload_for(simulation=None, bound=None, instance=None, decision_set=None):
    return checked_payload(report_data(simulation, bound, instance, decision_set))
