"""Lower bound on a block from multipliers and potentials, in plain numpy (theory T4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semibandits._typing import FloatArray
from semibandits.graves_lai.cycles import Cycles
from semibandits.graves_lai.presolve import Block
from semibandits.kernels.exchange import lowered


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
    """``(sum_e sqrt(v_e y_e p_e))^2 / sum_C mu_C gap_C^2``, the better of two ways to make the prices p non-negative.

    Potentials are lowered where a price is negative, which is always possible, since no cycle has a negative cost; or the change
    of potentials is scaled down first, so far that no more than rounding is left to be lowered.
    """
    graph = block.graph
    use = multipliers > 0
    active, mu = (cycles, multipliers) if use.all() else (cycles.select(use), multipliers[use])
    y = active.totals(mu, len(graph.costs))
    weight = float(mu @ squared_gaps[use])
    if not weight > 0:
        return LowerBound(0.0, active, mu, np.zeros(graph.n))
    change = potentials[graph.tails] - potentials[graph.heads]
    falling = change < 0
    blend = float(np.min(graph.costs[falling] / -change[falling], initial=1.0))
    root, chosen = -1.0, potentials
    for scale in (blend, 1.0):
        candidate = lowered(scale * potentials, graph.heads, graph.costs, graph.out_ptr, graph.out_arcs)
        prices = np.maximum(graph.costs + (candidate[graph.tails] - candidate[graph.heads]), 0.0)
        this_root = float(np.sqrt(block.twice_variance * y * prices).sum())
        if this_root > root:
            root, chosen = this_root, candidate
    # In the scale in which the bounds of several blocks add up: sqrt(scale) = root / weight.
    return LowerBound(root**2 / weight, active, (root / weight) ** 2 * mu, chosen)
