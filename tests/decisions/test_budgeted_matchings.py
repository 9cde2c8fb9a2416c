"""P_BLM and P_IM on larger matchings for every `saturate`; small sets are in `tests/optimization`."""

import math

import numpy as np
import pytest

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
    n_rows, n_columns = {"both": (9, 9), "rows": (8, 11), "columns": (11, 8), "none": (9, 10)}[saturate]
    edges = [(r, c) for r in range(n_rows) for c in range(n_columns) if rng.random() < 0.7]
    mirrored = {"both": "both", "rows": "columns", "columns": "rows", "none": "none"}[saturate]
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
