"""Tree algebra of circulations against dense matrices."""

import numpy as np
import pytest

from semibandits.kernels.graphs.cycles import arc_totals, cycle_sums, gram_product, part_starts, weighted_arc_totals
from semibandits.kernels.graphs.exchange import incidence
from semibandits.kernels.graphs.laplacian import laplacian_solution
from semibandits.kernels.solver.newton import (
    ArcRows,
    chords_to_circulation,
    circulation_to_chords,
    reduced_hessian,
    scaled_to_unit_diagonal,
    spanning_tree,
    tree_potentials,
)


def instance(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    extra = rng.integers(0, n, (2, 10))
    tails, heads = np.column_stack(([np.arange(n), np.roll(np.arange(n), -1)], extra[:, extra[0] != extra[1]]))
    return rng, n, tails, heads, rng.permutation(len(tails))


def node_arc_table(n, tails, heads):
    """1 where an arc leaves a node, -1 where it arrives."""
    nodes = np.arange(n)[:, None]
    return 1.0 * (nodes == tails) - (nodes == heads)


def scattered(ptr, arcs, entries, a):
    """A row of `a` columns for each cycle, with the entries at its arcs."""
    table = np.zeros((len(ptr) - 1, a))
    table[np.repeat(np.arange(len(ptr) - 1), np.diff(ptr)), arcs] = entries
    return table


@pytest.mark.parametrize("seed", range(30))
def test_circulations_and_gradients(seed):
    rng, n, tails, heads, order = instance(seed)
    tree, in_tree = spanning_tree(n, tails, heads, order)
    assert in_tree.sum() == n - 1
    chords = np.flatnonzero(~in_tree)
    z = np.column_stack([chords_to_circulation(e, chords, tree) for e in np.eye(len(chords))])
    np.testing.assert_array_equal(node_arc_table(n, tails, heads) @ z, 0.0)
    np.testing.assert_array_equal(z[chords], np.eye(len(chords)))
    gradient = rng.normal(size=len(tails))
    np.testing.assert_allclose(circulation_to_chords(gradient, chords, tree), z.T @ gradient, atol=1e-12)
    potential = tree_potentials(tree, gradient)
    difference = potential[heads] - potential[tails]
    np.testing.assert_allclose(difference[in_tree], gradient[in_tree], atol=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_reduced_hessian(seed):
    rng, n, tails, heads, order = instance(seed)
    tree, in_tree = spanning_tree(n, tails, heads, order)
    chords, a = np.flatnonzero(~in_tree), len(tails)
    rows = [rng.choice(a, size=int(rng.integers(1, a)), replace=False) for _ in range(5)]
    ptr, arcs = np.cumsum([0, *map(len, rows)]), np.concatenate(rows)
    slope, weights, diagonal = rng.random(a), rng.random(5), rng.random(a)
    at_ptr, positions = incidence(a, arcs)
    owners = np.repeat(np.arange(5), np.diff(ptr))
    z = np.column_stack([chords_to_circulation(e, chords, tree) for e in np.eye(len(chords))])
    entries = rng.random(len(arcs))
    for of_entries, table in ((np.empty(0), scattered(ptr, arcs, 1.0, a)), (entries, scattered(ptr, arcs, entries, a))):
        entries_of = ArcRows(ptr, arcs, of_entries, at_ptr, positions, owners[positions])
        reduced = reduced_hessian(diagonal, slope, entries_of, weights, chords, tree)
        dense = table * slope
        expected = z.T @ (np.diag(diagonal) + dense.T @ np.diag(weights) @ dense) @ z
        np.testing.assert_allclose(np.tril(reduced), np.tril(expected), atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_sums_over_cycles(seed):
    rng = np.random.default_rng(seed)
    a = int(rng.integers(1, 9))
    rows = [rng.choice(a, size=int(rng.integers(1, a + 1)), replace=False) for _ in range(int(rng.integers(0, 6)))]
    ptr = np.cumsum([0, *map(len, rows)])
    arcs = np.concatenate([np.empty(0, dtype=np.int64), *rows])
    pattern = scattered(ptr, arcs, 1.0, a)
    values, per_cycle = rng.normal(size=a), rng.normal(size=len(rows))
    np.testing.assert_allclose(cycle_sums(ptr, arcs, values), pattern @ values, atol=1e-14)
    np.testing.assert_allclose(arc_totals(ptr, arcs, per_cycle, a), pattern.T @ per_cycle, atol=1e-14)
    entries = rng.normal(size=len(arcs))
    expected = pattern.T @ (per_cycle * (pattern @ values))
    np.testing.assert_allclose(gram_product(ptr, arcs, np.empty(0), per_cycle, values), expected, atol=1e-13)
    pattern = scattered(ptr, arcs, entries, a)
    expected = pattern.T @ (per_cycle * (pattern @ values))
    np.testing.assert_allclose(gram_product(ptr, arcs, entries, per_cycle, values), expected, atol=1e-13)
    found = weighted_arc_totals(ptr, arcs, entries, per_cycle, a)
    np.testing.assert_allclose(found, pattern.T @ per_cycle, atol=1e-14)


def test_scaling_to_a_unit_diagonal():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(6, 6)) * 10.0 ** rng.uniform(-3, 3, 6)[:, None]
    matrix = root @ root.T
    scaled = matrix.copy()
    scale = scaled_to_unit_diagonal(scaled)
    np.testing.assert_allclose(scale, np.diagonal(matrix) ** -0.5, rtol=1e-14)
    np.testing.assert_allclose(np.tril(scaled), np.tril(matrix * scale * scale[:, None]), rtol=1e-12)
    assert np.isnan(scaled_to_unit_diagonal(np.array([[1.0, 0.0], [0.0, 0.0]]))[1])


@pytest.mark.parametrize("decades", [0, 6])
@pytest.mark.parametrize("seed", range(5))
def test_potentials_of_a_laplacian(seed, decades):
    rng, n, tails, heads, _ = instance(seed)
    weights = 10.0 ** rng.uniform(-decades, decades, len(tails))
    table = node_arc_table(n, tails, heads)
    excess = table @ (weights * rng.normal(size=len(tails)))
    potentials, steps = laplacian_solution(tails, heads, weights, excess, 1e-12, 1000)
    assert steps < 1000
    left, degree = excess - table @ (weights * (table.T @ potentials)), abs(table) @ weights
    assert np.sqrt((left**2 / degree).sum()) <= 1e-9 * np.sqrt((excess**2 / degree).sum())
    assert not laplacian_solution(tails, heads, weights, np.zeros(n), 1e-12, 1000)[0].any()


def test_cycles_are_cut_at_marked_nodes_in_any_order():
    tails, heads = np.array([0, 1, 2, 3, 4]), np.array([1, 2, 3, 4, 0])
    ptr, arcs = np.array([0, 5, 10, 13]), np.array([0, 1, 2, 3, 4, 4, 3, 2, 1, 0, 0, 2, 3])
    starts, first = part_starts(ptr, arcs, tails, heads, np.array([False, False, True, False, False]))
    # Forwards 01|234, backwards 432|10, and 0|23, since arcs 0 and 2 do not meet.
    np.testing.assert_array_equal(starts, [0, 2, 5, 8, 10, 11])
    np.testing.assert_array_equal(first, [0, 2, 4, 6])
