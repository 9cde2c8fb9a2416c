"""``semibandits datasets``."""

import sys

import pytest

from semibandits import datasets

ROWS = {row.name: row for row in datasets.catalogue()}


def cells(out):
    """Words of the line of each dataset."""
    lines = [line.split() for line in out.splitlines() if line and not line.startswith(" ")]
    return {words[0].rstrip("†"): words[1:] for words in lines if words[0].rstrip("†") in ROWS}


@pytest.mark.parametrize("columns", [80, 108, 140])
def test_all_datasets_are_listed_with_their_figures(run, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    out = run.output(["datasets"])
    assert max(len(line) for line in out.splitlines()) <= columns
    listed = cells(out)
    assert list(listed) == list(ROWS)
    for name, words in listed.items():
        row = ROWS[name]
        title = row.title.split() if columns >= 108 else []
        assert words[: len(title)] == title
        d, m, count, gap, value, unit, origin = words[len(title) :]
        assert (d, m, unit) == (str(row.d), str(row.m), row.unit.split()[0])
        if count == "unknown":  # simple paths of a graph with cycles cannot be counted in reasonable time
            assert row.decisions is None
        else:
            assert float(count.replace(",", "")) == pytest.approx(row.decisions, rel=0.5e-2)
        assert float(gap) == pytest.approx(row.smallest_gap, rel=0.5e-2)
        assert float(value.replace(",", "")) == pytest.approx(row.value, rel=0.5e-3)
        assert origin == ("measured*" if row.replay else "modelled")
    assert all(f"  {row.title}\n" in out for row in ROWS.values()) == (columns < 108)
    assert "†" not in out


def test_columns_stand_below_their_titles(run, monkeypatch):
    for columns in ("80", "108"):
        monkeypatch.setenv("COLUMNS", columns)
        lines = run.output(["datasets"]).splitlines()
        line, largest = (
            next(each for each in lines if each.startswith(name)) for name in ("germany50-routing", "la-serena-routing")
        )
        assert largest.index("15491") + 5 == line.index("17 ") + 2
        for title, cell in (("d ", "69 "), (" m ", "17 "), ("decisions", "1,442"), ("Δ min", "0.0225"), ("C(θ)", "105.8")):
            assert lines[0].index(title) + len(title) == line.index(cell) + len(cell), title
        assert lines[0].index("unit") == line.index("ms")
        assert lines[0].index("θ is") == line.index("modelled")


def test_missing_datasets_are_marked_and_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "topohub", None)
    out = run.output(["datasets"])
    assert list(cells(out)) == list(ROWS)
    marked = {line.split()[0].rstrip("†") for line in out.splitlines() if "†" in line and not line.startswith("†")}
    assert marked == {name for name, row in ROWS.items() if row.needs and "topohub" in row.needs}
    assert "† needs a package that is not installed: pip install topohub" in " ".join(out.split())
    out = run.output(["datasets", "germany50-routing"])
    assert "pip install topohub (not installed)" in out
    assert "1,442 paths" in out
    assert "pip install topohub" in run.error(["datasets", "germany50"])


@pytest.mark.parametrize("name", ROWS)
def test_one_dataset(run, name):
    row = ROWS[name]
    out = run.output(["datasets", name])
    words = " ".join(out.split())
    for text in (row.title, row.question, row.note, row.provenance, row.licence, f"out of {row.d:,}", "per ln T"):
        assert text in words, text
    assert row.decisions is None or row.decisions >= 10**12 or f"{row.decisions:,}" in words
    assert f"semibandits bound {name}\n" in out
    assert ("--rewards replay" in out) == row.replay
    assert f'sb.datasets.load("{name}")' in out


def test_the_shown_commands_work(run):
    out = run.output(["datasets", "polska-backbone"])
    use = out[out.index("Use\n") :].splitlines()[1:]
    commands = [line.split()[1:] for line in use if line.strip().startswith("semibandits")]
    assert [command[0] for command in commands] == ["bound", "simulate"]
    for command in commands:
        command = [{"10000": "50", "20": "2"}.get(word, word) for word in command]
        assert run(command)[0] == 0
    exec("\n".join(line.strip() for line in use if "sb" in line), {})


def test_as_json(run):
    rows = run.json(["datasets"])
    assert [row["name"] for row in rows] == list(ROWS)
    assert rows[0]["decisions"] == 1442
    one = run.json(["datasets", "air-fares"])
    assert one == next(row for row in rows if row["name"] == "air-fares")
    assert one["lower"] <= one["value"]
    assert one["needs"] is None


def test_all_networks_are_listed(run):
    out = run.output(["datasets", "--networks"])
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line.strip()}
    for name in datasets.list_networks():
        network = datasets.network(name)
        assert lines[name][1:3] == [str(len(network.nodes)), str(len(network.links))]
        assert (lines[name][3] == "geographic") == network.geographic
    assert max(len(line) for line in out.splitlines()) <= 80
    networks = run.json(["datasets", "--networks"])
    assert [network["name"] for network in networks] == list(datasets.list_networks())
    assert sum(network["geographic"] for network in networks) == 14


def test_nodes_of_one_network(run):
    for options in ((), ("--networks",)):
        out = run.output(["datasets", "polska", *options])
        assert all(node.name in out for node in datasets.network("polska").nodes)
    network = run.json(["datasets", "polska"])
    assert len(network["links"]) == 18
    assert {"name", "x", "y"} == set(network["nodes"][0])
