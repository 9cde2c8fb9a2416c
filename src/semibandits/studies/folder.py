"""The folder that a simulation is kept in."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from pathlib import Path
from typing import final

from semibandits.errors import InvalidInputError
from semibandits.simulation.parts import DESCRIPTION, PARTS, RESULT, TIMINGS


@final
class RunFolder:
    """The folder that a simulation is kept in.

    Parameters
    ----------
    path : Path
        Where it is or will be.
    resume : bool
        Whether it may hold a simulation already.

    Raises
    ------
    InvalidInputError
        If it is a file, or holds a simulation that shall not be resumed.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        self.path, self.resume = path, resume
        if path.exists() and not path.is_dir():
            raise InvalidInputError(f"{str(path)!r} must be a folder, got a file: choose another name")
        self._is_new = not path.exists()
        self._is_empty = not any((path / name).exists() for name in (DESCRIPTION, RESULT, PARTS))
        if not resume and not self._is_empty:
            raise InvalidInputError(
                f"the folder {str(path)!r} must be without a simulation, got one in it: add --resume to go on with it, or "
                "choose another folder"
            )

    def finished(self) -> int:
        """Number of finished replications that it keeps one by one."""
        return len(list((self.path / PARTS).glob("*.zip")))

    def seconds(self) -> dict[str, float]:
        """Mean time of a replication of each policy, as far as it was written down."""
        with suppress(OSError, ValueError, KeyError, AttributeError, TypeError):
            kept = json.loads((self.path / TIMINGS).read_text(encoding="utf-8"))["seconds"]
            return {policy: math.fsum(own.values()) / len(own) for policy, own in kept.items() if own}
        return {}

    def withdraw(self) -> None:
        """Remove what a simulation has left that failed before anything was finished."""
        if self._is_empty and not self.finished():
            with suppress(OSError):
                (self.path / DESCRIPTION).unlink()
            for folder in (self.path / PARTS, *([self.path] if self._is_new else [])):
                with suppress(OSError):
                    folder.rmdir()
