"""Figure files. Arguments are validated before the work starts, and files are written completely or not at all."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from semibandits.errors import InvalidInputError, SemibanditsError
from semibandits.formats.files import read_bytes, write_whole
from semibandits.instances import Instance
from semibandits.regret_bound.result import GravesLaiResult
from semibandits.simulation.results import SimulationResult
from semibandits_studies.instances.files import check_target
from semibandits_studies.plotting.layout import is_map
from semibandits_studies.plotting.style import literal
from semibandits_studies.reporting.drawings import network_of, node_names
from semibandits_studies.reporting.formatting import streets_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

MOST_NAMED: Final = 3
"""Routes of the plan whose streets are named."""
FORMATS: Final = (".png", ".pdf", ".svg")
"""Supported file endings."""
MARK: Final = "drawn by semibandits"
"""In the metadata of each figure."""
_FORBIDDEN: Final = re.compile(b"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]")
"""UTF-8 of the characters that XML forbids."""


def check_figure(path: Path, *, made: Path | None = None) -> None:
    """Check that a figure can be drawn and written to `path`; `made` is a folder that will exist when it is written."""
    if path.suffix.lower() not in FORMATS:
        raise InvalidInputError(f"the figure must end in {', '.join(FORMATS)}, got {str(path)!r}: choose one of these")
    if made is None or made.exists() or os.path.abspath(path.parent) != os.path.abspath(made):
        check_target(path)
    if not can_draw():
        raise SemibanditsError("figures need matplotlib, which is not installed: run pip install matplotlib")


def is_drawn(path: Path) -> bool:
    """Whether a file is a figure that was drawn by this library, from 1.1 on."""
    return MARK.encode() in read_bytes(path)


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def write_figure(instance: Instance, result: GravesLaiResult, path: Path) -> None:
    """Draw the plan and write it in one step."""
    from semibandits.plotting import plot_plan
    from semibandits_studies.plotting.network import plot_network_plan

    network, height = network_of(instance.decision_set), 6.0
    if instance.positions:  # the height in inches, of a figure 9 inches wide, follows the map
        nodes = np.array(list(instance.positions.values()), dtype=np.float64)
        x, y = nodes.T
        stretch = 1.0 / np.cos(np.radians(y.mean())) if instance.geographic and is_map(nodes) else 1.0
        height = float(np.clip(1.5 + 6.0 * stretch * np.ptp(y) / max(np.ptp(x), 1e-9), 4.5, 9.5))

    def draw(ax: Axes) -> Axes:
        names, places = instance.labels, instance.positions
        if network is not None and streets_of(instance):
            routes = [result.optimal_decision, *result.plan.items.masks(MOST_NAMED)]
            texts = dict(zip(network.nodes, node_names(network, instance, routes), strict=True))
            texts = {node: text for node, text in texts.items() if text}
            return plot_network_plan(result, places, texts, ax, geographic=instance.geographic, unit=instance.unit)
        return plot_plan(result, ax, labels=names, positions=places, geographic=instance.geographic, unit=instance.unit)

    _write(instance, path, height, draw)


def write_regret_figure(instance: Instance, result: SimulationResult, path: Path) -> None:
    """Draw the regret of a simulation and write it in one step."""
    from semibandits_studies.plotting.regret import plot_regret

    _write(instance, path, 5.6, lambda ax: plot_regret(result, ax, unit=instance.unit or "units of reward"))


def _write(instance: Instance, path: Path, height: float, draw: Callable[[Axes], Axes]) -> None:
    from matplotlib.figure import Figure

    figure, buffer = Figure(figsize=(9.0, height), layout="constrained"), BytesIO()
    ax = draw(figure.subplots())
    ax.set_title(f"{literal(instance.name)}\n{ax.get_title()}", loc="center", linespacing=1.4)
    kind = path.suffix[1:].lower()
    figure.savefig(buffer, format=kind, dpi=160, metadata={"Software" if kind == "png" else "Creator": MARK})
    content = buffer.getvalue()
    if kind == "svg":
        content = _FORBIDDEN.sub("\ufffd".encode(), content)  # comments contain names unchanged
    write_whole(path, content)
