"""P_BLM and P_IM on matchings for every `saturate`, against enumeration."""

import math

import numpy as np
import pytest
from brute_force import forgiven
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from semibandits.decisions.matchings import Matchings
from semibandits.errors import Infeasible
from strategies import KINDS, SATURATED, bipartite_edges, vectors


@st.composite
def instances(draw, number=lambda numbers: numbers):
    """A set of matchings, all its decisions, and two vectors, each of one kind of numbers."""
    saturate = draw(st.sampled_from(SATURATED))
    decision_set = Matchings(draw(bipartite_edges(saturate, 10)), saturate)
    return decision_set, decision_set.enumerate(), *(number(draw(vectors(decision_set.d, KINDS))) for _ in range(2))


def unit(numbers):
    return float(np.abs(numbers).max())


@settings(max_examples=150)
@given(instances(), st.data())
def test_budgeted_equals_enumeration(instance, data):
    decision_set, rows, rewards, budgets = instance
    sums = rows @ budgets
    shift = data.draw(st.sampled_from([0.0, 0.0, 0.3, -0.3])) * unit(budgets)
    at_least = float(data.draw(st.sampled_from(sums.tolist()))) + shift
    met = sums >= at_least - forgiven(decision_set, budgets)
    # The answer must not depend on whether rounding moves a sum across the tolerance.
    assume((np.abs(sums - at_least + forgiven(decision_set, budgets)) > 1e-14 * unit(budgets)).all())
    if not met.any():
        with pytest.raises(Infeasible, match="lower at_least"):
            decision_set.maximize_budgeted(rewards, budgets, at_least)
        return
    x = decision_set.maximize_budgeted(rewards, budgets, at_least)
    assert x.dtype == np.bool_
    assert x in decision_set
    assert met[(rows == x).all(axis=1)].all()
    assert rewards @ x == pytest.approx((rows @ rewards)[met].max(), abs=1e-10 * unit(rewards), rel=0)
    assert np.array_equal(x, decision_set.maximize_budgeted(rewards, budgets, at_least))


@settings(max_examples=150)
@given(instances())
def test_index_equals_enumeration(instance):
    decision_set, rows, rewards, bonuses = instance
    bonuses = np.abs(bonuses)
    x = decision_set.maximize_index(rewards, bonuses)
    assert x in decision_set
    best = (rows @ rewards + np.sqrt(rows @ bonuses)).max()
    scale = unit(rewards) + math.sqrt(unit(bonuses))
    assert rewards @ x + math.sqrt(bonuses @ x) == pytest.approx(best, abs=1e-10 * scale, rel=0)
    assert np.array_equal(x, decision_set.maximize_index(rewards, bonuses))


@settings(max_examples=150)
@given(instances(np.abs), st.floats(0.05, 1.0), st.data())
def test_answers_are_exact_at_any_ratio(instance, ratio, data):
    decision_set, rows, rewards, budgets = instance
    sums = rows @ budgets
    at_least = float(data.draw(st.sampled_from(sums.tolist())))
    margin = forgiven(decision_set, budgets)
    x = decision_set.maximize_budgeted(rewards, budgets, at_least, ratio=ratio)
    assert x in decision_set
    assert budgets @ x >= at_least - 1.01 * margin
    best = (rows @ rewards)[sums >= at_least - 0.99 * margin].max()
    assert rewards @ x >= best - 1e-10 * unit(rewards)
    y = decision_set.maximize_index(rewards, budgets, ratio=ratio)
    best = (rows @ rewards + np.sqrt(sums)).max()
    scale = unit(rewards) + math.sqrt(unit(budgets))
    assert rewards @ y + math.sqrt(budgets @ y) >= best - 1e-10 * scale


@settings(max_examples=100)
@given(instances())
def test_the_front_answers_every_budget(instance):
    decision_set, rows, rewards, budgets = instance
    front = decision_set.budget_front(rewards, budgets)
    a, c = rows @ rewards, rows @ budgets
    margin = forgiven(decision_set, budgets)
    for at_least in c:
        x = front.best(float(at_least))
        assert x in decision_set
        assert budgets @ x >= at_least - 2 * margin
        assert rewards @ x >= a[c >= at_least].max() - 1e-10 * unit(rewards)


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
