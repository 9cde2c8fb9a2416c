"""Tables as people have them: each gives the right instance, or one message that names the culprit and the remedy."""

import importlib
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow
import pytest
import xlwt
from exported_tables import EXPORTED, Right
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits import Matchings, MatroidBases, MatroidIntersection, MSets, Paths, Routes, SpanningTrees
from semibandits.errors import InvalidInputError, SemibanditsError
from semibandits.families.registry import FAMILIES
from semibandits.instances import ProblemOptions, read_json, read_table, write_json
from semibandits.matroids import Laminar, Partition
from semibandits_studies.instances.roles import ENDS as END_PAIRS
from semibandits_studies.instances.roles import ROLES, parsed_name
from semibandits_studies.instances.table_files import read_prior

ENDS = {"source": "a", "target": "d"}
ONE = {"size": 1}
EDGES = [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d")]
PATHS = Paths(EDGES, "a", "d")
PAIRS = [("ann", "mill"), ("ann", "lathe"), ("bob", "mill"), ("bob", "lathe")]
ROADS = "from,to,seconds\na,b,30\nb,d,20\na,c,15\nc,d,40\n"
GROUPED = "item,theta,group\nu,1,p\nv,2,p\nw,3,q\n"
TWICE = "item,theta,Group 1,Group 2\nu,1,p,s\nv,2,p,t\nw,3,q,t\n"
TWO = MSets(2, 1)
READ = "Read from the table: "


def records(rows):
    """A function that writes rows to an Excel file, with openpyxl."""

    def write(path):
        book = openpyxl.Workbook()
        book.active.title = "Links"
        for row in rows:
            book.active.append(row)
        book.create_sheet("Remarks").append(["made by hand"])
        book.save(path)

    return write


def parquet(**columns):
    """A function that writes columns to a Parquet file, with pyarrow."""

    def write(path):
        importlib.import_module("pyarrow.parquet").write_table(pyarrow.table(columns), path)

    return write


RIGHT = {
    "travel times of roads": Right(
        ROADS, ENDS, PATHS, [-30, -20, -15, -40], True, f"{READ}from as tail, to as head, seconds as costs.", "s"
    ),
    "the same with more columns": Right(
        "id,from,to,name,minutes,remark\n1,a,b,Mill Lane,3,\n2,b,d,,2,bumpy\n3,a,c,High Street,1,\n4,c,d,,4,\n",
        ENDS, PATHS, [-3, -2, -1, -4], True, "Ignored columns: id, name, remark.", "min",
    ),
    "semicolons": Right(ROADS.replace(",", ";"), ENDS, PATHS, [-30, -20, -15, -40], True, "seconds as costs", "s"),
    "tabs": Right(ROADS.replace(",", "\t"), ENDS, PATHS, [-30, -20, -15, -40], True, unit="s", name="roads.tsv"),
    "vertical bars": Right(ROADS.replace(",", " | "), ENDS, PATHS, [-30, -20, -15, -40], True, unit="s", name="r.txt"),
    "upper case and spaces": Right(
        " FROM ,To, Travel Time (min)\na,b,1\nb,d,2\na,c,3\nc,d,4\n", ENDS, PATHS, [-1, -2, -3, -4], True,
        "Travel Time (min) as costs", "min",
    ),
    "names from a program": Right(
        "sourceNode,targetNode,delay_ms\na,b,1.5\nb,d,2.5\na,c,3.5\nc,d,4.5\n", ENDS, PATHS, [-1.5, -2.5, -3.5, -4.5], True,
        "sourceNode as tail, targetNode as head, delay_ms as costs", "ms",
    ),
    "costs of links": Right(
        "tail,head,cost\na,b,1\nb,d,2\na,c,3\nc,d,4\n", ENDS, PATHS, [-1, -2, -3, -4], True,
    ),
    "theta that is to be minimised": Right(
        "tail,head,theta\na,b,1\nb,d,2\na,c,3\nc,d,4\n", ENDS | {"minimize": True}, PATHS, [-1, -2, -3, -4], True,
    ),
    "negative rewards": Right("tail,head,theta\na,b,-1\nb,d,-2\na,c,0\nc,d,-4\n", ENDS, PATHS, [-1, -2, 0, -4], True),
    "lengths of streets both ways": Right(
        "u;v;length (km)\na;b;0,5\nb;d;1,25\na;d;2\n", ENDS | {"undirected": True},
        Routes([("a", "b"), ("b", "d"), ("a", "d")], "a", "d", directed=False), [-0.5, -1.25, -2], True,
        "length (km) as costs", "km",
    ),
    "cables": Right(
        "start,end,price\na,b,10\nb,c,20\na,c,25\n", {"family": "trees", "columns": ("costs=price",)},
        SpanningTrees([("a", "b"), ("b", "c"), ("a", "c")]), [-10, -20, -25], True, "start as tail, end as head",
    ),
    "hours of workers": Right(
        "worker,task,hours\nann,mill,1\nann,lathe,2\nbob,mill,3\nbob,lathe,1\n", {}, Matchings(PAIRS), [-1, -2, -3, -1], True,
        f"{READ}worker as row, task as column, hours as costs.", "h",
    ),
    "marks of students": Right(
        "student;project;score\nann;mill;1,5\nann;lathe;2\nbob;mill;3\nbob;lathe;1\n", {"saturate": "none"},
        Matchings(PAIRS, saturate="none"), [1.5, 2, 3, 1], False, "score as rewards",
    ),
    "click rates": Right("title,ctr\nx,0.04\ny,0.03\n", ONE, TWO, [0.04, 0.03], False, f"{READ}title as item, ctr as rewards."),
    "a column named by hand": Right("title,popularity\nx,4\ny,3\n", ONE | {"columns": ("theta=Popularity",)}, TWO, [4, 3]),
    "two columns named by hand": Right(
        "who,how much\nx,4\ny,3\n", ONE | {"columns": ("item=who", "reward=how much")}, TWO, [4, 3]
    ),
    "clicks and impressions": Right(
        "item,clicks,impressions\nx,40,1000\ny,30,1000\n", ONE, TWO, [0.04, 0.03], False, "Rewards are clicks / impressions."
    ),
    "conversions beside a cost": Right(
        "ad,views,conversions,cost\nx,200,4,9.99\ny,100,3,8\n", ONE | {"columns": ("successes=conversions",)}, TWO, [0.02, 0.03],
        False, "Rewards are conversions / views. Ignored columns: cost.",
    ),
    "theta beside a length": Right("item,length,theta\nx,7,1\ny,8,2\n", ONE, TWO, [1, 2], False, "Ignored columns: length."),
    "decimal commas": Right("item;theta;variance\nx;0,25;1,5\ny;1;2\n", ONE, TWO, [0.25, 1], variance=[1.5, 2]),
    "decimal commas in quotes": Right('item,theta\nx,"0,25"\ny,"1,5"\n', ONE, TWO, [0.25, 1.5]),
    "thousands in German": Right("item;theta\nx;1.234,5\ny;1.234\n", ONE, TWO, [1234.5, 1234]),
    "three decimals with a comma below one": Right("item;theta\nx;0,125\ny;0,250\n", ONE, TWO, [0.125, 0.25]),
    "three decimals and others with a comma": Right("item;theta\nx;0,004\ny;1,125\n", ONE, TWO, [0.004, 1.125]),
    "percents with three decimals": Right("item;rate\nx;0,125 %\ny;0,310 %\n", ONE, TWO, [0.00125, 0.0031]),
    "German names": Right(
        "Artikel;Ressort;Klicks;Einblendungen\nx;A;1;4\ny;B;2;4\n", {"capacities": ("1",)},
        MatroidBases(Partition(["A", "B"], 1)), [0.25, 0.5], False, "Rewards are Klicks / Einblendungen.",
    ),
    "free-flow times and streets": Right(
        "from,to,seconds,freeflow_s,street\na,b,30,20,Main\nb,d,20,10,\na,c,15,9,Side\nc,d,40,30,Side\nb,a,30,20,Main\n",
        ENDS, Routes([*EDGES, ("b", "a")], "a", "d", [20, 10, 9, 30, 20]), [-30, -20, -15, -40, -30], True,
        "freeflow_s as least, street as streets", "s",
    ),
    "thousands in English": Right('item,theta\nx,"1,234.5"\ny,"1,234"\n', ONE, TWO, [1234.5, 1234]),
    "thousands in French": Right("item;theta\nx;1\u202f234,5\ny;12 000\n", ONE, TWO, [1234.5, 12000]),
    "three decimals": Right("item,theta\nx,1.234\ny,2.125\n", ONE, TWO, [1.234, 2.125]),
    "percent signs": Right("item;rate\nx;3,5 %\ny;12%\n", ONE, TWO, [0.035, 0.12], False, "rate as rewards"),
    "a proper minus sign": Right("item,theta\nx,\u22121.5\ny,2\n", ONE, TWO, [-1.5, 2]),
    "exponents": Right("item,theta\nx,1.5e-3\ny,2E2\n", ONE, TWO, [0.0015, 200]),
    "a byte order mark": Right(b"\xef\xbb\xbfitem,theta\nx,1\ny,2\n", ONE, TWO, [1, 2]),
    "UTF-16 with a mark": Right("item\ttheta\nZürich\t1\ny\t2\n".encode("utf-16"), ONE, TWO, [1, 2]),
    "UTF-16 without a mark": Right("item;theta\nZürich;1\ny;2\n".encode("utf-16-le"), ONE, TWO, [1, 2]),
    "Windows-1252": Right(
        "item;theta\nZürich;1\nCafé;2\n".encode("cp1252"), ONE, TWO, [1, 2], False, "not in UTF-8 and was read as Windows-1252"
    ),
    "old Mac line ends": Right("item,theta\rx,1\ry,2\r", ONE, TWO, [1, 2]),
    "blank lines and empty columns": Right("\n,,\nitem,theta,,\n\nx,1,,\n,,,\ny,2\n", ONE, TWO, [1, 2]),
    "titles above the header": Right(
        "Quarterly results;;\n\nDepartment of films;;\nitem;theta;\nx;1;\ny;2;\n", ONE, TWO, [1, 2], False,
        "Lines 1 to 3 above the header were skipped.",
    ),
    "the separator that Excel states": Right("sep=;\nitem;theta\nx;0,5\ny;2\n", ONE, TWO, [0.5, 2]),
    "the index of pandas": Right(",item,theta\n0,x,1\n1,y,2\n", ONE, TWO, [1, 2], False, "Ignored columns: (no name)."),
    "gaps in a column without use": Right("item,theta,year\nx,1,\ny,2,NaN\n", ONE, TWO, [1, 2], False, "Ignored columns: year."),
    "films of categories": Right(
        "title,genre,reward,price\nu,p,1,1\nv,p,2,1\nw,q,3,1\n", {"capacities": ("1",)}, MatroidBases(Partition("ppq", 1)),
        [1, 2, 3], False, "title as item, genre as group, reward as rewards. Ignored columns: price.",
    ),
    "two of a category and three in all": Right(
        "item,group,theta\nu,p,1\nv,p,2\nw,p,3\nx,q,4\ny,q,5\n", {"capacities": ("2",), "size": 3},
        MatroidBases(Laminar([range(5), [0, 1, 2], [3, 4]], [3, 2, 2])), [1, 2, 3, 4, 5],
    ),
    "a size that the capacities force": Right(
        "item,group,theta\nu,p,1\nv,p,2\nw,q,3\n", {"capacities": ("1",), "size": 2}, MatroidBases(Partition("ppq", 1)), [1, 2, 3]
    ),
    "one group and a size": Right(
        "item,group,theta\nu,p,1\nv,p,2\nw,p,3\n", {"capacities": ("2",), "size": 1}, MatroidBases(Partition("ppp", 1)), [1, 2, 3]
    ),
    "a category without capacities": Right(
        "item,category,theta\nu,p,1\nv,p,2\nw,q,3\n", {"size": 2}, MSets(3, 2), [1, 2, 3], False, "Ignored columns: category."
    ),
    "two groupings": Right(
        TWICE, {"capacities": ["1"]}, MatroidIntersection(Partition("ppq", 1), Partition("stt", 1)), [1, 2, 3]
    ),
    "lines of JSON": Right(
        '{"from": "a", "to": "b", "km": 1}\n{"from": "b", "to": "d", "km": 2, "x": [1]}\n\n'
        '{"from": "a", "to": "c", "km": 3}\n{"to": "d", "from": "c", "km": 4.5, "y": null}\n',
        ENDS, PATHS, [-1, -2, -3, -4.5], True, "Ignored columns: x, y.", "km", name="roads.jsonl",
    ),
    "names of two kinds of characters": Right(
        "from,to,km\na,Z\u00fcrich,1\nZu\u0308rich,d,2\na,d,9\n", ENDS,
        Paths([("a", "Z\u00fcrich"), ("Zu\u0308rich", "d"), ("a", "d")], "a", "d"), [-1, -2, -9], True,
        "are two names (their letters are written by other characters): check whether one is meant. 2 of 3 links are on no path "
        "from a to d.", "km",
    ),
    "names that are one number": Right(
        "item,theta\n2.0,1\n2,2\n", ONE, TWO, [1, 2], False, "'2.0' on line 2 and '2' on line 3 are two names: check"
    ),
    "a number and a text": Right(
        records([["from", "to", "cost"], ["a", 1, 4], ["1", "d", 5]]), ENDS, Paths([("a", "1"), ("1", "d")], "a", "d"), [-4, -5],
        True, "1 is a number on line 2 and a text on line 3, and is read as one name.", name="nodes.xlsx",
    ),
    "hashtags": Right("item,theta\n#x,1\n#y,2\n", ONE, TWO, [1, 2]),
    "an item that is the sum of the others": Right("item,theta\nx,1\ny,2\nz,3\n", ONE, MSets(3, 1), [1, 2, 3]),
    "a total in another language": Right(
        "item,theta\nu,1\nv,1.5\nw,1\nx,2\ny,3\n\u0418\u0442\u043e\u0433,8.5\n", ONE, MSets(6, 1), [1, 1.5, 1, 2, 3, 8.5], False,
        "is the sum or the mean of all others: remove it if it is no item.",
    ),
    "an Excel file": Right(
        records([["Our roads"], [], ["From", "To", "Minutes", "OK"], ["a", "b", 1.234, True], ["b", "d", 2, None],
                 ["a", "c", 3, None], ["c", "d", "4,5", "yes"]]),
        ENDS, PATHS, [-1.234, -2, -3, -4.5], True, "Only the sheet 'Links' is read, the first of 2.", "min", name="roads.xlsx",
    ),
    "a Parquet file": Right(
        parquet(item=["x", "y"], clicks=[4, 3], impressions=[100, 100], when=[None, 1.5]), ONE, TWO, [0.04, 0.03], False,
        "Rewards are clicks / impressions. Ignored columns: when.", name="ads.parquet",
    ),
    "parallel links": Right(
        "tail,head,theta\na,b,1\nb,d,2\na,c,3\nc,d,4\nc,d,0.5\n", ENDS, Paths([*EDGES, ("c", "d")], "a", "d"), [1, 2, 3, 4, 0.5],
    ),
    "links that form cycles": Right(
        "tail,head,theta,least\na,b,-1,0.5\nb,a,-1,0.5\nb,d,-2,1\na,d,-4,3\n", ENDS,
        Routes([("a", "b"), ("b", "a"), ("b", "d"), ("a", "d")], "a", "d", [0.5, 0.5, 1, 3]), [-1, -1, -2, -4], True, "cycles",
    ),
    "a pair that is missing": Right(
        "row,column,theta\n1,x,1\n1,y,2\n2,x,3\n2,y,-4e-1\n2,z,0\n", {"saturate": "rows"},
        Matchings([("1", "x"), ("1", "y"), ("2", "x"), ("2", "y"), ("2", "z")], saturate="rows"), [1, 2, 3, -0.4, 0],
    ),
    "capacities of groups": Right(
        GROUPED, {"capacities": ["1", "p=2"]}, MatroidBases(Partition("ppq", {"p": 2, "q": 1})), [1, 2, 3]
    ),
    "no item of a group": Right(
        GROUPED, {"capacities": ["p=0", "q=1"]}, MatroidBases(Partition("ppq", {"p": 0, "q": 1})), [1, 2, 3]
    ),
    "equals signs and colons in names of groups": Right(
        "item,theta,group\nu,1,a=b\nv,2,a=b\nw,3,x:y\n", {"capacities": ["a=b=1", "x:y=1"]}, MatroidBases(Partition("ppq", 1)),
        [1, 2, 3],
    ),
    "two groupings and a size": Right(
        TWICE, {"capacities": ["1"], "size": 1}, MatroidIntersection(Partition("ppq", 1), Partition("stt", 1), size=1), [1, 2, 3]
    ),
    "the capacity of one group of two groupings": Right(
        TWICE, {"capacities": ["1", "group2:t=2"]},
        MatroidIntersection(Partition("ppq", 1), Partition("stt", {"s": 1, "t": 2})), [1, 2, 3],
    ),
    "a capacity for each grouping": Right(
        TWICE, {"capacities": ["group1:2", "group2:1"]}, MatroidIntersection(Partition("ppq", 2), Partition("stt", 1)), [1, 2, 3]
    ),
    "a group of one name in both groupings": Right(  # a bare name means both, a column before it that one only
        "item,theta,group1,group2\nu,1,p,p\nv,2,p,q\nw,3,q,p\n", {"capacities": ["1", "p=2", "group2:p=1"]},
        MatroidIntersection(Partition("ppq", {"p": 2, "q": 1}), Partition("pqp", 1)), [1, 2, 3],
    ),
    "a variance for all": Right("item,theta\nx,1\ny,2\n", ONE | {"variance": 2.0}, TWO, [1, 2], variance=[2, 2]),
    "spaces and line ends of Windows": Right("Item , THETA\r\nx , 1\r\n y,2\r\n", ONE, TWO, [1, 2], labels=("x", "y")),
    "quotes": Right('"item","theta"\n"u, the first","1"\ny,2', ONE, TWO, [1, 2], labels=("u, the first", "y")),
}  # fmt: skip


def decisions_of(decision_set):
    return {tuple(row) for row in np.asarray(decision_set.enumerate(), dtype=int).tolist()}


def put(folder, content, name):
    path = folder / name
    if callable(content):
        content(path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("name", [*RIGHT, *EXPORTED])
def test_files_of_people_are_read(name, tmp_path):
    file = (RIGHT | EXPORTED)[name]
    instance = read_table(put(tmp_path, file.content, file.name), ProblemOptions(**file.options))
    assert type(instance.decision_set) is type(file.decision_set)
    assert decisions_of(instance.decision_set) == decisions_of(file.decision_set)
    assert instance.theta.tolist() == file.theta
    assert instance.in_costs is file.in_costs
    assert instance.unit == file.unit
    assert instance.variance.tolist() == (file.variance or [0.5] * len(file.theta))
    assert file.note in instance.note
    assert file.note or "Ignored" not in instance.note
    assert file.labels in ((), instance.labels)
    write_json(instance, tmp_path / "again.json")
    again = read_json(tmp_path / "again.json")
    assert again.theta.tolist() == file.theta
    assert again.in_costs is file.in_costs
    assert decisions_of(again.decision_set) == decisions_of(file.decision_set)


NEEDS = {".xlsx": "openpyxl", ".parquet": "pyarrow", ".xls": "xlrd"}


@pytest.mark.parametrize("suffix", NEEDS)
def test_a_missing_package_is_named(suffix, tmp_path, monkeypatch):
    for name in ("openpyxl", "pyarrow", "pyarrow.parquet", "xlrd"):
        monkeypatch.setitem(sys.modules, name, None)
    path = put(tmp_path, b"x", f"table{suffix}")
    with pytest.raises(SemibanditsError, match=f"needs {NEEDS[suffix]}, .*: run pip install {NEEDS[suffix]}, or"):
        read_table(path)


def test_an_excel_file_may_claim_any_size(tmp_path):
    """One cell in the last corner does not make a table of 17 billion cells."""
    book = openpyxl.Workbook()
    for cell, value in {"A1": "item", "B1": "theta", "A2": "x", "B2": 1, "A3": "y", "B3": 2, "XFD5000": 1}.items():
        book.active[cell] = value
    book.save(tmp_path / "table.xlsx")
    with pytest.raises(InvalidInputError, match="theta must be known for every item, got none on line 5000"):
        read_table(tmp_path / "table.xlsx", ProblemOptions(size=1))


def test_excel_files_of_versions_up_to_2003(tmp_path):
    book = xlwt.Workbook()
    sheet = book.add_sheet("t")
    for r, row in enumerate([["item", "theta"], ["x", 1.5], [7, 2]]):
        for c, value in enumerate(row):
            sheet.write(r, c, value)
    book.save(str(tmp_path / "t.xls"))
    instance = read_table(tmp_path / "t.xls", ProblemOptions(size=1))
    assert instance.theta.tolist() == [1.5, 2]
    assert instance.labels == ("x", "7")


def test_every_family_of_tables_has_a_row():
    assert {type(file.decision_set) for file in RIGHT.values()} == {each.cls for each in FAMILIES.values() if each.tables}


def test_no_name_has_two_roles():
    names = [name for role in ROLES.values() for name in (*role.exact, *role.usual, *role.last)]
    assert len(names) == len(set(names))
    for role, each in ROLES.items():
        for name in each.exact | each.usual | each.last:
            assert parsed_name(name).words == name, role


@pytest.mark.parametrize(("header", "words", "unit"), [
    ("Minuten (Ø)", "minuten", "min"), ("Cost (avg.)", "cost", ""), ("Ø Kosten", "kosten", ""),
    ("average travel_time_min", "travel time", "min"), ("Cost [EUR]", "cost", "EUR"), ("mean", "mean", ""),
])  # fmt: skip
def test_words_for_averages_are_not_units(header, words, unit):
    assert parsed_name(header) == (words, unit)


COLUMNS = [
    "theta", "costs", "variance", "least", "tail", "head", "item", "group", "km", "name", "price", "", "clicks", "views", "x",
]  # fmt: skip
CELLS = ["", "a", "b", "c", "1", "-2", "0,5", "1,234", "3 %", "1.234,5", "nan", "$2", "1:30", "Total", "\u2212 1", "0"]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_table_gives_an_instance_or_one_message(data):
    separator = data.draw(st.sampled_from(",;\t|"))
    names = data.draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=6))
    row = st.lists(st.sampled_from(CELLS), min_size=len(names), max_size=len(names) + 1)
    rows = data.draw(st.lists(row, max_size=5))
    options = data.draw(
        st.sampled_from([{"size": 1}, ENDS, {"capacities": ("1",)}, {"minimize": True, "size": 1}, {"family": "trees"}, {}])
    )
    with tempfile.TemporaryDirectory() as folder:
        text = "\n".join(separator.join(cells) for cells in [names, *rows])
        try:
            instance = read_table(put(Path(folder), text, "t.csv"), ProblemOptions(**options))
        except InvalidInputError:
            return
        assert instance.decision_set.d == len(instance.theta) <= len(rows)


