"""The JSON form: every family and kind of matroid survives a round trip; invalid files are refused."""

import copy
import json
import math

import numpy as np
import pytest

import semibandits.matroids as matroids
from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.msets import MSets
from semibandits.decisions.paths import Paths
from semibandits.decisions.routes import Routes
from semibandits.decisions.spanning_trees import SpanningTrees
from semibandits.errors import InvalidInputError
from semibandits.instances import FAMILIES, MATROID_KINDS, instance_from_description, read_json, write_json

DIAMOND = [["a", "b"], ["b", "d"], ["a", "c"], ["c", "d"], ["c", "d"]]
TRIANGLE = [["a", "b"], ["b", "c"], ["a", "c"]]
PAIRS = [[r, c] for r in (1, 2, 3) for c in ("x", "y", "z")]

# Kind of matroid -> its keys, the items in it, and the same matroid built by hand.
MATROIDS = {
    "uniform": ({"size": 2}, 4, matroids.Uniform(4, 2)),
    "partition": (
        {"groups": ["p", "p", "q", "q"], "capacities": {"p": 1, "q": 2}},
        4,
        matroids.Partition(["p", "p", "q", "q"], {"p": 1, "q": 2}),
    ),
    "laminar": (
        {"sets": [[0, 1], [0, 1, 2, 3]], "capacities": [1, 2]},
        4,
        matroids.Laminar([[0, 1], [0, 1, 2, 3]], [1, 2], d=4),
    ),
    "graphic": (
        {"edges": [["a", "b"], ["b", "c"], ["a", "c"], ["d", "d"]]},
        4,
        matroids.Graphic([("a", "b"), ("b", "c"), ("a", "c"), ("d", "d")]),
    ),
    "transversal": (
        {"places": [["s"], ["s", "t"], ["t"], []]},
        4,
        matroids.Transversal([["s"], ["s", "t"], ["t"], []]),
    ),
    "linear": (
        {"matrix": [[1, 0, 1, 1], [0, 1, 1, 2]], "field": None, "tolerance": 1e-6},
        4,
        matroids.Linear([[1, 0, 1, 1], [0, 1, 1, 2]], tolerance=1e-6),
    ),
}

# Family -> description without theta, the number of items, and the same decision set built by hand.
CASES = {
    "paths": (
        {"family": "paths", "edges": DIAMOND, "source": "a", "target": "d"},
        5,
        Paths([tuple(edge) for edge in DIAMOND], "a", "d"),
    ),
    "routes": (
        {"family": "routes", "edges": [*DIAMOND, ["d", "a"]], "source": "a", "target": "d", "least": 0.5},
        6,
        Routes([*(tuple(edge) for edge in DIAMOND), ("d", "a")], "a", "d", 0.5),
    ),
    "trees": ({"family": "trees", "edges": TRIANGLE}, 3, SpanningTrees([tuple(edge) for edge in TRIANGLE])),
    "msets": ({"family": "msets", "size": 2, "items": ["u", "v", "w", "x"]}, 4, MSets(4, 2)),
    "matchings": ({"family": "matchings", "edges": PAIRS}, 9, Matchings([tuple(pair) for pair in PAIRS])),
    "intersection": (
        {
            "family": "intersection",
            "size": 2,
            "matroids": [
                {"kind": "partition", "groups": [1, 1, 2, 2], "capacities": 1},
                {"kind": "partition", "groups": ["a", "b", "a", "b"], "capacities": {"a": 1, "b": 1}},
            ],
        },
        4,
        MatroidIntersection(matroids.Partition([1, 1, 2, 2], 1), matroids.Partition(["a", "b", "a", "b"], 1), size=2),
    ),
    "enumerated": (
        {"family": "enumerated", "decisions": [[1, 1, 0], [0, 1, 1], [0, 0, 1]]},
        3,
        EnumeratedDecisions([[1, 1, 0], [0, 1, 1], [0, 0, 1]]),
    ),
} | {
    f"matroid: {kind}": ({"family": "matroid", "matroid": {"kind": kind, **keys}}, d, MatroidBases(matroid))
    for kind, (keys, d, matroid) in MATROIDS.items()
}


