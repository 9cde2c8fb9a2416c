"""Newton steps by conjugate gradients against factorised ones, and solves that use them against enumeration."""

import math

import numpy as np
import pytest
from bound_checks import check_overlap, largest_block, rows_of
from enumeration_reference import reference
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from example_sets import grid
from semibandits.regret_bound.cycles import block as block_module
from semibandits.regret_bound.cycles import newton_systems, segments
from semibandits.regret_bound.cycles.local import GaussianLocal, Hessian
from semibandits.regret_bound.cycles.master import Chords, positive_flow
from semibandits.regret_bound.cycles.newton_systems import Laplacians, ProjectedGradients, factorised
from semibandits.regret_bound.cycles.rows import LawRows
from semibandits.regret_bound.cycles.segments import SharedParts

FAMILIES = {
    "perfect matching": lambda: sb.Matchings([(i, j) for i in range(5) for j in range(5)]),
    "any matching": lambda: sb.Matchings([(i, j) for i in range(4) for j in range(4)], saturate="none"),
    "grid": lambda: grid(5),
    "m-sets": lambda: sb.MSets(8, 3),
}


def block_and_rows(decision_set, seed):
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
@pytest.mark.parametrize("family", FAMILIES)
def test_both_ways_give_the_newton_step(monkeypatch, family, law_rows, sparse_factor):
    monkeypatch.setattr(newton_systems, "CHEAP", 1e9 if sparse_factor else 0.0)
    block, rows = block_and_rows(FAMILIES[family](), 0)
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
    block, rows = block_and_rows(FAMILIES["grid"](), 0)
    flow = positive_flow(block)
    local, k = rows.local(flow), len(rows.pool)
    chords, method = (Chords.of_lightest(block, flow), ProjectedGradients(Laplacians(block.graph), block.graph, 1e-2, math.inf))
    nothing = local.hessian(np.zeros(k), np.zeros(k))
    assert factorised(nothing, chords) is None
    assert method.prepared(nothing, chords) is None
    assert method.prepared(local.hessian(np.full(k, np.inf), np.zeros(k)), chords) is None


@pytest.mark.parametrize("family", FAMILIES)
def test_shared_parts_give_the_same_sums(monkeypatch, family):
    block, rows = block_and_rows(FAMILIES[family](), 2)
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


def always_iterate(monkeypatch):
    for name in ("MANY_CHORDS", "MOST_CHORDS"):
        monkeypatch.setattr(block_module, name, 0)


@settings(max_examples=15, deadline=None)
@given(family=st.sampled_from(sorted(FAMILIES)), seed=st.integers(0, 10**6), kind=st.sampled_from(["real", "ties", "close"]))
def test_brackets_without_a_factorised_matrix_contain_the_truth(family, seed, kind):
    decision_set, rng = FAMILIES[family](), np.random.default_rng(seed)
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


@pytest.mark.parametrize("law", ["bernoulli", "poisson"])
def test_other_laws_without_a_factorised_matrix(monkeypatch, law):
    decision_set = FAMILIES["perfect matching"]()
    theta = np.random.default_rng(3).uniform(0.1, 0.9, decision_set.d)
    plain = sb.graves_lai(decision_set, theta, law=law, method="cycles", gap=1e-3)
    always_iterate(monkeypatch)
    s = sb.graves_lai(decision_set, theta, law=law, method="cycles", gap=1e-3)
    assert s.gap <= 1e-3
    check_overlap(s, plain)


@pytest.mark.parametrize("family", ["grid", "sparse matching"])
def test_middle_instances_agree_with_the_factorised_matrix(monkeypatch, family):
    rng = np.random.default_rng(0)
    pairs = sorted({(i, int(j)) for _ in range(4) for i, j in enumerate(rng.permutation(60))})
    decision_set = grid(12) if family == "grid" else sb.Matchings(pairs)
    theta = rng.random(decision_set.d)
    plain = sb.graves_lai(decision_set, theta, gap=1e-4)
    always_iterate(monkeypatch)
    s = sb.graves_lai(decision_set, theta, gap=1e-4)
    assert s.gap <= 1e-4
    check_overlap(s, plain)
    again = sb.graves_lai(decision_set, theta, gap=1e-4)
    assert (s.lower, s.value) == (again.lower, again.value)
