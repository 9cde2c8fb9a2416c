"""The interior-point method, exact and iterative, its Newton steps, and the second attempt if the first one fails."""

import math
from functools import cache

import numpy as np
import pytest
from bound_checks import check_overlap, largest_block, rows_of
from enumeration_reference import reference
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from example_sets import grid, matching, partitions
from semibandits.regret_bound.cycles import block as block_module
from semibandits.regret_bound.cycles import newton_systems, segments
from semibandits.regret_bound.cycles.interior import InteriorPointMaster
from semibandits.regret_bound.cycles.local import GaussianLocal, Hessian
from semibandits.regret_bound.cycles.master import Chords, MasterSolution, Standing, positive_flow
from semibandits.regret_bound.cycles.newton_systems import Laplacians, ProjectedGradients, factorised
from semibandits.regret_bound.cycles.rows import LawRows
from semibandits.regret_bound.cycles.segments import SharedParts
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


SMALLER = {
    "perfect matching": lambda: sb.Matchings([(i, j) for i in range(5) for j in range(5)]),
    "any matching": lambda: sb.Matchings([(i, j) for i in range(4) for j in range(4)], saturate="none"),
    "grid": lambda: grid(5),
    "m-sets": lambda: sb.MSets(8, 3),
}


def block_with_rows(decision_set, seed):
    block = largest_block(decision_set, seed)
    return block, rows_of(block, filled=True)


def dense(hessian, a):
    table = np.zeros((len(hessian.rows), a))
    entries = hessian.entries if len(hessian.entries) else np.ones(len(hessian.rows.arcs))
    np.add.at(table, (hessian.rows.rows, hessian.rows.arcs), entries)
    table = table * hessian.by_arc
    return np.diag(hessian.diagonal) + table.T @ (hessian.weights[:, None] * table)


@pytest.mark.parametrize("sparse_factor", [False, True])
@pytest.mark.parametrize("law_rows", [False, True])
@pytest.mark.parametrize("family", SMALLER)
def test_both_ways_give_the_newton_step(monkeypatch, family, law_rows, sparse_factor):
    monkeypatch.setattr(newton_systems, "CHEAP", 1e9 if sparse_factor else 0.0)
    block, rows = block_with_rows(SMALLER[family](), 0)
    if law_rows:
        rows = LawRows(block, rows.pool, math.inf)
    rng, flow = np.random.default_rng(1), positive_flow(block)
    flow *= 1.1 * rows.values(flow).max()
    a, k = len(flow), len(rows.pool)
    hessian = rows.local(flow).hessian(rng.random(k), 10.0 ** rng.uniform(-2.0, 2.0, k))
    hessian.diagonal[:] += 0.1 * hessian.diagonal.max()
    change, table = rng.normal(size=a), dense(hessian, a)
    np.testing.assert_allclose(hessian.product(change), table @ change, rtol=1e-9, atol=1e-9 * abs(table).max())
    positive = Hessian(*(vars(hessian) | {"weights": np.maximum(hessian.weights, 0.0)}).values())
    np.testing.assert_allclose(hessian.metric(), dense(positive, a).diagonal())
    chords, gradient = Chords.of_lightest(block, flow), rng.normal(size=a)
    exact = factorised(hessian, chords)(gradient)
    method = ProjectedGradients(Laplacians(block.graph), block.graph, 1e-10, math.inf)
    close = method.prepared(hessian, chords)(gradient)
    np.testing.assert_allclose(close, exact, atol=1e-6 * abs(exact).max())
    assert 0 < method.iterations < newton_systems.MOST_ITERATIONS


def test_singular_systems_are_refused():
    block, rows = block_with_rows(SMALLER["grid"](), 0)
    flow = positive_flow(block)
    local, k = rows.local(flow), len(rows.pool)
    chords, method = (Chords.of_lightest(block, flow), ProjectedGradients(Laplacians(block.graph), block.graph, 1e-2, math.inf))
    nothing = local.hessian(np.zeros(k), np.zeros(k))
    assert factorised(nothing, chords) is None
    assert method.prepared(nothing, chords) is None
    assert method.prepared(local.hessian(np.full(k, np.inf), np.zeros(k)), chords) is None


