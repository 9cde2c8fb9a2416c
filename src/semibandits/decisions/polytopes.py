"""Compact descriptions of conv(X): polynomially many linear rows over the items and, if needed, auxiliary variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.decisions.matchings import Matchings, sides
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidBases, MatroidDecisions
from semibandits.decisions.msets import MSets
from semibandits.decisions.paths import Paths
from semibandits.decisions.spanning_trees import SpanningTrees
from semibandits.decisions.tables import check_table
from semibandits.errors import UnsupportedError
from semibandits.matroids import Laminar, Matroid, Partition, Uniform

ZERO = 1e-9
"""Slacks and rates below this share of the number of plays count as rounding."""


@dataclass(frozen=True, eq=False)
class Polytope:
    """``conv(X) = {x in R^d : there is z with A (x, z) = b and G (x, z) <= h}``."""

    # Number of items: the first d columns of `equalities` and `inequalities`. The others belong to the auxiliaries z.
    d: int
    equalities: sparse.csr_array  # A, (e, d + a)
    totals: FloatArray  # b, (e,)
    inequalities: sparse.csr_array  # G, (g, d + a), including the signs of variables
    limits: FloatArray  # h, (g,)

    def __post_init__(self) -> None:
        self.totals.setflags(write=False)
        self.limits.setflags(write=False)

    @property
    def auxiliaries(self) -> int:
        """Number a of auxiliary variables."""
        return int(self.equalities.shape[1]) - self.d


def polytope(decision_set: DecisionSet) -> Polytope:
    """Compact description of the convex hull of the decisions.

    Paths: flow of value 1. Matchings, whatever they saturate: degrees equal to 1 or at most 1, without the
    pairs that are in none. m-sets and quotas, also two
    families of quotas at once: the sum is m, no item is above 1, and no group above its capacity (the rows of two laminar
    families are totally unimodular: Edmonds 1970). Spanning trees: the extended formulation of Martin (1991), with less than 2 d
    auxiliaries per node. Enumerated sets: the weights of the decisions as auxiliaries. `UnsupportedError` for other matroids and
    user-defined sets: not all matroids have a compact description (Rothvoß 2013).

    Assumption 5 of Cuvelier, Combes, Gourdin (ALT 2021) requires such rows without auxiliaries, which only exist for paths and
    perfect matchings (erratum 9).
    """
    if isinstance(decision_set, Paths):
        return _flows(decision_set)
    if isinstance(decision_set, Matchings):
        return _degrees(decision_set)
    if isinstance(decision_set, SpanningTrees):
        return _oriented_trees(decision_set)
    if isinstance(decision_set, MatroidDecisions) and _is_laminar(decision_set.matroid):
        return _limits(decision_set, decision_set.matroid)
    if isinstance(decision_set, MatroidIntersection) and _is_laminar(decision_set.m1) and _is_laminar(decision_set.m2):
        return _limits(decision_set, decision_set.m1, decision_set.m2)
    if isinstance(decision_set, EnumeratedDecisions):
        return mixtures(decision_set.enumerate(decision_set.count()))
    raise UnsupportedError(
        f"the decision set must have a compact description known to the library, got {type(decision_set).__name__}: "
        "use route='columns', which only needs maximize"
    )


def is_uniform(decision_set: DecisionSet) -> bool:
    """Whether the decisions are the m-sets of the items."""
    return isinstance(decision_set, MSets) or (
        isinstance(decision_set, MatroidBases) and isinstance(decision_set.matroid, Uniform)
    )


def _flows(paths: Paths) -> Polytope:
    items = np.arange(paths.d)
    n = len(paths.nodes)
    useful = np.flatnonzero(paths.useful_items)
    ends = np.concatenate((paths.tails[useful], paths.heads[useful]))
    signs = np.repeat((1.0, -1.0), len(useful))
    balance = sparse.csr_array((signs, (ends, np.concatenate((useful, useful)))), shape=(n, paths.d))
    surplus = np.zeros(n)
    surplus[paths.nodes.index(paths.source)], surplus[paths.nodes.index(paths.target)] = 1.0, -1.0
    unused = _unused(items[~paths.useful_items], paths.d)
    return Polytope(
        paths.d, stacked(balance, unused), np.append(surplus, np.zeros(unused.shape[0])), _signs(paths.d), np.zeros(paths.d)
    )


def _degrees(matchings: Matchings) -> Polytope:
    d = matchings.d
    *both, items = sides(matchings)
    unused = _unused(np.setdiff1d(np.arange(d), items), d)
    equal, below = [unused], [_signs(d)]
    for side in both:
        degrees = sparse.csr_array((np.ones(len(items)), (side.nodes, items)), shape=(side.size, d))
        (equal if side.is_matched else below).append(degrees)
    a, g = stacked(*equal), stacked(*below)
    totals = (np.arange(a.shape[0]) >= unused.shape[0]).astype(np.float64)
    return Polytope(d, a, totals, g, np.append(np.zeros(d), np.ones(g.shape[0] - d)))


def _is_laminar(matroid: Matroid) -> bool:
    """Whether the independent sets are those that respect the capacities of nested or disjoint sets."""
    return type(matroid) in (Uniform, Partition, Laminar)


def _limits(decision_set: DecisionSet, *matroids: Matroid) -> Polytope:
    """The sum is m, no item is above 1, and no group of these laminar matroids above its capacity."""
    d, one = decision_set.d, sparse.csr_array(sparse.eye_array(decision_set.d))
    groups, capacities = [_signs(d), one], [np.zeros(d), np.ones(d)]
    for matroid in matroids:
        if isinstance(matroid, Partition):
            groups.append(sparse.csr_array((np.ones(d), (matroid.groups, np.arange(d))), shape=(len(matroid.capacities), d)))
            capacities.append(matroid.capacities.astype(np.float64))
        elif isinstance(matroid, Laminar):
            groups.append(matroid.members)
            capacities.append(matroid.capacities.astype(np.float64))
    whole = sparse.csr_array(np.ones((1, d)))
    return Polytope(d, whole, np.array([float(decision_set.m)]), stacked(*groups), np.concatenate(capacities))


def _oriented_trees(trees: SpanningTrees) -> Polytope:
    """For each root r, z_r orients the tree towards r: one direction per edge, and one arc out of each node except r.

    The edges inside a node set S have total weight at most |S| - 1: root the tree in S and count the arcs out of the other nodes.
    """
    d, matroid = trees.d, trees.matroid
    edges = matroid.edges  # type: ignore[attr-defined]
    n, tails, heads = edges.n_nodes, edges.tails, edges.heads
    proper = np.flatnonzero(tails != heads)
    loops = np.flatnonzero(tails == heads)
    p = len(proper)
    out_of = np.concatenate((tails[proper], heads[proper]))
    either = beside(*[-sparse.eye_array(p)] * 2)
    leaving = sparse.csr_array((np.ones(2 * p), (out_of, np.arange(2 * p))), shape=(n, 2 * p))
    edge = sparse.csr_array((np.ones(p), (np.arange(p), proper)), shape=(p, d))
    unused = _unused(loops, d)
    towards = (np.arange(n)[:, None] != out_of).ravel()  # arcs out of the root are not variables
    elsewhere = np.flatnonzero(~np.eye(n, dtype=np.bool_))
    width = d + int(towards.sum())
    orientations = beside(stacked(*[edge] * n), _blocks(either, n)[:, towards])
    degrees = beside(sparse.csr_array((len(elsewhere), d)), _blocks(leaving, n)[elsewhere][:, towards])
    idle = beside(unused, sparse.csr_array((len(loops), width - d)))
    totals = np.concatenate((np.zeros(p * n), np.ones(len(elsewhere)), np.zeros(len(loops))))
    return Polytope(d, stacked(orientations, degrees, idle), totals, _signs(width), np.zeros(width))


def mixtures(decisions: BoolArray) -> Polytope:
    """Convex hull of some decisions, shape (n, d), with their n weights as auxiliaries."""
    n, d = decisions.shape
    mixed = beside(sparse.eye_array(d), -sparse.csr_array(decisions.astype(np.float64)).T)
    whole = beside(sparse.csr_array((1, d)), sparse.csr_array(np.ones((1, n))))
    signs = beside(sparse.csr_array((n, d)), -sparse.eye_array(n))
    return Polytope(d, stacked(mixed, whole), np.append(np.zeros(d), 1.0), sparse.csr_array(signs), np.zeros(n))


def _unused(items: IntArray, d: int) -> sparse.csr_array:
    """A row for each of these items."""
    return sparse.csr_array((np.ones(len(items)), (np.arange(len(items)), items)), shape=(len(items), d))


def _signs(n: int) -> sparse.csr_array:
    return sparse.csr_array(-sparse.eye_array(n))


def stacked(*blocks: Any) -> sparse.csr_array:
    """The blocks one above the other."""
    return sparse.csr_array(sparse.vstack(blocks))


def beside(*blocks: Any) -> sparse.csr_array:
    """The blocks side by side."""
    return sparse.csr_array(sparse.hstack(blocks))


def _blocks(block: Any, copies: int) -> sparse.csr_array:
    return sparse.csr_array(sparse.block_diag([block] * copies))


def decomposed(decision_set: DecisionSet, hull: Polytope, rates: FloatArray, plays: float) -> tuple[BoolArray, FloatArray]:
    """Decisions and rates > 0, in all `plays`, that add up to `rates`, shape (d,): a point of the cone of the hull.

    They add up to it up to rounding. `hull` has no auxiliaries. Rows of the description that are tight at the point are tight at
    every decision in a decomposition of it. P_LM finds a decision at which all of them are tight. Its rate is the largest that
    the other rows allow, which makes one more row tight. So there are at most dim + 1 terms.
    """
    rows, w, zero = hull.inequalities, rates.copy(), ZERO * plays
    decisions: list[BoolArray] = []
    weights: list[float] = []
    for _ in range(rows.shape[0] + 1):
        slack = hull.limits * plays - rows @ w
        tight = slack <= zero
        x = decision_set.maximize(tight.astype(np.float64) @ rows)
        room = hull.limits - rows @ x
        most = float(np.min(slack[room > 0.5] / room[room > 0.5], initial=plays))
        if plays <= zero or most <= 0.0:
            break
        check_table(len(decisions) + 1, len(x))
        decisions.append(x)
        weights.append(most)
        w, plays = w - most * x, plays - most
    return np.array(decisions, dtype=np.bool_).reshape(-1, len(rates)), np.array(weights)
