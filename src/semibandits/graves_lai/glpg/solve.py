"""``method="glpg"``: GLPG with its practical schedule."""

from __future__ import annotations

from collections.abc import Callable

from semibandits._typing import FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.graves_lai.glpg.algorithm import GLPG
from semibandits.graves_lai.reduction import reduced
from semibandits.graves_lai.result import GravesLaiResult, Progress


def solve_glpg(
    decision_set: DecisionSet, theta: FloatArray, variance: FloatArray, tolerance: float, gap: float, deadline: float,
    progress: Callable[[Progress], None] | None,
) -> GravesLaiResult:  # fmt: skip
    """GLPG until the certified gap, the end of its schedule, or the deadline (a value of `semibandits.kernels.tiers.seconds`)."""
    return GLPG(reduced(decision_set, theta, variance, tolerance)).run(gap=gap, deadline=deadline, progress=progress)
