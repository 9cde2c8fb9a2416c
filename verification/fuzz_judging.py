"""Criteria for a correct result and for one clear error; `fuzz.py` runs the cases."""

from __future__ import annotations

import contextlib
import io
import json
import unicodedata
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from semibandits.cli import main
from semibandits.errors import SemibanditsError
from semibandits.instances import Instance, read_json, write_json

LONGEST_MESSAGE = 5_000
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
RIGHT, REFUSED = "right", "refused"


class Wrong(Exception):  # noqa: N818 (a result, not a fault of this program)
    """Neither a correct result nor one clear error."""


@dataclass(frozen=True)
class Case:
    """Files to write, by name, and the call that uses them. None means that a file is removed, "" that it is a folder."""

    files: dict[str, bytes | str | None]
    arguments: dict[str, Any] = field(default_factory=dict)


def require(holds: bool, message: str) -> None:
    """Raise `Wrong` unless the condition holds."""
    if not holds:
        raise Wrong(message)


def refused(error: SemibanditsError) -> str:
    """Check that an error is one clear message."""
    message = str(error)
    require(bool(message.strip()), "an error without a message")
    require(len(message) <= LONGEST_MESSAGE, f"an error of {len(message):,} characters")
    return REFUSED


def check_terminal(stream: str, text: str) -> None:
    """Check that the text contains no control characters."""
    odd = sorted({char for char in text if char != "\n" and unicodedata.category(char) in ("Cc", "Cs")})
    require(not odd, f"control characters on {stream}: {odd}")
    odd = sorted({char for char in text if unicodedata.bidirectional(char) in BIDI})
    require(not odd, f"characters that change the direction of text on {stream}: {odd}")


def run_program(arguments: list[str], *, json_wanted: bool = False) -> tuple[int, str]:
    """The exit code and output of the program, checked against docs/cli.md."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
            code: Any = 0
        except SystemExit as leave:
            code = leave.code
    shown, errors = (stream.buffer.getvalue().decode("utf-8", "strict") for stream in (out, err))
    require(code in (0, 2, 3), f"exit code {code!r}")
    require("Traceback (most recent call last)" not in errors, "a traceback")
    check_terminal("stderr", errors)
    if not json_wanted:
        check_terminal("stdout", shown)
    if code == 2:
        require(shown == "", "output with exit code 2")
    if code:
        lines = errors.splitlines()
        require(bool(lines) and lines[-1].startswith("Error: "), f"no error on stderr, but {errors[:80]!r}")
        require(len(lines[-1]) <= LONGEST_MESSAGE, f"an error of {len(lines[-1]):,} characters")
    if json_wanted and code != 2:
        json.loads(shown, parse_constant=lambda text: require(False, f"{text} on stdout"))
    return code, shown


def check_instance(instance: Instance) -> None:
    """Check that an instance is unchanged when written and read, and that its oracle works."""
    d = instance.decision_set.d
    require(instance.theta.shape == instance.variance.shape == (d,) and len(instance.labels) == d, "arrays of different lengths")
    require(bool(np.isfinite(instance.theta).all() and (instance.variance > 0).all()), "invalid numbers")
    write_json(instance, "again.json")
    again = read_json("again.json")
    for name in ("family", "labels", "name", "unit", "note", "positions", "geographic"):
        if not (name == "name" and "name" not in instance.description):
            require(getattr(instance, name) == getattr(again, name), f"a different {name} when written and read")
    require(bool((instance.theta == again.theta).all() and (instance.variance == again.variance).all()), "other numbers")
    x = instance.decision_set.maximize(np.clip(instance.theta, -1e100, 1e100))
    require(x in instance.decision_set, "a maximiser that is not a decision")
    require(bool((x == again.decision_set.maximize(np.clip(again.theta, -1e100, 1e100))).all()), "another maximiser")
