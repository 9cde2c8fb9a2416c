"""Limits on time, labels and accuracy: whatever stops a solve, the bracket is valid and the status is correct."""

import math
import time

import numpy as np
import pytest
from bound_checks import SMALL, check_overlap, check_plan, largest_block
from enumeration_reference import reference

import semibandits as sb
from example_sets import grid, matching, partitions, random_intersection
from marks import later
from semibandits.kernels.graphs import exchange
from semibandits.kernels.machine import tiers
from semibandits.kernels.oracles.queries import query_linear
from semibandits.kernels.solver.verification import worst_closed_walk
from semibandits.regret_bound import problem
from semibandits.regret_bound.certificates import cycle_ratios, worst_cycle
from semibandits.regret_bound.certificates.recheck import check_kept
from semibandits.regret_bound.certificates.worst_cycle import Verification
from semibandits.regret_bound.cuts import enumeration
from semibandits.regret_bound.cycles import block, circulation, interior, presolve, rows, separation
from semibandits.regret_bound.cycles.separation import Separator
from semibandits.regret_bound.plan import plan_by_columns

FAMILIES = [name for name in SMALL if name != "m-sets"]
BY_CYCLES = FAMILIES[:-1]


def instance(family, seed=0):
    decision_set = SMALL[family]()
    rng = np.random.default_rng(seed)
    theta, variance = rng.normal(size=decision_set.d), 10.0 ** rng.uniform(-1, 1, decision_set.d)
    return decision_set, theta, variance, reference(decision_set.enumerate(), theta, variance)


@pytest.mark.parametrize("seconds", [1e-6, 1e-3])
@pytest.mark.parametrize("family", FAMILIES)
def test_time_limits_end_with_a_right_bracket(family, seconds):
    decision_set, theta, variance, truth = instance(family)
    late = sb.graves_lai(decision_set, theta, variance, gap=1e-9, time_limit=seconds, throw=False)
    assert late.status in ("time_limit", "optimal")
    assert late.lower <= truth.upper * (1 + 1e-9)
    assert truth.lower * (1 - 1e-9) <= late.value <= 20 * decision_set.m * truth.upper
    check_plan(late, decision_set.enumerate(), truth.gaps, theta, variance)
    message = "reached the gap"
    try:
        again = sb.graves_lai(decision_set, theta, variance, gap=1e-9, time_limit=seconds)
    except sb.SolverError as error:
        again, message = error.result, str(error)
    assert message == "reached the gap" or "(time_limit)" in message
    assert again.status == ("optimal" if message == "reached the gap" else "time_limit")
    check_overlap(again, truth)


def test_time_that_ends_before_the_problem_is_set_up(monkeypatch):
    """The bracket is then open above, and still a right one."""
    monkeypatch.setattr(circulation, "SETUP", 0.0)
    monkeypatch.setattr("semibandits.regret_bound.cycles.presolve.NODES_AT_ONCE", 1)
    decision_set, theta, _, truth = instance("perfect matchings")
    late = sb.graves_lai(decision_set, theta, time_limit=1e-6, throw=False)
    assert (late.lower, late.value, late.gap, late.status) == (0.0, math.inf, 1.0, "time_limit")
    assert len(late.plan) == 0
    assert not late.rates.any()
    assert not late.suboptimal_items.any()  # which they are is not known
    np.testing.assert_array_equal(late.optimal_decision, decision_set.maximize(theta))
    assert late.to_json()["value"] is None
    with pytest.raises(sb.SolverError, match=r"0 <= C\(theta\) <= inf; allow more time"):
        sb.graves_lai(decision_set, theta, time_limit=1e-6)
    assert truth.lower > 0.0


@pytest.mark.parametrize("method", ["columns", "glpg"])
def test_other_methods_that_are_not_set_up_in_time(method, monkeypatch):
    monkeypatch.setattr(problem, "SETUP", 0.0)
    decision_set, theta, _, _ = instance("perfect matchings")
    late = sb.graves_lai(decision_set, theta, method=method, time_limit=1e-9, throw=False)
    assert (late.lower, late.value, late.status, late.method) == (0.0, math.inf, "time_limit", method)
    assert not late.suboptimal_items.any()


def test_a_kept_bound_that_cannot_be_checked_in_time_is_refused(monkeypatch):
    decision_set, theta, _, _ = instance("perfect matchings")
    kept = sb.graves_lai(decision_set, theta)
    monkeypatch.setattr(enumeration, "MAX_DECISIONS", 2)
    check_kept(kept)
    monkeypatch.setattr(circulation, "SETUP", 0.0)
    monkeypatch.setattr("semibandits.regret_bound.cycles.presolve.NODES_AT_ONCE", 1)
    with pytest.raises(sb.InvalidInputError):
        check_kept(kept, time_limit=1e-9)


