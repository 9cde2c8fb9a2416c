"""Cycles that a flow violates under any law of rewards, by a search over a grid of prices. What it misses the proof finds."""

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
"""Of neighbouring prices."""
HIGHER = 2.0 ** np.arange(1, 9)
"""Multiples of the largest that are looked at besides: means that would have to rise next to 1 have prices of any size."""
MAX_LABELS, WITH_HUB, MAX_FOUND = 10_000, 40_000, 4_000
"""Walks that are kept, more where each passes a hub and they are quickly told apart; and cycles."""
UNSURE = 4e-15
"""What rounding may change of sums along walks, per arc, relative to their terms, which are far larger next to means of 1."""


def search_prices(block: Block, flow: FloatArray, threshold: float) -> Violations:
    """Cycles C with ``1 / F(C) > threshold``.

    `Violations.ratio` is not proven: where none is met it is the threshold, and infinite if cycles need no information at all.
    """
    items, costs, level = block.items, block.graph.costs, 1.0 / threshold
    raising = items.raising
    if (raising & (flow <= 0.0) & np.isinf(items.room)).any():
        return Violations(math.inf, Cycles.empty(), np.empty(0))
    caps = items.caps(flow, np.where(raising, block.gaps, 1.0), level)
    most, least = float(np.sort(caps)[-block.graph.n :].sum()), float(block.gaps[raising].min())
    if most <= least:
        return Violations(threshold, Cycles.empty(), np.empty(0))
    # Of what cycles below the level can have.
    low, high = level / most, 4.0 * level / least
    prices = np.append(np.geomspace(low, high, 2 + int(math.log(high / low) / math.log(RATIO))), high * HIGHER)
    unsure = UNSURE * (block.graph.n + 8)
    weights = np.outer(costs, np.append((1.0 - unsure) * prices, 1.0 + NEAR_REACH))
    weights[:, :-1] -= (1.0 + unsure) * items.conjugates(flow, prices, caps)
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
