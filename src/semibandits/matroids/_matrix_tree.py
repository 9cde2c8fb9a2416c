"""Kirchhoff's matrix-tree theorem in exact integer arithmetic."""

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
    The determinant of the Laplacian without one node of each component, put together from its remainders modulo
    enough primes: as the matrix is positive definite, the product of its diagonal bounds it.
    """
    laplacian = np.zeros((n_nodes, n_nodes), dtype=np.int64)
    proper = tails != heads
    u, v = tails[proper], heads[proper]
    for a, b, sign in ((u, u, 1), (v, v, 1), (u, v, -1), (v, u, -1)):
        np.add.at(laplacian, (a, b), sign)
    root = root_forest(n_nodes, tails, heads, forest)[3]
    kept = np.flatnonzero(root != np.arange(n_nodes))
    kept = kept[np.argsort(laplacian[kept, kept], kind="stable")]  # small degrees first: fewer entries fill in
    reduced = np.ascontiguousarray(laplacian[np.ix_(kept, kept)])
    bound = prod(np.diagonal(reduced).tolist())
    count, modulus = 0, 1
    for prime in _large_primes():
        remainder = int(determinant_modulo(reduced, prime))
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
