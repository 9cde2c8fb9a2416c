"""The master problem of a block: cheapest circulation that satisfies the cycles known so far.

    minimise    sum_e costs_e f_e
    subject to  f >= 0 a circulation,  1 / F_C(f) <= 1  for the cycles C of the pool,

for Gaussian items ``sum_{e in C} v_e / f_e <= gap_C^2``. Two methods share one interface. What they return is only a proposal:
bounds are computed from it outside (`rows.py`).
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
"""Relative accuracy beyond which masters are not asked to go."""


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
        """Whether the proposal keeps to these rules, as a solver that breaks down may not. Its quality is judged elsewhere."""
        finite = all(np.isfinite(part).all() for part in (self.flow, self.multipliers, self.potentials))
        return finite and bool(self.flow.min() >= 0.0 and self.flow[block.informative].min() > 0.0)


class Master(ABC):
    """Solves the master problem over a pool of cycles that grows and shrinks."""

    patience: ClassVar[int]
    """Rounds without progress after which the master has given what it can."""

    @abstractmethod
    def solve(self, accuracy: float, deadline: float) -> MasterSolution:
        """Solve to about this relative accuracy; stop early once `tiers.seconds` passes `deadline`."""

    @abstractmethod
    def first_accuracy(self, gap: float) -> float:
        """Accuracy to begin with where `gap` is wanted in the end."""

    @abstractmethod
    def next_accuracy(self, accuracy: float, gap: float, excess: float, added: int) -> float:
        """Accuracy after a round whose flow violated a cycle by the factor ``1 + excess`` and that brought so many cycles."""

    @property
    @abstractmethod
    def flow(self) -> FloatArray:
        """The latest flow."""

    @abstractmethod
    def extend(self, excess: float) -> None:
        """The pool has got cycles at its end; the last flow violated the worst by the factor ``1 + excess``."""

    @abstractmethod
    def keep(self, mask: BoolArray) -> None:
        """The pool has dropped the cycles where `mask` is False."""


@dataclass(frozen=True, eq=False)
class Chords:
    """A spanning tree of a block and its chords, whose values determine a circulation."""

    tree: Tree
    arcs: IntArray

    @staticmethod
    def of_lightest(block: Block, flow: FloatArray) -> Chords:
        """Put the largest flows on the tree: they absorb the rounding errors of the balance."""
        graph = block.graph
        tree, in_tree = spanning_tree(graph.n, graph.tails, graph.heads, np.argsort(-flow, kind="stable"))
        return Chords(tree, np.flatnonzero(~in_tree))

    def circulation(self, values: FloatArray) -> FloatArray:
        """The circulation with these values on the chords."""
        return chords_to_circulation(values, self.arcs, self.tree)


def balanced(block: Block, flow: FloatArray) -> FloatArray:
    """The circulation next to `flow`, exact up to rounding and positive on arcs with an item."""
    chords = Chords.of_lightest(block, flow)
    flow = chords.circulation(np.maximum(flow[chords.arcs], 0.0))
    # Cheapest cycles through arcs whose flow rounding has eaten up; they are in order of the arcs with an item.
    dry = flow[block.informative] <= 0
    if dry.any() or flow.min() < 0:
        lack = np.where(dry, -flow[block.informative] + 1e-12 * flow.max(), 0.0)
        flow = np.maximum(flow, 0.0) + block.cheapest.totals(lack, len(flow))
    return flow


def starting_rates(block: Block) -> FloatArray:
    """Rate v/gap^2 for each arc with an item, the least that its item needs (theory T5)."""
    informative = block.informative
    rates: FloatArray = block.twice_variance[informative] / block.gaps[informative] ** 2
    return rates


def starting_flow(block: Block) -> FloatArray:
    """That rate along the cheapest cycle through each arc with an item: positive on all arcs that matter."""
    return block.cheapest.totals(starting_rates(block), len(block.gaps))


def positive_flow(block: Block) -> FloatArray:
    """The starting flow, and a little along the cheapest cycle through each arc without an item: positive on all arcs."""
    flow, plain = starting_flow(block), ~block.informative
    if plain.any():
        share = 0.1 * float(block.graph.costs @ flow) / len(flow)
        flow += block.graph.cheapest_cycles(plain)[1].totals(share / block.gaps[plain], len(flow))
    return flow
