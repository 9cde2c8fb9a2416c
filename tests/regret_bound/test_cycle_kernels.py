"""Kernels on families of cycles, and components, against plain twins."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semibandits.kernels.graphs.cycle_decomposition import exchanged_items
from semibandits.kernels.graphs.cycles import are_closed, are_simple, carried_over, select_cycles
from semibandits.regret_bound.cycles.cycles import CyclePool, Cycles, strong_components
from strategies import ends_of, multigraphs

GRAPHS = multigraphs((1, 8), (0, 25)).map(lambda graph: (graph[0], *ends_of(graph[1])))
"""Directed multigraphs with loops: number of nodes, tails, heads."""


def family(lists):
    ptr = np.cumsum([0] + [len(arcs) for arcs in lists]).astype(np.int64)
    return Cycles(ptr, np.array([arc for arcs in lists for arc in arcs], dtype=np.int64))


def slow_is_simple(arcs, tails, heads):
    """As many nodes as arcs, each left and entered once, all in one piece."""
    graph = nx.MultiDiGraph((tails[arc], heads[arc], arc) for arc in arcs)
    once = all(graph.in_degree(v) == graph.out_degree(v) == 1 for v in graph)
    return len(arcs) > 0 and len(set(arcs)) == len(arcs) and once and nx.is_weakly_connected(graph)


@given(GRAPHS)
def test_components_against_networkx(graph):
    n, tails, heads = graph
    component = strong_components(n, tails, heads)
    reference = nx.DiGraph(zip(tails.tolist(), heads.tolist(), strict=True))
    reference.add_nodes_from(range(n))
    parts = {frozenset(part) for part in nx.strongly_connected_components(reference)}
    assert {frozenset(np.flatnonzero(component == k).tolist()) for k in range(component.max() + 1)} == parts


def test_a_long_path_and_a_long_cycle_of_components():
    """Nothing is recursive."""
    n = 100_000
    tails, heads = np.arange(n - 1), np.arange(1, n)
    assert len(np.unique(strong_components(n, tails, heads))) == n
    assert not strong_components(n, np.append(tails, n - 1), np.append(heads, 0)).any()


@given(GRAPHS, st.data())
def test_simple_cycles_against_the_definition(graph, data):
    n, tails, heads = graph
    arcs = st.lists(st.integers(0, len(tails) - 1), max_size=5) if len(tails) else st.just([])
    lists = data.draw(st.lists(arcs, max_size=6))
    # True cycles, shuffled, or nearly all families would be none.
    for cycle in list(nx.simple_cycles(nx.DiGraph(zip(tails.tolist(), heads.tolist(), strict=True))))[:5]:
        steps = zip(cycle, cycle[1:] + cycle[:1], strict=True)
        lists.append([int(np.flatnonzero((tails == u) & (heads == v))[0]) for u, v in steps][::-1])
    cycles = family(lists)
    expected = [slow_is_simple(arcs, tails, heads) for arcs in lists]
    np.testing.assert_array_equal(are_simple(cycles.ptr, cycles.arcs, tails, heads, n), expected)


@given(GRAPHS, st.data())
def test_closed_families_against_the_definition(graph, data):
    n, tails, heads = graph
    arcs = st.lists(st.integers(0, len(tails) - 1), max_size=5) if len(tails) else st.just([])
    lists = data.draw(st.lists(arcs, max_size=6))
    lists += [[int(arc), int(arc)] for arc in np.flatnonzero(tails == heads)]
    cycles = family(lists)
    expected = [sorted(tails[arcs].tolist()) == sorted(heads[arcs].tolist()) for arcs in lists]
    assert are_closed(cycles.ptr, cycles.arcs, tails, heads, n).tolist() == expected


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


@given(st.lists(st.tuples(st.lists(st.integers(0, 9), max_size=4), st.booleans()), max_size=8))
def test_selection_and_joining_against_lists(rows):
    cycles, mask = family([arcs for arcs, _ in rows]), np.array([keep for _, keep in rows], dtype=np.bool_)
    kept, dropped = (Cycles(*select_cycles(cycles.ptr, cycles.arcs, choice)) for choice in (mask, np.logical_not(mask)))
    expected = [arcs for arcs, keep in rows if keep]
    assert [kept[k].tolist() for k in range(len(kept))] == expected
    joined = Cycles.joined((kept, Cycles.empty(), dropped))
    assert [joined[k].tolist() for k in range(len(joined))] == expected + [arcs for arcs, keep in rows if not keep]
    assert joined.ptr[-1] == len(joined.arcs)


def test_values_find_their_places_in_the_pool():
    pool = CyclePool(np.ones(6))
    pool.add(family([[0, 1], [2], [3, 4, 5]]))
    values = pool.carried(family([[4, 3, 5], [1], [1, 0]]), np.array([7.0, 8.0, 9.0]))
    np.testing.assert_array_equal(values, [9.0, 0.0, 7.0])
