"""Large plans take little memory, and tables that do not fit are refused before they are built; the limit is made small here."""

import tracemalloc

import numpy as np
import pytest

import semibandits as sb
from semibandits import TooManyDecisionsError, matroids
from semibandits.decisions import tables
from semibandits.instances import Instance
from semibandits.regret_bound.cuts.oracle import DecisionPool, Oracle, best_with_each_item
from semibandits_studies.reporting.bound_payload import bound_payload

PAIRS = [(i, j) for i in range(4) for j in range(4)]
EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)]
CASES = {
    "m-sets": (sb.MSets(8, 3), {}),
    "m-sets, Bernoulli": (sb.MSets(8, 3), {"rewards": "bernoulli"}),
    "trees": (sb.SpanningTrees(EDGES), {}),
    "trees by cycles": (sb.SpanningTrees(EDGES), {"method": "cycles"}),
    "matchings": (sb.Matchings(PAIRS), {}),
    "matchings, Bernoulli": (sb.Matchings(PAIRS), {"rewards": "bernoulli"}),
    "matchings by columns": (sb.Matchings(PAIRS), {"method": "columns"}),
    "matchings by GLPG": (sb.Matchings(PAIRS), {"method": "glpg", "gap": 0.5}),
    "paths": (sb.Paths([(0, 1), (0, 1), (1, 2), (1, 2), (0, 2)], 0, 2), {}),
    "intersections": (sb.MatroidIntersection(matroids.Partition([0, 0, 1, 1], 1), matroids.Partition([0, 1, 0, 1], 1)), {}),
}


LISTED = ("matchings by columns", "matchings by GLPG")
"""Methods that keep tables of decisions while they solve."""


@pytest.mark.parametrize("name", [name for name in CASES if name not in LISTED])
def test_plans_take_memory_for_their_items_only(name, monkeypatch):
    decision_set, options = CASES[name]
    theta = np.linspace(0.9, 0.2, decision_set.d) ** 2
    table = sb.graves_lai(decision_set, theta, **options).plan.decisions
    monkeypatch.setattr(tables, "LARGEST_TABLE", len(table) * decision_set.d - 1)
    plan = sb.graves_lai(decision_set, theta, **options).plan
    with pytest.raises(
        TooManyDecisionsError,
        match=rf"got {len(table)} decisions over {decision_set.d} items.* use plan.items or plan.to_csr\(\) instead",
    ):
        plan.decisions  # noqa: B018
    assert [items.tolist() for items in plan.items] == [np.flatnonzero(row).tolist() for row in table]
    monkeypatch.setattr(tables, "LARGEST_TABLE", 1)
    with pytest.raises(TooManyDecisionsError, match=r"read a few decisions at a time from plan.items"):
        plan.to_csr()


@pytest.mark.parametrize("name", LISTED)
def test_too_large_tables_are_an_error(name, monkeypatch):
    decision_set, options = CASES[name]
    theta = np.linspace(0.9, 0.2, decision_set.d) ** 2
    assert len(sb.graves_lai(decision_set, theta, **options).plan) >= 1
    monkeypatch.setattr(tables, "LARGEST_TABLE", decision_set.d - 1)
    with pytest.raises(TooManyDecisionsError, match=rf"got \d+ decisions over {decision_set.d} items.* leave items out"):
        sb.graves_lai(decision_set, theta, **options)


@pytest.mark.parametrize(
    ("decision_set", "largest"),
    [(sb.MSets(100_000, 10), 60e6), (sb.MatroidBases(matroids.Partition(np.arange(100_000) % 50, 1)), 100e6)],
    ids=["m-sets", "partition"],
)
def test_peak_memory_at_a_hundred_thousand_items(decision_set, largest):
    """A table of these plans would take 10 GB."""
    theta = np.random.default_rng(0).random(decision_set.d)
    tracemalloc.start()
    result = sb.graves_lai(decision_set, theta)
    rates, peak = result.rates, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(result.plan) == decision_set.d - decision_set.m
    assert peak < largest
    if isinstance(decision_set, sb.MSets):  # each other item enters for the worst of the best, at rate 1/gap^2
        outside = ~result.optimal_decision
        expected = 1.0 / (theta[result.optimal_decision].min() - theta[outside]) ** 2
        np.testing.assert_allclose(rates[outside], expected, rtol=1e-9)


@pytest.mark.parametrize("d", [8, 60])
def test_a_pool_of_decisions_does_not_outgrow_the_limit(d, monkeypatch):
    """64 rows of d items, 7 of them in I, for each of which there is a number of eight bytes."""
    rows = np.zeros((65, d), dtype=bool)
    rows[:, :8] = np.unpackbits(np.arange(1, 66, dtype=np.uint8)[:, None], axis=1)
    pool = DecisionPool(np.arange(1, 8), d)
    monkeypatch.setattr(tables, "LARGEST_TABLE", 128 * max(7 * 8, d) - 1)
    for row in rows[:64]:
        pool.add(row, 1.0)
    with pytest.raises(TooManyDecisionsError, match="got 128 decisions"):
        pool.add(rows[64], 1.0)


def test_simulations_continue_without_the_bound(monkeypatch):
    class Pairs(sb.DecisionSet):
        d, m = 5, 2

        def maximize(self, weights):
            return sb.MSets(5, 2).maximize(weights)

    monkeypatch.setattr(tables, "LARGEST_TABLE", 1)
    result = sb.simulate(Pairs(), sb.GaussianRewards(np.linspace(1, 0, 5)), sb.CUCB(), 20, 1)
    assert result.lower_bound_interval is None


INSTANCE = sb.Matchings(PAIRS), np.linspace(0.9, 0.2, 16) ** 2
NAMED = Instance("matchings", *INSTANCE, np.full(16, 0.5), tuple(map(str, PAIRS)), {}, "pairs")


@pytest.mark.parametrize(
    ("bytes_an_item", "listed"),
    [
        (40, lambda result: result.to_json()),
        (40, lambda result: result.plan.to_frame()),
        (80, lambda result: bound_payload(NAMED, result, None)),
        (9, lambda result: result.plan.to_csr()),
    ],
    ids=["JSON", "frame", "payload", "sparse"],
)
def test_lists_that_do_not_fit_are_an_error(bytes_an_item, listed, monkeypatch):
    result = sb.graves_lai(*INSTANCE)
    needed = bytes_an_item * 4 * len(result.plan)
    monkeypatch.setattr(tables, "LARGEST_TABLE", needed)
    listed(result)
    monkeypatch.setattr(tables, "LARGEST_TABLE", needed - 1)
    with pytest.raises(
        TooManyDecisionsError,
        match=rf"got {len(result.plan)} decisions with {4 * len(result.plan)} items together.* from plan.items",
    ):
        listed(result)


def test_best_decisions_with_each_item_are_refused_before_they_take_memory(monkeypatch):
    decision_set, theta = sb.MSets(20_000, 2), np.random.default_rng(0).random(20_000)
    monkeypatch.setattr(tables, "LARGEST_TABLE", 1_000 * 20_000)
    tracemalloc.start()
    with pytest.raises(TooManyDecisionsError, match="got 1,001 decisions over 20,000 items"):
        best_with_each_item(Oracle(decision_set, theta), None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3e6
