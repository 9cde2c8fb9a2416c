"""Tree algebra of circulations against dense matrices."""

import numpy as np
import pytest

from semibandits.kernels.graphs.cycles import part_starts
from semibandits.kernels.graphs.laplacian import laplacian_solution
from semibandits.kernels.solver.newton import (
    chords_to_circulation,
    circulation_to_chords,
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
