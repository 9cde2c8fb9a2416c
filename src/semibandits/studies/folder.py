"""The folder that the results of a study are kept in."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from pathlib import Path
from typing import Final, final

from semibandits._files import write_whole
from semibandits.errors import InvalidInputError, Option
from semibandits.reporting.sources import STUDY
from semibandits.simulation.parts import DESCRIPTION, PARTS, RESULT, TIMINGS, check_own, kept_seconds

SUMMARY: Final = "summary.csv"
FIGURE: Final = "regret.png"


@final
class RunFolder:
    """The folder that the results of a study are kept in.

    Parameters
    ----------
    path : Path
        Where it is or will be.
    resume : bool
        Whether it may hold results already.
    inputs : tuple of Path
        Files that the study is read from: where they lie in the folder, they stay as they are.

    Raises
    ------
    InvalidInputError
        If it is a file, or holds results that must not be continued.
    """

    def __init__(self, path: Path, *, resume: bool, inputs: tuple[Path, ...] = ()) -> None:
        self.path, self.resume = path, resume
        if path.exists() and not path.is_dir():
            raise InvalidInputError(f"{str(path)!r} must be a folder, got a file: choose another name")
        check_own(path)
        self._inputs = inputs
        self._is_new = not path.exists()
        self.is_simulated = (path / RESULT).exists()
        """Whether it held the result of a simulation from the start."""
        self._is_empty = not any((path / name).exists() for name in (DESCRIPTION, RESULT, PARTS))
        self.written: list[str] = []
        """What was written to it by `put`."""
        if not resume and not self._is_empty:
            raise InvalidInputError(
                f"the folder {str(path)!r} must be without a simulation, got one in it: add ",
                Option("resume", True),
                " to go on with it, or choose another folder",
            )
        if not resume and self.has(STUDY) and not self.is_input(STUDY):
            raise InvalidInputError(
                f"the folder {str(path)!r} must be without a study, got {STUDY} in it: choose another folder"
            )

    @property
    def has_begun(self) -> bool:
        """Whether it held a simulation, finished or not, from the start."""
        return not self._is_empty

    def has(self, name: str) -> bool:
        """Whether there is a file of that name."""
        return (self.path / name).exists()

    def is_input(self, name: str) -> bool:
        """Whether the file of that name is one that the study is read from."""
        own = self.path / name
        return own.exists() and any(other.exists() and os.path.samefile(own, other) for other in self._inputs)

    def prepare(self) -> None:
        """Make it, if need be.

        Raises
        ------
        InvalidInputError
            If it cannot be made.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInputError(
                f"folder must be writable, got {error.strerror} for {self.path}: choose another"
            ) from error

    def put(self, name: str, content: bytes) -> None:
        """Write a file in one step, unless it is there with that content, or is an input of the study."""
        path = self.path / name
        if path.exists() and (self.is_input(name) or path.read_bytes() == content):
            return
        write_whole(path, content)
        self.note(name)

    def note(self, name: str) -> None:
        """Take note that a file was written."""
        self.written.append(name)

    def finished(self) -> int:
        """Number of finished replications that it keeps one by one."""
        return len(list((self.path / PARTS).glob("*.zip")))

    def seconds(self) -> dict[str, float]:
        """Mean time of a replication of each policy, as far as it was written down.

        Raises
        ------
        InvalidInputError
            If the file of times holds something else.
        """
        kept = kept_seconds(self.path / TIMINGS)
        return {policy: math.fsum(own.values()) / len(own) for policy, own in kept.items() if own}

    def withdraw(self) -> None:
        """Remove what a study has left that failed before anything was finished."""
        if not self._is_empty or self.finished() or self.has(RESULT):
            return
        for name in (DESCRIPTION, *self.written):
            with suppress(OSError):
                (self.path / name).unlink()
        for folder in (self.path / PARTS, *([self.path] if self._is_new else [])):
            with suppress(OSError):
                folder.rmdir()