@pytest.mark.parametrize("family", SMALLER)
def test_shared_parts_give_the_same_sums(monkeypatch, family):
    block, rows = block_with_rows(SMALLER[family](), 2)
    cycles = rows.pool.cycles
    assert SharedParts.of(cycles, block.graph) is None
    monkeypatch.setattr(segments, "MANY", 0)
    monkeypatch.setattr(segments, "LONG", 0)
    monkeypatch.setattr(segments, "NODES_A_PART", 2)
    parts = SharedParts.of(cycles, block.graph)
    rng, a, k = np.random.default_rng(0), len(block.gaps), len(cycles)
    values, per_cycle = rng.random(a), rng.random(k)
    np.testing.assert_allclose(parts.sums(values), cycles.sums(values))
    np.testing.assert_allclose(parts.totals(per_cycle), cycles.totals(per_cycle, a), atol=1e-14)
    product = cycles.totals(per_cycle * cycles.sums(values), a)
    np.testing.assert_allclose(parts.gram_product(per_cycle, values), product, atol=1e-13)
    local = rows.local(positive_flow(block))
    assert isinstance(local, GaussianLocal)
    assert local.parts is not None
    whole = GaussianLocal(local.cycles, local.flow, local.values, local.by_arc, local.by_row, None)
    np.testing.assert_allclose(local.falls(values), whole.falls(values))
    np.testing.assert_allclose(local.pull(per_cycle), whole.pull(per_cycle))
    both = [one.hessian(per_cycle, 1.0 + per_cycle) for one in (local, whole)]
    np.testing.assert_allclose(*(one.product(values) for one in both))
    np.testing.assert_allclose(*(one.metric() for one in both))


RNG = np.random.default_rng(0)
SPARSE = sorted({(i, int(j)) for _ in range(4) for i, j in enumerate(RNG.permutation(60))})
"""Pairs of a sparse bipartite graph with a perfect matching."""


def always_iterate(monkeypatch):
    for name in ("MANY_CHORDS", "MOST_CHORDS"):
        monkeypatch.setattr(block_module, name, 0)


@settings(max_examples=15, deadline=None)
@given(family=st.sampled_from(sorted(SMALLER)), seed=st.integers(0, 10**6), kind=st.sampled_from(["real", "ties", "close"]))
def test_brackets_without_a_factorised_matrix_contain_the_truth(family, seed, kind):
    decision_set, rng = SMALLER[family](), np.random.default_rng(seed)
    theta = rng.random(decision_set.d) if kind == "real" else rng.integers(-1, 3, decision_set.d).astype(np.float64)
    if kind == "close":
        theta += 1e-3 * rng.integers(0, 3, decision_set.d)
    variance = 10.0 ** rng.uniform(-1.0, 1.0, decision_set.d)
    truth = reference(decision_set.enumerate(), theta, variance)
    with pytest.MonkeyPatch.context() as monkeypatch:
        always_iterate(monkeypatch)
        s = sb.graves_lai(decision_set, theta, variance, method="cycles", gap=1e-3)
    check_overlap(s, truth)
    assert s.gap <= 1e-3


@pytest.mark.parametrize(
    ("decision_set", "law", "gap"),
    [
        *((SMALLER["perfect matching"](), law, 1e-3) for law in ("bernoulli", "poisson")),
        *((decision_set, "gaussian", 1e-4) for decision_set in (grid(12), sb.Matchings(SPARSE))),
    ],
)
def test_other_laws_and_middle_instances_agree_with_the_factorised_matrix(monkeypatch, decision_set, law, gap):
    theta = np.random.default_rng(3).uniform(0.1, 0.9, decision_set.d)
    plain = sb.graves_lai(decision_set, theta, law=law, method="cycles", gap=gap)
    always_iterate(monkeypatch)
    s, again = (sb.graves_lai(decision_set, theta, law=law, method="cycles", gap=gap) for _ in range(2))
    assert s.gap <= gap
    check_overlap(s, plain)
    assert (s.lower, s.value) == (again.lower, again.value)
