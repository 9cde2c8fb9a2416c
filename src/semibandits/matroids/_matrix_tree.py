"""The matrix-tree theorems of Kirchhoff and Tutte in exact integer arithmetic."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from semibandits._typing import IntArray
from semibandits.kernels.graphs.forests import root_forest
from semibandits.kernels.matroids.determinants import determinant_modulo

UNLIMITED: Final = 2**62
"""A number of elementary steps that is never reached."""
PRIME_BITS: Final = 30.9
"""Bits of the determinant that one prime below 2^31 determines."""
STEPS_AN_UPDATE: Final = 2
"""Elementary steps to update one entry modulo a prime."""


def count_spanning_forests(n_nodes: int, tails: IntArray, heads: IntArray, forest: IntArray, work: int = UNLIMITED) -> int | None:
    """Exact number of maximal forests of a multigraph, of which `forest` is one, as edges; None if it takes more than about
    `work` elementary steps. Loops are ignored.

    It is the determinant of the Laplacian without one node of each component. The matrix is positive definite, so the product of
    its diagonal is an upper bound (Hadamard).
    """
    proper = tails != heads
    u, v = tails[proper], heads[proper]
    root = root_forest(n_nodes, tails, heads, forest)[3]
    kept = np.flatnonzero(root != np.arange(n_nodes))
    return _minor(n_nodes, np.concatenate((u, v)), np.concatenate((v, u)), kept, work)


def count_arborescences(n_nodes: int, tails: IntArray, heads: IntArray, root: int, work: int = UNLIMITED) -> int | None:
    """Exact number of arborescences, which contain one path from the root to every other node; None if it takes more than about
    `work` elementary steps. Parallel arcs are distinct; loops and arcs into the root are in no arborescence.

    It is the determinant of a matrix over all nodes except the root: the number of arcs into each node on the diagonal, and minus
    the number of arcs from u to v elsewhere (Tutte 1948). The product of the diagonal is an upper bound: it counts all ways to
    choose one arc into each node.
    """
    proper = tails != heads
    kept = np.flatnonzero(np.arange(n_nodes) != root)
    return _minor(n_nodes, tails[proper], heads[proper], kept, work)


def _minor(n_nodes: int, tails: IntArray, heads: IntArray, kept: IntArray, work: int) -> int | None:
    """Determinant of a Laplacian restricted to the nodes `kept`, between 0 and the product of its diagonal.

    The diagonal holds the number of arcs into each node, other entries minus the number of arcs from u to v. The determinant
    is computed from its remainders modulo primes; None if it takes more than about `work` elementary steps.
    """
    degrees = np.bincount(heads, minlength=n_nodes)[kept]
    order = np.argsort(degrees, kind="stable")  # small degrees first, for less fill-in
    kept, degrees = kept[order], degrees[order]
    n_primes = 1 + int(np.log2(np.maximum(degrees, 1)).sum() / PRIME_BITS)
    share = work // n_primes - len(kept) ** 2  # work for one prime after copying the matrix
    if share < 0:
        return None
    place = np.full(n_nodes, -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    matrix = np.diag(degrees)
    inside = (place[tails] >= 0) & (place[heads] >= 0)
    np.add.at(matrix, (place[tails[inside]], place[heads[inside]]), -1)
    bound = prod(degrees.tolist())
    count, modulus = 0, 1
    for prime in filter(_is_prime, range(2**31 - 1, 7, -2)):
        remainder = int(determinant_modulo(matrix, prime, share // STEPS_AN_UPDATE))
        if remainder < 0:
            return None
        count += modulus * ((remainder - count) * pow(modulus, -1, prime) % prime)
        modulus *= prime
        if modulus > bound:
            break
    return count


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
