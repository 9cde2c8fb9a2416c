"""Warm starts give correct results, whatever the earlier result."""

import itertools
import math
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from bound_checks import check_overlap, check_plan, means, variances
from enumeration_reference import reference

import semibandits as sb
from example_sets import FAMILIES, OnlyMaximizes, grid, matching, partitions
from semibandits.laws import Gaussian
from semibandits.regret_bound.cycles import block as block_module
from semibandits.regret_bound.cycles.circulation import CirculationSolver
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.cycles.warm_start import DecisionMemory, Memory
from semibandits.regret_bound.problem import Problem

MEDIUM = {
    "m-sets": lambda: sb.MSets(20, 4),
    "trees": lambda: sb.SpanningTrees(nx.complete_graph(8)),
    "paths": lambda: grid(7),
    "perfect matchings": lambda: matching(9),
    "any matchings": lambda: matching(6, saturate="none"),
    "row matchings": lambda: sb.Matchings([(i, j) for i in range(5) for j in range(9)], saturate="rows"),
    "intersections": lambda: partitions(40, 8),
    "lists": lambda: sb.EnumeratedDecisions(np.unique(np.random.default_rng(1).random((60, 12)) < 0.4, axis=0)),
    "long lists": lambda: sb.EnumeratedDecisions(np.unique(np.random.default_rng(1).random((600, 12)) < 0.4, axis=0)),
    "own": lambda: OnlyMaximizes(matching(5)),
}
BY_CYCLES = ("paths", "perfect matchings", "any matchings", "row matchings", "intersections")


def steps(result, share, rng):
    """Changes of theta by this share of the gap at which each item is explored; that of x* moves by the least of them."""
    suboptimal = result.suboptimal_items
    size = np.ones(len(suboptimal))
    if suboptimal.any():
        size[suboptimal] = np.sqrt(2.0 * result.variance[suboptimal] / result.rates[suboptimal])
        size[~suboptimal] = size[suboptimal].min()
    return share * size * rng.normal(size=len(size))


def exact_gaps(best, decisions, theta):
    """Gaps rounded once."""
    return np.array([math.fsum(theta[best].tolist() + (-theta[x]).tolist()) for x in decisions])


def smallest(gaps):
    """The smallest positive gap that is not a tie."""
    return gaps[gaps > 1e-11].min(initial=1.0)


def assert_same_bits(a, b):
    assert (a.value, a.lower) == (b.value, b.lower)
    np.testing.assert_array_equal(a.plan.decisions, b.plan.decisions)
    np.testing.assert_array_equal(a.plan.rates, b.plan.rates)


@pytest.mark.parametrize("share", [0.03, 0.5])
@pytest.mark.parametrize("family", FAMILIES)
def test_bracket_and_plan_on_random_walks(family, share):
    """Small steps, and large ones after which other decisions are optimal; integers have ties."""
    for trial, kind in enumerate(("real", "integer", "near-ties")):
        rng = np.random.default_rng([list(FAMILIES).index(family), trial, int(100 * share)])
        decision_set = FAMILIES[family](rng)
        decisions = decision_set.enumerate()
        theta, variance = means(rng, decision_set.d, kind), variances(rng, decision_set.d, "varied")
        last = sb.graves_lai(decision_set, theta, variance, gap=0.02)
        for step in range(4):
            theta = theta + steps(last, share, rng) if kind == "real" or step % 2 else means(rng, len(theta), kind)
            gap = (0.02, 1e-4)[step % 2]
            truth = reference(decisions, theta, variance)
            last = sb.graves_lai(decision_set, theta, variance, gap=gap, warm_start=last)
            assert last.gap <= gap
            # The reference subtracts sums of rewards, which costs it the last digits of small gaps.
            rounding = 1e-9 + 1e-15 * decision_set.m * abs(theta).max() / smallest(truth.gaps)
            check_overlap(last, truth, rounding)
            np.testing.assert_array_equal(last.suboptimal_items, truth.suboptimal)
            check_plan(last, decisions, exact_gaps(last.optimal_decision, decisions, theta), theta, variance)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("share", [0.02, 0.1, 1.0])
@pytest.mark.parametrize("family", MEDIUM)
def test_the_bracket_overlaps_that_of_a_cold_solve(family, share):
    decision_set = MEDIUM[family]()
    rng = np.random.default_rng(int(100 * share))
    theta = rng.uniform(size=decision_set.d)
    last = sb.graves_lai(decision_set, theta, gap=0.02)
    for _ in range(6):
        theta = theta + steps(last, share, rng)
        cold = sb.graves_lai(decision_set, theta, gap=1e-3)
        last = sb.graves_lai(decision_set, theta, gap=0.02, warm_start=last)
        assert last.gap <= 0.02
        check_overlap(last, cold, 0.0)
        np.testing.assert_array_equal(last.optimal_decision, cold.optimal_decision)
        np.testing.assert_array_equal(last.suboptimal_items, cold.suboptimal_items)
        assert all(x in decision_set for x in last.plan.decisions)
        np.testing.assert_allclose(last.rates, last.plan.rates @ last.plan.decisions, rtol=1e-12)