class Clock:
    """A clock that advances by a fixed number of seconds at each call."""

    def __init__(self, step):
        self.now, self.step = 0.0, step

    def seconds(self):
        self.now += self.step
        return self.now


@pytest.mark.parametrize("rewards", ["gaussian", "bernoulli"])
def test_compiling_is_not_counted_against_the_time_limit(monkeypatch, rewards):
    """Compiling may take longer than most limits. Here it is simulated by a clock that jumps between two readings."""
    clock, seconds, late = time.perf_counter, tiers.seconds, [0.0]

    def compiling():
        with tiers._timed(query_linear, "a test"):
            late[0] += 1e6
        return seconds()

    monkeypatch.setattr(tiers, "perf_counter", lambda: clock() + late[0])
    monkeypatch.setattr(tiers, "seconds", compiling)
    theta = np.random.default_rng(0).random(36)
    assert sb.graves_lai(matching(6), theta, rewards=rewards, time_limit=1e3, throw=False).status == "optimal"
    assert late[0] > 1e6
    monkeypatch.undo()
    tiers._thread.compiling -= late[0]


@pytest.mark.parametrize("looks", [1, 10, 30, 100])
@pytest.mark.parametrize("decision_set", [grid(8), matching(10), partitions(60, 8), matching(12, saturate="none")])
def test_time_that_runs_out_at_any_step_leaves_a_right_bracket(monkeypatch, decision_set, looks):
    """The clock counts its readings, so a limit ends the solve at the same step on every machine."""
    theta = np.random.default_rng(3).random(decision_set.d)
    full = sb.graves_lai(decision_set, theta, gap=1e-4)
    clock = Clock(1.0)
    for module in (circulation, block, cycle_ratios, interior, presolve, rows, separation, worst_cycle):
        monkeypatch.setattr(module, "tiers", clock)
    s = sb.graves_lai(decision_set, theta, gap=1e-8, time_limit=float(looks), throw=False)
    assert s.status in ("time_limit", "optimal")
    assert s.status == "time_limit" or looks >= 30
    assert 0.0 <= s.lower <= full.value
    assert full.lower <= s.value < math.inf
    assert clock.now <= looks + 60.0  # few readings after the limit: nothing new is started


@pytest.mark.parametrize("family", BY_CYCLES)
@pytest.mark.parametrize("seed", range(3))
def test_without_verification_the_simple_bound_holds(monkeypatch, family, seed):
    decision_set, theta, variance, truth = instance(family, seed)
    monkeypatch.setattr(circulation, "MAX_LABELS", 0)
    monkeypatch.setattr(circulation, "LABELS_AN_ARC", 0)
    s = sb.graves_lai(decision_set, theta, variance, throw=False)
    assert s.status == ("stalled" if s.gap > 1e-4 else "optimal")
    assert s.lower >= truth.lower * (1 - 1e-4)
    assert truth.lower * (1 - 1e-9) <= s.value <= 3 * decision_set.m * truth.upper
    check_plan(s, decision_set.enumerate(), truth.gaps, theta, variance)


def test_a_verification_that_fails_is_repeated_at_higher_ratios(monkeypatch):
    decision_set, theta, variance, truth = instance("perfect matchings")
    exact, asked = circulation.worst_ratio, []

    def impatient(graph, information, *, at_least, max_labels, deadline):
        asked.append(at_least)
        if at_least < 1.05:
            return Verification(math.inf, None, max_labels, complete=False)
        return exact(graph, information, at_least=at_least, max_labels=max_labels, deadline=deadline)

    monkeypatch.setattr(circulation, "worst_ratio", impatient)
    s = sb.graves_lai(decision_set, theta, variance, throw=False)
    assert asked == [1.0, 1.01, 1.1]
    assert s.value == pytest.approx(1.1 * truth.upper, rel=2e-4)
    assert s.status == "stalled"
    check_plan(s, decision_set.enumerate(), truth.gaps, theta, variance)


def block_and_flow(decision_set, seed):
    block, rng = largest_block(decision_set, seed), np.random.default_rng(seed)
    rng.random(decision_set.d)  # the mean rewards of the block
    return block, np.where(block.informative, block.gaps**2 * rng.uniform(0.01, 2.0, len(block.gaps)), 0.0)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("decision_set", [grid(5), matching(6), matching(4, saturate="none"), partitions(24, 6)])
