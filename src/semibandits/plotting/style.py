"""Colours and titles that all figures share. They stay apart for readers with any common colour blindness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from semibandits._text import visible
from semibandits.errors import SemibanditsError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import ListedColormap, Normalize

    from semibandits._typing import FloatArray
    from semibandits.regret_bound.result import GravesLaiResult

BEST: Final = "#d1495b"
"""The optimal decision: also drawn in another shape than the rest, so that colour is not all there is."""
UNEXPLORED: Final = "#c9ced6"
INK: Final = "#1f2933"
RATE_LABEL: Final = "plays per ln T"


def rate_colours() -> ListedColormap:
    """Viridis from light to dark, without its palest end, which would vanish on white."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["viridis_r"](np.linspace(0.06, 1.0, 256)), name="rates")


def rate_norm(rates: FloatArray) -> Normalize:
    """Scale of positive rates: logarithmic once they span more than a factor of 20."""
    from matplotlib.colors import LogNorm, Normalize

    low, high = (float(rates.min()), float(rates.max())) if rates.size else (0.0, 1.0)
    if high > 20 * low > 0:
        return LogNorm(low, high)
    return Normalize(0.0, high)


def new_axes() -> Axes:
    """An axis of a figure of its own."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise SemibanditsError(
            'figures need matplotlib, which is not installed: run pip install "semibandits[plot]"'
        ) from error
    return pyplot.subplots(figsize=(8.5, 7.0), layout="constrained")[1]


def literal(name: object) -> str:
    """A name for a figure: hidden characters become visible, and what stands between dollar signs is no formula."""
    return visible(str(name)).replace("$", r"\$")


def bound_title(result: GravesLaiResult, unit: str) -> str:
    """C(θ) with its bracket."""
    suffix = f" {literal(unit)}" if unit else ""
    if not np.isfinite(result.value):
        return f"C(θ) ≥ {result.lower:,.4g}{suffix} per ln T"
    if result.value == 0:
        return "C(θ) = 0: no exploration needed"
    return f"C(θ) = {result.value:,.4g}{suffix} per ln T, {_precision(result.gap)}"


def _precision(gap: float) -> str:
    if gap == 0:
        return "in closed form"
    return f"certified within {gap:.0%}" if gap >= 0.01 else f"certified gap {gap:.0e}".replace("e-0", "e-")


def plain_number(value: float, _: object = None) -> str:
    """A tick as 0.1, 1, 1,000 rather than as a power of ten."""
    return f"{value:,.7g}"
