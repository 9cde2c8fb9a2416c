"""Explicit lists of decisions against plain sums over their rows."""

import numpy as np
import pytest

from semibandits.decisions.enumerated import EnumeratedDecisions

ROWS = [[1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 1, 1], [1, 0, 0, 1]]


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
