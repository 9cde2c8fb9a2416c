"""Search for cycles that a flow violates, for any law, over a grid of prices. The final proof finds the cycles it misses."""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels.tilted_search import tilted_cycles
from semibandits.regret_bound.cycles import Cycles
from semibandits.regret_bound.presolve import Block
from semibandits.regret_bound.raises import NEAR_REACH
from semibandits.regret_bound.separation import Violations

RATIO = 1.4
"""Ratio of neighbouring prices."""
HIGHER = 2.0 ** np.arange(1, 9)
"""Multiples of the largest price that are added: means that must rise close to 1 have arbitrarily large prices."""
MAX_LABELS, WITH_HUB, MAX_FOUND = 10_000, 40_000, 4_000
"""Limits on the walks kept, higher if all pass a hub, where comparing them is fast, and on the cycles found."""
TERM_ROUNDING = 4e-15
"""Rounding error of sums along walks, per arc, relative to their terms, which are far larger than sums for means close to 1."""


def search_prices(block: Block, flow: FloatArray, threshold: float) -> Violations:
    """Cycles C with ``1 / F(C) > threshold``.

    `Violations.ratio` is not proved. It is the threshold if no cycle is found, and infinite if cycles need no information.
    """
    items, costs, level = block.items, block.graph.costs, 1.0 / threshold
    raising = items.raising
    if (raising & (flow <= 0.0) & np.isinf(items.room)).any():
        return Violations(math.inf, Cycles.empty(), np.empty(0))
    caps = items.caps(flow, np.where(raising, block.gaps, 1.0), level)
    most, least = float(np.sort(caps)[-block.graph.n :].sum()), float(block.gaps[raising].min())
    if most <= least:
        return Violations(threshold, Cycles.empty(), np.empty(0))
    # Range of the prices of cycles below the level.
    low, high = level / most, 4.0 * level / least
    prices = np.append(np.geomspace(low, high, 2 + int(math.log(high / low) / math.log(RATIO))), high * HIGHER)
    error = TERM_ROUNDING * (block.graph.n + 8)
    weights = np.outer(costs, np.append((1.0 - error) * prices, 1.0 + NEAR_REACH))
    weights[:, :-1] -= (1.0 + error) * items.conjugates(flow, prices, caps)
    weights[:, -1] -= caps
    cycles = Cycles(
        *tilted_cycles(
            block.graph.arcs, weights, level + items.margin, block.graph.has_hub, level,
            WITH_HUB if block.graph.has_hub else MAX_LABELS, MAX_FOUND,
        )
    )  # fmt: skip
    values = items.raises(cycles, cycles.sums(costs), flow).values
    violating = values < level
    with np.errstate(divide="ignore"):
        ratios = 1.0 / values[violating]
    return Violations(float(ratios.max(initial=threshold)), cycles.select(violating), ratios)
