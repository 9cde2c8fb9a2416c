"""Gaps to the last digit, though they are small differences of large rewards.

A gap of 1e-10 beside rewards of 1 loses six digits if sums of rewards are subtracted, or if node potentials are rounded; then a
bracket would be that of another problem. Sums are kept in two parts here.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.errors import InvalidInputError

HIGH_BITS = 26
"""Bits of the part of a reward whose sums are exact, of up to as many items as fit into the other bits of 53."""
PASSES = 200
ROWS = 256
"""Decisions looked at at a time: a product with a large boolean matrix makes a copy eight times its size."""


def gaps_below(best: BoolArray, decisions: BoolArray, theta: FloatArray) -> FloatArray:
    """Reward of `best` less the reward of each decision, shape (k,), each right to a few units in its last digit."""
    parts = np.column_stack(_split(theta))
    chunks = [decisions[k : k + ROWS] @ parts for k in range(0, len(decisions), ROWS)]
    sums = np.concatenate([np.empty((0, 2)), *chunks])
    difference = best @ parts - sums
    gaps: FloatArray = difference[:, 0] + difference[:, 1]
    return gaps


def sharpened(graph: ExchangeGraph, theta: FloatArray) -> tuple[ExchangeGraph, float]:
    """The graph with reduced costs that add up to the gap of each cycle, and what they still may lack.

    Costs are computed anew from `theta` and the potentials, which are corrected by about their rounding until no cost is
    negative and those between the nodes of the hub are zero. That fails if x* is optimal but for rounding; costs are then set to
    zero all the same, and the second result is the most by which this changes the gap of a cycle, or of x* itself.
    """
    costs = _exact_costs(graph, theta)
    in_hub = np.zeros(graph.n_nodes, dtype=np.bool_)
    in_hub[graph.hub] = True
    still = in_hub[graph.tails] & in_hub[graph.heads] & (graph.entering < 0)
    best, least = costs, np.inf
    for correction in (_correction(graph, costs, still), np.zeros(graph.n_nodes)):
        candidate = costs + (correction[graph.tails] - correction[graph.heads])
        wrong = np.where(still, abs(candidate), np.maximum(-candidate, 0.0))
        lack = np.zeros(graph.n_nodes)  # a simple cycle leaves each node once
        np.maximum.at(lack, graph.tails, wrong)
        if lack.sum() < least:
            best, least = np.where(still, 0.0, np.maximum(candidate, 0.0)), float(lack.sum())
    return replace(graph, costs=best), least


def relative_error_of(lack: float, least_gap: float) -> float:
    """By which share gaps may be off: the `lack` of a cycle and that of x*, from which its gap is counted.

    Raises
    ------
    InvalidInputError
        If half of the smallest gap may be rounding.
    """
    relative_error = 2.0 * lack / least_gap
    if relative_error > 0.5:
        raise InvalidInputError(
            f"tie_tolerance must be above the rounding of rewards, got gaps of which {100 * relative_error:.0f} % may be "
            "rounding: raise it"
        )
    return relative_error


def _correction(graph: ExchangeGraph, costs: FloatArray, still: BoolArray) -> FloatArray:
    """Change of potentials that makes costs >= 0, and 0 on the `still` arcs: Bellman and Ford's method, broken off in time.

    Only cycles of negative cost keep it from its end.
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
    """Two parts of each reward: multiples of one power of two, and the rest, at most half of that."""
    unit = int(np.frexp(np.abs(theta).max(initial=0.0))[1]) - HIGH_BITS
    high = np.ldexp(np.rint(np.ldexp(theta, -unit)), unit)
    return high, theta - high


def _exact_costs(graph: ExchangeGraph, theta: FloatArray) -> FloatArray:
    """``theta[leaving] - theta[entering] + potentials[tail] - potentials[head]``, rounded once, at the end."""
    padded = np.append(theta, 0.0)  # item -1 weighs nothing
    gained, rest1 = _two_sum(padded[graph.leaving], -padded[graph.entering])
    fallen, rest2 = _two_sum(graph.potentials[graph.tails], -graph.potentials[graph.heads])
    total, rest3 = _two_sum(gained, fallen)
    return total + (rest1 + rest2 + rest3)


def _two_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The sum as rounded, and what rounding took away (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)
