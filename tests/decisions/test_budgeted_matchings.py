"""P_BLM and P_IM on larger matchings, against HiGHS and the mirrored graph; small sets are in `tests/optimization`."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from semibandits.decisions.matchings import Matchings
from strategies import SATURATED


@pytest.mark.parametrize("saturate", SATURATED)
def test_a_budget_of_rounding_is_forgiven(saturate):
    # 0.1 + 0.2 > 0.3 in floating point: the only decision must be found in both orders of summation.
    decision_set = Matchings([(0, 0), (1, 1)], saturate=saturate)
    for at_least in (0.3, 0.1 + 0.2):
        assert decision_set.maximize_budgeted([-1.0, -1.0], [0.1, 0.2], at_least).all()


@pytest.mark.parametrize("saturate", SATURATED)
def test_medium_matchings_against_the_mirrored_graph(saturate):
    """Swapping rows and columns gives another graph and other duals, but the same values."""
    rng = np.random.default_rng(SATURATED.index(saturate))
    n_rows, n_columns = {"both": (9, 9), "rows": (8, 11), "columns": (11, 8), "none": (9, 10), "most": (9, 10)}[saturate]
    edges = [(r, c) for r in range(n_rows) for c in range(n_columns) if rng.random() < (0.2 if saturate == "most" else 0.7)]
    mirrored = {"rows": "columns", "columns": "rows"}.get(saturate, saturate)
    one = Matchings(edges, saturate=saturate)
    other = Matchings([(c, r) for r, c in edges], saturate=mirrored)
    for _ in range(10):
        rewards, budgets = rng.normal(size=(2, len(edges)))
        at_least = 0.5 * float(budgets @ one.maximize(budgets) + budgets @ one.maximize(rewards))
        x, y = (z.maximize_budgeted(rewards, budgets, at_least) for z in (one, other))
        assert rewards @ x == pytest.approx(rewards @ y, abs=1e-10)
        bonuses = budgets**2
        x, y = (z.maximize_index(rewards, bonuses) for z in (one, other))
        assert rewards @ x + math.sqrt(bonuses @ x) == pytest.approx(rewards @ y + math.sqrt(bonuses @ y), abs=1e-10)


def highs(matchings, rewards, budgets, at_least):
    """Largest reward of a perfect matching of a complete graph."""
    ends = [one == k for one in (matchings.row_index, matchings.column_index) for k in range(matchings.m)]
    constraints = [LinearConstraint(np.vstack(ends).astype(float), 1, 1), LinearConstraint(budgets[np.newaxis], at_least, np.inf)]
    whole = {"integrality": np.ones(matchings.d), "bounds": Bounds(0, 1)}
    return -milp(-rewards, constraints=constraints, **whole, options={"mip_rel_gap": 0.0}).fun


@pytest.mark.parametrize("kind", ["real", "integer", "opposed"])
@pytest.mark.parametrize("seed", range(4))
def test_larger_instances_against_highs(kind, seed):
    rng = np.random.default_rng(seed)
    matchings = Matchings(list(itertools.product(range(12), range(12))))
    a, c = rng.random((2, matchings.d))
    if kind == "integer":
        a, c = np.floor(20 * a), np.floor(20 * c)
    if kind == "opposed":
        a = 1 - c + 0.3 * a
    at_least = 0.4 * c @ matchings.maximize(a) + 0.6 * c @ matchings.maximize(c)
    x = matchings.maximize_budgeted(a, c, at_least)
    assert x in matchings
    assert c @ x >= at_least - 1e-11
    assert a @ x == pytest.approx(highs(matchings, a, c, at_least), abs=1e-5)


def test_where_every_matching_has_the_same_weight_at_the_best_multiplier():
    """Only listing all of them proves the answer."""
    matchings, c = Matchings(list(itertools.product(range(6), range(6)))), np.random.default_rng(3).random(36)
    sums = np.array([c[6 * np.arange(6) + x].sum() for x in itertools.permutations(range(6))])
    at_least = np.median(sums) + 1e-7
    x = matchings.maximize_budgeted(-c, c, at_least)
    assert c @ x == pytest.approx(sums[sums >= at_least].min(), abs=1e-13)
