"""The Graves-Lai problem over the bases of a matroid, in closed form (theory T2)."""

from __future__ import annotations

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.matroids import BestSwaps, MatroidDecisions
from semibandits.graves_lai.plan import merged_plan
from semibandits.graves_lai.result import GravesLaiResult, Status
from semibandits.graves_lai.tables import check_table

WITHOUT_PLAN = "leave items out, or compute C(theta) without a plan, from decision_set.swaps(theta).gaps"


def solve_closed_form(
    decision_set: MatroidDecisions, theta: FloatArray, variance: FloatArray, tolerance: float
) -> GravesLaiResult:
    """Play the best swap of each suboptimal item i at rate 2 sigma_i^2 / gap_i^2: C(theta) = sum of 2 sigma_i^2 / gap_i.

    Every constraint splits into single swaps, and each of these is met with equality.
    """
    swaps = decision_set.swaps(theta)
    suboptimal = np.isfinite(swaps.gaps) & (swaps.gaps > tolerance)
    items = np.flatnonzero(suboptimal)
    decisions = swapped(swaps, items)
    gaps, twice_variance = swaps.gaps[items], 2.0 * variance[items]
    value = float((twice_variance / gaps).sum())
    return GravesLaiResult(
        value=value,
        lower=value,
        status=Status.OPTIMAL,
        method="closed-form",
        plan=merged_plan(decisions, twice_variance / gaps**2),
        optimal_decision=swaps.decision,
        suboptimal_items=suboptimal,
        decision_set=decision_set,
        theta=theta,
        variance=variance,
        stats={},
    )


def swapped(swaps: BestSwaps, items: IntArray) -> BoolArray:
    """The optimal basis after the best swap of each of some items, one a row.

    Raises
    ------
    TooManyDecisionsError
        If they are too many to be held in memory.
    """
    check_table(len(items), len(swaps.decision), remedy=WITHOUT_PLAN)
    decisions = np.tile(swaps.decision, (len(items), 1))
    decisions[np.arange(len(items)), swaps.leaving[items]] = False
    decisions[np.arange(len(items)), items] = True
    return decisions
