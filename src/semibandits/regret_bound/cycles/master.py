"""The master problem of a block: cheapest circulation that satisfies the constraints of the known cycles.

    minimise    sum_e costs_e f_e
    subject to  f >= 0 a circulation,  1 / F_C(f) <= 1  for the cycles C of the pool,

for Gaussian items ``sum_{e in C} v_e / f_e <= gap_C^2``. `interior.py` returns proposals, from which `rows.py` computes the
bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.kernels.solver.newton import Tree, chords_to_circulation, spanning_tree
from semibandits.regret_bound.cycles.presolve import Block

MOST_ACCURATE = 1e-10
"""Smallest relative accuracy of a solve."""


@dataclass(frozen=True, eq=False)
class MasterSolution:
    """Proposal of a master."""

    flow: FloatArray  # (a,): a circulation up to rounding, > 0 on arcs with an item
    multipliers: FloatArray  # those >= 0 of the rows 1/F <= 1, one per cycle in the pool, in any scale
    # Change of the node potentials, shape (n,): prices are costs + potentials[tail] - potentials[head].
    potentials: FloatArray

    def is_sound(self, block: Block) -> bool:
        """Whether the proposal is finite and has the signs above, which may fail if a solver breaks down."""
        finite = all(np.isfinite(part).all() for part in (self.flow, self.multipliers, self.potentials))
        return finite and bool(self.flow.min() >= 0.0 and self.flow[block.informative].min() > 0.0)


@dataclass(frozen=True, eq=False)
class Standing:
    """Where the rounds stand after the last one."""

    excess: float  # the last flow of the master violated the worst cycle by the factor 1 + excess
    added: int  # number of cycles that the round added to the pool
    flow: FloatArray  # (a,): the cheapest flow known to satisfy the constraints of all cycles
    gap: float  # relative width of the bracket


@dataclass(frozen=True, eq=False)
class Chords:
    """A spanning tree of a block and its chords, whose values determine a circulation."""

    tree: Tree
    arcs: IntArray

    @staticmethod
    def of_lightest(block: Block, flow: FloatArray) -> Chords:
        """Put the largest flows on the tree, where they absorb the rounding errors of the balance."""
        graph = block.graph
        tree, in_tree = spanning_tree(graph.n, graph.tails, graph.heads, np.argsort(-flow, kind="stable"))
        return Chords(tree, np.flatnonzero(~in_tree))

    def circulation(self, values: FloatArray) -> FloatArray:
        """The circulation with these values on the chords."""
        return chords_to_circulation(values, self.arcs, self.tree)


def starting_rates(block: Block) -> FloatArray:
    """Rate v/gap^2 of each arc with an item, the least rate that its item needs (theory T5)."""
    informative = block.informative
    return block.twice_variance[informative] / block.gaps[informative] ** 2


def starting_flow(block: Block) -> FloatArray:
    """The starting rate along the cheapest cycle through each arc with an item: positive on all arcs that matter."""
    return block.cheapest.totals(starting_rates(block), len(block.gaps))


def positive_flow(block: Block) -> FloatArray:
    """The starting flow plus a little along the cheapest cycle through each arc without an item: positive on all arcs."""
    flow, plain = starting_flow(block), ~block.informative
    if plain.any():
        share = 0.1 * float(block.graph.costs @ flow) / len(flow)
        flow += block.graph.cheapest_cycles(plain)[1].totals(share / block.gaps[plain], len(flow))
    return flow
