"""CSV files: each family is recognised by its header and built correctly; invalid files are refused."""

import numpy as np
import pytest

from semibandits.decisions.matchings import Matchings
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.msets import MSets
from semibandits.decisions.paths import Paths
from semibandits.decisions.routes import Routes
from semibandits.decisions.spanning_trees import SpanningTrees
from semibandits.errors import InvalidInputError
from semibandits.families.registry import TABLES
from semibandits.instances import FAMILIES, ProblemOptions, read_csv
from semibandits.matroids import Partition

DIAMOND = "tail,head,theta\na,b,1\nb,d,2\na,c,3\nc,d,4\nc,d,0.5\n"
TABLE = "row,column,theta\n1,x,1\n1,y,2\n2,x,3\n2,y,-4e-1\n2,z,0\n"
ITEMS = "item,theta\nu,1\nv,2\nw,3\n"
GROUPED = "item,theta,group\nu,1,p\nv,2,p\nw,3,q\n"
TWICE = "item,theta,group1,group2\nu,1,p,s\nv,2,p,t\nw,3,q,t\nx,4,q,s\n"


@pytest.fixture
def read(tmp_path):
    def read(text, **options):
        path = tmp_path / "table.csv"
        path.write_text(text, encoding="utf-8")
        return read_csv(path, ProblemOptions(**options))

    return read


def decisions_of(decision_set):
    return {tuple(row) for row in np.asarray(decision_set.enumerate(), dtype=int).tolist()}


def same(instance, decision_set, theta):
    assert type(instance.decision_set) is type(decision_set)
    assert decisions_of(instance.decision_set) == decisions_of(decision_set)
    np.testing.assert_array_equal(instance.theta, theta)
    assert instance.family in FAMILIES


EDGES = [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d"), ("c", "d")]
PAIRS = [("1", "x"), ("1", "y"), ("2", "x"), ("2", "y"), ("2", "z")]


def test_paths(read):
    same(read(DIAMOND, source="a", target="d"), Paths(EDGES, "a", "d"), [1, 2, 3, 4, 0.5])


def test_trees(read):
    same(read(DIAMOND, family="trees"), SpanningTrees(EDGES), [1, 2, 3, 4, 0.5])


@pytest.mark.parametrize("saturate", ["rows", "none"])
def test_matchings(read, saturate):
    same(read(TABLE, saturate=saturate), Matchings(PAIRS, saturate=saturate), [1, 2, 3, -0.4, 0])


def test_perfect_matchings_are_the_default(read):
    square = TABLE.replace("2,z,0\n", "")
    same(read(square), Matchings(PAIRS[:4]), [1, 2, 3, -0.4])


def test_msets(read):
    instance = read(ITEMS, size=2)
    same(instance, MSets(3, 2), [1, 2, 3])
    assert instance.labels == ("u", "v", "w")


def test_partition(read):
    same(read(GROUPED, capacities=["1"]), MatroidBases(Partition("ppq", 1)), [1, 2, 3])
    same(read(GROUPED, capacities=["1", "p=2"]), MatroidBases(Partition("ppq", {"p": 2, "q": 1})), [1, 2, 3])
    same(read(GROUPED, capacities=["p=0", "q=1"]), MatroidBases(Partition("ppq", {"p": 0, "q": 1})), [1, 2, 3])


def test_intersection(read):
    first, second = Partition("ppqq", 1), Partition("stts", 1)
    same(read(TWICE, capacities=["1"]), MatroidIntersection(first, second), [1, 2, 3, 4])
    same(read(TWICE, capacities=["1"], size=1), MatroidIntersection(first, second, size=1), [1, 2, 3, 4])
    wider = Partition("stts", {"s": 1, "t": 2})
    same(read(TWICE, capacities=["1", "group2:t=2"]), MatroidIntersection(first, wider), [1, 2, 3, 4])
    same(
        read(TWICE, capacities=["group1:2", "group2:1"]),
        MatroidIntersection(Partition("ppqq", 2), second),
        [1, 2, 3, 4],
    )


def test_every_family_has_a_test_and_a_sample():
    assert set(TABLES) == {"paths", "routes", "trees", "matchings", "msets", "partition", "intersection"}


STREETS = "tail,head,theta,least\na,b,-1,0.5\nb,a,-1,0.5\nb,d,-2,1\na,d,-4,3\n"


def test_links_that_form_cycles_are_routes(read):
    instance = read(STREETS, source="a", target="d")
    same(instance, Routes([("a", "b"), ("b", "a"), ("b", "d"), ("a", "d")], "a", "d", [0.5, 0.5, 1, 3]), [-1, -1, -2, -4])
    assert instance.decision_set.least.tolist() == [0.5, 0.5, 1.0, 3.0]
    assert "cycles" in instance.note


def test_acyclic_links_are_paths_unless_they_are_undirected(read):
    text = DIAMOND.replace(",1\n", ",-1\n").replace(",2\n", ",-2\n").replace(",3\n", ",-3\n").replace(",4\n", ",-4\n")
    text = text.replace(",0.5\n", ",-0.5\n")
    assert isinstance(read(text, source="a", target="d").decision_set, Paths)
    both_ways = read(text, source="d", target="a", undirected=True)
    assert isinstance(both_ways.decision_set, Routes)
    assert not both_ways.decision_set.directed
    assert both_ways.decision_set.count() == 3


def test_capacities_of_one_name_in_two_columns(read):
    """A bare name means that group in both columns, a column before it in that one only."""
    text = "item,theta,group1,group2\nu,1,p,p\nv,2,p,q\nw,3,q,p\n"
    instance = read(text, capacities=["1", "p=2", "group2:p=1"])
    same(instance, MatroidIntersection(Partition("ppq", {"p": 2, "q": 1}), Partition("pqp", 1)), [1, 2, 3])


def test_group_names_may_hold_equals_signs_and_colons(read):
    text = "item,theta,group\nu,1,a=b\nv,2,a=b\nw,3,x:y\n"
    same(read(text, capacities=["a=b=1", "x:y=1"]), MatroidBases(Partition(["a=b", "a=b", "x:y"], 1)), [1, 2, 3])


def test_variance_column_and_option(read):
    assert read(ITEMS, size=1).variance.tolist() == [0.5] * 3
    assert read(ITEMS, size=1, variance=2.0).variance.tolist() == [2.0] * 3
    assert read("item,theta,variance\nu,1,3\nv,2,4\n", size=1).variance.tolist() == [3.0, 4.0]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + ITEMS,
        ITEMS.replace("\n", "\r\n"),
        ITEMS.replace("\n", "\n\n"),
        ITEMS.replace(",", " , "),
        ITEMS.replace("item,theta", "Item,THETA"),
        '"item","theta"\n"u","1"\nv,2\nw,3',
    ],
)
def test_habits_of_spreadsheets_do_no_harm(read, text):
    instance = read(text, size=2)
    assert (instance.labels, instance.theta.tolist()) == (("u", "v", "w"), [1, 2, 3])


