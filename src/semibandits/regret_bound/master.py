"""The master problem of a block: cheapest circulation that satisfies the constraints of the known cycles.

    minimise    sum_e costs_e f_e
    subject to  f >= 0 a circulation,  1 / F_C(f) <= 1  for the cycles C of the pool,

for Gaussian items ``sum_{e in C} v_e / f_e <= gap_C^2``. Two methods share one interface. They only return proposals, from which
`rows.py` computes the bounds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.newton import Tree, chords_to_circulation, spanning_tree
from semibandits.regret_bound.presolve import Block

MOST_ACCURATE = 1e-10
"""Smallest relative accuracy that masters are solved to."""


@dataclass(frozen=True, eq=False)
class MasterSolution:
    """Proposal of a master.

    Attributes
    ----------
    flow : ndarray of float, shape (a,)
        A circulation up to rounding, > 0 on arcs with an item.
    multipliers : ndarray of float, shape (number of cycles in the pool,)
        Multipliers >= 0 of the rows ``1/F <= 1``, one per cycle, in any scale.
    potentials : ndarray of float, shape (n,)
        Change of the node potentials: prices are ``costs + potentials[tail] - potentials[head]``.
    """

    flow: FloatArray
    multipliers: FloatArray
    potentials: FloatArray

    def is_sound(self, block: Block) -> bool:
        """Whether the proposal is finite and has the signs above, which may fail if a solver breaks down."""
        finite = all(np.isfinite(part).all() for part in (self.flow, self.multipliers, self.potentials))
        return finite and bool(self.flow.min() >= 0.0 and self.flow[block.informative].min() > 0.0)


@dataclass(frozen=True, eq=False)
class Standing:
    """Where the rounds stand after the last one.

    Attributes
    ----------
    excess : float
        The last flow of the master violated the worst cycle by the factor ``1 + excess``.
    added : int
        Number of cycles that the round added to the pool.
    flow : ndarray of float, shape (a,)
        The cheapest flow known to satisfy the constraints of all cycles.
    gap : float
        Relative width of the bracket.
    """

    excess: float
    added: int
    flow: FloatArray
    gap: float


class Master(ABC):
    """Solver of the master problem over a changing pool of cycles."""

    patience: ClassVar[int]
    """Number of rounds without progress after which the master is given up."""

    @abstractmethod
    def solve(self, accuracy: float, deadline: float) -> MasterSolution:
        """Solve to about this relative accuracy; stop early once `tiers.seconds` passes `deadline`."""

    @abstractmethod
    def first_accuracy(self, gap: float) -> float:
        """Accuracy of the first solve if the final gap is to be `gap`."""

    @abstractmethod
    def next_accuracy(self, accuracy: float, gap: float, now: Standing) -> float:
        """Accuracy of the next solve."""

    @property
    @abstractmethod
    def flow(self) -> FloatArray:
        """The latest flow."""

    @abstractmethod
    def extend(self, now: Standing) -> None:
        """Adapt to cycles appended to the pool."""

    @abstractmethod
    def keep(self, mask: BoolArray) -> None:
        """Adapt to the removal of the cycles where `mask` is False from the pool."""


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


def balanced(block: Block, flow: FloatArray) -> FloatArray:
    """A circulation close to `flow`, exact up to rounding and positive on arcs with an item."""
    chords = Chords.of_lightest(block, flow)
    flow = chords.circulation(np.maximum(flow[chords.arcs], 0.0))
    # Cheapest cycles through arcs whose flow was lost to rounding, in order of the arcs with an item.
    dry = flow[block.informative] <= 0
    if dry.any() or flow.min() < 0:
        lack = np.where(dry, -flow[block.informative] + 1e-12 * flow.max(), 0.0)
        flow = np.maximum(flow, 0.0) + block.cheapest.totals(lack, len(flow))
    return flow


def starting_rates(block: Block) -> FloatArray:
    """Rate v/gap^2 of each arc with an item, the least rate that its item needs (theory T5)."""
    informative = block.informative
    rates: FloatArray = block.twice_variance[informative] / block.gaps[informative] ** 2
    return rates


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
