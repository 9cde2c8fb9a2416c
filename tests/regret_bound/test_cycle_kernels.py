"""Kernels on families of cycles, and components of large graphs; small graphs are in `test_presolve.py`."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semibandits.kernels.graphs.cycle_decomposition import exchanged_items
from semibandits.kernels.graphs.cycles import carried_over, part_starts
from semibandits.regret_bound.cycles.cycles import Cycles, strong_components


def family(lists):
    ptr = np.cumsum([0] + [len(arcs) for arcs in lists]).astype(np.int64)
    return Cycles(ptr, np.array([arc for arcs in lists for arc in arcs], dtype=np.int64))


def test_a_long_path_and_a_long_cycle_of_components():
    """Nothing is recursive."""
    n = 100_000
    tails, heads = np.arange(n - 1), np.arange(1, n)
    assert len(np.unique(strong_components(n, tails, heads))) == n
    assert not strong_components(n, np.append(tails, n - 1), np.append(heads, 0)).any()


@given(st.lists(st.tuples(st.lists(st.integers(0, 9), unique=True, max_size=4), st.lists(st.integers(0, 9), max_size=6))))
def test_entries_in_another_order_of_the_arcs(pairs):
    known, wanted = family([arcs for arcs, _ in pairs]), family([arcs for _, arcs in pairs])
    entries = np.arange(1.0, len(known.arcs) + 1.0)
    carried = carried_over(known.ptr, known.arcs, entries, wanted.ptr, wanted.arcs, 10)
    for k, (arcs, others) in enumerate(pairs):
        mine = dict(zip(arcs, entries[known.ptr[k] :].tolist(), strict=False))
        assert carried[wanted.ptr[k] : wanted.ptr[k + 1]].tolist() == [mine.get(arc, 0.0) for arc in others]


@given(
    st.lists(st.tuples(st.integers(-1, 5), st.integers(-1, 5)), min_size=1, max_size=9),
    st.lists(st.booleans(), min_size=6, max_size=6), st.data(),
)  # fmt: skip
def test_items_of_exchanges_against_sets(items, best, data):
    leaving, entering = (np.array(one, dtype=np.int64) for one in zip(*items, strict=True))
    lists = data.draw(st.lists(st.lists(st.integers(0, len(items) - 1), max_size=6), max_size=6))
    cycles = family(lists)
    ptr, found = exchanged_items(cycles.ptr, cycles.arcs, leaving, entering, np.array(best))
    for k, arcs in enumerate(lists):
        enters, leaves = ({i for i in side[arcs].tolist() if i >= 0} for side in (entering, leaving))
        new = {i for i in enters if not best[i]} | {i for i in leaves - enters if best[i]}
        assert found[ptr[k] : ptr[k + 1]].tolist() == sorted(new)


def test_cycles_are_cut_at_marked_nodes_in_any_order():
    tails, heads = np.array([0, 1, 2, 3, 4]), np.array([1, 2, 3, 4, 0])
    ptr, arcs = np.array([0, 5, 10, 13]), np.array([0, 1, 2, 3, 4, 4, 3, 2, 1, 0, 0, 2, 3])
    starts, first = part_starts(ptr, arcs, tails, heads, np.array([False, False, True, False, False]))
    # Forwards 01|234, backwards 432|10, and 0|23, since arcs 0 and 2 do not meet.
    np.testing.assert_array_equal(starts, [0, 2, 5, 8, 10, 11])
    np.testing.assert_array_equal(first, [0, 2, 4, 6])
