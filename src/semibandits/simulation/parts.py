"""The folder of a simulation: finished replications one file each, so that a killed run loses only what was in the air."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import warnings
from pathlib import Path
from typing import Any, Final

from semibandits.errors import InvalidInputError
from semibandits.simulation.replication import Trajectory
from semibandits.simulation.specification import Specification
from semibandits.simulation.storage import read_archive, write_archive

RESULT: Final = "simulation.zip"
"""The finished result."""
TIMINGS: Final = "timings.json"
"""Seconds of each replication: apart from the result, which has the same bytes on every run."""
PARTS: Final = "parts"
KIND: Final = "replication"
_ARRAYS: Final = ("regret", "reward", "plays", "calls")


class DamagedPartWarning(UserWarning):
    """A stored replication was damaged and is played again."""


class Parts:
    """Finished replications of one specification in a folder.

    Parameters
    ----------
    folder : path
        Made if it does not exist.
    specification : Specification
        What is simulated.
    resume : bool
        Whether the folder may hold replications already.

    Raises
    ------
    InvalidInputError
        If the folder holds a simulation and `resume` is false, or one of another specification, or cannot be written.
    """

    def __init__(self, folder: str | os.PathLike[str], specification: Specification, *, resume: bool) -> None:
        self._specification = specification
        self._digest = digest_of(specification)
        self.folder = Path(folder)
        self._names = list(specification.policies)
        try:
            (self.folder / PARTS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInputError(
                f"folder must be writable, got {error.strerror} for {self.folder}: choose another"
            ) from error
        self._check(resume)

    @property
    def result(self) -> Path:
        """Where the finished result goes."""
        return self.folder / RESULT

    def save(self, policy: str, replication: int, trajectory: Trajectory) -> None:
        """Write one finished replication in one step."""
        header = {"kind": KIND, "specification": self._digest, "policy": policy, "replication": replication}
        write_archive(self._path(policy, replication), header, {name: getattr(trajectory, name) for name in _ARRAYS})

    def load(self) -> dict[tuple[str, int], Trajectory]:
        """All replications that are there and whole; others are named in a warning and removed."""
        found = {}
        for policy in self._names:
            for replication in range(self._specification.replications):
                path = self._path(policy, replication)
                if path.exists():
                    try:
                        found[policy, replication] = self._read(path, policy, replication)
                    except InvalidInputError as error:
                        warnings.warn(f"{error}; the replication is played again", DamagedPartWarning, stacklevel=2)
                        path.unlink()
        return found

    def clear(self) -> None:
        """Remove the parts, once the result is written."""
        shutil.rmtree(self.folder / PARTS)

    def write_timings(self, seconds: dict[str, dict[int, float]]) -> None:
        """Add seconds by policy and replication to the sidecar."""
        path = self.folder / TIMINGS
        try:
            before = json.loads(path.read_text(encoding="utf-8"))["seconds"]
        except (OSError, ValueError, KeyError, TypeError):
            before = {}
        for policy, own in seconds.items():
            before.setdefault(policy, {}).update({str(replication): value for replication, value in own.items()})
        path.write_text(json.dumps({"seconds": before}, indent=1) + "\n", encoding="utf-8")

    def _path(self, policy: str, replication: int) -> Path:
        return self.folder / PARTS / f"{self._names.index(policy):02d}-{replication:06d}.zip"

    def _read(self, path: Path, policy: str, replication: int) -> Trajectory:
        header, arrays = read_archive(path, KIND)
        wanted = {"kind": KIND, "specification": self._digest, "policy": policy, "replication": replication}
        if header != wanted or set(arrays) != set(_ARRAYS):
            raise InvalidInputError(f"{path} must hold replication {replication} of {policy}, got another one")
        c, d = len(self._specification.checkpoints), self._specification.decision_set.d
        shapes = {"regret": (c,), "reward": (c,), "plays": (c, d), "calls": (c, 3)}
        for name, shape in shapes.items():
            if arrays[name].shape != shape:
                raise InvalidInputError(f"{path} must hold {name} of shape {shape}, got {arrays[name].shape}")
        return Trajectory(**{name: arrays[name] for name in _ARRAYS})

    def _check(self, resume: bool) -> None:
        """Compare with what the folder says of itself, or say it."""
        path = self.folder / "specification.json"
        described = self._specification.described()
        if not path.exists():
            if self.result.exists():
                raise InvalidInputError(
                    f"folder must be new or hold an unfinished run, got {self.folder} with {RESULT} but no {path.name}: "
                    "choose another folder"
                )
            text = json.dumps(described, indent=1, sort_keys=True, allow_nan=False) + "\n"
            temporary = path.with_suffix(".tmp")
            temporary.write_text(text, encoding="utf-8")
            os.replace(temporary, path)
            return
        if not resume:
            raise InvalidInputError(
                f"folder must be new, got {self.folder}, which holds a simulation: pass resume=True to go on with it, "
                "or choose another folder"
            )
        try:
            before: Any = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InvalidInputError(f"{path} must be readable JSON, got {error}: choose another folder") from error
        if before != described:
            raise InvalidInputError(
                f"folder must hold a run of the same simulation, got another {_differences(before, described)} in "
                f"{self.folder}: choose another folder"
            )


def digest_of(specification: Specification) -> str:
    """SHA-256 of the specification as canonical JSON."""
    text = json.dumps(specification.described(), sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _differences(before: Any, now: dict[str, Any]) -> str:
    if not isinstance(before, dict):
        return "content"
    return ", ".join(key for key in now if before.get(key) != now[key]) or "content"
