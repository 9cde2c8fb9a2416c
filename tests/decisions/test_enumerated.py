"""Explicit lists of decisions against plain sums over their rows."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.errors import InvalidInputError, TooManyDecisionsError, UnsupportedError

ROWS = [[1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 1, 1], [1, 0, 0, 1]]


@st.composite
def lists_and_weights(draw):
    d = draw(st.integers(1, 6))
    rows = draw(st.lists(st.tuples(*[st.integers(0, 1)] * d), min_size=1, max_size=12, unique=True))
    values = draw(st.sampled_from([st.integers(-2, 2).map(float), st.floats(-5, 5)]))
    return rows, np.array(draw(st.lists(values, min_size=d, max_size=d)))


@given(lists_and_weights())
@settings(max_examples=150, deadline=None, derandomize=True)
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


@given(lists_and_weights())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_contains_lists_and_counts_its_rows(case):
    rows, _ = case
    decisions = EnumeratedDecisions(rows)
    d = len(rows[0])
    assert decisions.d == d
    assert decisions.m == max(map(sum, rows))
    assert decisions.count() == len(rows)
    assert decisions.enumerate().tolist() == np.array(rows, dtype=bool).tolist()
    for mask in range(2**d):
        x = tuple(mask >> i & 1 for i in range(d))
        assert (x in decisions) == (x in rows)


def test_writing_to_results_does_not_change_the_set():
    given_rows = np.array(ROWS, dtype=bool)
    decisions = EnumeratedDecisions(given_rows)
    given_rows[:] = False
    assert decisions.enumerate().tolist() == np.array(ROWS, dtype=bool).tolist()
    decisions.maximize([1, 1, 0, 0])[:] = False
    assert decisions.maximize([1, 1, 0, 0]).tolist() == [True, True, False, False]
    with pytest.raises(ValueError, match="read-only"):
        decisions.enumerate()[0, 0] = False


def test_wide_rows_are_distinguished():
    # Rows longer than a byte that differ only in the last item.
    rows = np.zeros((2, 17), dtype=int)
    rows[1, 16] = 1
    decisions = EnumeratedDecisions(rows)
    assert rows[0] in decisions
    assert rows[1] in decisions
    assert np.eye(1, 17, dtype=int)[0] not in decisions


def test_labels_repr_and_unsupported_methods():
    decisions = EnumeratedDecisions(ROWS, items=["a", "b", ("c", 1), 7])
    assert decisions.items == ("a", "b", ("c", 1), 7)
    assert EnumeratedDecisions(ROWS).items == (0, 1, 2, 3)
    assert repr(decisions) == "EnumeratedDecisions(n=4, d=4, m=3)"
    with pytest.raises(TooManyDecisionsError, match="limit = 3 decisions to list, got 4"):
        decisions.enumerate(3)
    assert decisions.count(3) == 4
    with pytest.raises(UnsupportedError, match="no exchange graph"):
        decisions.exchange_graph([0, 0, 0, 0])


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([1, 0, 1], r"shape \(n, d\) with n, d >= 1, got \(3,\)"),
        (np.zeros((0, 3)), r"got \(0, 3\)"),
        (np.zeros((1, 0)), r"got \(1, 0\)"),
        ([[1, 0], [1]], "rows of equal length"),
        ([["1", "0"]], "entries of type <U1"),
        ([[1, 0], [0, 2]], "got 2 in row 1, column 1"),
        ([[1, 0.5]], "got 0.5 in row 0, column 1"),
        ([[1, np.nan]], "got nan in row 0, column 1"),
        ([[1, 0], [0, 1], [1, 1], [0, 1]], "the same decision in rows 1 and 3"),
    ],
)
def test_malformed_matrices(matrix, message):
    with pytest.raises(InvalidInputError, match=message):
        EnumeratedDecisions(matrix)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (["a", "b", "c"], "items must have d = 4 labels, got 3"),
        (["a", "b", "c", "b"], "'b' for columns 1 and 3"),
        (["a", "b", "c", []], "hashable"),
        ({"a", "b", "c", "d"}, "must be a sequence"),
    ],
)
def test_malformed_labels(items, message):
    with pytest.raises(InvalidInputError, match=message):
        EnumeratedDecisions(ROWS, items=items)


@pytest.mark.parametrize("weights", [[1, 2, 3], [1, 2, 3, np.nan], [[1, 2, 3, 4]], [1, 2, 3, -np.inf], "abcd"])
def test_malformed_weights(weights):
    with pytest.raises(InvalidInputError, match="weights must"):
        EnumeratedDecisions(ROWS).maximize(weights)


def test_weights_whose_sums_overflow():
    with pytest.raises(InvalidInputError, match=r"finite sums, got weights up to 1\.7e\+308"):
        EnumeratedDecisions(ROWS).maximize([1.7e308, 1.7e308, -1.7e308, -1.7e308])
