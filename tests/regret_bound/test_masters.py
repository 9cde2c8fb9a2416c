"""The interior-point method, exact and iterative, and the second attempt if the first one fails."""

import math
from functools import cache

import numpy as np
import pytest
from bound_checks import largest_block, rows_of
from enumeration_reference import reference

import semibandits as sb
from example_sets import grid, matching, partitions
from semibandits.regret_bound.cycles import block as block_module
from semibandits.regret_bound.cycles.interior import InteriorPointMaster
from semibandits.regret_bound.cycles.master import MasterSolution, Standing
from semibandits.regret_bound.cycles.separation import Separator

FAMILIES = {
    "perfect matching": lambda: matching(6),
    "any matching": lambda: matching(5, saturate="none"),
    "grid": lambda: grid(6),
    "intersection": lambda: partitions(16, 4),
    "m-sets": lambda: sb.MSets(9, 4),
}


@pytest.mark.parametrize("spread", [0.0, 2.0, 5.0])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_value_of_the_pool_is_found(family, spread):
    """By iterative steps, too, to a lower accuracy."""
    decision_set = FAMILIES[family]()
    variance = 10.0 ** np.random.default_rng(3).uniform(-spread, spread, decision_set.d)
    block = largest_block(decision_set, 0, variance)
    rows = rows_of(block, filled=True)
    brackets = []
    exact, coarse = ([1e-8] * 6, 1e-6), ([1e-2, 1e-3, 1e-5], 1e-3)
    masters = [(InteriorPointMaster(rows), *exact)]
    if spread < 3.0:
        masters += [(InteriorPointMaster(rows, iterative=True), *coarse)]
    for master, accuracies, width in masters:
        for accuracy in accuracies:
            proposal = master.solve(accuracy, math.inf)
        assert proposal.is_sound(block)
        worst = rows.values(proposal.flow).max()
        upper = worst * (block.graph.costs @ proposal.flow)
        lower = rows.lower(proposal.multipliers, proposal.potentials).value
        balance = np.bincount(block.graph.heads, proposal.flow) - np.bincount(block.graph.tails, proposal.flow)
        assert abs(balance).max() <= 1e-12 * proposal.flow.max()
        brackets.append((lower, upper))
        assert upper * (1 - width) <= lower <= upper * (1 + 1e-9)
    assert max(lower for lower, _ in brackets) <= min(upper for _, upper in brackets) * (1 + 1e-9)


@pytest.mark.parametrize("gap", [0.9, 0.1])
@pytest.mark.parametrize("family", ["any matching", "intersection", "m-sets"])
def test_rows_that_come_and_go_leave_the_interior_method_on_its_way(family, gap):
    block = largest_block(FAMILIES[family](), 1)
    assert not block.informative.all(), "an instance with arcs that carry no item is wanted"
    rows = rows_of(block)
    pool, master = rows.pool, InteriorPointMaster(rows)
    for accuracy in (1e-1, 1e-2, 1e-4, 1e-6):
        master.solve(accuracy, math.inf)
        found = Separator.of(block).search(block.open_information(master.flow), 1.0)
        pool.add(found.cycles)
        feasible = max(found.ratio, 1.0) * master.flow
        master.extend(Standing(max(found.ratio - 1.0, 0.0), len(found.cycles), feasible, gap))
        keep = rows.values(master.flow) > 0.7
        keep[: len(block.cheapest)] = True
        pool.keep(keep)
        master.keep(keep)
    proposal = master.solve(1e-8, math.inf)
    fresh = InteriorPointMaster(rows)
    for _ in range(3):
        fresh.solve(1e-8, math.inf)
    assert block.graph.costs @ proposal.flow == pytest.approx(block.graph.costs @ fresh.flow, rel=1e-6)


class Broken:
    """A master that fails in one of several ways after a number of good proposals."""

    sound_calls, failure, made, patience = 0, "nan", (), 6

    def __init__(self, rows, start=None, **options):
        self._good = InteriorPointMaster(rows)
        self._calls = 0
        self.made.append(self)

    def first_accuracy(self, gap):
        return 1e-1

    def next_accuracy(self, accuracy, gap, now):
        return accuracy

    @property
    def flow(self):
        return self._good.flow

    def extend(self, now):
        self._good.extend(now)

    def keep(self, mask):
        self._good.keep(mask)

    def solve(self, accuracy, deadline):
        self._calls += 1
        proposal = self._good.solve(1e-1, deadline)
        if self._calls <= self.sound_calls:
            return proposal
        flow, mu, pi = proposal.flow.copy(), proposal.multipliers.copy(), proposal.potentials.copy()
        if self.failure == "nan":
            flow[0] = np.nan
        elif self.failure == "nan duals":
            mu[0] = np.nan
        elif self.failure == "zero":
            flow[:] = 0.0
        elif self.failure == "negative":
            flow[0] = -1.0
        elif self.failure == "wrong duals":
            mu, pi = np.roll(mu, 1), -pi
        elif self.failure == "far too small":
            flow *= 1e-6
        return MasterSolution(flow, mu, pi)


def break_masters(monkeypatch, number, sound_calls, failure):
    """The first masters are broken, so many of them."""
    for key, value in (("sound_calls", sound_calls), ("failure", failure), ("made", [])):
        monkeypatch.setattr(Broken, key, value)

    def made(*arguments, **options):
        return (Broken if len(Broken.made) < number else InteriorPointMaster)(*arguments, **options)

    monkeypatch.setattr(block_module, "InteriorPointMaster", made)


FAILURES = ["nan", "nan duals", "zero", "negative", "wrong duals", "far too small", "inaccurate"]


@cache
def problem(family):
    """A decision set, its mean rewards, and the reference."""
    decision_set = FAMILIES[family]()
    theta = np.random.default_rng(5).random(decision_set.d)
    return decision_set, theta, reference(decision_set.enumerate(), theta, np.full(decision_set.d, 0.5))


def solved(family, **options):
    decision_set, theta, truth = problem(family)
    return truth, sb.graves_lai(decision_set, theta, method="cycles", **options)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("sound_calls", [0, 2])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_second_master_takes_over(monkeypatch, family, sound_calls, failure):
    break_masters(monkeypatch, 1, sound_calls, failure)
    truth, s = solved(family)
    assert Broken.made
    assert s.status == "optimal"
    assert truth.lower * (1 - 1e-4 - 1e-9) <= s.lower <= truth.upper * (1 + 1e-9)
    assert truth.lower * (1 - 1e-9) <= s.value <= truth.upper * (1 + 2e-4)


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("family", ["perfect matching", "grid", "intersection"])
def test_if_no_master_works_the_bracket_is_still_right(monkeypatch, family, failure):
    break_masters(monkeypatch, math.inf, 0, failure)
    with pytest.raises(sb.SolverError, match=r"the relative gap must be at most 0\.0001") as caught:
        solved(family)
    truth, s = solved(family, throw=False)
    for result in (s, caught.value.result):
        assert result.status == "stalled"
        assert result.lower <= truth.upper * (1 + 1e-9)
        assert truth.lower * (1 - 1e-9) <= result.value <= 50 * truth.upper
