"""Node potentials that make all arc costs of a graph without negative cycles non-negative."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.graphs.exchange import incidence, relax
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray, IntArray

NO_GAIN = 1e-15
"""A potential is lowered only by more than this, relative to the largest cost; less is rounding."""
NEGATIVE = 1e-9
"""A reduced cost below minus this, relative to the largest cost, is not due to rounding."""


@kernel
def potentials(n: int, tails: IntArray, heads: IntArray, costs: FloatArray) -> tuple[FloatArray, bool]:
    """Distances ``pi <= 0`` from a source that reaches every node at cost 0, and whether they are potentials.

    Without negative cycles, ``costs + pi[tails] - pi[heads] >= 0`` up to rounding. The flag is whether all these reduced costs
    are at least -1e-9 times the largest absolute cost, which is impossible if a cycle is more negative than that per arc. Cycles
    that are negative by rounding only are harmless: Bellman and Ford's method stops after n + 1 passes.
    """
    scale = 0.0
    for cost in costs:
        scale = max(scale, abs(cost))
    pi = np.zeros(n)
    out_ptr, out_arcs = incidence(n, tails)
    relax(pi, heads, costs, out_ptr, out_arcs, NO_GAIN * scale, n + 1.0)
    worst = 0.0
    for arc in range(len(tails)):
        worst = min(worst, costs[arc] + pi[tails[arc]] - pi[heads[arc]])
    return pi, worst >= -NEGATIVE * scale
