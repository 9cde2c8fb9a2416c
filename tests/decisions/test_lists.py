"""Lists of decisions, compared with boolean tables."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as arrays

from semibandits.decisions.lists import Decisions


@st.composite
def tables(draw):
    """A table of decisions, with repetitions and empty rows, and a base."""
    count, d = draw(st.integers(0, 6)), draw(st.integers(1, 7))
    rows = draw(arrays.arrays(np.bool_, (count, d)))
    return rows, draw(arrays.arrays(np.bool_, d))


@given(tables(), st.booleans(), st.data())
def test_lists_agree_with_tables(table, with_base, data):
    rows, base = table
    lists = Decisions.of_rows(rows, base if with_base else None)
    np.testing.assert_array_equal(lists.dense(), rows)
    np.testing.assert_array_equal(lists.to_csr().toarray(), rows)
    assert [items.tolist() for items in lists] == [np.flatnonzero(row).tolist() for row in rows]
    np.testing.assert_array_equal(np.array([*lists.masks()]).reshape(rows.shape), rows)
    again = Decisions.of_lists(rows.shape[1], [np.flatnonzero(row)[::-1] for row in rows], base)
    np.testing.assert_array_equal(again.dense(), rows)
    other = data.draw(arrays.arrays(np.bool_, rows.shape[1]))
    moved = lists.on(other)
    np.testing.assert_array_equal(moved.base_mask, other)
    np.testing.assert_array_equal(moved.dense(), rows)
    values = data.draw(arrays.arrays(np.float64, rows.shape[1], elements=st.integers(-9, 9)))
    np.testing.assert_array_equal(lists.sums(values), rows @ values - lists.base_mask @ values)
    rates = data.draw(arrays.arrays(np.float64, len(rows), elements=st.integers(0, 9)))
    np.testing.assert_array_equal(lists.totals(rates), rates @ rows)
    firsts = [next(j for j in range(k + 1) if (rows[j] == rows[k]).all()) for k in range(len(rows))]
    assert lists.firsts().tolist() == firsts
    mask = data.draw(arrays.arrays(np.bool_, len(rows)))
    np.testing.assert_array_equal(lists.select(mask).dense(), rows[mask])
    order = np.flatnonzero(mask)[::-1]
    np.testing.assert_array_equal(lists.select(order).dense(), rows[order])


def test_totals_of_base_items_that_nearly_every_row_removes():
    """The difference of two sums of 1e14 would have no digit of a rate of 1e-3."""
    base, count = np.array([True, True, False]), 1_000
    rows = np.zeros((count, 3), dtype=bool)
    rows[:, 1:] = [False, True]
    rows[0] = [True, False, False]
    rates = np.full(count, 1e11)
    rates[0] = 1e-3
    lists = Decisions.of_rows(rows, base)
    np.testing.assert_array_equal(lists.totals(rates), [1e-3, 0.0, rates[1:].sum()])


def test_items_are_read_as_a_sequence():
    items = Decisions.of_rows(np.eye(4, dtype=bool), np.array([True, False, False, False]))
    assert [row.tolist() for row in items] == [[0], [1], [2], [3]]
    assert (items[-1].tolist(), [row.tolist() for row in items[1:3]], len(items[:2])) == ([3], [[1], [2]], 2)
    assert repr(items) == "Decisions(4 decisions, d=4)"
    with pytest.raises(IndexError):
        items[4]
