"""Completion of commands and options in the shell."""

import sys

import pytest
from command_cases import call


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
