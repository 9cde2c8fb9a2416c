"""Figures written by commands: all doubts are raised before the work starts, and files appear complete or not at all."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

import numpy as np

from semibandits.errors import InvalidInputError, SemibanditsError
from semibandits.graves_lai.result import GravesLaiResult
from semibandits.instances import Instance
from semibandits.instances.files import write_whole
from semibandits.simulation.parts import DESCRIPTION, PARTS, RESULT, TIMINGS
from semibandits.simulation.results import SimulationResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS: Final = (".png", ".pdf", ".svg")
"""What says, in the folder of a simulation, what is simulated."""


def check_figure(path: Path) -> None:
    """Complain now if a figure could not be written to `path` later.

    Raises
    ------
    InvalidInputError
        If the name has another ending or the folder does not exist.
    SemibanditsError
        If matplotlib is not installed.
    """
    if path.suffix.lower() not in FORMATS:
        raise InvalidInputError(f"the figure must end in {', '.join(FORMATS)}, got {str(path)!r}: choose one of these")
    check_target(path)
    if not can_draw():
        raise SemibanditsError('figures need matplotlib, which is not installed: run pip install "semibandits[plot]"')


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def check_target(path: Path) -> None:
    """Complain now if a file could not be written to `path` later."""
    if not path.parent.is_dir():
        raise InvalidInputError(f"the folder {str(path.parent)!r} must exist, got none: create it first")
    if path.is_dir():
        raise InvalidInputError(f"{str(path)!r} must be a file, got a folder: add a name")


def write_figure(instance: Instance, result: GravesLaiResult, path: Path) -> None:
    """Draw the plan and write it in one step."""
    from matplotlib.figure import Figure

    from semibandits.plotting import plot_plan

    figure = Figure(figsize=(9.0, _height(instance)), layout="constrained")
    ax = plot_plan(
        result,
        ax=figure.subplots(),
        labels=instance.labels,
        positions=instance.positions,
        geographic=instance.geographic,
        unit=instance.unit,
    )
    ax.set_title(f"{instance.name}\n{ax.get_title()}", loc="center", linespacing=1.4)
    _write_drawn(figure, path)


def write_regret_figure(instance: Instance, result: SimulationResult, path: Path) -> None:
    """Draw the regret of a simulation and write it in one step."""
    from matplotlib.figure import Figure

    from semibandits.plotting.regret import plot_regret

    figure = Figure(figsize=(9.0, 5.6), layout="constrained")
    ax = plot_regret(result, ax=figure.subplots(), unit=instance.unit or "units of reward")
    ax.set_title(f"{instance.name}\n{ax.get_title()}", loc="center", linespacing=1.4)
    _write_drawn(figure, path)


def _write_drawn(figure: Figure, path: Path) -> None:
    buffer = BytesIO()
    figure.savefig(buffer, format=path.suffix[1:].lower(), dpi=160)
    write_whole(path, buffer.getvalue())


def _height(instance: Instance) -> float:
    """Height in inches of a figure 9 inches wide: that of the map, if there is one."""
    if not instance.positions:
        return 6.0
    x, y = np.array(list(instance.positions.values())).T
    stretch = 1.0 / np.cos(np.radians(y.mean())) if instance.geographic else 1.0
    return float(np.clip(1.5 + 6.0 * stretch * np.ptp(y) / max(np.ptp(x), 1e-9), 4.5, 9.5))


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