def nonsense(memory, n_arcs, rng):
    """Random arcs as cycles and random numbers as values; some cycles are unchanged."""
    size = 30
    lengths = rng.integers(1, 5, size)
    junk = Cycles(np.concatenate(([0], np.cumsum(lengths))), rng.integers(0, n_arcs, lengths.sum()))
    used, binding = Cycles.joined((memory.used, junk)), Cycles.joined((junk, memory.binding))
    shares, weights = (10.0 ** rng.uniform(-6, 6, len(cycles)) for cycles in (used, binding))
    return replace(memory, used=used, shares=shares, binding=binding, weights=weights)


@pytest.mark.parametrize("family", BY_CYCLES)
def test_nonsense_to_start_from_does_no_harm(family):
    """The stored state is only a starting point."""
    decision_set = MEDIUM[family]()
    rng = np.random.default_rng(3)
    theta = rng.uniform(size=decision_set.d)
    cold = sb.graves_lai(decision_set, theta, gap=1e-3)
    for _ in range(5):
        guess = replace(cold, _memory=nonsense(cold._memory, len(cold._memory.entering), rng))
        s = sb.graves_lai(decision_set, theta, gap=0.01, warm_start=guess)
        assert s.gap <= 0.01
        check_overlap(s, cold, 0.0)
        assert all(x in decision_set for x in s.plan.decisions)


def no_master(*_args, **_options):
    raise AssertionError("a master problem was solved")


@pytest.mark.parametrize("family", BY_CYCLES)
def test_no_master_is_needed_where_little_has_changed(family, monkeypatch):
    decision_set = MEDIUM[family]()
    rng = np.random.default_rng(5)
    theta = rng.uniform(size=decision_set.d)
    first = sb.graves_lai(decision_set, theta, gap=0.01)
    monkeypatch.setattr(block_module, "InteriorPointMaster", no_master)
    with pytest.raises(AssertionError, match="a master problem"):
        sb.graves_lai(decision_set, theta, gap=0.01)
    for change in (0.0, 1e-3):
        s = sb.graves_lai(decision_set, theta + steps(first, change, rng), gap=0.05, warm_start=first)
        assert s.gap <= 0.05


def test_cycles_apart_from_the_change_outlive_a_new_optimal_decision():
    """x* loses two pairs of a matching. Cycles through neither are recovered by their items."""
    decision_set, n = matching(8), 8
    rng = np.random.default_rng(2)
    theta = rng.uniform(size=(n, n)) + 1.5 * np.eye(n)
    before = sb.graves_lai(decision_set, theta.ravel(), gap=0.01)
    theta[0, 1] += 2.0
    theta[1, 0] += 2.0
    after = sb.graves_lai(decision_set, theta.ravel(), gap=0.01)
    assert (before.optimal_decision ^ after.optimal_decision).sum() == 4
    graph = decision_set.exchange_graph(theta.ravel())
    solver = CirculationSolver(Problem(decision_set, theta.ravel(), Gaussian(0.5), 1e-12, 0.01))
    (block,) = solver._presolved.blocks
    (start,) = before._memory.starts(graph, (block,))
    met = {frozenset(graph.entering[block.arcs[start.cycles[k]]].tolist()) for k in range(len(start.cycles))}
    old = before._memory
    all_old = (frozenset(old.entering[old.binding[k]].tolist()) for k in range(len(old.binding)))
    apart = {c for c in all_old if all(min(divmod(item, n)) > 1 for item in c)}
    assert len(apart) > 5
    assert apart <= met
    gaps = start.cycles.sums(block.graph.costs)
    np.testing.assert_allclose(start.squared_gaps, gaps**2)
    assert (start.flow[block.informative] > 0).all()


def test_columns_begin_with_the_decisions_of_the_last_master():
    decision_set = MEDIUM["own"]()
    rng = np.random.default_rng(4)
    theta = rng.uniform(size=decision_set.d)
    first = sb.graves_lai(decision_set, theta, gap=1e-3)
    assert isinstance(first._memory, DecisionMemory)
    assert all(x in decision_set for x in first._memory.decisions)
    cold = sb.graves_lai(decision_set, theta, gap=1e-3)
    warm = sb.graves_lai(decision_set, theta, gap=1e-3, warm_start=first)
    assert warm.stats["rounds"] < cold.stats["rounds"]