def complete(case):
    """The description of a case with theta and variance, and the decision set it should give."""
    description, d, decision_set = CASES[case]
    rng = np.random.default_rng(d)
    theta = rng.normal(size=d)
    return description | {
        "theta": (theta if decision_set.upper is None else decision_set.upper - np.abs(theta)).tolist(),
        "variance": rng.uniform(0.1, 10, size=d).tolist(),
        "name": "a case",
        "unit": "EUR",
        "note": "made up",
    }, decision_set


def decisions_of(decision_set):
    return {tuple(row) for row in np.asarray(decision_set.enumerate(), dtype=int).tolist()}


def test_there_is_a_case_for_every_family_and_kind():
    assert {case.partition(":")[0] for case in CASES} == set(FAMILIES)
    assert set(MATROIDS) == set(MATROID_KINDS)


@pytest.mark.parametrize("case", CASES)
def test_families_are_built_as_by_hand(case):
    description, decision_set = complete(case)
    instance = instance_from_description(description)
    assert type(instance.decision_set) is type(decision_set)
    assert decisions_of(instance.decision_set) == decisions_of(decision_set)
    np.testing.assert_array_equal(instance.theta, description["theta"])
    np.testing.assert_array_equal(instance.variance, description["variance"])
    assert (instance.name, instance.unit, instance.note) == ("a case", "EUR", "made up")
    assert len(instance.labels) == len(set(instance.labels)) == decision_set.d


@pytest.mark.parametrize("case", CASES)
def test_families_survive_a_round_trip(case, tmp_path):
    description, _ = complete(case)
    first = instance_from_description(description)
    write_json(first, tmp_path / "instance.json")
    second = read_json(tmp_path / "instance.json")
    assert dict(second.description) == description
    assert decisions_of(second.decision_set) == decisions_of(first.decision_set)
    np.testing.assert_array_equal(second.theta, first.theta)
    np.testing.assert_array_equal(second.variance, first.variance)
    assert second.labels == first.labels
    assert [path.name for path in tmp_path.iterdir()] == ["instance.json"]


def test_the_arrays_of_an_instance_cannot_be_changed():
    instance = instance_from_description(complete("paths")[0])
    with pytest.raises(ValueError, match="read-only"):
        instance.theta[0] = 1.0


def test_labels_tell_parallel_arcs_apart():
    instance = instance_from_description(complete("paths")[0])
    assert instance.labels == ("a → b", "b → d", "a → c", "c → d (#1)", "c → d (#2)")


def test_own_labels_come_first():
    assert instance_from_description(complete("msets")[0]).labels == ("u", "v", "w", "x")


def test_nodes_that_are_numbers_may_be_called_by_their_text():
    description = {"family": "paths", "edges": [[1, 2], [2, 3]], "source": "1", "target": 3, "theta": [0, 0]}
    assert instance_from_description(description).decision_set.source == 1


def test_positions_belong_to_nodes():
    description, _ = complete("trees")
    description["positions"] = {"a": [0, 0], "b": [1, 2], "c": [3, 4], "not in the graph": [9, 9]}
    assert instance_from_description(description).positions == {"a": (0.0, 0.0), "b": (1.0, 2.0), "c": (3.0, 4.0)}


def test_variance_is_half_unless_given():
    description, _ = complete("trees")
    del description["variance"]
    assert set(instance_from_description(description).variance) == {0.5}
    assert set(instance_from_description(description | {"variance": 3}).variance) == {3.0}


