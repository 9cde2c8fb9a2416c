"""The Graves-Lai problem for Bernoulli items over the bases of a matroid, in closed form (theory §4)."""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import FloatArray
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.graves_lai.bernoulli.block import LAST_DIGITS, ROUNDING, rate_of
from semibandits.graves_lai.bernoulli.circulation import TOLD_VARIANCE
from semibandits.graves_lai.closed_form import swapped
from semibandits.graves_lai.plan import merged_plan
from semibandits.graves_lai.result import GravesLaiResult, Status
from semibandits.kernels.bernoulli import divergence


def solve_closed_form(decision_set: MatroidDecisions, theta: FloatArray, tolerance: float) -> GravesLaiResult:
    """Play the best swap of each suboptimal item i at rate ``1/d(theta_i, theta_i + gap_i)``: C = sum of gap_i over that.

    A base is optimal iff no single swap improves it, so that swaps, in each of which one item enters, are all the constraints.
    With gap_i = theta_j - theta_i the item has to look as good as item j, which it would replace. If theta_j is 1, that is out of
    reach for any mean, no play of item i is needed, and it costs nothing.
    """
    swaps = decision_set.swaps(theta)
    suboptimal = np.isfinite(swaps.gaps) & (swaps.gaps > tolerance)
    rates, least = np.zeros(len(theta)), np.zeros(len(theta))
    for i in np.flatnonzero(suboptimal):
        rates[i] = rate_of(float(theta[i]), float(swaps.gaps[i]))
        least[i] = 1.0 / divergence(theta[i], swaps.gaps[i] * (1.0 + LAST_DIGITS)) if rates[i] > 0.0 else 0.0
    items = np.flatnonzero(rates > 0.0)
    return GravesLaiResult(
        value=math.fsum(rates[items] * swaps.gaps[items]) * (1.0 + ROUNDING),
        lower=math.fsum(least[items] * swaps.gaps[items]) * (1.0 - ROUNDING),
        status=Status.OPTIMAL,
        method="closed-form",
        plan=merged_plan(swapped(swaps, items), rates[items] * (1.0 + ROUNDING)),
        optimal_decision=swaps.decision,
        suboptimal_items=suboptimal,
        decision_set=decision_set,
        theta=theta,
        variance=np.full(len(theta), TOLD_VARIANCE),
        stats={},
        rewards="bernoulli",
    )