def test_memory_does_not_grow_from_solve_to_solve():
    decision_set = MEDIUM["perfect matchings"]()
    rng = np.random.default_rng(7)
    theta = rng.uniform(size=decision_set.d)
    last = sb.graves_lai(decision_set, theta, gap=0.02)
    for _ in range(40):
        last = sb.graves_lai(decision_set, theta + steps(last, 0.05, rng), gap=0.02, warm_start=last)
        assert len(last._memory.used) <= 2 * decision_set.d
        assert len(last._memory.binding) <= 2 * decision_set.d


@pytest.mark.one_in(3)
@pytest.mark.parametrize("factor", [2.0, 4.0, 0.5])
@pytest.mark.parametrize("family", [*FAMILIES, *MEDIUM])
def test_powers_of_two_change_no_digit(family, factor):
    """Rewards times c, variances times c^2: the same plan at the same rates, at c times the value; warm starts too."""
    rng = np.random.default_rng([[*FAMILIES, *MEDIUM].index(family), 9])
    decision_set = FAMILIES[family](rng) if family in FAMILIES else MEDIUM[family]()
    for kind, gap in itertools.product(("real", "near-ties"), (0.02, 1e-4)):
        theta, variance = means(rng, decision_set.d, kind), variances(rng, decision_set.d, "varied")
        near = theta + 0.01 * rng.normal(size=len(theta))
        pair = []
        for c in (1.0, factor):
            cold = sb.graves_lai(decision_set, c * theta, c * c * variance, gap=gap)
            pair.append((cold, sb.graves_lai(decision_set, c * near, c * c * variance, gap=gap, warm_start=cold)))
        for own, scaled in zip(*pair, strict=True):
            np.testing.assert_array_equal(own.rates, scaled.rates)
            np.testing.assert_array_equal(own.plan.decisions, scaled.plan.decisions)
            np.testing.assert_array_equal(own.plan.rates, scaled.plan.rates)
            assert factor * own.value == scaled.value
            assert factor * own.lower == scaled.lower


def test_a_start_in_other_units_is_as_good():
    """Stored data have no unit: between two solves the largest reward may pass a power of two."""
    decision_set = MEDIUM["perfect matchings"]()
    theta = np.random.default_rng(8).uniform(size=decision_set.d)
    first = sb.graves_lai(decision_set, theta, gap=0.02)
    other = sb.graves_lai(decision_set, 8.0 * theta, 0.5 * 64.0, gap=0.02)
    assert_same_bits(
        sb.graves_lai(decision_set, theta, gap=0.02, warm_start=first),
        sb.graves_lai(decision_set, theta, gap=0.02, warm_start=other),
    )


@pytest.mark.parametrize("family", MEDIUM)
def test_near_ties_and_ties_among_estimates(family):
    """Gaps of 1e-9 need rates of about 1e18, exact ties need no exploration. Estimates may change between the two."""
    decision_set = MEDIUM[family]()
    rng = np.random.default_rng(11)
    base = rng.integers(0, 3, decision_set.d).astype(float)
    last = None
    for eps in (0.0, 1e-9, 0.0, 1e-2, 1e-9):
        theta = base + eps * rng.integers(-3, 4, decision_set.d)
        last = sb.graves_lai(decision_set, theta, gap=0.02, warm_start=last)
        assert last.gap <= 0.02
        assert np.isfinite(last.rates).all()
        assert last.rates.max(initial=0.0) <= 1.01 * decision_set.d * decision_set.m / (eps or 1.0) ** 2
        cold = sb.graves_lai(decision_set, theta, gap=0.02)
        check_overlap(last, cold, 0.0)


def test_all_decisions_tied():
    decision_set = MEDIUM["perfect matchings"]()
    theta = np.random.default_rng(1).uniform(size=decision_set.d)
    first = sb.graves_lai(decision_set, theta, gap=0.02)
    tied = sb.graves_lai(decision_set, np.ones(decision_set.d), gap=0.02, warm_start=first)
    assert tied.value == tied.lower == 0.0
    assert not tied.rates.any()
    again = sb.graves_lai(decision_set, theta, gap=0.02, warm_start=tied)
    assert_same_bits(again, first)


def test_results_of_other_methods_are_legal():
    decision_set = matching(4)
    theta = np.random.default_rng(0).uniform(size=16)
    by_method = {
        method: sb.graves_lai(decision_set, theta, method=method, gap=0.05, throw=False)
        for method in ("cycles", "columns", "enumeration", "glpg")
    }
    for method, first in itertools.product(by_method, by_method.values()):
        s = sb.graves_lai(decision_set, theta, method=method, gap=0.05, throw=False, warm_start=first)
        assert s.lower <= by_method["cycles"].value
        assert by_method["cycles"].lower <= s.value
        if not isinstance(first._memory, Memory | DecisionMemory) or first.method != method:
            assert_same_bits(s, by_method[method])


def test_the_warm_start_memory_is_not_shown():
    result = sb.graves_lai(matching(4), np.random.default_rng(0).uniform(size=16), gap=0.05)
    assert "_memory" not in repr(result)