BAD = [
    ("trees", {"theta": [1.0, 2.0]}, r"theta must have shape \(d,\) = \(3,\), got \(2,\)"),
    ("trees", {"theta": [1.0, float("nan"), 0.0]}, "theta must be finite, got nan at index 1"),
    ("trees", {"theta": [1.0, float("inf"), 0.0]}, "theta must be finite, got inf at index 1"),
    ("trees", {"theta": [1.0, "2", 0.0]}, r"theta\[1\] must be a number, got '2'"),
    ("trees", {"theta": [1.0, True, 0.0]}, r"theta\[1\] must be a number, got True"),
    ("trees", {"theta": 3.0}, "theta must be a list, got a number"),
    ("trees", {"theta": "123"}, "theta must be a list, got a string"),
    ("trees", {"variance": 0}, "variance must be positive, got 0.0"),
    ("trees", {"variance": [1, 1]}, r"variance must be a scalar or have shape \(d,\) = \(3,\), got \(2,\)"),
    ("trees", {"variance": [1, -1, 1]}, "variance must be positive, got -1.0 for item 1"),
    ("trees", {"family": "tree"}, "family must be a known name, got 'tree': did you mean trees"),
    ("trees", {"family": 3}, "family must be a string, got a number"),
    ("trees", {"edges": [["a", "b"], ["c", "d"], ["e", "f"]]}, "graph must be connected"),
    ("trees", {"edges": [["a", "b"], ["c"], ["e", "f"]]}, r"edges\[1\] must be a pair, got 1 entries"),
    (
        "trees",
        {"edges": [["a", "b"], ["b", None], ["a", "c"]]},
        r"edges\[1\] must be a string or a whole number, got None",
    ),
    ("trees", {"edges": {"a": "b"}}, "edges must be a list, got an object"),
    ("trees", {"colour": "red"}, "the instance must only have the keys .*, got 'colour': remove it"),
    ("trees", {"varaince": 1}, "got 'varaince': did you mean 'variance'"),
    ("trees", {"items": ["a", "b"]}, "items must have d = 3 names, got 2"),
    ("trees", {"items": ["a", "b", "a"]}, "items must have distinct names, got 'a' at positions 0 and 2"),
    ("trees", {"positions": {"a": [0, 0]}}, "positions must place every node, got none for 'b'"),
    ("trees", {"positions": {"a": [0], "b": [0, 0], "c": [0, 0]}}, r"must be pairs \(x, y\) .*, got \[0\] for 'a'"),
    (
        "trees",
        {"positions": {"a": [math.nan, 0], "b": [0, 0], "c": [0, 0]}},
        r"numbers up to 1e9, got \[nan, 0\] for 'a'",
    ),
    ("trees", {"positions": {"a": [0, 0], "b": [0, -math.inf], "c": [0, 0]}}, r"got \[0, -inf\] for 'b'"),
    ("trees", {"positions": {"a": [0, 0], "b": [0, 0], "c": [0, 10**400]}}, r"numbers up to 1e9, got .* for 'c'"),
    ("trees", {"positions": [1]}, "positions must be an object"),
    ("paths", {"target": "z"}, "target node must be a known name, got 'z'"),
    ("paths", {"source": "d", "target": "a"}, "target must be reachable from source"),
    (
        "paths",
        {"edges": [["a", "b"], ["b", "a"], ["b", "d"], ["a", "d"], ["c", "d"]]},
        "graph must be acyclic, got the cycle",
    ),
    ("paths", {"source": ["a"]}, "source must be a string or a whole number"),
    ("msets", {"size": 5}, "at most d = 4"),
    ("msets", {"size": 2.0}, "size must be an integer, got 2.0"),
    (
        "matchings",
        {"edges": [[1, "x"], [2, "x"], [3, "x"]] * 3},
        "a perfect matching needs as many rows as columns, got 3 rows",
    ),
    ("matchings", {"saturate": "rowz"}, "saturate must be a known name, got 'rowz': did you mean rows"),
    ("intersection", {"size": 3}, "must have a common independent set of size = 3 items, got at most 2"),
    ("intersection", {"matroids": []}, "matroids must be a list of two, got 0"),
    ("enumerated", {"decisions": [[1, 1]]}, r"decisions\[0\] must have d = 3 entries, got 2"),
    ("enumerated", {"decisions": [[1, 1, 2]]}, "must contain 0 and 1, got 2"),
    ("enumerated", {"decisions": []}, "n, d >= 1"),
    (
        "matroid: uniform",
        {"matroid": {"kind": "unform", "size": 2}},
        "kind of matroid must be a known name, got 'unform': did you mean uniform",
    ),
    ("matroid: uniform", {"matroid": [1]}, "matroid must be a JSON object, got a list"),
    ("matroid: uniform", {"matroid": {"kind": "uniform"}}, "matroid must have the key 'size', got none"),
    (
        "matroid: uniform",
        {"matroid": {"kind": "uniform", "size": 2, "m": 2}},
        "matroid must only have the keys kind, size, got 'm'",
    ),
    (
        "matroid: graphic",
        {"matroid": {"kind": "graphic", "edges": TRIANGLE}},
        "matroid must have d = 4 items, one for each theta, got 3",
    ),
    (
        "matroid: partition",
        {"matroid": {"kind": "partition", "groups": ["p", "p", "q", "q"], "capacities": {"p": 1}}},
        "capacities must contain every group, got none for 'q'",
    ),
    ("matroid: linear", {"matroid": {"kind": "linear", "matrix": [[1, 0, 1, 1], [1, 0, 1]]}}, "rows of equal length"),
    ("matroid: linear", {"matroid": {"kind": "linear", "matrix": [[1, 0, 1, 1]], "field": 3}}, "field must be None"),
]


