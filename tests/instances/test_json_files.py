"""The JSON form: every family and kind of matroid survives a round trip; invalid files are refused."""

import json

import numpy as np
import pytest

import semibandits.matroids as matroids
from semibandits import EnumeratedDecisions, Matchings, MatroidBases, MatroidIntersection, MSets, Paths, Routes, SpanningTrees
from semibandits.instances import FAMILIES, MATROID_KINDS, instance_from_description, read_json, write_json

DIAMOND = [["a", "b"], ["b", "d"], ["a", "c"], ["c", "d"], ["c", "d"]]
TRIANGLE = [["a", "b"], ["b", "c"], ["a", "c"]]
PAIRS = [[r, c] for r in (1, 2, 3) for c in ("x", "y", "z")]

# Kind of matroid -> its keys, and the same matroid of four items built by hand.
MATROIDS = {
    "uniform": ({"size": 2}, matroids.Uniform(4, 2)),
    "partition": (
        {"groups": ["p", "p", "q", "q"], "capacities": {"p": 1, "q": 2}}, matroids.Partition("ppqq", {"p": 1, "q": 2})
    ),
    "laminar": (
        {"sets": [[0, 1], [0, 1, 2, 3]], "capacities": [1, 2]}, matroids.Laminar([[0, 1], [0, 1, 2, 3]], [1, 2], d=4)
    ),
    "graphic": ({"edges": [*TRIANGLE, ["d", "d"]]}, matroids.Graphic([*map(tuple, TRIANGLE), ("d", "d")])),
    "transversal": ({"places": [["s"], ["s", "t"], ["t"], []]}, matroids.Transversal([["s"], ["s", "t"], ["t"], []])),
    "linear": (
        {"matrix": [[1, 0, 1, 1], [0, 1, 1, 2]], "field": None, "tolerance": 1e-6},
        matroids.Linear([[1, 0, 1, 1], [0, 1, 1, 2]], tolerance=1e-6),
    ),
}  # fmt: skip
TWO_GROUPINGS = [
    {"kind": "partition", "groups": [1, 1, 2, 2], "capacities": 1},
    {"kind": "partition", "groups": ["a", "b", "a", "b"], "capacities": {"a": 1, "b": 1}},
]

# Case -> family, other keys without theta, and the same decision set built by hand.
CASES = {
    "paths": ("paths", {"edges": DIAMOND, "source": "a", "target": "d"}, Paths([*map(tuple, DIAMOND)], "a", "d")),
    "routes": (
        "routes", {"edges": [*DIAMOND, ["d", "a"]], "source": "a", "target": "d", "least": 0.5},
        Routes([*map(tuple, DIAMOND), ("d", "a")], "a", "d", 0.5),
    ),
    "routes with streets": (
        "routes", {"edges": [[0, 1], [1, 0]], "source": 0, "target": 1, "streets": ["a", ""]}, Routes([(0, 1), (1, 0)], 0, 1)
    ),
    "trees": ("trees", {"edges": TRIANGLE}, SpanningTrees([*map(tuple, TRIANGLE)])),
    "msets": ("msets", {"size": 2, "items": ["u", "v", "w", "x"]}, MSets(4, 2)),
    "matchings": ("matchings", {"edges": PAIRS}, Matchings([*map(tuple, PAIRS)])),
    "intersection": (
        "intersection", {"size": 2, "matroids": TWO_GROUPINGS},
        MatroidIntersection(matroids.Partition([1, 1, 2, 2], 1), matroids.Partition("abab", 1), size=2),
    ),
    "enumerated": (
        "enumerated", {"decisions": [[1, 1, 0], [0, 1, 1], [0, 0, 1]]}, EnumeratedDecisions([[1, 1, 0], [0, 1, 1], [0, 0, 1]])
    ),
    "partition with a size": (
        "matroid", {"matroid": {"kind": "partition", "groups": ["p", "p", "q", "q"], "capacities": 2, "size": 3}},
        MatroidBases(matroids.Uniform(4, 3)),
    ),
} | {
    kind: ("matroid", {"matroid": {"kind": kind, **keys}}, MatroidBases(matroid)) for kind, (keys, matroid) in MATROIDS.items()
}  # fmt: skip


