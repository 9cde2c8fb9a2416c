"""All readers that `fuzz.py` runs, by name, and the handling of their cases.

A reader has ``prepare()``, which writes valid documents to the current folder; ``make(rng)``, which returns the files of one case
and the call that uses them; ``judge(case)``, which returns "right" or "refused", and raises in all other cases. Each case
starts with the folder as `prepare` left it, to which its own files are added or in which they replace others.
"""

from __future__ import annotations

import base64
import ctypes
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from fuzz_documents import CsvInstances, JsonInstances, States, Studies
from fuzz_judging import REFUSED, RIGHT, Case, check_terminal, refused
from fuzz_learners import Answers, Databases, Exports, Logs
from fuzz_names import Names
from fuzz_options import CommandLines, Tables
from fuzz_results import Archives, Bounds, RunFolders

import semibandits as sb
from semibandits.service import server

__all__ = ["READERS", "REFUSED", "RIGHT", "TESTED", "case_of", "server", "shown_case", "write_files"]


class Broken:
    """Cases that must fail, to test the suite itself."""

    KINDS = ("right", "refused", "traceback", "memory", "hangs", "dies", "prints")

    def prepare(self) -> None:
        """Do nothing."""

    def make(self, rng: random.Random) -> Case:
        kind = rng.choice(self.KINDS)
        return Case({"kind": kind.encode()}, {"kind": kind})

    def judge(self, case: Case) -> str:
        match case.arguments["kind"]:
            case "refused":
                return refused(sb.InvalidInputError("d must be positive, got 0: pass another"))
            case "traceback":
                return str(1 // 0)
            case "memory":
                return str(len(np.ones(2**40)))
            case "hangs":
                while True:
                    pass
            case "dies":
                ctypes.string_at(0)
            case "prints":
                check_terminal("stdout", "\x9b31m")
        return RIGHT


READERS: dict[str, tuple[Callable[[], Any], float]] = {
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
}
"""Each reader with its share of all cases."""
TESTED: dict[str, tuple[Callable[[], Any], float]] = {"broken": (Broken, 0.0)}


def case_of(reader: Any, name: str, seed: int, number: int) -> Case:
    """Case `number` of a reader: a function of its name, the seed and the number."""
    made: Case = reader.make(random.Random(f"{name}/{seed}/{number}"))
    return made


def write_files(case: Case, folder: Path) -> None:
    """Write the files of a case to a folder."""
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content == "":
            path.mkdir(exist_ok=True)
        elif isinstance(content, bytes):
            path.write_bytes(content)


def shown_case(case: Case) -> dict[str, Any]:
    """A readable form of a case: its files as text, or in base64."""
    files = {}
    for name, content in case.files.items():
        try:
            files[name] = content.decode() if isinstance(content, bytes) else content
        except UnicodeDecodeError:
            assert isinstance(content, bytes)
            files[name] = {"base64": base64.b64encode(content).decode()}
    return {"arguments": case.arguments, "files": files}
