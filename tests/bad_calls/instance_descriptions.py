"""JSON descriptions of instances, and files of them, that give none."""

import json
import math

from semibandits.instances import instance_from_description, read_json

EDGES = [["a", "b"], ["b", "c"], ["a", "c"]]
DIAMOND = [["a", "b"], ["b", "d"], ["a", "c"], ["c", "d"], ["c", "d"]]
POINTS = {"a": [0, 0], "b": [0, 0], "c": [0, 0]}
GROUPED = {"kind": "partition", "groups": ["p", "p", "q", "q"], "capacities": 2}
GRAPHIC, MATRIX = {"kind": "graphic", "edges": EDGES}, {"kind": "linear", "matrix": [[1, 0, 1, 1]]}


def of(family, d, **keys):
    instance_from_description({"family": family, "theta": [-1.0] * d} | keys)


def trees(*left_out, **keys):
    whole = {"family": "trees", "edges": EDGES, "theta": [1.0, 2.0, 3.0]} | keys
    instance_from_description({key: value for key, value in whole.items() if key not in left_out})


def paths(**keys):
    of("paths", 5, **{"edges": DIAMOND, "source": "a", "target": "d"} | keys)


def beside(**numbers):
    instance_from_description({"family": "msets", "size": 1, **numbers})


def routes(streets):
    of("routes", 2, edges=[[0, 1], [1, 0]], source=0, target=1, streets=streets)


def read(folder, content, overrides=None):
    (folder / "instance.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    read_json(folder / "instance.json", overrides)


GRAPH = json.dumps({"family": "paths", "edges": DIAMOND, "source": "a", "theta": [1] * 5})
EMPTY, SIDES = "must contain an instance, got an empty file", "a perfect matching needs as many rows as columns, got 3 rows"
CALLS = [
    *((lambda *, key=key, value=value: trees(**{key: value}), message) for key, value, message in (
        ("theta", [1.0, 2.0], r"theta must have shape .* got \(2,\)"),
        ("theta", [1.0, math.nan, 0.0], "finite, got nan at index 1"),
        ("theta", [1.0, "2", 0.0], r"theta\[1\] .* number, got '2'"),
        ("theta", [1.0, True, 0.0], r"theta\[1\] .* number, got True"),
        ("theta", 3.0, "theta must be a list, got a number"), ("theta", "123", "theta must be a list, got a string"),
        ("variance", 0, "variance must be positive, got 0.0"), ("variance", [1, 1], r"variance must .* shape .* got \(2,\)"),
        ("variance", [1, -1, 1], "variance must be positive, got -1.0 for item 1"),
        ("family", "tree", "got 'tree': did you mean trees"), ("family", 3, "family must be a string, got a number"),
        ("edges", [["a", "b"], ["c", "d"], ["e", "f"]], "graph must be connected"),
        ("edges", [["a", "b"], ["c"], ["e", "f"]], r"edges\[1\] must be a pair"),
        ("edges", [["a", "b"], ["b", None]], r"edges\[1\] must be a string or .* got None"),
        ("edges", {"a": "b"}, "edges must be a list, got an object"),
        ("colour", "red", "only have the keys .*, got 'colour': remove it"),
        ("varaince", 1, "got 'varaince': did you mean 'variance'"), ("items", ["a", "b"], "items must have d = 3 names, got 2"),
        ("items", ["a", "b", "a"], "distinct names, got 'a' at positions 0 and 2"),
        ("features", [1, 2, 3], "features must be an object of columns, each a list of d = 3 numbers"),
        ("features", {"x": [1, 2]}, "features must be an object of columns, each a list of d = 3 numbers"),
        ("positions", {"a": [0, 0]}, "positions must place every node, got none for 'b'"),
        ("positions", POINTS | {"a": [0]}, r"must be pairs \(x, y\) .*, got \[0\] for 'a'"),
        ("positions", POINTS | {"b": [0, -math.inf]}, r"numbers up to 1e9, got \[0, -inf\] for 'b'"),
        ("positions", POINTS | {"c": [0, 10**400]}, "numbers up to 1e9, got .* for 'c'"),
        ("positions", [1], "positions must be an object"),
    )),
    *((lambda *, key=key: trees(key), f"must have the key '{key}', got none: add it") for key in ("family", "edges")),
    (lambda: paths(target="z"), "target node must be a known name, got 'z'"),
    (lambda: paths(source="d", target="a"), "target must be reachable from source"),
    (lambda: paths(edges=[["a", "b"], ["b", "a"], *DIAMOND[1:4]]), "graph must be acyclic, got the cycle"),
    (lambda: paths(source=["a"]), "source must be a string or a whole number"),
    (lambda: routes(["a"]), "streets must be d = 2 strings"),
    (lambda: of("msets", 4, size=5), "at most d = 4"),
    (lambda: of("msets", 4, size=2.0), "size must be an integer, got 2.0"),
    (lambda: of("matchings", 9, edges=[[1, "x"], [2, "x"], [3, "x"]] * 3), SIDES),
    (lambda: of("matchings", 1, edges=[[1, "x"]], saturate="rowz"), "must be a known name, got 'rowz': did you mean rows"),
    (lambda: of("intersection", 4, matroids=[GROUPED, GROUPED], size=5), "set of size = 5 items, got at most 4"),
    (lambda: of("intersection", 4, matroids=[]), "matroids must be a list of two, got 0"),
    *((lambda *, rows=rows: of("enumerated", 3, decisions=rows), message) for rows, message in (
        ([[1, 1]], r"decisions\[0\] must have d = 3 entries, got 2"), ([[1, 1, 2]], "must contain 0 and 1, got 2"),
        ([], "n, d >= 1"),
    )),
    *((lambda *, own=own: of("matroid", 4, matroid=own), message) for own, message in (
        ({"kind": "unform", "size": 2}, "kind of matroid .* got 'unform': did you mean uniform"),
        ([1], "matroid must be a JSON object, got a list"), ({"kind": "uniform"}, "matroid must have the key 'size', got none"),
        ({"kind": "uniform", "size": 2, "m": 2}, "matroid must only have the keys kind, size, got 'm'"),
        (GRAPHIC, "matroid must have d = 4 items, .* got 3"),
        (GROUPED | {"capacities": {"p": 1}}, "every group, got none for 'q'"),
        (GROUPED | {"size": -1}, "at most 4, .* at least 0, got -1: change it"),
        (MATRIX | {"matrix": [[1, 0, 1, 1], [1, 0, 1]]}, "rows of equal length"), (MATRIX | {"field": 3}, "field must be None"),
    )),
    (lambda: beside(theta=[1, 2], costs=[1, 2]), "one of the keys 'theta' and 'costs', got both: remove one"),
    (lambda: beside(), "'theta', mean rewards, or 'costs', mean costs, got neither: add one"),
    (lambda: beside(costs=[1, "2"]), r"costs\[1\] must be a number, got '2'"),
    (lambda f: read_json(f / "none.json"), "must be a readable file, got No such file"),
    *((lambda f, *, content=content: read(f, content), message) for content, message in (
        ("", EMPTY), ("  \n", EMPTY), ("[1, 2]", "must hold one JSON object"),
        ('{"family": "trees",\n "theta": [1,,2]}', "must hold JSON, got .* on line 2, column 14"),
        ('{"name": "Köln"}'.encode("latin-1"), "must be text in UTF-8, got a byte that is not at position 11"),
    )),
    (lambda f: read(f, GRAPH, {"target": "d", "source": "b"}), "source must be given once, got 'b' beside 'a'"),
]  # fmt: skip
