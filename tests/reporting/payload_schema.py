"""The schema of the payload in docs/report.md: `check_payload` finds every deviation."""

import json
import math

NUMBER = (int, float)


def check_payload(payload):
    """Check that a payload follows the schema."""
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    keys(payload, "schema title subtitle unit note answers bound simulation items plan drawing layers tables version")
    assert payload["schema"] == 2
    for key in ("title", "subtitle", "unit", "note", "version"):
        assert isinstance(payload[key], str), key
    about_policies = ["earned", "settled", "best", "cost"]
    keys_of_answers = [answer["key"] for answer in payload["answers"]]
    assert keys_of_answers == (["decided", "best", "cost"] if payload["simulation"] is None else about_policies)
    for answer in payload["answers"]:
        keys(answer, "key label headline text header rows")
        texts = [answer[key] for key in ("key", "label", "headline", "text")]
        assert all(isinstance(text, str) and text.strip() == text and text for text in texts)
        assert not answer["rows"] or answer["key"] in ("earned", "settled")
        assert len(answer["header"]) == (3 if answer["rows"] else 0)
        for row in answer["rows"]:
            keys(row, "label value ratio")
            assert all(isinstance(text, str) for text in row.values())
    d = check_items(payload["items"])
    for part, check in (("bound", check_bound), ("simulation", check_simulation), ("drawing", check_drawing)):
        if payload[part] is not None:
            check(payload[part], d)
    if payload["plan"] is not None:
        check_plan(payload["plan"], d)
    for layer in payload["layers"]:
        keys(layer, "key label text unit values")
        numbers(layer["values"], d)
        assert layer["key"] in ("plan", "theta") or layer["key"].startswith("policy:")
    assert len({layer["key"] for layer in payload["layers"]}) == len(payload["layers"])
    keys(payload["tables"], "provenance again")
    for row in payload["tables"]["provenance"]:
        keys(row, "label text")
        assert row["label"]
        assert row["text"]
    for row in payload["tables"]["again"]:
        keys(row, "label code")
        assert row["code"].strip()


def keys(mapping, names):
    assert list(mapping) == names.split()


def numbers(values, length):
    assert len(values) == length
    assert all(isinstance(value, NUMBER) and not isinstance(value, bool) for value in values)


def optional_number(value):
    assert value is None or (isinstance(value, NUMBER) and math.isfinite(value))


def check_items(items):
    keys(items, "labels theta variance optimal suboptimal total numbers note")
    d = len(items["labels"])
    assert d
    assert all(isinstance(label, str) for label in items["labels"])
    for name in ("theta", "variance"):
        if items[name] is not None:
            numbers(items[name], d)
    for name in ("optimal", "suboptimal"):
        if items[name] is not None:
            assert len(items[name]) == d
            assert all(isinstance(flag, bool) for flag in items[name])
    shown = range(d) if items["numbers"] is None else items["numbers"]
    assert list(shown) == sorted(set(shown))
    assert len(shown) == d <= items["total"]
    assert (items["note"] == "") == (items["numbers"] is None) == (items["total"] == d)
    return d


def check_bound(bound, _):
    keys(bound, "lower value gap method status applies text")
    assert bound["lower"] >= 0
    optional_number(bound["value"])
    optional_number(bound["gap"])
    assert isinstance(bound["applies"], bool)
    assert "C(θ)" in bound["text"]


def check_simulation(simulation, _):
    keys(simulation, "rewards horizon replications seed checkpoints policies")
    rounds = simulation["checkpoints"]
    assert rounds == sorted(set(rounds))
    assert rounds[-1] == simulation["horizon"]
    for policy in simulation["policies"]:
        keys(
            policy,
            "name parameters mean lower upper regret regret_interval regret_ratio slope slope_interval slope_ratio calls seconds",
        )
        numbers(policy["mean"], len(rounds))
        for end in ("lower", "upper"):
            assert (policy[end] is None) == (simulation["replications"] == 1)
            if policy[end] is not None:
                numbers(policy[end], len(rounds))
        for ratio in ("regret", "regret_ratio", "slope", "slope_ratio", "seconds"):
            optional_number(policy[ratio])
        for interval in ("regret_interval", "slope_interval"):
            if policy[interval] is not None:
                numbers(policy[interval], 2)
        keys(policy["calls"], "linear index plans undecided")


def check_plan(plan, d):
    keys(plan, "rows more words")
    assert len(plan["rows"]) <= 100
    assert plan["more"] >= 0
    for row in plan["rows"]:
        keys(row, "text gap rate share items")
        assert row["text"]
        assert row["rate"] > 0
        assert row["items"] == sorted(set(row["items"]))
        assert all(0 <= i < d for i in row["items"])
    rates = [row["rate"] for row in plan["rows"]]
    assert rates == sorted(rates, reverse=True)


def check_drawing(drawing, d):
    """Every item is drawn exactly once and within the box."""
    if drawing["kind"] == "network":
        keys(drawing, "kind directed geographic aspect nodes edges borders backdrop")
        assert 0.2 <= drawing["aspect"] <= 5
        for node in drawing["nodes"]:
            keys(node, "name x y end")
            assert 0 <= node["x"] <= 1
            assert 0 <= node["y"] <= 1
            assert node["end"] in ("source", "target", None)
        assert [edge["item"] for edge in drawing["edges"]] == list(range(d))
        seen = {(frozenset((edge["tail"], edge["head"])), edge["parallel"]) for edge in drawing["edges"]}
        assert len(seen) == d
        for edge in drawing["edges"]:
            keys(edge, "item tail head parallel")
            assert {edge["tail"], edge["head"]} <= set(range(len(drawing["nodes"])))
        assert all(len(point) == 2 and -0.061 < min(point) <= max(point) < 1.061 for line in drawing["borders"] for point in line)
        assert all(len(line) == 4 and -0.061 < min(line) <= max(line) < 1.061 for line in drawing["backdrop"])
    elif drawing["kind"] == "heatmap":
        keys(drawing, "kind rows columns cells")
        assert [cell["item"] for cell in drawing["cells"]] == list(range(d))
        places = {(cell["row"], cell["column"]) for cell in drawing["cells"]}
        assert len(places) == d
        assert all(0 <= r < len(drawing["rows"]) and 0 <= c < len(drawing["columns"]) for r, c in places)
    else:
        keys(drawing, "kind groups group_name")
        assert drawing["kind"] == "bars"
        assert drawing["groups"] is None or len(drawing["groups"]) == d
        assert (drawing["groups"] is None) == (drawing["group_name"] == "")
