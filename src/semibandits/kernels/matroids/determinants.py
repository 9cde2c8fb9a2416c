"""Determinants modulo a prime."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import IntArray


@kernel
def inverse_modulo(x: int, prime: int) -> int:
    """Inverse of ``0 < x < prime`` modulo `prime`, by Euclid's algorithm."""
    r, next_r = prime, x
    t, next_t = 0, 1
    while next_r != 0:
        q = r // next_r
        r, next_r = next_r, r - q * next_r
        t, next_t = next_t, t - q * next_t
    return t % prime


@kernel
def determinant_modulo(matrix: IntArray, prime: int, most: int) -> int:
    """Determinant of a square integer matrix modulo a `prime` below 2^31, by elimination that skips zeros.

    Returns -1 if more than `most` entries would have to be updated.
    """
    n = len(matrix)
    a = matrix % prime
    determinant, updated = 1, 0
    columns = np.empty(n, dtype=np.int64)
    for p in range(n):
        row = p
        while row < n and a[row, p] == 0:
            row += 1
        if row == n:
            return 0
        if row != p:
            for c in range(p, n):
                a[p, c], a[row, c] = a[row, c], a[p, c]
            determinant = prime - determinant
        determinant = determinant * a[p, p] % prime
        inverse = inverse_modulo(a[p, p], prime)
        filled = 0
        for c in range(p + 1, n):
            if a[p, c] != 0:
                columns[filled] = c
                filled += 1
        for r in range(row + 1, n):
            if a[r, p] == 0:
                continue
            updated += filled
            if updated > most:
                return -1
            factor = a[r, p] * inverse % prime
            for q in range(filled):
                c = columns[q]
                a[r, c] = (a[r, c] - factor * a[p, c]) % prime
    return determinant
