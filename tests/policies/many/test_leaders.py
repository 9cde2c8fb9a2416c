"""Leaders, against a comparison of all pairs of items."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semibandits._typing import FloatArray, IntArray
from semibandits.policies.many.leaders import Leaders


def not_dominated(roles: IntArray, needed: IntArray, counts: FloatArray, means: FloatArray) -> list[int]:
    """Items that fewer others dominate than are needed of their role."""

    def dominates(i: int, j: int) -> bool:
        return bool(roles[i] == roles[j] and counts[i] <= counts[j] and (-means[i], i) < (-means[j], j))

    items = range(len(roles))
    return [j for j in items if sum(dominates(i, j) for i in items) < needed[roles[j]]]


@given(st.data())
def test_they_are_the_items_that_few_others_dominate_after_each_change(data: st.DataObject) -> None:
    d = data.draw(st.integers(1, 14))
    roles = np.array(data.draw(st.lists(st.integers(0, 2), min_size=d, max_size=d)))
    needed = np.array(data.draw(st.lists(st.integers(0, 4), min_size=3, max_size=3)))
    count, mean = st.sampled_from([1.0, 2.0, 3.0]), st.sampled_from([-1.0, 0.0, 1e-13, 0.5])  # ties and near-ties
    counts = np.array(data.draw(st.lists(count, min_size=d, max_size=d)))
    means = np.array(data.draw(st.lists(mean, min_size=d, max_size=d)))
    leaders = Leaders(roles, needed, counts, means)
    for _ in range(data.draw(st.integers(0, 12))):
        item = data.draw(st.integers(0, d - 1))
        counts[item], means[item] = data.draw(count), data.draw(mean)
        leaders.update([item])
        if data.draw(st.booleans()):
            assert leaders.needed().tolist() == not_dominated(roles, needed, counts, means)
    assert leaders.needed().tolist() == not_dominated(roles, needed, counts, means)
    assert leaders.needed().tolist() == not_dominated(roles, needed, counts, means)


def test_entries_that_are_out_of_date_are_dropped() -> None:
    """A heap does not grow with the number of updates."""
    counts, means = np.ones(10), np.zeros(10)
    leaders = Leaders(np.zeros(10, dtype=np.int64), np.array([2]), counts, means)
    for k in range(2_000):
        means[3] = float(k % 7)
        leaders.update([3])
    (groups,) = leaders._groups
    assert len(groups[1.0].heap) < 100
    assert leaders.needed().tolist() == not_dominated(np.zeros(10, dtype=np.int64), np.array([2]), counts, means)
