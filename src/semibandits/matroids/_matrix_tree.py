"""The matrix-tree theorems of Kirchhoff and Tutte in exact integer arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

import numpy as np

from semibandits._typing import IntArray
from semibandits.kernels.determinants import determinant_modulo
from semibandits.kernels.forests import root_forest

UNLIMITED: Final = 2**62
"""More elementary steps than anything takes."""
PRIME_BITS: Final = 30.9
"""Bits of the determinant that each prime below 2^31 gives."""
STEPS_AN_UPDATE: Final = 2
"""What the update of one entry modulo a prime takes, in elementary steps."""


def count_spanning_forests(
    n_nodes: int, tails: IntArray, heads: IntArray, forest: IntArray, work: int = UNLIMITED
) -> int | None:
    """Exact number of maximal forests of a multigraph.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    tails, heads : ndarray of int, shape (d,)
        Ends of each edge. Loops do not matter.
    forest : ndarray of int
        The edges of any one maximal forest.
    work : int
        About how many elementary steps may be spent.

    Returns
    -------
    int or None
        None if it takes more work.

    Notes
    -----
    The determinant of the Laplacian without one node of each component. As the matrix is positive definite, the product of
    its diagonal bounds it (Hadamard).
    """
    proper = tails != heads
    u, v = tails[proper], heads[proper]
    root = root_forest(n_nodes, tails, heads, forest)[3]
    kept = np.flatnonzero(root != np.arange(n_nodes))
    return _minor(n_nodes, np.concatenate((u, v)), np.concatenate((v, u)), kept, work)


def count_arborescences(n_nodes: int, tails: IntArray, heads: IntArray, root: int, work: int = UNLIMITED) -> int | None:
    """Exact number of sets of arcs that lead from the root to every other node, to each along one way.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    tails, heads : ndarray of int, shape (d,)
        Ends of each arc; parallel ones are different. Loops and arcs into the root are in no such set.
    root : int
        Where the ways begin.
    work : int
        About how many elementary steps may be spent.

    Returns
    -------
    int or None
        None if it takes more work.

    Notes
    -----
    The determinant of the matrix with the number of arcs into each node but the root on its diagonal, and minus the number
    of arcs from u to v beside it: Tutte (1948). It counts some of the ways to choose one arc into each node, all of which
    the product of the diagonal counts.
    """
    proper = tails != heads
    kept = np.flatnonzero(np.arange(n_nodes) != root)
    return _minor(n_nodes, tails[proper], heads[proper], kept, work)


def _minor(n_nodes: int, tails: IntArray, heads: IntArray, kept: IntArray, work: int) -> int | None:
    """Determinant of a Laplacian without all but the nodes `kept`, which lies between 0 and the product of its diagonal.

    On its diagonal are the numbers of arcs into each node, beside it minus the number of arcs from u to v. The determinant is
    put together from its remainders modulo primes; the first of them tells how much work the others take.
    """
    degrees = np.bincount(heads, minlength=n_nodes)[kept]
    order = np.argsort(degrees, kind="stable")  # small degrees first: fewer entries fill in
    kept, degrees = kept[order], degrees[order]
    n_primes = 1 + int(np.log2(np.maximum(degrees, 1)).sum() / PRIME_BITS)
    share = work // n_primes - len(kept) ** 2  # of one prime, once the matrix is copied
    if share < 0:
        return None
    place = np.full(n_nodes, -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    matrix = np.diag(degrees)
    inside = (place[tails] >= 0) & (place[heads] >= 0)
    np.add.at(matrix, (place[tails[inside]], place[heads[inside]]), -1)
    bound = prod(degrees.tolist())
    count, modulus = 0, 1
    for prime in _large_primes():
        remainder = int(determinant_modulo(matrix, prime, share // STEPS_AN_UPDATE))
        if remainder < 0:
            return None
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