OPPOSITE_ENDS = ["i,j", "taill,heda", "a_side,b_side", "from lane,to lane"]


def in_order(names, order):
    """Four links in a table whose columns have these names for tails and heads."""
    tail, head = names
    rows = [{"tail": u, "head": v, "minutes": k, "lanes": 2} for k, (u, v) in enumerate(EDGES)]
    header = {"tail": tail, "head": head, "minutes": "minutes", "lanes": "lanes"}
    return "\n".join(",".join(str(row[column]) for column in order) for row in [header, *rows])


COLUMNS_OF_LINKS = st.permutations(["tail", "head", "minutes", "lanes"])


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(sorted(END_PAIRS)), COLUMNS_OF_LINKS, st.booleans())
def test_ends_of_links_are_read_as_a_pair_or_not_at_all(names, order, is_alone):
    with tempfile.TemporaryDirectory() as folder:
        path = put(Path(folder), in_order((names[0], "kerb") if is_alone else names, order), "links.csv")
        if not is_alone:
            assert read_table(path, ProblemOptions(**ENDS)).decision_set.items == tuple(EDGES)
        else:
            with pytest.raises(InvalidInputError, match=r"without (tail and head|head)"):
                read_table(path, ProblemOptions(**ENDS, family="paths"))


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(OPPOSITE_ENDS), COLUMNS_OF_LINKS)
def test_both_ends_of_links_are_proposed_or_none(names, order):
    """Following the proposal gives the links in their direction, whatever the order of the columns."""
    tail, head = names.split(",")
    with tempfile.TemporaryDirectory() as folder:
        path = put(Path(folder), in_order((tail, head), order), "links.csv")
        with pytest.raises(InvalidInputError, match=f"are '{tail}' and '{head}' meant as 'tail' and 'head'") as refusal:
            read_table(path, ProblemOptions(**ENDS))
        assert f"columns=['tail={tail}', 'head={head}']" in str(refusal.value)
        chosen = ProblemOptions(**ENDS, columns=(f"tail={tail}", f"head={head}"))
        assert read_table(path, chosen).decision_set.items == tuple(EDGES)


