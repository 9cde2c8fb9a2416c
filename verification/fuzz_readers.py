"""All readers that `fuzz.py` runs, by name; `fuzz_judging.Reader` describes what a reader is."""
# ruff: noqa: D102 (`fuzz_judging.Reader` describes the methods)

from __future__ import annotations

import ctypes
import random

import numpy as np
from fuzz_commands import CommandLines, Names
from fuzz_documents import Archives, Bounds, CsvInstances, JsonInstances, RunFolders, Studies, Tables
from fuzz_judging import REFUSED, RIGHT, Case, LibraryReader, Reader, check_terminal
from fuzz_learners import Answers, Databases, Exports, Logs, States

import semibandits as sb

__all__ = ["READERS", "REFUSED", "RIGHT", "Broken", "case_of"]


class Broken(LibraryReader):
    """Cases that must fail, to test the suite itself."""

    KINDS = ("right", "refused", "traceback", "memory", "hangs", "dies", "prints")

    def make(self, rng: random.Random) -> Case:
        kind = rng.choice(self.KINDS)
        return Case({"kind": kind.encode()}, {"kind": kind})

    def read(self, case: Case) -> object:
        match case.arguments["kind"]:
            case "refused":
                raise sb.InvalidInputError("d must be positive, got 0: pass another")
            case "traceback":
                return 1 // 0
            case "memory":
                return np.ones(2**40)
            case "hangs":
                while True:
                    pass
            case "dies":
                ctypes.string_at(0)
            case "prints":
                check_terminal("stdout", "\x9b31m")
        return None


READERS: dict[str, tuple[type[Reader], float]] = {
    "csv": (CsvInstances, 0.18),
    "json": (JsonInstances, 0.19),
    "tables": (Tables, 0.04),
    "study": (Studies, 0.09),
    "folder": (RunFolders, 0.04),
    "archive": (Archives, 0.09),
    "state": (States, 0.09),
    "export": (Exports, 0.04),
    "database": (Databases, 0.03),
    "logs": (Logs, 0.04),
    "answers": (Answers, 0.06),
    "bound": (Bounds, 0.04),
    "names": (Names, 0.03),
    "options": (CommandLines, 0.04),
    "broken": (Broken, 0.0),
}
"""Each reader with its share of all cases."""


def case_of(reader: Reader, name: str, seed: int, number: int) -> Case:
    """Case `number` of a reader: a function of its name, the seed and the number."""
    return reader.make(random.Random(f"{name}/{seed}/{number}"))
