"""Search for cycles that a flow violates, for any law, over a grid of prices. The final proof finds the cycles it misses."""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import FloatArray
from semibandits.regret_bound.certificates.price_grid import PriceGrid, by_degree
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.cycles.presolve import Block
from semibandits.regret_bound.cycles.separation import Violations

MAX_LABELS, WITH_HUB, MAX_FOUND = 10_000, 40_000, 4_000
"""Limits on the walks kept, higher if all pass a hub, where comparing them is fast, and on the cycles found."""


def search_prices(block: Block, flow: FloatArray, threshold: float) -> Violations:
    """Cycles C with ``1 / F(C) > threshold``.

    `Violations.ratio` is not proved. It is the threshold if no cycle is found, and infinite if cycles need no information.
    """
    items, graph, level = block.items, block.graph, 1.0 / threshold
    if (items.raising & (flow <= 0.0) & np.isinf(items.room)).any():
        return Violations(math.inf, Cycles.empty(), np.empty(0))
    grid = PriceGrid(items, graph.costs, block.gaps, flow, level, graph.n)
    starts, labels = (np.zeros(1, dtype=np.int64), WITH_HUB) if graph.has_hub else (by_degree(graph.arcs), MAX_LABELS)
    ptr, arcs, *_ = grid.open_cycles(graph.arcs, starts, level, labels, MAX_FOUND)
    cycles = Cycles(ptr, arcs)
    values = items.raises(cycles, cycles.sums(graph.costs), flow).values
    violating = values < level
    with np.errstate(divide="ignore"):
        ratios = 1.0 / values[violating]
    return Violations(float(ratios.max(initial=threshold)), cycles.select(violating), ratios)
