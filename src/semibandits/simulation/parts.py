"""The folder of a simulation: one file per finished replication, so that a killed run loses only replications in flight."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Final

from semibandits.errors import InvalidInputError, Option
from semibandits.families.description import digest
from semibandits.formats.files import own_file, read_json, write_whole
from semibandits.simulation.growth import Growth, check_growth, differences, growth, other_simulation
from semibandits.simulation.replication import Trajectory
from semibandits.simulation.results import SimulationResult, load_simulation, recorded
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
    """Refuse a folder, perhaps received from others, in which a run would read or write files outside it.

    The lock and the folder of the parts must be no symbolic links, and a file that is read no link that leads outside. Where a
    file is written, a link is replaced, not followed.
    """
    for name in (LOCK, PARTS):
        if os.path.islink(folder / name):
            raise InvalidInputError(
                f"{folder / name} must be the folder's own, got a symbolic link: remove the link, or choose another folder"
            )
    for name in (RESULT, TIMINGS, DESCRIPTION):
        own_file(folder / name)


class DamagedPartWarning(UserWarning):
    """A stored replication was damaged and is played again."""


class Parts:
    """Finished replications of one specification in a folder, locked for this process.

    The folder may contain the result of an earlier run with fewer replications or policies, whose replications are used, or with
    a shorter horizon. That result is replaced once the new one is complete. The folder is created if it does not exist, and
    refused if another process uses it.

    With `resume`, it may already hold replications, and with `extend`, these may be of a shorter horizon. `about` is plain JSON
    that must also be equal for a resume: versions, and whether the bound is requested.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        specification: Specification,
        about: Mapping[str, Any],
        *,
        resume: bool,
        extend: bool = False,
    ) -> None:
        self._specification, self._about = specification, about
        self._description = {"specification": specification.description, **about}
        self._digests = {}
        for policy in specification.policies:
            # What a replication of the policy depends on: not the number of replications, nor other policies.
            own = {policy: specification.description["policies"][policy]}
            part = {**specification.description, "policies": own, "replications": None}
            self._digests[policy] = digest({**about, "specification": part})
        self._is_described = False
        self.folder = Path(folder)
        check_own(self.folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self.folder)
        except OSError as error:
            raise InvalidInputError(f"folder must be writable, got {error.strerror} for {self.folder}: choose another") from error
        try:
            self._check(resume, extend)
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

    def finished(self) -> SimulationResult | None:
        """The result in the folder; None if there is none, or one that this run extends. That of another run is refused."""
        result = self._kept
        if result is None:
            return None
        before, now = recorded(result, "specification"), self._specification.description
        if check_growth(before, now, self.result, extend=True) is not Growth.NONE:
            return None
        self.clear()  # parts are left if the earlier process died after it had written the result
        return result

    def save(self, policy: str, replication: int, trajectory: Trajectory) -> None:
        """Write one finished replication in one step; before the first one, the description of the run."""
        path = self.folder / DESCRIPTION
        (self.folder / PARTS).mkdir(exist_ok=True)  # missing if the result of a finished run was removed
        if not (self._is_described and path.exists()):
            self._is_described = True
            write_whole(path, (json.dumps(self._description, indent=1, allow_nan=False) + "\n").encode())
        arrays = {name: array for name, array in vars(trajectory).items() if array is not None}
        write_archive(self._path(policy, replication), self._header(policy, replication), arrays)

    def load(self) -> dict[tuple[str, int], Trajectory]:
        """All intact replications in the folder; damaged ones are reported in a warning and renamed.

        Those of an earlier result are among them if it has the same horizon. A file that cannot be opened is an error.
        """
        kept_seconds(self.folder / TIMINGS)  # fail now rather than after a long run
        found = self._earlier()
        for policy in self._digests:
            for replication in range(self._specification.replications):
                path = self._path(policy, replication)
                if (policy, replication) not in found and path.exists():
                    try:
                        found[policy, replication] = self._read(path, policy, replication)
                    except InvalidInputError as error:
                        if isinstance(error.__cause__, OSError):
                            raise
                        warnings.warn(f"{error}; the replication is played again", DamagedPartWarning, stacklevel=2)
                        os.replace(path, path.with_suffix(".damaged"))
        return found

    @cached_property
    def _kept(self) -> SimulationResult | None:
        """The result that was in the folder from the start."""
        return load_simulation(self.result) if self.result.exists() else None

    def _earlier(self) -> dict[tuple[str, int], Trajectory]:
        """Replications in the result of a run that this one extends by replications or policies."""
        result = self._kept
        if result is None or growth(recorded(result, "specification"), self._specification.description) is not Growth.MORE:
            return {}
        records = {field.name: getattr(result, field.name) for field in fields(Trajectory)}
        if records["optimal"] is None:  # a result of an earlier version of the library
            return {}
        return {
            (policy, i): Trajectory(**{name: record[policy][i] for name, record in records.items() if record is not None})
            for policy in result.policies
            for i in range(result.replications)
        }

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
        name = re.sub(r"[^A-Za-z0-9]+", "-", policy)[:40]
        return self.folder / PARTS / f"{name}-{self._digests[policy][:8]}-{replication:06d}.zip"

    def _header(self, policy: str, replication: int) -> dict[str, Any]:
        return {"kind": KIND, "specification": self._digests[policy], "policy": policy, "replication": replication}

    def _read(self, path: Path, policy: str, replication: int) -> Trajectory:
        header, arrays = read_archive(path, KIND)
        c, d = len(self._specification.checkpoints), self._specification.decision_set.d
        shapes = {"regret": (c,), "reward": (c,), "plays": (c, d), "calls": (c, 4), "optimal": (c,)}
        if self._specification.stop is not None:
            shapes["stops"] = (c, 2)
        got = {name: array.shape for name, array in arrays.items()}
        if header != self._header(policy, replication) or got != shapes:
            raise InvalidInputError(
                f"{path} must hold replication {replication} of {policy} with arrays {shapes}, got another one with {got}"
            )
        return Trajectory(**arrays)

    def _check(self, resume: bool, extend: bool) -> None:
        """Compare the run with the description in the folder."""
        path = self.folder / DESCRIPTION
        if not path.exists():
            if self.result.exists():
                raise InvalidInputError(
                    f"folder must be new or hold an unfinished run, got {self.folder} with {RESULT} but no {path.name}: "
                    "choose another folder"
                )
            return
        before = described(path)
        check_growth(before["specification"], self._specification.description, self.folder, extend=extend)
        changed = differences({key: value for key, value in before.items() if key != "specification"}, self._about)
        if changed:
            raise other_simulation(changed, self.folder)
        if not (resume or extend):
            raise InvalidInputError(
                f"folder must be new, got {self.folder}, which contains this simulation: add ",
                Option("resume", True),
                " to continue it, or choose another folder",
            )
        self._is_described = before == self._description


