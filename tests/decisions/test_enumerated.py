"""Explicit lists of decisions against plain sums over their rows."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.decisions.enumerated import EnumeratedDecisions
from strategies import WHOLE, lists_of_decisions, with_vectors

ROWS = [[1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 1, 1], [1, 0, 0, 1]]


@given(with_vectors(lists_of_decisions(), WHOLE | st.floats(-5, 5), size=lambda rows: len(rows[0])))
@settings(max_examples=150)
def test_maximize_equals_enumeration(case):
    rows, weights = case
    decisions = EnumeratedDecisions(rows)
    totals = [sum((Fraction(w) for w, chosen in zip(weights, row, strict=True) if chosen), Fraction(0)) for row in rows]
    x = decisions.maximize(weights)
    assert tuple(x) in rows
    chosen = totals[rows.index(tuple(x))]
    assert max(totals) - chosen <= Fraction(2) ** -50 * Fraction(float(np.abs(weights).sum()))
    if (weights == np.rint(weights)).all():
        assert rows.index(tuple(x)) == totals.index(max(totals))


def test_writing_to_results_does_not_change_the_set():
    given_rows = np.array(ROWS, dtype=bool)
    decisions = EnumeratedDecisions(given_rows)
    given_rows[:] = False
    assert decisions.enumerate().tolist() == np.array(ROWS, dtype=bool).tolist()
    decisions.maximize([1, 1, 0, 0])[:] = False
    assert decisions.maximize([1, 1, 0, 0]).tolist() == [True, True, False, False]
    with pytest.raises(ValueError, match="read-only"):
        decisions.enumerate()[0, 0] = False


def test_labels_and_counts():
    decisions = EnumeratedDecisions(ROWS, items=["a", "b", ("c", 1), 7])
    assert decisions.items == ("a", "b", ("c", 1), 7)
    assert EnumeratedDecisions(ROWS).items == (0, 1, 2, 3)
    assert repr(decisions) == "EnumeratedDecisions(n=4, d=4, m=3)"
    assert decisions.count(3) == 4