@pytest.mark.parametrize("labels", [20, 100, 1000])
def test_a_search_with_few_labels_returns_a_bound(monkeypatch, decision_set, labels):
    monkeypatch.setattr(separation, "FIRST_LABELS", labels // 4)
    for seed in range(5):
        block, u = block_and_flow(decision_set, seed)
        truth = Separator.of(block).search(u, 1e-3).ratio
        found = Separator.of(block, max_labels=labels).search(u, 0.5)
        assert found.ratio >= truth * (1 - 1e-12)
        for k in range(len(found.cycles)):
            cycle = found.cycles[k]
            assert u[cycle].sum() / block.graph.costs[cycle].sum() ** 2 == pytest.approx(found.ratios[k], rel=1e-9)


def test_a_search_without_time_returns_no_bound():
    block, u = block_and_flow(matching(6), 0)
    found = Separator.of(block, deadline=time.perf_counter() - 1.0, max_labels=3).search(u, 0.5)
    assert found.ratio == math.inf
    assert len(found.cycles) == 0


def test_laps_round_a_cheap_cycle_are_not_labelled():
    """Two slack cycles of cost 1e-6 in a row, beside cycles of cost 1: the search used to repeat them endlessly."""
    tails = np.array([0, 1, 1, 2, 2, 0, 0])
    heads = np.array([1, 0, 2, 1, 0, 2, 1])
    costs = np.array([5e-7, 5e-7, 5e-7, 5e-7, 0.5, 0.5, 1.0])
    u = np.array([2e-13, 2e-13, 2e-13, 2e-13, 0.3, 0.3, 0.2])
    graph = exchange.arcs_of(3, tails, heads)
    for start in range(3):
        distances = exchange.distances_to(start, graph, costs, np.ones(3, dtype=bool))[0]
        *_, is_done = worst_closed_walk(start, graph, costs, u, distances, 1.0, 1e-12, True, 50)
        assert is_done


@pytest.mark.parametrize("decision_set", [matching(5), *later(matching(6), matching(8)), matching(4, saturate="none")])
def test_searches_of_a_growing_flow_look_again_only_where_they_must(decision_set):
    for seed in range(5):
        block, u = block_and_flow(decision_set, seed)
        rng, separator = np.random.default_rng(seed), Separator.of(block)
        for factor in (1.0, 0.8, 0.5, 1.5, 0.1):
            u = u * factor * rng.uniform(0.7, 1.0, len(u))
            threshold = float(rng.uniform(0.1, 1.5))
            found, alone = separator.search(u, threshold), Separator.of(block).search(u, threshold)
            truth = Separator.of(block).search(u, 1e-3).ratio
            worst = max(found.ratios, default=threshold)
            assert found.ratio == pytest.approx(max(worst, threshold), rel=1e-9)
            assert found.ratio == pytest.approx(alone.ratio, rel=1e-9)
            assert found.ratio == pytest.approx(max(truth, threshold), rel=1e-9)


@pytest.mark.parametrize("gap", [0.5, 1e-6, 1e-8])
@pytest.mark.parametrize("family", FAMILIES)
def test_gaps_loose_and_tight_are_reached(family, gap):
    for seed in range(3):
        decision_set, theta, variance, truth = instance(family, seed)
        s = sb.graves_lai(decision_set, theta, variance, gap=gap)
        assert s.gap <= gap
        check_overlap(s, truth)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_gap_beyond_floating_point_fails_cleanly(family):
    decision_set, theta, variance, truth = instance(family, 1)
    with pytest.raises(sb.SolverError, match=r"reached .* \(stalled\)") as caught:
        sb.graves_lai(decision_set, theta, variance, gap=1e-15)
    s = caught.value.result
    assert s.gap <= 1e-8
    check_overlap(s, truth)


@pytest.mark.parametrize(("decision_set", "gap"), [(matching(20), 1e-8), (grid(12), 1e-8), (partitions(100, 10), 1e-7)])
def test_tight_gaps_on_medium_instances(decision_set, gap):
    theta = np.random.default_rng(2).random(decision_set.d)
    tight, loose = sb.graves_lai(decision_set, theta, gap=gap), sb.graves_lai(decision_set, theta, gap=1e-3)
    assert tight.gap <= gap
    check_overlap(loose, tight)


@pytest.mark.parametrize("seed", range(4))
def test_a_plan_by_columns_without_time_covers_its_target(seed):
    rng = np.random.default_rng(seed)
    space = random_intersection(rng)
    theta, rows = rng.random(space.d), space.enumerate()
    optimal = space.maximize(theta)
    target = np.where(rows.any(axis=0) & ~optimal, rng.random(space.d), 0.0)
    plan = plan_by_columns(space, theta, optimal, target, 1.0, rows[:0], 1e-6, -math.inf)
    assert all(row in space for row in plan.decisions)
    assert (plan.item_rates >= target * (1.0 - 1e-12)).all()
