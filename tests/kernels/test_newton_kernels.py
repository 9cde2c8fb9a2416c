"""Tree algebra of circulations against dense matrices."""

import numpy as np
import pytest

from semibandits.kernels.cycles import arc_totals, cycle_sums, gram_product, part_starts, weighted_arc_totals
from semibandits.kernels.exchange import incidence
from semibandits.kernels.laplacian import laplacian_solution
from semibandits.kernels.newton import (
    ArcRows,
    chords_to_circulation,
    circulation_to_chords,
    reach,
    reduced_hessian,
    scaled_to_unit_diagonal,
    spanning_tree,
    tree_potentials,
)


def instance(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    cycle = np.arange(n)
    extra = rng.integers(0, n, (2, 10))
    extra = extra[:, extra[0] != extra[1]]
    tails = np.concatenate((cycle, extra[0]))
    heads = np.concatenate((np.roll(cycle, -1), extra[1]))
    order = rng.permutation(len(tails))
    return rng, n, tails, heads, order


@pytest.mark.parametrize("seed", range(30))
def test_circulations_and_gradients(seed):
    rng, n, tails, heads, order = instance(seed)
    tree, in_tree = spanning_tree(n, tails, heads, order)
    assert in_tree.sum() == n - 1
    chords = np.flatnonzero(~in_tree)
    z = np.column_stack([chords_to_circulation(e, chords, tree) for e in np.eye(len(chords))])
    incidence = np.zeros((n, len(tails)))
    np.add.at(incidence, (tails, np.arange(len(tails))), 1.0)
    np.add.at(incidence, (heads, np.arange(len(tails))), -1.0)
    np.testing.assert_array_equal(incidence @ z, 0.0)
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
    pattern = np.zeros((5, a))
    pattern[np.repeat(np.arange(5), np.diff(ptr)), arcs] = 1.0
    at_ptr, positions = incidence(a, arcs)
    owners = np.repeat(np.arange(5), np.diff(ptr))
    z = np.column_stack([chords_to_circulation(e, chords, tree) for e in np.eye(len(chords))])
    entries = rng.random(len(arcs))
    scattered = np.zeros((5, a))
    scattered[owners, arcs] = entries
    for of_entries, table in ((np.empty(0), pattern), (entries, scattered)):
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
    pattern = np.zeros((len(rows), a))
    pattern[np.repeat(np.arange(len(rows)), np.diff(ptr)), arcs] = 1.0
    values, per_cycle = rng.normal(size=a), rng.normal(size=len(rows))
    np.testing.assert_allclose(cycle_sums(ptr, arcs, values), pattern @ values, atol=1e-14)
    np.testing.assert_allclose(arc_totals(ptr, arcs, per_cycle, a), pattern.T @ per_cycle, atol=1e-14)
    entries = rng.normal(size=len(arcs))
    expected = pattern.T @ (per_cycle * (pattern @ values))
    np.testing.assert_allclose(gram_product(ptr, arcs, np.empty(0), per_cycle, values), expected, atol=1e-13)
    pattern[np.repeat(np.arange(len(rows)), np.diff(ptr)), arcs] = entries
    expected = pattern.T @ (per_cycle * (pattern @ values))
    np.testing.assert_allclose(gram_product(ptr, arcs, entries, per_cycle, values), expected, atol=1e-13)
    found = weighted_arc_totals(ptr, arcs, entries, per_cycle, a)
    np.testing.assert_allclose(found, pattern.T @ per_cycle, atol=1e-14)


def test_reach_is_the_longest_step_within_bounds():
    values = np.array([1.0, 2.0, 0.0])
    assert reach(values, np.array([-0.5, -8.0, 0.0])) == 0.25
    assert reach(values, np.array([-0.5, 3.0, 1.0])) == 1.0
    assert reach(values, np.array([5.0, -3.0, -1.0])) == 0.0
    assert reach(np.empty(0), np.empty(0)) == 1.0


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
    table = np.zeros((n, len(tails)))
    np.add.at(table, (tails, np.arange(len(tails))), 1.0)
    np.add.at(table, (heads, np.arange(len(tails))), -1.0)
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
