"""The matrix-tree theorems of Kirchhoff and Tutte in exact integer arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from semibandits._typing import IntArray
from semibandits.kernels.determinants import determinant_modulo
from semibandits.kernels.forests import root_forest


def count_spanning_forests(n_nodes: int, tails: IntArray, heads: IntArray, forest: IntArray) -> int:
    """Exact number of maximal forests of a multigraph.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    tails, heads : ndarray of int, shape (d,)
        Ends of each edge. Loops do not matter.
    forest : ndarray of int
        The edges of any one maximal forest.

    Notes
    -----
    The determinant of the Laplacian without one node of each component. As the matrix is positive definite, the product of
    its diagonal bounds it (Hadamard).
    """
    laplacian = np.zeros((n_nodes, n_nodes), dtype=np.int64)
    proper = tails != heads
    u, v = tails[proper], heads[proper]
    for a, b, sign in ((u, u, 1), (v, v, 1), (u, v, -1), (v, u, -1)):
        np.add.at(laplacian, (a, b), sign)
    root = root_forest(n_nodes, tails, heads, forest)[3]
    kept = np.flatnonzero(root != np.arange(n_nodes))
    kept = kept[np.argsort(laplacian[kept, kept], kind="stable")]  # small degrees first: fewer entries fill in
    return _determinant(laplacian[np.ix_(kept, kept)])


def count_arborescences(n_nodes: int, tails: IntArray, heads: IntArray, root: int) -> int:
    """Exact number of sets of arcs that lead from the root to every other node, to each along one way.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    tails, heads : ndarray of int, shape (d,)
        Ends of each arc; parallel ones are different. Loops and arcs into the root are in no such set.
    root : int
        Where the ways begin.

    Notes
    -----
    The determinant of the matrix with the number of arcs into each node but the root on its diagonal, and minus the number
    of arcs from u to v beside it: Tutte (1948). It counts some of the ways to choose one arc into each node, all of which
    the product of the diagonal counts.
    """
    laplacian = np.zeros((n_nodes, n_nodes), dtype=np.int64)
    proper = tails != heads
    u, v = tails[proper], heads[proper]
    np.add.at(laplacian, (v, v), 1)
    np.add.at(laplacian, (u, v), -1)
    kept = np.flatnonzero(np.arange(n_nodes) != root)
    kept = kept[np.argsort(laplacian[kept, kept], kind="stable")]
    return _determinant(laplacian[np.ix_(kept, kept)])


def _determinant(matrix: IntArray) -> int:
    """Determinant from its remainders modulo primes; it must lie between 0 and the product of the diagonal."""
    matrix = np.ascontiguousarray(matrix)
    bound = prod(np.diagonal(matrix).tolist())
    count, modulus = 0, 1
    for prime in _large_primes():
        remainder = int(determinant_modulo(matrix, prime))
        count += modulus * ((remainder - count) * pow(modulus, -1, prime) % prime)
        modulus *= prime
        if modulus > bound:
            break
    return count


def _large_primes() -> Iterator[int]:
    """Primes below 2^31, from the largest down."""
    candidate = 2**31 - 1
    while True:
        if _is_prime(candidate):
            yield candidate
        candidate -= 2


def _is_prime(n: int) -> bool:
    """Miller-Rabin test of an odd n > 7; the bases 2, 3, 5, 7 decide every n < 3.2e9."""
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7):
        x = pow(base, odd, n)
        if x in (1, n - 1):
            continue
        if not any((x := x * x % n) == n - 1 for _ in range(twos - 1)):
            return False
    return True
