"""The program as its users run it."""

import json
import math
import shutil
from pathlib import Path

import pytest
from command_cases import SHORT, STUDY, TABLE, call, learn


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """Where kernels are not compiled yet, lines of progress would come that nobody asked for."""
    monkeypatch.setattr("semibandits_studies.cli.progress.FIRST_SECONDS", math.inf)


class Program:
    """Runs the program in the working folder."""

    def __init__(self, capsys):
        self.capsys = capsys

    def __call__(self, arguments, table=None):
        """Exit code, stdout and stderr, where a file table.csv has a text."""
        if table is not None:
            Path("table.csv").write_text(table, encoding="utf-8")
        code = call(arguments)
        captured = self.capsys.readouterr()
        return code, captured.out, captured.err

    def output(self, arguments, table=None):
        """The stdout of a command that ends well and writes nothing to stderr."""
        code, out, err = self(arguments, table)
        assert (code, err) == (0, "")
        return out

    def error(self, arguments, table=None):
        """The one line on stderr of a command that is refused and prints nothing."""
        code, out, err = self(arguments, table)
        assert (code, out, err.count("\n")) == (2, "", 1)
        return err

    def json(self, arguments, table=None):
        """The object that a command prints with --json."""
        return json.loads(self.output([*arguments, "--json"], table))


@pytest.fixture
def run(capsys, tmp_path, monkeypatch, blank_figures):
    """The program in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Program(capsys)


@pytest.fixture
def study(run):
    """Runs the program where table.csv and study.toml are."""

    def written(text=STUDY):
        Path("table.csv").write_text(TABLE, encoding="utf-8")
        Path("study.toml").write_text(text, encoding="utf-8")
        return run

    return written


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A folder with what commands write: results without a report, the file of a bound, and a database of learners."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("matplotlib.figure.Figure.draw", lambda figure, renderer: None)
        Path("table.csv").write_text(TABLE, encoding="utf-8")
        Path("study.toml").write_text(STUDY, encoding="utf-8")
        assert call([*SHORT, "--output", "results", "--no-report"]) == 0
        assert call(["bound", "table.csv", "--size", 2, "--save", "bound.json"]) == 0
        learn("courier")
    return folder


@pytest.fixture
def results(run, finished):
    """A copy of the folder `results`, beside table.csv and bound.json, in the folder that the program runs in."""
    shutil.copytree(finished, ".", dirs_exist_ok=True)
    return Path("results")
