"""Closed form of the Graves-Lai problem over the bases of a matroid (theory T2, L2)."""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import BoolArray
from semibandits.decisions.lists import Decisions
from semibandits.decisions.matroids import BestSwaps, MatroidDecisions
from semibandits.regret_bound.problem import Bracket, Problem
from semibandits.regret_bound.rates import gap_rounding, rates_alone
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult


def solve_closed_form(problem: Problem) -> GravesLaiResult:
    """Play the best swap of each suboptimal item i at rate ``1/d(theta_i, theta_i + gap_i)``: C is the sum of rate times gap.

    A basis is optimal iff no single swap improves it. So the constraints are the swaps, in each of which one item enters, for
    any law. An item whose gap is out of reach is not played.
    """
    theta, law, decision_set = problem.theta, problem.law, problem.decision_set
    assert isinstance(decision_set, MatroidDecisions)
    swaps = decision_set.swaps(theta)
    suboptimal = suboptimal_swaps(problem, swaps)
    items = np.flatnonzero(suboptimal)
    rates = rates_alone(law.take(items), theta[items], swaps.gaps[items])
    items, rates = items[rates > 0.0], rates[rates > 0.0]
    gaps = swaps.gaps[items]
    own, rounding = law.take(items), law.rounding
    least = 1.0 / own.divergence(theta[items], gaps * (1.0 + gap_rounding(own, theta[items])))
    value, lower = math.fsum(rates * gaps) * (1.0 + rounding), math.fsum(least * gaps) * (1.0 - rounding)
    # The plan: the optimal basis after the best swap of each item, in order of decreasing rate.
    rates = rates * (1.0 + rounding)
    order = np.argsort(-rates, kind="stable")
    changed = np.sort(np.column_stack((swaps.leaving[items], items))[order], axis=1)
    ptr = 2 * np.arange(len(items) + 1)
    bases = Decisions(len(swaps.decision), np.flatnonzero(swaps.decision), ptr, changed.ravel())
    bracket = Bracket(value, lower, ExplorationPlan(bases, rates[order]))
    return problem.result("closed-form", bracket, swaps.decision, suboptimal, {})


def suboptimal_swaps(problem: Problem, swaps: BestSwaps) -> BoolArray:
    """The items i whose best swap exists and is no tie, shape (d,)."""
    ties = problem.ties.between(np.arange(len(swaps.gaps)), swaps.leaving)
    return np.isfinite(swaps.gaps) & (swaps.gaps > ties)
