"""Titles, units and questions of files: on the command line, in study files, in instance files and in reports."""

import json
from pathlib import Path

import pytest
from command_cases import SHORT, TABLE, data_of

from semibandits.errors import InvalidInputError
from semibandits_studies.reporting.report import retitled
from semibandits_studies.reporting.sources import read_results

TEXTS = {"title": "Front page", "unit": "clicks", "question": "Which item?"}


def shown(path):
    data = data_of(path)
    return data["title"], data["unit"], data["subtitle"]


def test_options_reach_the_report_and_the_instance(run):
    options = [word for key, text in TEXTS.items() for word in (f"--{key}", text)]
    run.output([*SHORT, *options, "--output", "run"], TABLE)
    assert shown("run/report.html") == ("Front page", "clicks", "Which item?")
    instance = json.loads(Path("run/instance.json").read_text())
    assert (instance["name"], instance["unit"], instance["question"]) == ("Front page", "clicks", "Which item?")
    run.output(["run", "run/study.toml", "--output", "again"])
    assert shown("again/report.html") == ("Front page", "clicks", "Which item?")
    run.output(["report", "run", "--title", "Elsewhere", "--unit", "views", "--question", "Why?"])
    assert shown("run/report.html") == ("Elsewhere", "views", "Why?")


def test_a_bound_keeps_them_as_strings(run):
    run.output(["bound", "table.csv", "--size", "1", "--question", "Which item?", "--save", "bound.json"], TABLE)
    run.output(["report", "bound.json"])
    assert shown("bound.html")[2] == "Which item?"
    with pytest.raises(InvalidInputError, match="question must be strings"):
        retitled(read_results(Path("bound.json")), title=None, unit=None, question=3)


def test_datasets_can_be_given_others(run):
    run.output(["simulate", "power-grid", "--title", "Mine", "-p", "CUCB", "-T", "50", "-n", "2", "--output", "run"])
    title, _, question = shown("run/report.html")
    assert title == "Mine"
    assert question.endswith("?")
    run.output(["run", "run/study.toml", "--output", "again"])
    assert shown("again/report.html")[0] == "Mine"


def test_other_texts_are_named_when_a_run_is_resumed(run):
    run.output([*SHORT, "--output", "run", "--title", "One"], TABLE)
    assert "the title was 'One', now 'Two'" in run.error([*SHORT, "--output", "run", "--title", "Two", "--resume"])
