"""The folder of a simulation: finished replications one file each, so that a killed run loses only replications in flight."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final

from semibandits._files import write_whole
from semibandits._json import strict_json
from semibandits.errors import InvalidInputError
from semibandits.families.description import digest
from semibandits.simulation.replication import Trajectory
from semibandits.simulation.specification import Specification
from semibandits.simulation.storage import read_archive, write_archive

try:
    import fcntl
except ImportError:  # not on Windows, where folders are not locked
    fcntl = None  # type: ignore[assignment]

RESULT: Final = "simulation.zip"
"""The finished result."""
TIMINGS: Final = "timings.json"
"""Seconds of each replication: apart from the result, which has the same bytes on every run."""
LONGEST: Final = 1e10
"""Seconds that a replication may have taken: three hundred years."""
DESCRIPTION: Final = "specification.json"
LOCK: Final = ".lock"
PARTS: Final = "parts"
KIND: Final = "replication"
_ARRAYS: Final = ("regret", "reward", "plays", "calls")


def check_own(folder: Path) -> None:
    """Refuse a folder, received from someone else perhaps, in which a run would work on files that lie elsewhere.

    Raises
    ------
    InvalidInputError
        If the lock or the folder of the parts is a symbolic link. Links in place of other files are replaced, not followed.
    """
    for name in (LOCK, PARTS):
        if os.path.islink(folder / name):
            raise InvalidInputError(
                f"{folder / name} must be the folder's own, got a symbolic link: remove the link, or choose another folder"
            )


class DamagedPartWarning(UserWarning):
    """A stored replication was damaged and is played again."""


class Parts:
    """Finished replications of one specification in a folder, which belongs to one process at a time.

    Parameters
    ----------
    folder : path
        Made if it does not exist.
    specification : Specification
        What is simulated.
    about : mapping
        What else must agree for a resume, as plain JSON: versions, and whether the bound is wanted.
    resume : bool
        Whether the folder may hold replications already.

    Raises
    ------
    InvalidInputError
        If the folder holds a simulation and `resume` is false, or one of another specification or other versions, is in use
        by another process, has symbolic links where its own parts belong, or cannot be written.
    """

    def __init__(
        self, folder: str | os.PathLike[str], specification: Specification, about: Mapping[str, Any], *, resume: bool
    ) -> None:
        self._specification = specification
        self._description = {"specification": specification.described(), **about}
        self._digest = digest(self._description)
        self.folder = Path(folder)
        self._stems = {
            policy: f"{re.sub(r'[^A-Za-z0-9]+', '-', policy)[:40]}-{digest(policy)[:8]}"
            for policy in specification.policies
        }
        check_own(self.folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self.folder)
        except OSError as error:
            raise InvalidInputError(
                f"folder must be writable, got {error.strerror} for {self.folder}: choose another"
            ) from error
        try:
            self._check(resume)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let others use the folder."""
        with contextlib.suppress(OSError):
            (self.folder / LOCK).unlink()
        self._lock.close()

    @property
    def result(self) -> Path:
        """Where the finished result goes."""
        return self.folder / RESULT

    def save(self, policy: str, replication: int, trajectory: Trajectory) -> None:
        """Write one finished replication in one step."""
        self._describe()
        header = {"kind": KIND, "specification": self._digest, "policy": policy, "replication": replication}
        write_archive(self._path(policy, replication), header, {name: getattr(trajectory, name) for name in _ARRAYS})

    def load(self) -> dict[tuple[str, int], Trajectory]:
        """All replications that are there and whole; damaged ones are named in a warning and put aside.

        Raises
        ------
        InvalidInputError
            If a file is there and cannot be opened, or the times of earlier replications are damaged.
        """
        kept_seconds(self.folder / TIMINGS)  # rather now than after a long run
        found = {}
        for policy in self._stems:
            for replication in range(self._specification.replications):
                path = self._path(policy, replication)
                if path.exists():
                    try:
                        found[policy, replication] = self._read(path, policy, replication)
                    except InvalidInputError as error:
                        if isinstance(error.__cause__, OSError):
                            raise
                        warnings.warn(f"{error}; the replication is played again", DamagedPartWarning, stacklevel=2)
                        os.replace(path, path.with_suffix(".damaged"))
        return found

    def clear(self) -> None:
        """Remove the parts, once the result is written."""
        shutil.rmtree(self.folder / PARTS, ignore_errors=True)

    def write_timings(self, seconds: dict[str, dict[int, float]]) -> None:
        """Add seconds by policy and replication to the sidecar."""
        path = self.folder / TIMINGS
        kept = kept_seconds(path)
        for policy, own in seconds.items():
            kept.setdefault(policy, {}).update({str(replication): value for replication, value in own.items()})
        write_whole(path, (json.dumps({"seconds": kept}, indent=1) + "\n").encode())

    def _path(self, policy: str, replication: int) -> Path:
        return self.folder / PARTS / f"{self._stems[policy]}-{replication:06d}.zip"

    def _read(self, path: Path, policy: str, replication: int) -> Trajectory:
        header, arrays = read_archive(path, KIND)
        wanted = {"kind": KIND, "specification": self._digest, "policy": policy, "replication": replication}
        if header != wanted or set(arrays) != set(_ARRAYS):
            raise InvalidInputError(f"{path} must hold replication {replication} of {policy}, got another one")
        c, d = len(self._specification.checkpoints), self._specification.decision_set.d
        shapes = {"regret": (c,), "reward": (c,), "plays": (c, d), "calls": (c, 4)}
        for name, shape in shapes.items():
            if arrays[name].shape != shape:
                raise InvalidInputError(f"{path} must hold {name} of shape {shape}, got {arrays[name].shape}")
        return Trajectory(**{name: arrays[name] for name in _ARRAYS})

    def _describe(self) -> None:
        """Say in the folder what it holds, before the first replication is in it."""
        path = self.folder / DESCRIPTION
        (self.folder / PARTS).mkdir(exist_ok=True)  # a finished run whose result was removed has none
        if not path.exists():
            write_whole(path, (json.dumps(self._description, indent=1, allow_nan=False) + "\n").encode())

    def _check(self, resume: bool) -> None:
        """Compare with what the folder says of itself."""
        path = self.folder / DESCRIPTION
        if not path.exists():
            if self.result.exists():
                raise InvalidInputError(
                    f"folder must be new or hold an unfinished run, got {self.folder} with {RESULT} but no {path.name}: "
                    "choose another folder"
                )
            return
        if not resume:
            raise InvalidInputError(
                f"folder must be new, got {self.folder}, which holds a simulation: pass resume=True to go on with it, "
                "or choose another folder"
            )
        try:
            before: Any = strict_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InvalidInputError(f"{path} must be readable JSON, got {error}: choose another folder") from error
        if before != self._description:
            raise InvalidInputError(
                f"folder must hold a run of the same simulation, got another {_differences(before, self._description)} in "
                f"{self.folder}: choose another folder, or go on as the run began"
            )


