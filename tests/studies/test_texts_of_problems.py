"""Titles, units and questions of files: on the command line, in study files, in instance files and in reports."""

import json
import re

import pytest

from semibandits.cli import app
from semibandits.errors import InvalidInputError
from semibandits.reporting.report import retitled
from semibandits.reporting.sources import read_results

TABLE = "item,theta\na,0.5\nb,0.25\nc,0.125\n"
TEXTS = {"title": "Front page", "unit": "clicks", "question": "Which item?"}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.csv").write_text(TABLE)
    return tmp_path


def call(*words):
    with pytest.raises(SystemExit) as end:
        app.main(list(words))
    return end.value.code


def shown(path):
    data = json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)[1])
    return data["title"], data["unit"], data["subtitle"]


def test_options_reach_the_report_and_the_instance(place):
    options = [word for key, text in TEXTS.items() for word in (f"--{key}", text)]
    run = ["simulate", "items.csv", "--size", "1", *options, "-p", "CUCB", "-T", "50", "-n", "2", "--output", "run"]
    assert call(*run) == 0
    assert shown(place / "run/report.html") == ("Front page", "clicks", "Which item?")
    instance = json.loads((place / "run/instance.json").read_text())
    assert (instance["name"], instance["unit"], instance["question"]) == ("Front page", "clicks", "Which item?")
    assert call("run", "run/study.toml", "--output", "again") == 0
    assert shown(place / "again/report.html") == ("Front page", "clicks", "Which item?")
    assert call("report", "run", "--title", "Elsewhere", "--unit", "views", "--question", "Why?") == 0
    assert shown(place / "run/report.html") == ("Elsewhere", "views", "Why?")


def test_a_bound_keeps_them(place):
    assert call("bound", "items.csv", "--size", "1", "--question", "Which item?", "--save", "bound.json") == 0
    assert call("report", "bound.json") == 0
    assert shown(place / "bound.html")[2] == "Which item?"


def test_datasets_can_be_given_others(place):
    run = ["simulate", "power-grid", "--title", "Mine", "-p", "CUCB", "-T", "50", "-n", "2", "--output", "run"]
    assert call(*run) == 0
    title, _, question = shown(place / "run/report.html")
    assert title == "Mine"
    assert question.endswith("?")
    assert call("run", "run/study.toml", "--output", "again") == 0
    assert shown(place / "again/report.html")[0] == "Mine"


def test_other_texts_are_named_when_a_run_is_resumed(place, capsys):
    run = ["simulate", "items.csv", "--size", "1", "-p", "CUCB", "-T", "50", "-n", "2", "--output", "run"]
    assert call(*run, "--title", "One") == 0
    capsys.readouterr()
    assert call(*run, "--title", "Two", "--resume") == 2
    assert "the title was 'One', now 'Two'" in capsys.readouterr().err


def test_texts_are_strings(place):
    assert call("bound", "items.csv", "--size", "1", "--save", "bound.json") == 0
    with pytest.raises(InvalidInputError, match="question must be strings"):
        retitled(read_results(place / "bound.json"), title=None, unit=None, question=3)
