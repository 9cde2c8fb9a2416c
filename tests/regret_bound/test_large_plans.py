"""Plans that do not fit into memory are refused before they are built; the limit is made small here."""

import numpy as np
import pytest

import semibandits as sb
from semibandits import matroids
from semibandits.errors import TooManyDecisionsError
from semibandits.regret_bound import tables
from semibandits.regret_bound.oracle import DecisionPool

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
    "intersections": (
        sb.MatroidIntersection(matroids.Partition([0, 0, 1, 1], 1), matroids.Partition([0, 1, 0, 1], 1)),
        {},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_too_large_plans_are_an_error(name, monkeypatch):
    decision_set, options = CASES[name]
    theta = np.linspace(0.9, 0.2, decision_set.d) ** 2
    result = sb.graves_lai(decision_set, theta, **options)
    assert len(result.plan) >= 1
    monkeypatch.setattr(tables, "LARGEST_TABLE", decision_set.d - 1)
    with pytest.raises(
        TooManyDecisionsError, match=rf"got \d+ decisions over {decision_set.d} items.* leave items out"
    ):
        sb.graves_lai(decision_set, theta, **options)


def test_the_limit_is_the_size_of_the_plan(monkeypatch):
    theta = np.linspace(1.0, 0.0, 8)
    monkeypatch.setattr(tables, "LARGEST_TABLE", 5 * 8)
    assert sb.graves_lai(sb.MSets(8, 3), theta).plan.decisions.shape == (5, 8)
    monkeypatch.setattr(tables, "LARGEST_TABLE", 5 * 8 - 1)
    monkeypatch.setattr(np, "tile", None)  # nothing is built
    with pytest.raises(TooManyDecisionsError, match="got 5 decisions over 8 items"):
        sb.graves_lai(sb.MSets(8, 3), theta)


def test_a_pool_of_decisions_does_not_outgrow_the_limit(monkeypatch):
    """64 rows of 8 items, 7 of them in I, for each of which there is a number of eight bytes."""
    rows = np.unpackbits(np.arange(1, 66, dtype=np.uint8)[:, None], axis=1).astype(bool)
    pool = DecisionPool(np.arange(1, 8), 8)
    monkeypatch.setattr(tables, "LARGEST_TABLE", 128 * 7 * 8 - 1)
    for row in rows[:64]:
        pool.add(row, 1.0)
    with pytest.raises(TooManyDecisionsError, match="got 128 decisions"):
        pool.add(rows[64], 1.0)


def test_simulations_continue_without_the_bound(monkeypatch):
    monkeypatch.setattr(tables, "LARGEST_TABLE", 1)
    result = sb.simulate(sb.MSets(5, 2), sb.GaussianRewards(np.linspace(1, 0, 5)), sb.CUCB(), 20, 1)
    assert result.lower_bound_interval is None


def test_gaps_of_a_plan_are_computed_in_parts(monkeypatch):
    """A product of the whole plan with the means would make a copy eight times its size."""

    class Part(np.ndarray):
        def __matmul__(self, other):
            assert len(self) <= 256
            return np.asarray(self) @ other

    theta = np.linspace(1.0, 0.0, 600)
    result = sb.graves_lai(sb.MSets(600, 10), theta)
    expected = theta[:10].sum() - np.asarray(result.plan.decisions, dtype=float) @ theta
    object.__setattr__(result.plan, "decisions", result.plan.decisions.view(Part))
    np.testing.assert_allclose(result.plan_gaps, expected, atol=1e-12)
