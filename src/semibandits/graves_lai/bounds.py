"""Lower bound on a block from multipliers and potentials, in plain numpy (theory T4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semibandits._typing import FloatArray
from semibandits.graves_lai.cycles import Cycles
from semibandits.graves_lai.presolve import Block


@dataclass(frozen=True, eq=False)
class LowerBound:
    """A lower bound on the value of a block, and the multipliers and potentials that prove it."""

    value: float
    cycles: Cycles
    multipliers: FloatArray
    potentials: FloatArray


def lower_bound(
    block: Block, cycles: Cycles, squared_gaps: FloatArray, multipliers: FloatArray, potentials: FloatArray
) -> LowerBound:
    """``(sum_e sqrt(v_e y_e p_e))^2 / sum_C mu_C gap_C^2`` with prices p made non-negative by a blend with the costs."""
    graph = block.graph
    change = potentials[graph.tails] - potentials[graph.heads]
    with np.errstate(divide="ignore", invalid="ignore"):
        # p = costs + t * change >= 0 for t up to the smallest of costs / -change.
        blend = min(1.0, np.min(np.where(change < 0, graph.costs / -change, np.inf), initial=np.inf))
    prices = np.maximum(graph.costs + blend * change, 0.0)
    use = multipliers > 0
    active, mu = cycles.select(use), multipliers[use]
    y = active.totals(mu, len(graph.costs))
    weight = float(mu @ squared_gaps[use])
    root = float(np.sqrt(block.twice_variance * y * prices).sum())
    value = root**2 / weight if weight > 0 else 0.0
    # In the scale in which the bounds of several blocks add up: sqrt(scale) = root / weight.
    scale = (root / weight) ** 2 if weight > 0 else 0.0
    return LowerBound(value, active, scale * mu, blend * potentials)