def test_names_with_commas_in_quotes(read):
    assert read('item,theta\n"u, the first",1\nv,2\n', size=1).labels == ("u, the first", "v")


BAD = [
    ("", {}, "must contain an instance, got an empty file"),
    ("item,theta\n", {"size": 1}, "must have a line for each item, got the header only"),
    ("u,1\nv,2\n", {"size": 1}, "must have a header, got u, 1 on line 1: add a line with the names of the columns"),
    ("item,theta\nu,1\nv,x\n", {"size": 1}, "theta must be a number, got 'x' on line 3"),
    ("item,theta\nu,1\n\n\nv,\n", {"size": 1}, "theta must be a number, got '' on line 5"),
    ("item,theta\nu,1\nv,nan\n", {"size": 1}, "theta must be finite, got nan on line 3"),
    ("item,theta\nu,-inf\nv,1\n", {"size": 1}, "theta must be finite, got -inf on line 2"),
    ("item,theta\nu,1,2\nv,1\n", {"size": 1}, "each line must have 2 cells like the header, got 3 on line 2"),
    ("item,theta\nu,1\nv\n", {"size": 1}, "each line must have 2 cells like the header, got 1 on line 3"),
    ("item,theta\nu,1\n,2\n", {"size": 1}, "item must be filled in on every line, got nothing on line 3"),
    ("item,theta\nu,1\nv,2\nu,3\n", {"size": 1}, "items must have distinct names, got 'u' on lines 2 and 4"),
    ("item,theta,theta\nu,1,2\n", {"size": 1}, "columns must be distinct, got 'theta' twice"),
    ('item,theta\n"u,1\n', {"size": 1}, "must be a CSV file, got .* on line"),
    ("item,theta,variance\nu,1,0\n", {"size": 1}, "variance must be positive, got 0 on line 2"),
    ("item,theta,variance\nu,1,-1\n", {"size": 1}, "variance must be positive, got -1 on line 2"),
    ("item,theta,variance\nu,1,1\n", {"size": 1, "variance": 2.0}, "variance must be given once"),
    (ITEMS, {"size": 1, "variance": 0.0}, "variance must be positive, got 0.0"),
    (ITEMS, {}, "size must be given for this family, got none: add size"),
    (ITEMS, {"size": 4}, "at most d = 3"),
    (ITEMS, {"size": 1, "source": "a"}, "^source must be used with paths or routes, got it with msets: drop it"),
    (ITEMS, {"size": 1, "capacities": ["1"]}, "^capacities must be used with partition or intersection"),
    (ITEMS, {"family": "paths"}, "paths must have the columns tail, head, theta or costs, got item, theta in "),
    (ITEMS, {"family": "laminar"}, "family of a table must be a known name, got 'laminar'"),
    ("item,theta,varaince\nu,1,1\n", {"size": 1, "family": "msets"}, "got 'varaince' in .*: did you mean 'variance'"),
    ("item\nu\n", {"size": 1}, "msets must have the column theta .* or costs, got neither among item in .*: add it"),
    (DIAMOND, {}, "which suit paths and routes and trees: give source and target for paths or routes, or family='trees'"),
    (DIAMOND, {"source": "a"}, "target must be given for this family, got none: add target"),
    (DIAMOND, {"source": "a", "target": "z"}, "target node must be a known name, got 'z'"),
    (DIAMOND, {"source": "d", "target": "a"}, "target must be reachable from source"),
    (DIAMOND + "d,a,1\n", {"source": "a", "target": "d"}, "theta must be at most 0 for routes, got 1 on line 2 .* the sign"),
    (DIAMOND + "d,a,1\n", {"source": "a", "target": "d", "family": "paths"}, "graph must be acyclic, got the cycle"),
    (DIAMOND + "e,f,1\n", {"family": "trees"}, "graph must be connected"),
    (TABLE, {}, "a perfect matching needs as many rows as columns"),
    (TABLE, {"saturate": "columns"}, "saturate"),
    (TABLE, {"saturate": "all"}, "saturate must be a known name, got 'all'"),
    ("row,column,theta\n1,x,1\n2,x,1\n3,y,1\n3,z,1\n", {}, "saturate"),
    (GROUPED, {}, "got none for 'p' of the column group: add capacities=\\['p=K'\\], or capacities=\\['K'\\] for all"),
    (GROUPED, {"size": 1}, r"capacities=\['K'\] for all groups, or ignore the groups: family='msets'$"),
    ("von,nach,Minuten\na,b,1\n", {"source": "a", "target": "b"}, "paths or routes must have the columns tail, head, "),
    ("worker,t1,t2\na,1,2\n", {}, r"matchings must have the columns row, column, theta or costs \(one line per pair\), got"),
    (GROUPED, {"capacities": ["p=1"]}, "each group must have a capacity, got none for 'q'"),
    (GROUPED, {"capacities": ["1", "r=1"]}, "group of a capacity must be a known name, got 'r'"),
    (GROUPED, {"capacities": ["x"]}, "^capacities must be K or NAME=K with K = 0, 1, 2, ..., got 'x'"),
    (GROUPED, {"capacities": ["9" * 5000]}, "^capacities must be K or NAME=K with K = 0, 1, 2, ..., got 5,000 characters"),
    (",,\n , \n", {}, "must have a header, got empty cells only"),
    (GROUPED, {"capacities": ["p=-1"]}, "^capacities must be K or NAME=K with K = 0, 1, 2, ..., got 'p=-1'"),
    (GROUPED, {"capacities": ["group1:1"]}, "^capacities must be K or NAME=K with K = 0, 1, 2, ..., got 'group1:1'"),
    (TWICE, {"capacities": ["1"], "size": 3}, "must have a common independent set of size = 3 items, got at most 2"),
    (TWICE, {"capacities": ["group1:1"]}, "each group must have a capacity, got none for 's' of the column group2"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "message"), BAD)
def test_bad_files_are_refused(read, text, options, message):
    with pytest.raises(InvalidInputError, match=message):
        read(text, **options)


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="must be a readable file, got No such file"):
        read_csv(tmp_path / "none.csv")
