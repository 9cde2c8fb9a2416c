"""The folder of the results of a study."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final, final

from semibandits.errors import InvalidInputError, Option
from semibandits.formats.files import own_file, read_bytes, write_whole
from semibandits.simulation.parts import DESCRIPTION, PARTS, RESULT, check_own
from semibandits_studies.reporting.sources import FILES, STUDY

SUMMARY: Final = "summary.csv"
FIGURE: Final = "regret.png"


@final
class RunFolder:
    """The folder of the results of a study, which need not exist; with `resume`, it may contain earlier results.

    `inputs` are the files that the study is read from, which are not overwritten where they are in the folder. A folder with a
    link that leads outside it in place of one of its files is refused.
    """

    def __init__(self, path: Path, *, resume: bool, inputs: tuple[Path, ...] = ()) -> None:
        self.path, self.resume = path, resume
        if path.exists() and not path.is_dir():
            raise InvalidInputError(f"{str(path)!r} must be a folder, got a file: choose another name")
        check_own(path)
        for name in (*FILES, SUMMARY):
            own_file(path / name)
        self._inputs = inputs
        self._is_new = not path.exists()
        self.is_finished = (path / RESULT).exists()
        """Whether it contained the results of the study from the start, not those of a smaller one; then only missing files are
        written."""
        self.has_begun = any((path / name).exists() for name in (DESCRIPTION, RESULT, PARTS))
        """Whether it contained a simulation, finished or not, from the start."""
        self.written: list[str] = []
        """Names of the files written."""

    def check_new(self) -> None:
        """Refuse earlier results: a simulation that the folder contained from the start, or a study."""
        if self.has_begun:
            raise InvalidInputError(
                f"the folder {str(self.path)!r} must be without a simulation, got one in it: add ",
                Option("resume", True),
                " to continue it, or choose another folder",
            )
        if self.keeps(STUDY):
            raise InvalidInputError(
                f"the folder {str(self.path)!r} must be without a study, got {STUDY} in it: choose another folder"
            )

    def has(self, name: str) -> bool:
        """Whether a file of that name exists."""
        return (self.path / name).exists()

    def keeps(self, name: str) -> bool:
        """Whether a file of that name exists that is no input of the study."""
        return self.has(name) and not self.is_input(name)

    def needs(self, name: str) -> bool:
        """Whether the file of that name is to be written."""
        return not (self.is_finished and self.has(name))

    def is_input(self, name: str) -> bool:
        """Whether the file of that name is an input of the study."""
        own = self.path / name
        return own.exists() and any(other.exists() and os.path.samefile(own, other) for other in self._inputs)

    def prepare(self) -> None:
        """Create the folder if it does not exist."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInputError(f"folder must be writable, got {error.strerror} for {self.path}: choose another") from error

    def put(self, name: str, content: bytes) -> None:
        """Write a file in one step, unless it has that content already or is an input of the study."""
        path = self.path / name
        if path.exists() and (self.is_input(name) or read_bytes(path) == content):
            return
        write_whole(path, content)
        self.written.append(name)

    def withdraw(self) -> None:
        """Remove the files of a study that failed before a replication was finished."""
        if self.has_begun or self.has(RESULT) or any((self.path / PARTS).glob("*.zip")):
            return
        for name in (DESCRIPTION, *self.written):
            with suppress(OSError):
                (self.path / name).unlink()
        for folder in (self.path / PARTS, *([self.path] if self._is_new else [])):
            with suppress(OSError):
                folder.rmdir()
