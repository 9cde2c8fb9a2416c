"""Lower bounds: their record, and the bound on a block of Gaussian items from multipliers and potentials.

The bound is theory T4. Let f be any feasible circulation, w_i its flow through item i, v_i = 2 sigma_i^2. A change of potentials
does not change the cost of a circulation: with prices p = c + pi[tail] - pi[head], cost(f) = sum_e p_e f_e. If p >= 0 on all arcs
of cycles, cost(f) >= sum_{i in I} p_i w_i. The constraints of f, multiplied by mu_C >= 0 and added up, give
sum_C mu_C gap_C^2 >= sum_C mu_C sum_{i in C and I} v_i / w_i = sum_{i in I} y_i v_i / w_i, with y_i the sum of mu_C over the
cycles through i. By Cauchy-Schwarz (sum p_i w_i)(sum y_i v_i / w_i) >= (sum sqrt(v_i y_i p_i))^2, hence
``cost(f) >= (sum_{i in I} sqrt(v_i y_i p_i))^2 / sum_C mu_C gap_C^2`` for every feasible f.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels.graphs.exchange import lowered
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.cycles.presolve import Block


@dataclass(frozen=True, eq=False)
class LowerBound:
    """A lower bound on C(theta) or the value of a block, with its proof (theory L4): raises of items of cycles, multipliers."""

    value: float
    cycles: Cycles
    multipliers: FloatArray  # (k,): scaled so that they add up to the value, up to rounding
    raises: FloatArray  # raise of the item of each entry of `cycles`; the raises of a cycle add up to its gap


def lower_bound(
    block: Block, cycles: Cycles, squared_gaps: FloatArray, multipliers: FloatArray, potentials: FloatArray
) -> LowerBound:
    """Bound for Gaussian items: ``(sum_e sqrt(v_e y_e p_e))^2 / sum_C mu_C gap_C^2`` with prices p from the potentials (T4).

    There are two ways to make prices non-negative: lower potentials where a price is negative, which is always possible, since
    no cycle has a negative cost; or first scale the change of potentials down until only rounding errors remain to be lowered.
    The better bound is returned.
    """
    use = multipliers > 0
    active, mu, gaps = (
        (cycles, multipliers, squared_gaps) if use.all() else (cycles.select(use), multipliers[use], squared_gaps[use])
    )
    weight = float(mu @ gaps)
    if not weight > 0:
        return LowerBound(0.0, active, mu, np.zeros(len(active.arcs)))
    y = active.totals(mu, len(block.gaps))
    root, prices = _root(block, y, potentials)
    # T4 is L4 with the cheapest raises at the rates sqrt(v y / p).
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.sqrt(block.twice_variance * prices / np.where(y > 0.0, y, 1.0))
    total = active.sums(u)
    proved = mu * total**2 / np.where(total > 0.0, gaps, 1.0)
    share = np.sqrt(gaps) / np.where(total > 0.0, total, 1.0)
    return LowerBound(root**2 / weight, active, proved, u[active.arcs] * share[active.rows])


def value_of(block: Block, cycles: Cycles, squared_gaps: FloatArray, multipliers: FloatArray, pi: FloatArray) -> float:
    """The value of `lower_bound`, without its proof."""
    weight = float(multipliers @ squared_gaps)
    return _root(block, cycles.totals(multipliers, len(block.gaps)), pi)[0] ** 2 / weight if weight > 0 else 0.0


def _root(block: Block, y: FloatArray, potentials: FloatArray) -> tuple[float, FloatArray]:
    """``sum_e sqrt(v_e y_e p_e)`` at the better prices, and these prices."""
    graph = block.graph
    change = potentials[graph.tails] - potentials[graph.heads]
    falling = change < 0
    blend = float(np.min(graph.costs[falling] / -change[falling], initial=1.0))
    root, chosen = -1.0, graph.costs
    for scale in (blend, 1.0):
        candidate = lowered(scale * potentials, graph.heads, graph.costs, graph.arcs.out_ptr, graph.arcs.out_arcs)
        prices = np.maximum(graph.costs + (candidate[graph.tails] - candidate[graph.heads]), 0.0)
        this_root = float(np.sqrt(block.twice_variance * y * prices).sum())
        if this_root > root:
            root, chosen = this_root, prices
    return root, chosen