def described(path: Path) -> dict[str, Any]:
    """The description of a run, with its `specification`, versions, and whether the bound is requested."""
    content = read_json(path, remedy="choose another folder")
    if not isinstance(content, dict) or not isinstance(content.get("specification"), dict):
        raise InvalidInputError(f"{path} must describe a simulation, got other content: choose another folder")
    return content


def kept_seconds(path: Path) -> dict[str, dict[str, float]]:
    """Seconds by policy and replication from ``timings.json``; empty if there is no such file."""
    if not path.exists():
        return {}
    remedy = "remove it, seconds are then unknown"
    content = read_json(path, remedy=remedy)
    try:
        kept: dict[str, dict[str, float]] = {policy: dict(own.items()) for policy, own in content["seconds"].items()}
        values = [value for own in kept.values() for value in own.values()]
        are_seconds = all(type(value) in (int, float) and 0 <= value <= LONGEST for value in values)
    except (AttributeError, KeyError, TypeError):
        are_seconds = False
    if not are_seconds:
        raise InvalidInputError(
            f"{path} must hold seconds, from 0 to {LONGEST:g}, by policy and replication, got other content: {remedy}"
        )
    return kept


def mean_seconds(path: Path) -> dict[str, float]:
    """Mean seconds of a replication by policy, of those in ``timings.json``; see `kept_seconds`."""
    return {policy: math.fsum(own.values()) / len(own) for policy, own in kept_seconds(path).items() if own}


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
