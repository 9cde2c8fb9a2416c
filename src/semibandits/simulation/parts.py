"""The folder of a simulation: one file per finished replication, so that a killed run loses only replications in flight."""

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
"""Seconds of each replication; kept out of the result, which has the same bytes on every run."""
LONGEST: Final = 1e10
"""Largest valid number of seconds of a replication, about three hundred years."""
DESCRIPTION: Final = "specification.json"
LOCK: Final = ".lock"
PARTS: Final = "parts"
KIND: Final = "replication"


def check_own(folder: Path) -> None:
    """Refuse a folder, perhaps received from others, in which a run would write to files outside it.

    Raises
    ------
    InvalidInputError
        If the lock or the folder of the parts is a symbolic link. Other links are replaced, not followed.
    """
    for name in (LOCK, PARTS):
        if os.path.islink(folder / name):
            raise InvalidInputError(
                f"{folder / name} must be the folder's own, got a symbolic link: remove the link, or choose another folder"
            )


class DamagedPartWarning(UserWarning):
    """A stored replication was damaged and is played again."""


class Parts:
    """Finished replications of one specification in a folder, locked for this process.

    Parameters
    ----------
    folder : path
        Created if it does not exist.
    specification : Specification
        The simulation.
    about : mapping
        Plain JSON that must also be equal for a resume: versions, and whether the bound is requested.
    resume : bool
        Whether the folder may already hold replications.

    Raises
    ------
    InvalidInputError
        If the folder holds a simulation and `resume` is false, or one of another specification or other versions; if it is in
        use by another process; if its lock or the folder of its parts is a symbolic link; or if it cannot be written.
    """

    def __init__(
        self, folder: str | os.PathLike[str], specification: Specification, about: Mapping[str, Any], *, resume: bool
    ) -> None:
        self._specification = specification
        self._description = {"specification": specification.description, **about}
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
        """Unlock the folder."""
        with contextlib.suppress(OSError):
            (self.folder / LOCK).unlink()
        self._lock.close()

    @property
    def result(self) -> Path:
        """Path of the finished result."""
        return self.folder / RESULT

    def save(self, policy: str, replication: int, trajectory: Trajectory) -> None:
        """Write one finished replication in one step."""
        self._describe()
        write_archive(self._path(policy, replication), self._header(policy, replication), vars(trajectory))

    def load(self) -> dict[tuple[str, int], Trajectory]:
        """All intact replications in the folder; damaged ones are reported in a warning and renamed.

        Raises
        ------
        InvalidInputError
            If a file exists but cannot be opened, or the times of earlier replications are damaged.
        """
        kept_seconds(self.folder / TIMINGS)  # fail now rather than after a long run
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
        """Remove the parts after the result is written."""
        shutil.rmtree(self.folder / PARTS, ignore_errors=True)

    def write_timings(self, seconds: dict[str, dict[int, float]]) -> None:
        """Add seconds by policy and replication to ``timings.json``."""
        path = self.folder / TIMINGS
        kept = kept_seconds(path)
        for policy, own in seconds.items():
            kept.setdefault(policy, {}).update({str(replication): value for replication, value in own.items()})
        write_whole(path, (json.dumps({"seconds": kept}, indent=1) + "\n").encode())

    def _path(self, policy: str, replication: int) -> Path:
        return self.folder / PARTS / f"{self._stems[policy]}-{replication:06d}.zip"

    def _header(self, policy: str, replication: int) -> dict[str, Any]:
        return {"kind": KIND, "specification": self._digest, "policy": policy, "replication": replication}

    def _read(self, path: Path, policy: str, replication: int) -> Trajectory:
        header, arrays = read_archive(path, KIND)
        c, d = len(self._specification.checkpoints), self._specification.decision_set.d
        shapes = {"regret": (c,), "reward": (c,), "plays": (c, d), "calls": (c, 4), "optimal": (c,)}
        got = {name: array.shape for name, array in arrays.items()}
        if header != self._header(policy, replication) or got != shapes:
            raise InvalidInputError(
                f"{path} must hold replication {replication} of {policy} with arrays {shapes}, got another one with {got}"
            )
        return Trajectory(**arrays)

    def _describe(self) -> None:
        """Write the description of the run, before its first replication."""
        path = self.folder / DESCRIPTION
        (self.folder / PARTS).mkdir(exist_ok=True)  # missing if the result of a finished run was removed
        if not path.exists():
            write_whole(path, (json.dumps(self._description, indent=1, allow_nan=False) + "\n").encode())

    def _check(self, resume: bool) -> None:
        """Compare the run with the description in the folder."""
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
                f"folder must be new, got {self.folder}, which holds a simulation: pass resume=True to continue it, "
                "or choose another folder"
            )
        try:
            before: Any = strict_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InvalidInputError(f"{path} must be readable JSON, got {error}: choose another folder") from error
        if before != self._description:
            raise InvalidInputError(
                f"folder must hold a run of the same simulation, got another {_differences(before, self._description)} in "
                f"{self.folder}: choose another folder, or continue with the arguments of the first call"
            )


def kept_seconds(path: Path) -> dict[str, dict[str, float]]:
    """Seconds by policy and replication from ``timings.json``; empty if there is no such file.

    Raises
    ------
    InvalidInputError
        If the file is not as `Parts.write_timings` writes it.
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
    """The locked lock file; the operating system releases the lock when this process ends, however it ends."""
    path = folder / LOCK
    while True:
        # O_NOFOLLOW: it may have become a link since `check_own`. The file is not truncated.
        number = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        file = os.fdopen(number, "r+b")  # stays open while the folder is in use
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
        file.close()  # the previous owner has just removed it


def _differences(before: Any, now: dict[str, Any]) -> str:
    """Names of the entries that differ, including those of the specification."""
    if not isinstance(before, dict) or not isinstance(before.get("specification"), dict):
        return "content"
    own, other = {**now, **now["specification"]}, {**before, **before["specification"]}
    names = [key for key in own if key != "specification" and other.get(key) != own[key]]
    return ", ".join(names) or "content"
