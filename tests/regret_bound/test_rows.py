"""The rows of a block: their derivatives, repairs and bounds, for every law."""

import math

import numpy as np
import pytest
from bound_checks import within
from law_cases import LAWS

import semibandits as sb
from semibandits.laws import Gaussian
from semibandits.regret_bound.cycles.cycles import CyclePool
from semibandits.regret_bound.cycles.local import GaussianLocal, LawLocal
from semibandits.regret_bound.cycles.master import positive_flow
from semibandits.regret_bound.cycles.presolve import presolve
from semibandits.regret_bound.cycles.rows import GaussianRows, LawRows, Rows

STEP = 1e-6


def drawn(name, seed=0):
    """Rows of the cheapest cycles of the largest block of a 4 x 4 matching, and a flow.

    Of the first draw that leaves a block and a cycle to price.
    """
    space = sb.Matchings([(i, j) for i in range(4) for j in range(4)])
    for attempt in range(100):
        rng = np.random.default_rng((seed, attempt))
        law, items = LAWS[name](rng, space.d)
        graph = space.exchange_graph(items.theta)
        blocks = presolve(graph, law, items.theta, within(1e-3, graph)).blocks
        if not blocks:
            continue
        block = max(blocks, key=lambda one: len(one.gaps))
        pool = CyclePool(block.graph.costs)
        rows = Rows.of(block, pool, math.inf)
        pool.add(rows.binding(block.cheapest))
        if len(pool):
            return rows, positive_flow(block) * rng.uniform(0.5, 2.0, len(block.gaps))
    raise AssertionError(f"no draw of {name} leaves a cycle")


@pytest.mark.parametrize("name", LAWS)
def test_slopes_and_hessians_are_derivatives(name):
    rows, flow = drawn(name)
    local = rows.local(flow)
    np.testing.assert_allclose(local.values, rows.ratios(rows.pool.cycles, flow))
    a, k = len(flow), len(rows.pool)

    def gradient(at):
        return -np.column_stack([rows.local(at).falls(arc) for arc in np.eye(a)])

    table = gradient(flow)
    for arc in range(a):
        moved = np.zeros(a)
        moved[arc] = STEP * flow[arc]
        ahead, behind = rows.ratios(rows.pool.cycles, flow + moved), rows.ratios(rows.pool.cycles, flow - moved)
        numeric = (ahead - behind) / (2.0 * moved[arc])
        np.testing.assert_allclose(table[:, arc], numeric, rtol=2e-4, atol=1e-6 * abs(table).max())
        column = (gradient(flow + moved) - gradient(flow - moved)) / (2.0 * moved[arc])
        expected = np.array([local.hessian(row, np.zeros(k)).product(np.eye(a)[arc]) for row in np.eye(k)])
        np.testing.assert_allclose(column, expected, rtol=2e-3, atol=1e-4 * abs(expected).max())


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("seed", range(3))
def test_a_repaired_flow_violates_its_cycles_no_more(name, seed):
    rows, flow = drawn(name, seed)
    cycles = rows.pool.cycles
    before = 0.3 * flow
    after = before.copy()
    rows.repair(after, cycles, 1e-3)
    assert (after >= before).all()
    graph = rows.block.graph
    added = after - before
    balance = np.bincount(graph.heads, added, graph.n) - np.bincount(graph.tails, added, graph.n)
    assert abs(balance).max() <= 1e-9 * max(added.max(), 1e-300)
    if isinstance(rows, GaussianRows):
        assert (rows.ratios(cycles, after) <= 1.0 + 1e-6).all()
    else:
        worst = rows.ratios(cycles, before).max(), rows.ratios(cycles, after).max()
        assert worst[1] <= max(1.0 + 1e-6, 1.0 + 0.2 * (worst[0] - 1.0))


def test_gaussian_rows_are_those_of_any_law():
    """The same law through cheapest raises instead of its formula."""
    rows, flow = drawn("gaussian")
    other = LawRows(rows.block, rows.pool, math.inf)
    one, two, cycles = rows.local(flow), other.local(flow), rows.pool.cycles
    assert isinstance(one, GaussianLocal)
    assert isinstance(two, LawLocal)
    slopes = one.by_arc[cycles.arcs] * one.by_row[cycles.rows]
    np.testing.assert_allclose(one.values, two.values, rtol=1e-9)
    np.testing.assert_allclose(slopes, two.slopes, rtol=1e-9)
    assert isinstance(rows, GaussianRows)
    assert rows.block.items.law.is_quadratic
    assert not Gaussian(0.5, upper=3.0).is_quadratic
    # The Hessian of any law is that of the formula: its two parts of rank one cancel out.
    np.testing.assert_allclose(2.0 * slopes / flow[cycles.arcs], two.curvature, rtol=1e-9)
    np.testing.assert_allclose(two.pulls**2, 2.0 / two.values[cycles.rows] * two.slopes**2, rtol=1e-9)
