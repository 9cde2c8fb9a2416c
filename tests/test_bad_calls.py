"""Calls that must be refused, from the tables in `bad_calls`: each raises its error, in one line that a user can act on.

A table is a list `CALLS` of ``(call, message)`` or ``(call, message, error)``: a function without arguments, or of a new folder;
what the message must match; the type of the error if not `InvalidInputError`. What must hold after a refused call, for instance
that nothing has changed, is a test of its own.
"""

import importlib
import re
from pathlib import Path

import pytest

from semibandits.errors import InvalidInputError

LONGEST = 1500
"""Characters of a message; lists of labels and numbers are shortened in it."""


def read_tables():
    for path in sorted(Path(__file__).with_name("bad_calls").glob("*.py")):
        for call, message, *error in importlib.import_module(f"bad_calls.{path.stem}").CALLS:
            line = call.__code__.co_firstlineno
            yield pytest.param(call, message, *(error or [InvalidInputError]), id=f"{path.stem}:{line}")


@pytest.mark.parametrize(("call", "message", "error"), [*read_tables()])
def test_a_bad_call_is_refused(call, message, error, request):
    arguments = [request.getfixturevalue("tmp_path")] * call.__code__.co_argcount
    with pytest.raises(error, match=message) as refused:
        call(*arguments)
    text = str(refused.value)
    assert len(text) <= LONGEST
    assert "\n" not in text
    assert not re.search(r"\bat 0x[0-9a-f]", text)
