"""Accurate gaps, although they are small differences of large rewards.

A gap of 1e-10 with rewards of 1 loses ten digits if sums of rewards are subtracted or node potentials are rounded, and the
bracket would be that of a different problem. Sums are kept in two parts here.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.decisions.lists import ROWS, Decisions
from semibandits.decisions.ties import Ties
from semibandits.errors import InvalidInputError

HIGH_BITS = 26
"""Bits of the high part of a reward. Sums of these parts are exact for up to 2^27 items."""
PASSES = 200


def gaps_below(best: BoolArray, decisions: BoolArray | Decisions, theta: FloatArray) -> FloatArray:
    """Reward of `best` minus the reward of each decision, shape (k,), accurate to a few units in the last place."""
    if isinstance(decisions, Decisions):
        high, low = _split(theta)
        ahead = best.astype(np.float64) - decisions.base_mask
        return (ahead @ high - decisions.sums(high)) + (ahead @ low - decisions.sums(low))
    parts = np.column_stack(_split(theta))
    ahead = best.astype(np.int8)  # items that are in both do not count, whatever their size
    chunks = [(ahead - decisions[k : k + ROWS]) @ parts for k in range(0, len(decisions), ROWS)]
    difference = np.concatenate([np.empty((0, 2)), *chunks])
    gaps: FloatArray = difference[:, 0] + difference[:, 1]
    return gaps


def refined(graph: ExchangeGraph, theta: FloatArray, ties: Ties) -> tuple[ExchangeGraph, float]:
    """The graph with reduced costs that add up to the gap of each cycle, and a bound on their remaining error.

    Costs are computed again from `theta` and the potentials. The potentials are corrected, by about their rounding, until no cost
    is negative and the costs between nodes of the hub are zero. This fails if x* is optimal only up to rounding. Then these costs
    are set to zero, and the second result bounds the change of the gap of any cycle, or of x* itself. If that is more than a tie,
    the problem is refused: means that x* needs are so large that they round others away.
    """
    # Costs are theta[leaving] - theta[entering] + potentials[tail] - potentials[head], rounded once, at the end.
    padded = np.append(theta, 0.0)  # item -1 weighs nothing
    gained, rest1 = _two_sum(padded[graph.leaving], -padded[graph.entering])
    fallen, rest2 = _two_sum(graph.potentials[graph.tails], -graph.potentials[graph.heads])
    total, rest3 = _two_sum(gained, fallen)
    costs = total + (rest1 + rest2 + rest3)
    in_hub = np.zeros(graph.n_nodes, dtype=np.bool_)
    in_hub[graph.hub] = True
    still = in_hub[graph.tails] & in_hub[graph.heads] & (graph.entering < 0)
    best, least, open_arcs = costs, np.inf, np.empty(0, dtype=np.int64)
    for correction in (_correction(graph, costs, still), np.zeros(graph.n_nodes)):
        candidate = costs + (correction[graph.tails] - correction[graph.heads])
        wrong = np.where(still, abs(candidate), np.maximum(-candidate, 0.0))
        lack = np.zeros(graph.n_nodes)  # a simple cycle leaves each node once
        np.maximum.at(lack, graph.tails, wrong)
        if lack.sum() < least:
            best, least = np.where(still, 0.0, np.maximum(candidate, 0.0)), float(lack.sum())
            open_arcs = np.flatnonzero(wrong)
    if least > math.fsum(ties.between(graph.entering[open_arcs], graph.leaving[open_arcs])):
        raise InvalidInputError(
            "tie_tolerance must be above the rounding of rewards, got decisions that differ by "
            f"{least / np.abs(theta).max():.1g} of the largest mean: increase it, or use a smaller number for what should not "
            "be chosen"
        )
    return replace(graph, costs=best), least


def relative_error_of(lack: float, least_gap: float) -> float:
    """Relative error of gaps, from the error `lack` of a cycle and the same error of x*, relative to which gaps are computed.
    More than half of the smallest gap is refused.
    """
    relative_error = 2.0 * lack / least_gap
    if relative_error > 0.5:
        raise InvalidInputError(
            f"tie_tolerance must be above the rounding of rewards, got gaps that may be {100 * relative_error:.0f} % "
            "rounding: increase it"
        )
    return relative_error


def _correction(graph: ExchangeGraph, costs: FloatArray, still: BoolArray) -> FloatArray:
    """Change of potentials that makes costs >= 0, and 0 on the `still` arcs: Bellman-Ford with a limited number of passes.

    It converges unless there are cycles of negative cost.
    """
    tails = np.concatenate((graph.tails, graph.heads[still]))
    heads = np.concatenate((graph.heads, graph.tails[still]))
    limits = np.concatenate((costs, -costs[still]))
    change = np.zeros(graph.n_nodes)
    for _ in range(PASSES):
        reached = change[tails] + limits
        wrong = reached < change[heads] - 1e-15 * abs(change[heads])
        if not wrong.any():
            break
        np.minimum.at(change, heads[wrong], reached[wrong])
    return change


def _split(theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Split each reward into a multiple of one power of two and a rest of at most half of that power."""
    unit = int(np.frexp(np.abs(theta).max(initial=0.0))[1]) - HIGH_BITS
    high = np.ldexp(np.rint(np.ldexp(theta, -unit)), unit)
    return high, theta - high


def _two_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rounded sum and rounding error (Knuth's TwoSum)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)