@pytest.mark.parametrize(("case", "change", "message"), BAD)
def test_bad_descriptions_are_refused(case, change, message):
    description = copy.deepcopy(complete(case)[0]) | change
    with pytest.raises(InvalidInputError, match=message):
        instance_from_description(description)


def test_costs_are_negative_rewards(tmp_path):
    description = {"family": "msets", "size": 1, "costs": [3, 0, 1.5]}
    instance = instance_from_description(description)
    np.testing.assert_array_equal(instance.theta, [-3, 0, -1.5])
    assert not np.signbit(instance.theta[1])
    write_json(instance, tmp_path / "instance.json")
    again = read_json(tmp_path / "instance.json")
    assert instance.in_costs
    assert again.in_costs
    np.testing.assert_array_equal(again.theta, instance.theta)


@pytest.mark.parametrize(
    ("numbers", "in_costs"),
    [
        ({"costs": [1, -2]}, True),
        ({"costs": [0, 0]}, True),
        ({"theta": [-1, -2]}, True),
        ({"theta": [-1, 0]}, True),
        ({"theta": [-1, 2]}, False),
        ({"theta": [0, 0]}, False),
        ({"theta": [1, 2]}, False),
    ],
)
def test_rewards_that_are_costs_are_recognised(numbers, in_costs):
    assert instance_from_description({"family": "msets", "size": 1, **numbers}).in_costs is in_costs


def test_rewards_and_costs_exclude_each_other():
    with pytest.raises(InvalidInputError, match="one of the keys 'theta' and 'costs', got both: remove one"):
        instance_from_description({"family": "msets", "size": 1, "theta": [1, 2], "costs": [1, 2]})
    with pytest.raises(InvalidInputError, match="'theta', mean rewards, or 'costs', mean costs, got neither: add one"):
        instance_from_description({"family": "msets", "size": 1})
    with pytest.raises(InvalidInputError, match=r"costs\[1\] must be a number, got '2'"):
        instance_from_description({"family": "msets", "size": 1, "costs": [1, "2"]})


@pytest.mark.parametrize("key", ["family", "edges"])
def test_missing_keys_are_named(key):
    description, _ = complete("trees")
    del description[key]
    with pytest.raises(InvalidInputError, match=f"the instance must have the key '{key}', got none: add it"):
        instance_from_description(description)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must contain an instance, got an empty file"),
        ("  \n", "must contain an instance, got an empty file"),
        ('{"family": "trees",\n "theta": [1,,2]}', "must hold JSON, got .* on line 2, column 14"),
        ("[1, 2]", "must hold one JSON object"),
    ],
)
def test_bad_files_are_refused(tmp_path, text, message):
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=message):
        read_json(path)


def test_missing_and_unsupported_files_are_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="must be a readable file, got No such file"):
        read_json(tmp_path / "none.json")
    (tmp_path / "latin.json").write_bytes('{"name": "Köln"}'.encode("latin-1"))
    with pytest.raises(InvalidInputError, match="must be text in UTF-8, got a byte that is not at position 11"):
        read_json(tmp_path / "latin.json")


def test_overrides_fill_in_and_must_not_contradict(tmp_path):
    description, _ = complete("paths")
    path = tmp_path / "graph.json"
    path.write_text(json.dumps({k: v for k, v in description.items() if k != "target"}), encoding="utf-8")
    assert read_json(path, {"target": "d", "source": "a"}).decision_set.target == "d"
    with pytest.raises(InvalidInputError, match="source must be given once, got 'b' beside 'a'"):
        read_json(path, {"target": "d", "source": "b"})
