"""Completion of commands and options in the shell."""

import os
import subprocess
import sys

import pytest

PROGRAM = "from semibandits_cli import main; main()"


def completed(words, number):
    variables = {"_SEMIBANDITS_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(number)}
    code = f"import sys; sys.argv = ['semibandits']; {PROGRAM}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("words", "number", "expected"),
    [
        ("semibandits si", 1, ["simulate"]),
        ("semibandits bound --sat", 2, ["--saturate"]),
        ("semibandits learner ex", 2, ["export"]),
        ("semibandits nothing", 1, []),
    ],
)
def test_commands_and_options_are_completed(words, number, expected):
    assert completed(words, number) == expected
