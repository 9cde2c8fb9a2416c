"""Closed form of the Graves-Lai problem over the bases of a matroid (theory T2, L2)."""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import BoolArray, IntArray
from semibandits.decisions.matroids import BestSwaps, MatroidDecisions
from semibandits.regret_bound.plan import merged_plan
from semibandits.regret_bound.problem import Bracket, Problem
from semibandits.regret_bound.rates import gap_rounding, rates_alone
from semibandits.regret_bound.result import GravesLaiResult
from semibandits.regret_bound.tables import check_table

WITHOUT_PLAN = "leave items out, or compute C(theta) without a plan, from decision_set.swaps(theta).gaps"


def solve_closed_form(problem: Problem) -> GravesLaiResult:
    """Play the best swap of each suboptimal item i at rate ``1/d(theta_i, theta_i + gap_i)``: C is the sum of rate times gap.

    A basis is optimal iff no single swap improves it. So the constraints are the swaps, in each of which one item enters, for
    any law. An item whose gap is out of reach is not played.
    """
    theta, law, decision_set = problem.theta, problem.law, problem.decision_set
    assert isinstance(decision_set, MatroidDecisions)
    swaps = decision_set.swaps(theta)
    suboptimal = np.isfinite(swaps.gaps) & (swaps.gaps > problem.tolerance)
    items = np.flatnonzero(suboptimal)
    rates = rates_alone(law.take(items), theta[items], swaps.gaps[items])
    items, rates = items[rates > 0.0], rates[rates > 0.0]
    gaps = swaps.gaps[items]
    own, rounding = law.take(items), law.rounding
    least = 1.0 / own.divergence(theta[items], gaps * (1.0 + gap_rounding(own, theta[items])))
    value, lower = math.fsum(rates * gaps) * (1.0 + rounding), math.fsum(least * gaps) * (1.0 - rounding)
    bracket = Bracket(value, lower, merged_plan(swapped(swaps, items), rates * (1.0 + rounding)))
    return problem.result("closed-form", bracket, swaps.decision, suboptimal, {})


def swapped(swaps: BestSwaps, items: IntArray) -> BoolArray:
    """The optimal basis after the best swap of each item in `items`, one per row.

    Raises
    ------
    TooManyDecisionsError
        If the rows do not fit into memory.
    """
    check_table(len(items), len(swaps.decision), remedy=WITHOUT_PLAN)
    decisions = np.tile(swaps.decision, (len(items), 1))
    decisions[np.arange(len(items)), swaps.leaving[items]] = False
    decisions[np.arange(len(items)), items] = True
    return decisions