MARKS = ["x", "-", "inf", "\u221e", "M", "forbidden"]


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_matrix_is_the_table_of_its_pairs(data):
    rows, columns = ([f"{side}{k}" for k in range(data.draw(st.integers(2, 4)))] for side in ("row ", "zone "))
    comma, mark = data.draw(st.booleans()), data.draw(st.sampled_from(["", *MARKS]))
    corner = data.draw(st.sampled_from(["", "courier", "A/B", None]))
    numbers = {(row, column): data.draw(st.none() | st.integers(1, 99)) for row in rows for column in columns}
    numbers[rows[0], columns[-1]] = 7

    def text(number):
        return mark if number is None else str(number / 4).replace(".", "," if comma else ".")

    cells = [[row, *(text(numbers[row, column]) for column in columns)] for row in rows]
    header = [*([] if corner is None else [corner]), *columns]
    pairs = [["row", "column", "costs"], *([*pair, text(n)] for pair, n in numbers.items() if n is not None)]
    with tempfile.TemporaryDirectory() as folder:
        matrix, table = (
            put(Path(folder), "\n".join(map(";".join, lines)), name)
            for name, lines in (("matrix.csv", [header, *cells]), ("table.csv", pairs))
        )
        of_cells = read_table(matrix, ProblemOptions(saturate="none", columns=("costs=cells",)))
        of_pairs = read_table(table, ProblemOptions(saturate="none"))
    assert of_cells.decision_set.items == of_pairs.decision_set.items
    assert of_cells.theta.tolist() == of_pairs.theta.tolist()