def kept_seconds(path: Path) -> dict[str, dict[str, float]]:
    """Seconds by policy and replication from ``timings.json``; none if there is no such file.

    Raises
    ------
    InvalidInputError
        If it holds something else.
    """
    try:
        kept: Any = strict_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InvalidInputError(
            f"{path} must be JSON in UTF-8, got {error}: remove it, seconds are then unknown"
        ) from error
    policies = kept.get("seconds") if isinstance(kept, dict) else None
    if not isinstance(policies, dict):
        raise _no_seconds(path, "no object of that name")
    for policy, own in policies.items():
        if not isinstance(own, dict):
            raise _no_seconds(path, f"no object for {policy[:40]!r}")
        for replication, value in own.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST:
                raise _no_seconds(path, f"something else for {policy[:40]!r}, {replication[:40]!r}")
    return {policy: {key: float(value) for key, value in own.items()} for policy, own in policies.items()}


def _no_seconds(path: Path, got: str) -> InvalidInputError:
    return InvalidInputError(
        f"{path} must hold seconds, from 0 to {LONGEST:g}, by policy and replication, got {got}: remove it, seconds are then "
        "unknown"
    )


def _locked(folder: Path) -> IO[bytes]:
    """A file that no other process holds; the system lets go of it when this process ends, however it ends."""
    path = folder / LOCK
    while True:
        # O_NOFOLLOW: should it have become a link since it was checked. What is there is not emptied.
        number = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        file = os.fdopen(number, "r+b")  # open as long as the folder is used
        if fcntl is None:
            return file
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            raise InvalidInputError(
                f"folder must be used by one process at a time, got {folder}, which another one uses: wait for it, or "
                "choose another folder"
            ) from error
        if path.exists() and os.path.samestat(path.stat(), os.fstat(file.fileno())):
            return file
        file.close()  # its last owner has just removed it


def _differences(before: Any, now: dict[str, Any]) -> str:
    """Which entries differ, the specification's by their own names."""
    if not isinstance(before, dict) or not isinstance(before.get("specification"), dict):
        return "content"
    own, other = {**now, **now["specification"]}, {**before, **before["specification"]}
    names = [key for key in own if key != "specification" and other.get(key) != own[key]]
    return ", ".join(names) or "content"
