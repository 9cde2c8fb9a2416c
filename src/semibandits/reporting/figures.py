"""Figures as files. Arguments are validated before the work starts, and files appear complete or not at all."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from semibandits._files import write_whole
from semibandits.errors import InvalidInputError, SemibanditsError
from semibandits.instances import Instance
from semibandits.instances.files import check_target
from semibandits.plotting.layout import is_map
from semibandits.plotting.style import literal
from semibandits.regret_bound.result import GravesLaiResult
from semibandits.simulation.results import SimulationResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS: Final = (".png", ".pdf", ".svg")
"""Endings of the files that figures can be written to."""
_NO_XML: Final = re.compile(b"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]")
"""Characters that XML forbids, in UTF-8."""


def check_figure(path: Path, *, made: Path | None = None) -> None:
    """Raise an error now if a figure could not be written to `path` later.

    Parameters
    ----------
    path : Path
        The file.
    made : Path, optional
        A folder that will exist by then.

    Raises
    ------
    InvalidInputError
        If the name has another ending or the folder does not exist.
    SemibanditsError
        If matplotlib is not installed.
    """
    if path.suffix.lower() not in FORMATS:
        raise InvalidInputError(f"the figure must end in {', '.join(FORMATS)}, got {str(path)!r}: choose one of these")
    if made is None or made.exists() or os.path.abspath(path.parent) != os.path.abspath(made):
        check_target(path)
    if not can_draw():
        raise SemibanditsError('figures need matplotlib, which is not installed: run pip install "semibandits[plot]"')


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


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
    ax.set_title(f"{literal(instance.name)}\n{ax.get_title()}", loc="center", linespacing=1.4)
    _write_drawn(figure, path)


def write_regret_figure(instance: Instance, result: SimulationResult, path: Path) -> None:
    """Draw the regret of a simulation and write it in one step."""
    from matplotlib.figure import Figure

    from semibandits.plotting.regret import plot_regret

    figure = Figure(figsize=(9.0, 5.6), layout="constrained")
    ax = plot_regret(result, ax=figure.subplots(), unit=instance.unit or "units of reward")
    ax.set_title(f"{literal(instance.name)}\n{ax.get_title()}", loc="center", linespacing=1.4)
    _write_drawn(figure, path)


def _write_drawn(figure: Figure, path: Path) -> None:
    buffer = BytesIO()
    figure.savefig(buffer, format=path.suffix[1:].lower(), dpi=160)
    content = buffer.getvalue()
    if path.suffix.lower() == ".svg":
        content = _NO_XML.sub("\ufffd".encode(), content)  # names in comments are as they were given
    write_whole(path, content)


def _height(instance: Instance) -> float:
    """Height in inches of a figure 9 inches wide: that of the map, if there is one."""
    if not instance.positions:
        return 6.0
    places = np.array(list(instance.positions.values()), dtype=np.float64)
    x, y = places.T
    stretch = 1.0 / np.cos(np.radians(y.mean())) if instance.geographic and is_map(places) else 1.0
    return float(np.clip(1.5 + 6.0 * stretch * np.ptp(y) / max(np.ptp(x), 1e-9), 4.5, 9.5))
