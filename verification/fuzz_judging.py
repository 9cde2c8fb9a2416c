"""What a reader of `fuzz.py` is, and the criteria for a correct result and for one clear error."""

from __future__ import annotations

import contextlib
import io
import json
import random
import unicodedata
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from semibandits.errors import InvalidInputError, SemibanditsError
from semibandits.instances import Instance, read_json, write_json
from semibandits_studies.cli import main

LONGEST_MESSAGE = 5_000
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
RIGHT, REFUSED = "right", "refused"


class Wrong(Exception):  # noqa: N818 (a result, not a fault of this program)
    """Neither a correct result nor one clear error."""


@dataclass(frozen=True)
class Case:
    """Files to write, by name, and the call that uses them. None means that a file is removed, "" that it is a folder."""

    files: dict[str, bytes | Literal[""] | None]
    arguments: dict[str, Any] = field(default_factory=dict)

    def write_files(self) -> None:
        """Write the files to the current folder."""
        for name, content in self.files.items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if content == "":
                path.mkdir(exist_ok=True)
            elif content is not None:
                path.write_bytes(content)


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


class Reader(ABC):
    """A reader. Each case starts with the folder as `prepare` left it, to which its files are added."""

    def prepare(self) -> None:  # noqa: B027 (some need no documents)
        """Write valid documents to the current folder."""

    @abstractmethod
    def make(self, rng: random.Random) -> Case:
        """The files of a case, and the call that uses them."""

    @abstractmethod
    def judge(self, case: Case) -> str:
        """Whether the case is right or refused; raises in all other cases."""


class LibraryReader(Reader):
    """A reader of the library, as opposed to one that is called through the program."""

    @abstractmethod
    def read(self, case: Case) -> Any:
        """What the library makes of the files; its errors are refusals."""

    def check(self, found: Any) -> None:
        """Check what was read; every error is a failure."""

    def use(self, found: Any) -> None:
        """Use what was read; errors of the library are refusals."""

    def judge(self, case: Case) -> str:
        """See `Reader`."""
        try:
            found = self.read(case)
        except SemibanditsError as error:
            return refused(error)
        self.check(found)
        try:
            self.use(found)
        except SemibanditsError as error:
            return refused(error)
        return RIGHT


def parsed(name: str) -> Any:
    """The JSON of a file; what Python refuses is not read by the library."""
    try:
        return json.loads(Path(name).read_bytes())
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"{name} must be JSON, got {type(error).__name__}: pass another file") from error


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