def complete(case):
    """The description of a case with theta and variance, and the decision set it should give."""
    family, keys, decision_set = CASES[case]
    rng = np.random.default_rng(decision_set.d)
    theta = rng.normal(size=decision_set.d)
    texts = {"name": "a case", "unit": "EUR", "note": "made up"}
    return {"family": family} | keys | texts | {
        "theta": (theta if decision_set.upper is None else decision_set.upper - np.abs(theta)).tolist(),
        "variance": rng.uniform(0.1, 10, size=decision_set.d).tolist(),
    }, decision_set  # fmt: skip


def decisions_of(decision_set):
    return {tuple(row) for row in np.asarray(decision_set.enumerate(), dtype=int).tolist()}


def test_there_is_a_case_for_every_family_and_kind():
    assert {family for family, *_ in CASES.values()} == set(FAMILIES)
    assert set(MATROIDS) == set(MATROID_KINDS)


@pytest.mark.parametrize("case", CASES)
def test_families_are_built_as_by_hand_and_survive_a_round_trip(case, tmp_path):
    description, decision_set = complete(case)
    instance = instance_from_description(description)
    assert type(instance.decision_set) is type(decision_set)
    assert (instance.name, instance.unit, instance.note) == ("a case", "EUR", "made up")
    assert len(instance.labels) == len(set(instance.labels)) == decision_set.d
    write_json(instance, tmp_path / "instance.json")
    again = read_json(tmp_path / "instance.json")
    assert dict(again.description) == description
    assert again.labels == instance.labels
    for each in (instance, again):
        assert decisions_of(each.decision_set) == decisions_of(decision_set)
        np.testing.assert_array_equal(each.theta, description["theta"])
        np.testing.assert_array_equal(each.variance, description["variance"])
    assert [path.name for path in tmp_path.iterdir()] == ["instance.json"]


def test_the_arrays_of_an_instance_cannot_be_changed():
    instance = instance_from_description(complete("paths")[0])
    with pytest.raises(ValueError, match="read-only"):
        instance.theta[0] = 1.0


def test_labels_tell_parallel_arcs_apart_and_own_ones_come_first():
    labels = instance_from_description(complete("paths")[0]).labels
    assert labels == ("a → b", "b → d", "a → c", "c → d (#1)", "c → d (#2)")
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


@pytest.mark.parametrize(("numbers", "theta", "in_costs"), [
    ({"costs": [1, -2]}, [-1, 2], True), ({"costs": [3, 0, 1.5]}, [-3, 0, -1.5], True), ({"costs": [0, 0]}, [0, 0], True),
    *(({"theta": theta}, theta, in_costs) for theta, in_costs in (
        ([-1, -2], True), ([-1, 0], True), ([-1, 2], False), ([0, 0], False), ([1, 2], False)
    )),
])  # fmt: skip
def test_costs_are_negative_rewards_and_recognised_also_in_files(tmp_path, numbers, theta, in_costs):
    instance = instance_from_description({"family": "msets", "size": 1, **numbers})
    assert not np.signbit(instance.theta[instance.theta == 0]).any()
    write_json(instance, tmp_path / "instance.json")
    for each in (instance, read_json(tmp_path / "instance.json")):
        np.testing.assert_array_equal(each.theta, theta)
        assert each.in_costs is in_costs


def test_overrides_fill_in_what_is_left_out(tmp_path):
    description, _ = complete("paths")
    path = tmp_path / "graph.json"
    path.write_text(json.dumps({k: v for k, v in description.items() if k != "target"}), encoding="utf-8")
    assert read_json(path, {"target": "d", "source": "a"}).decision_set.target == "d"
