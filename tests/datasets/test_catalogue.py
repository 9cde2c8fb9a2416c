"""The recorded figures of every dataset agree with a new solve and with docs/datasets.md."""

import dataclasses
import re
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from built import built, solved

import semibandits as sb
from semibandits import datasets
from semibandits.instances import FAMILIES
from semibandits_studies.datasets.registry import AEQUILIBRAE, ENTRIES, RECBOLE, TOPOHUB
from semibandits_studies.reporting.formatting import count_decisions

ROWS = {row.name: row for row in datasets.catalogue()}
COSTLY = {
    "germany50-routing", "janos-us-ca-routing", "air-fares", "sioux-falls-routing", "nauru-routing", "la-serena-routing",
    "polska-backbone", "nobel-germany-backbone", "germany50-backbone", "power-grid", "nobel-us-multicast",
    "germany50-multicast",
}  # fmt: skip
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")


def test_every_dataset_is_listed_by_family():
    assert tuple(ROWS) == datasets.list_datasets()
    assert len(ROWS) == 20
    families = [row.family for row in ROWS.values()]
    order = list(dict.fromkeys(families))
    assert families == sorted(families, key=order.index)
    assert set(families) <= set(FAMILIES)
    assert not set(ROWS) & set(datasets.list_networks())
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name) for name in ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_recorded_words_are_those_of_the_dataset(name):
    """If this fails after a change of words or numbers: python tools/rebuild_tables/catalogue.py."""
    row, dataset = ROWS[name], built(name)
    assert dataset.name == name
    assert (row.question, row.family, row.unit) == (dataset.question, dataset.family, dataset.unit)
    assert (row.origin, row.replay) == (dataset.origin, dataset.outcomes is not None)
    assert (row.note, row.provenance, row.licence) == (dataset.instance.note, dataset.provenance, dataset.licence)
    assert all((row.note, row.provenance, row.licence))
    assert row.question.endswith("?")
    assert ("modelled, not measured" in row.note) == (row.origin == "modelled") == (dataset.outcomes is None)
    assert row.in_costs == dataset.instance.in_costs == (name in COSTLY)
    assert row.reward == pytest.approx(dataset.theta[dataset.decision_set.maximize(dataset.theta)].sum(), rel=1e-11)
    assert row.cost == (-row.reward if row.in_costs else None)
    assert (dataset.costs == -dataset.theta).all()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ROWS)
def test_recorded_figures_are_found_again(name):
    row, dataset = ROWS[name], built(name)
    decisions = dataset.decision_set
    assert (row.d, row.m) == (decisions.d, decisions.m)
    assert row.decisions == count_decisions(dataset.decision_set).exact
    assert row.smallest_gap == pytest.approx(sb.smallest_gap(decisions, dataset.theta), rel=1e-9)
    result = solved(name)
    assert 0 < row.lower <= row.value <= row.lower / (1 - 1.001e-4)
    assert row.lower <= result.value * (1 + 1e-9)
    assert result.lower <= row.value * (1 + 1e-9)


@pytest.mark.parametrize("name", [row.name for row in ROWS.values() if row.replay])
def test_theta_is_the_mean_of_the_outcomes(name):
    """To the last bit; labels differ."""
    dataset = built(name)
    assert dataset.origin == "measured"
    assert len(dataset.outcomes) == dataset.decision_set.d == len(set(dataset.labels))
    assert all(mean == log.mean() for mean, log in zip(dataset.theta, dataset.outcomes, strict=True))
    assert (dataset.replay().theta == dataset.theta).all()
    assert all(not log.flags.writeable for log in dataset.outcomes)
    title = dataset.instance.name
    assert title[0].isupper(), "the title of figures and reports is for people"
    assert " " in title


def test_rows_are_frozen_and_name_their_packages():
    row = ROWS["germany50-routing"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        row.d = 3
    assert {row.needs for row in ROWS.values()} == {None, TOPOHUB.install, RECBOLE.install, AEQUILIBRAE.install}
    bundled = {name for name, row in ROWS.items() if row.needs is None}
    assert bundled == {name for name in ROWS if name.startswith("flights")} | {"air-fares", "power-grid"}


def test_missing_datasets_are_listed(monkeypatch):
    monkeypatch.setitem(sys.modules, "topohub", None)
    rows = {row.name: row for row in datasets.catalogue()}
    assert not rows["germany50-routing"].installed
    assert rows["air-fares"].installed
    assert dataclasses.replace(rows["germany50-routing"], installed=True) == ROWS["germany50-routing"]


def test_a_package_that_is_not_there_is_missing():
    assert dataclasses.replace(TOPOHUB, name="no_such_package_of_data").missing
    assert not TOPOHUB.missing


@pytest.mark.parametrize("name", [row.name for row in ROWS.values() if row.needs])
def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch, name):
    monkeypatch.setitem(sys.modules, ENTRIES[name].needs.name, None)
    with pytest.raises(sb.SemibanditsError, match=f"not installed: run {re.escape(ROWS[name].needs)}"):
        datasets.load(name)


def test_every_table_has_its_terms_and_its_script():
    folder = files("semibandits_studies.datasets").joinpath("tables")
    tables = {path.name for path in folder.iterdir() if path.name.endswith(".json")}
    notice = folder.joinpath("NOTICE.txt").read_text(encoding="utf-8")
    for table in tables:
        assert f"\n{table}\n" in notice
        assert (ROOT / "tools" / "rebuild_tables" / table.replace(".json", ".py")).is_file()
        assert f"`{table}`" in PAGE


def page_rows():
    """Cells of the page's table by the name of the dataset."""
    lines = [line for line in PAGE.splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0].strip("`"): row[1:] for row in cells if row[0].strip("`") in ENTRIES and len(row) == 7}


def number(text):
    return float(text.replace(",", "").split(" ")[0])


def test_the_page_shows_the_recorded_figures():
    rows = page_rows()
    assert list(rows) == list(ROWS)
    for name, (title, sizes, decisions, gap, value, origin) in rows.items():
        row = ROWS[name]
        assert title == row.title
        assert sizes == f"{row.d}, {row.m}"
        if row.decisions is None:  # routes of a city are too many to count
            assert decisions == "unknown"
        else:
            assert number(decisions) == pytest.approx(row.decisions, rel=0.5e-2)
            assert decisions == f"{row.decisions:,}" or row.decisions >= 10**7
        assert number(gap) == pytest.approx(row.smallest_gap, rel=0.5e-2)
        assert number(value) == pytest.approx(row.value, rel=0.5e-3)
        assert gap.split(" ", 1)[1] == value.split(" ", 1)[1] == row.unit
        assert origin == ("measured, replay" if row.replay else row.origin)


def test_the_python_of_the_page_runs(capsys):
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    exec(compile(code, "datasets.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "3,300,091" in printed
    assert "BOS -> DEN -> SAN" in printed
