"""The rows of the master problem near a flow: values, slopes and Hessians."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels.graphs.cycles import gram_product, weighted_arc_totals
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.cycles.segments import SharedParts


@dataclass(frozen=True, eq=False)
class Hessian:
    """The matrix ``diag(diagonal) + B R' W R B`` with B = diag(by_arc), W = diag(weights)."""

    diagonal: FloatArray  # (a,)
    by_arc: FloatArray  # (a,)
    rows: Cycles  # the places of the entries of R, one row each
    entries: FloatArray  # those of R; empty if all are 1
    weights: FloatArray  # (number of rows,)
    parts: SharedParts | None = None  # the same rows, cut into parts, if all entries are 1

    def product(self, change: FloatArray) -> FloatArray:
        """The matrix times a change of the flow."""
        scaled = self.by_arc * change
        if self.parts is not None:
            image = self.parts.gram_product(self.weights, scaled)
        else:
            image = gram_product(self.rows.ptr, self.rows.arcs, self.entries, self.weights, scaled)
        return self.diagonal * change + self.by_arc * image

    def metric(self) -> FloatArray:
        """The diagonal of the matrix without its rows of negative weight."""
        weights, a = np.maximum(self.weights, 0.0), len(self.diagonal)
        if self.parts is not None:
            on_arcs = self.parts.totals(weights)
        elif len(self.entries):
            on_arcs = weighted_arc_totals(self.rows.ptr, self.rows.arcs, self.entries**2, weights, a)
        else:
            on_arcs = self.rows.totals(weights, a)
        return self.diagonal + self.by_arc**2 * on_arcs


@dataclass(frozen=True, eq=False)
class Local(ABC):
    """The rows of the pool at a flow: `values` are 1/F of each cycle, shape (k,), and they fall as flows grow."""

    cycles: Cycles
    flow: FloatArray
    values: FloatArray

    @abstractmethod
    def falls(self, change: FloatArray) -> FloatArray:
        """Decrease of each row along a change of the flow, to first order."""

    @abstractmethod
    def pull(self, multipliers: FloatArray) -> FloatArray:
        """Decrease of the rows times their multipliers per unit of flow on each arc."""

    @abstractmethod
    def hessian(self, multipliers: FloatArray, weights: FloatArray) -> Hessian:
        """Hessian of the rows times their multipliers, plus ``A' W A`` with the slopes A of the rows."""


@dataclass(frozen=True, eq=False)
class GaussianLocal(Local):
    """Rows ``sum of v / flow / gap^2``: the slope of row k at arc e is the product ``by_arc[e] * by_row[k]``."""

    by_arc: FloatArray
    by_row: FloatArray
    parts: SharedParts | None

    def falls(self, change: FloatArray) -> FloatArray:
        """See `Local.falls`."""
        scaled = self.by_arc * change
        sums = self.cycles.sums(scaled) if self.parts is None else self.parts.sums(scaled)
        return self.by_row * sums

    def pull(self, multipliers: FloatArray) -> FloatArray:
        """See `Local.pull`."""
        per_cycle = self.by_row * multipliers
        totals = self.cycles.totals(per_cycle, len(self.flow)) if self.parts is None else self.parts.totals(per_cycle)
        return self.by_arc * totals

    def hessian(self, multipliers: FloatArray, weights: FloatArray) -> Hessian:
        """See `Local.hessian`."""
        diagonal = 2.0 * self.pull(multipliers) / self.flow
        return Hessian(diagonal, self.by_arc, self.cycles, np.empty(0), weights * self.by_row**2, self.parts)


@dataclass(frozen=True, eq=False)
class LawLocal(Local):
    """Rows of any law. The Hessian of a row is the diagonal `curvature`, plus ``2 F slopes slopes'``, minus ``pulls pulls'``."""

    slopes: FloatArray
    curvature: FloatArray
    pulls: FloatArray

    def falls(self, change: FloatArray) -> FloatArray:
        """See `Local.falls`."""
        return np.add.reduceat(self.slopes * change[self.cycles.arcs], self.cycles.ptr[:-1])

    def pull(self, multipliers: FloatArray) -> FloatArray:
        """See `Local.pull`."""
        return self._totals(self.slopes, multipliers)

    def _totals(self, entries: FloatArray, multipliers: FloatArray) -> FloatArray:
        return weighted_arc_totals(self.cycles.ptr, self.cycles.arcs, entries, multipliers, len(self.flow))

    def hessian(self, multipliers: FloatArray, weights: FloatArray) -> Hessian:
        """See `Local.hessian`."""
        cycles, mu = self.cycles, multipliers
        both = Cycles(np.concatenate((cycles.ptr, cycles.ptr[-1] + cycles.ptr[1:])), np.tile(cycles.arcs, 2))
        entries = np.concatenate((self.slopes, self.pulls))
        weights = np.concatenate((weights + 2.0 * mu / self.values, -mu))
        return Hessian(self._totals(self.curvature, mu), np.ones(len(self.flow)), both, entries, weights)
