"""Checks for tests of `graves_lai`, and mean rewards and variances for them."""

import math

import numpy as np
import pytest
from enumeration_reference import reference

import semibandits as sb
from example_sets import largest_matchings, matching, partitions
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.decisions.ties import Ties
from semibandits.laws import Gaussian
from semibandits.regret_bound.cycles.cycles import CyclePool
from semibandits.regret_bound.cycles.presolve import presolve
from semibandits.regret_bound.cycles.rows import Rows
from semibandits.regret_bound.cycles.separation import Separator

GAP = 1e-4
LAYERS = [("s", (0, j)) for j in range(3)] + [((2, i), "t") for i in range(3)]
LAYERS += [((k, i), (k + 1, j)) for k in range(2) for i in range(3) for j in range(3)]
SMALL = {
    "m-sets": lambda: sb.MSets(7, 3),
    "paths": lambda: sb.Paths(LAYERS, "s", "t"),
    "perfect matchings": lambda: matching(4),
    "any matchings": lambda: matching(3, saturate="none"),
    "largest matchings": lambda: largest_matchings(),
    "row matchings": lambda: matching(3, 4, saturate="rows"),
    "intersections": lambda: partitions(9, 3, 1),
    "lists": lambda: sb.EnumeratedDecisions(np.unique(np.random.default_rng(1).random((20, 7)) < 0.5, axis=0)),
}
"""Sets with few enough decisions to list them."""


def within(tolerance, graph):
    """Decisions tie if their gap is at most this, whatever their items."""
    return Ties(np.ones(max(graph.entering.max(), graph.leaving.max()) + 2), tolerance)


def exchange_graph(n, arcs, hub=()):
    """Graph from (tail, head, cost, has item); items are numbered by arc."""
    tails, heads = (np.array([arc[k] for arc in arcs], dtype=np.int64) for k in (0, 1))
    entering = np.array([k if arc[3] else -1 for k, arc in enumerate(arcs)], dtype=np.int64)
    costs, none = np.array([arc[2] for arc in arcs], dtype=float), np.full(len(arcs), -1, dtype=np.int64)
    optimal = np.zeros(len(arcs), dtype=bool)
    return ExchangeGraph(optimal, n, tails, heads, costs, entering, none, np.zeros(n), np.array(hub, dtype=np.int64))


def largest_block(decision_set, seed, variance=0.5):
    """The largest block of a set with random mean rewards."""
    theta = np.random.default_rng(seed).random(decision_set.d)
    graph = decision_set.exchange_graph(theta)
    blocks = presolve(graph, Gaussian(variance), theta, within(1e-11, graph)).blocks
    return max(blocks, key=lambda block: len(block.gaps))


def rows_of(block, *, filled=False):
    """Rows of the cheapest cycles and, if filled, of those that their flow violates."""
    pool = CyclePool(block.graph.costs)
    pool.add(block.cheapest)
    if filled:
        pool.add(Separator.of(block).search(np.where(block.informative, block.gaps**2, 0.0), 1.0).cycles)
    return Rows.of(block, pool, math.inf)


def means(rng, d, kind):
    """Mean rewards: real, integer with ties, all equal but one, of many sizes, and with gaps down to 1e-6."""
    if kind == "real":
        return rng.normal(size=d)
    if kind == "integer":
        return rng.integers(-3, 4, d).astype(float)
    if kind == "ties":
        theta = np.ones(d)
        theta[rng.integers(d)] = rng.choice([0.0, 2.0])
        return theta
    if kind == "sizes":
        return 10.0 ** rng.uniform(-3, 0, d)
    return rng.integers(0, 3, d) + 1e-6 * rng.integers(0, 4, d)


def variances(rng, d, kind):
    return np.full(d, 0.5) if kind == "plain" else 10.0 ** rng.uniform(-1, 1, d)


def check_overlap(first, second, rounding=1e-9):
    """Two brackets, of results or of a reference, have a number in common, up to rounding."""
    assert first.lower <= second.value * (1.0 + rounding)
    assert second.lower <= first.value * (1.0 + rounding)


def check(decision_set, theta, variance, method="auto", gap=GAP, coarse=1e-5, slack=lambda gaps: 0.0):
    """The bracket overlaps that of the reference, whose relative width is at most `coarse`, and the plan is correct."""
    listed = getattr(decision_set, "_inner", decision_set)
    decisions = listed.enumerate()
    truth = reference(decisions, theta, variance)
    assert truth.upper - truth.lower <= coarse * truth.upper, "the reference itself is too coarse"
    s = sb.graves_lai(decision_set, theta, variance=variance, method=method, gap=gap)
    assert s.gap <= gap
    check_overlap(s, truth)
    assert s.lower >= truth.lower * (1 - gap - 1e-9)
    np.testing.assert_array_equal(s.suboptimal_items, truth.suboptimal)
    rewards = decisions @ theta
    assert s.optimal_decision @ theta == pytest.approx(rewards.max(), abs=1e-12)
    assert s.optimal_decision in listed
    check_plan(s, decisions, truth.gaps, theta, variance, slack)
    return s


def check_plan(s, decisions, gaps, theta, variance, slack=lambda gaps: 0.0):
    """It holds decisions that cost the value together, and explores as much as each gap asks for, up to the slack."""
    # Gaps are differences of sums of rewards, which costs them the last digits where they are small.
    rounding = 1e-9 + 2e-15 * decisions.sum(axis=1).max() * abs(theta).max() / gaps[gaps > 1e-11].min(initial=1.0)
    known = {row.tobytes(): gap for row, gap in zip(decisions, gaps, strict=True)}
    plan = s.plan
    assert len(np.unique(plan.decisions, axis=0)) == len(plan)
    assert (plan.rates > 0).all()
    plan_gaps = np.array([known[x.tobytes()] for x in plan.decisions])  # KeyError: not a decision
    assert (plan_gaps > 0).all()
    np.testing.assert_allclose(s.rates, plan.rates @ plan.decisions, rtol=1e-12)
    assert plan.rates @ plan_gaps == pytest.approx(s.value, rel=rounding, abs=1e-300)
    items = s.suboptimal_items
    if not items.any():
        assert s.value == s.lower == 0.0
        assert len(plan) == 0
        return
    used = decisions[:, items].any(axis=1)
    left = decisions[used][:, items] @ (2.0 * variance[items] / s.rates[items])
    assert (left <= gaps[used] ** 2 * (1 + rounding + slack(gaps[used]))).all()