PIECES = [
    "a", "b", "1", "2.5", "x", "-", "NA", "", "tail", "head", "item", "costs", "src", "dst", "Total", "# a", "% b", "c", "{}",
    "a 1 2 3", "p sp 3 2", "p max 3 2", "~", "<END OF METADATA>", "init_node", "term_node", "length", "free_flow_time", "3",
    "cells", "\u00b2",
]  # fmt: skip
LINES = st.lists(st.lists(st.sampled_from(PIECES), max_size=5), max_size=6)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["\t", " ", "  ", ","]), LINES, st.booleans())
def test_any_lines_give_an_instance_or_one_message(separator, rows, is_matrix):
    options = ProblemOptions(columns=("costs=cells",), saturate="none") if is_matrix else ProblemOptions(source="1", target="2")
    with tempfile.TemporaryDirectory() as folder, suppress(InvalidInputError):
        read_table(put(Path(folder), "\n".join(map(separator.join, rows)), "lines.txt"), options)


@pytest.mark.parametrize("kind", ["xlsx", "jsonl", "parquet"])
def test_matrices_in_files_with_types(kind, tmp_path):
    write = {
        "xlsx": records([["Delivery times"], [None, "north", "south"], ["Ann", 1.5, "x"], ["Bob", None, 4]]),
        "jsonl": '{"courier": "Ann", "north": 1.5, "south": "x"}\n{"courier": "Bob", "north": null, "south": 4}\n',
        "parquet": parquet(courier=["Ann", "Bob"], north=[1.5, None], south=[float("inf"), 4.0]),
    }[kind]
    path = put(tmp_path, write, f"matrix.{kind}")
    options = ProblemOptions(columns=("costs=cells",), saturate="none")
    with pytest.raises(InvalidInputError, match="must be known for every item, got none on line"):
        read_table(path, options)
    instance, plays = read_prior(path, options, 3)
    assert instance.decision_set.items == (("Ann", "north"), ("Bob", "north"), ("Bob", "south"))
    assert (instance.theta.tolist(), plays) == ([-1.5, 0, -4], [3, 0, 3])
