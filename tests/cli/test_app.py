"""The list of commands loads fast and agrees with the help of the commands."""

import subprocess
import sys
from importlib import import_module

import pytest

from semibandits.cli.app import COMMANDS

HEAVY = ("numba", "scipy", "networkx", "matplotlib", "joblib", "semibandits.regret_bound", "semibandits.datasets")


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_describe_themselves_as_the_list_does(name):
    module, summary = COMMANDS[name]
    assert import_module(f"semibandits.cli.{module}").HELP.strip().startswith(summary)


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from semibandits.cli import main\n"
        "for words in (['--help'], [], ['--version'], ['bond']):\n"
        "    try: main(words)\n"
        f"    except SystemExit: print('loaded', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert [line for line in done.stdout.splitlines() if line.startswith("loaded")] == ["loaded []"] * 4, done.stderr
