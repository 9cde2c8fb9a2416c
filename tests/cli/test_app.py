"""The list of commands loads fast, agrees with the help of the commands, and completes their names in the shell."""

import re
import subprocess
import sys
from importlib import import_module

import pytest
from command_cases import call

from semibandits_studies.cli.app import COMMANDS

HEAVY = ("numba", "scipy", "networkx", "matplotlib", "joblib", "semibandits.regret_bound", "semibandits.datasets")


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_describe_themselves_as_the_list_does(run, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "140")
    module, summary = COMMANDS[name]
    assert re.search(rf"\b{name} +{re.escape(summary)}", run.output(["--help"]))
    assert import_module(f"semibandits_studies.cli.{module}").HELP.strip().startswith(summary)


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from semibandits_studies.cli import main\n"
        "for words in (['--help'], [], ['--version'], ['bond']):\n"
        "    try: main(words)\n"
        f"    except SystemExit: print('loaded', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert [line for line in done.stdout.splitlines() if line.startswith("loaded")] == ["loaded []"] * 4, done.stderr


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("words", "number", "expected"), [
    ("semibandits si", 1, ["simulate"]),
    ("semibandits bound --sat", 2, ["--saturate"]),
    ("semibandits learner ex", 2, ["export"]),
    ("semibandits nothing", 1, []),
])  # fmt: skip
def test_commands_and_options_are_completed(capsys, monkeypatch, words, number, expected):
    monkeypatch.setattr(sys, "argv", ["semibandits"])
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None, raising=False)  # as if pytest were the program
    for name, value in {"_SEMIBANDITS_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(number)}.items():
        monkeypatch.setenv(name, value)
    assert call([]) == 0
    assert capsys.readouterr().out.split() == expected
