"""The program as its users run it."""

import math
from pathlib import Path

import pytest

from semibandits.cli import main


@pytest.fixture
def run(capsys, tmp_path, monkeypatch, blank_figures):
    """Runs the program in an empty folder with a file table.csv, and gives back exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    # Where kernels are not compiled yet, lines of progress would come that nobody asked for.
    monkeypatch.setattr("semibandits.cli.progress.FIRST_SECONDS", math.inf)

    def run(arguments, table=None):
        if table is not None:
            Path("table.csv").write_text(table, encoding="utf-8")
        with pytest.raises(SystemExit) as leave:
            main(list(map(str, arguments)))
        captured = capsys.readouterr()
        return leave.value.code, captured.out, captured.err

    return run
