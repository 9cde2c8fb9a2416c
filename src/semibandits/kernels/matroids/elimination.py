"""Linear independence, by orthogonalisation over the reals and by packed bits over the field of two elements."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray

WordArray: TypeAlias = NDArray[np.uint64]


@kernel
def real_greedy(vectors: FloatArray, order: IntArray, tolerance: float) -> BoolArray:
    """Scan `order` and keep each vector (unit length or zero) farther than `tolerance` from the span of those kept.

    `vectors` has shape (d, r), one vector per row. In the modified Gram-Schmidt process each projection is computed from the rest
    that the previous ones leave, so that the distances (not the basis) are as accurate as in a Householder factorisation.
    """
    d, r = vectors.shape
    chosen = np.zeros(d, dtype=np.bool_)
    basis = np.empty((min(d, r), r))
    rank = 0
    for item in order:
        if rank == len(basis):
            break
        v = vectors[item].copy()
        for t in range(rank):
            overlap = 0.0
            for q in range(r):
                overlap += basis[t, q] * v[q]
            for q in range(r):
                v[q] -= overlap * basis[t, q]
        squared = 0.0
        for q in range(r):
            squared += v[q] * v[q]
        length = math.sqrt(squared)
        if length > tolerance:
            write(basis[rank], v / length)
            rank += 1
            chosen[item] = True
    return chosen


@kernel
def reduce_word_vector(v: WordArray, basis: WordArray, word: IntArray, bit: WordArray, rank: int) -> None:
    """Clear in `v` the pivot bits of the first `rank` vectors of `basis`, in place."""
    for t in range(rank):
        if v[word[t]] & bit[t]:
            for q in range(len(v)):
                v[q] ^= basis[t, q]


@kernel
def first_word(v: WordArray, n_words: int) -> int:
    """Position of the first non-zero word among the first `n_words` of `v`, -1 if all are 0."""
    for q in range(n_words):
        if v[q]:
            return q
    return -1


@kernel
def binary_greedy(vectors: WordArray, order: IntArray) -> BoolArray:
    """Scan `order` and keep each bit vector (a row of packed words) outside the span of those kept."""
    d, n_words = vectors.shape
    chosen = np.zeros(d, dtype=np.bool_)
    most = min(d, 64 * n_words)
    basis = np.empty((most, n_words), dtype=np.uint64)
    word = np.empty(most, dtype=np.int64)
    bit = np.empty(most, dtype=np.uint64)
    rank = 0
    for item in order:
        v = vectors[item].copy()
        reduce_word_vector(v, basis, word, bit, rank)
        q = first_word(v, n_words)
        if q >= 0:
            write(basis[rank], v)
            word[rank] = q
            bit[rank] = v[q] & (~v[q] + np.uint64(1))
            rank += 1
            chosen[item] = True
    return chosen


@kernel
def binary_exchanges(vectors: WordArray, members: IntArray) -> tuple[BoolArray, BoolArray]:
    """Vectors outside the span of the independent `members` (d,), and vectors that can replace each of them (k, d).

    Each vector is followed by one bit per member, which marks the members in its sum.
    """
    d, n_words = vectors.shape
    k = len(members)
    width = n_words + (k + 63) // 64
    basis = np.zeros((k, width), dtype=np.uint64)
    word = np.empty(k, dtype=np.int64)
    bit = np.empty(k, dtype=np.uint64)
    inside = np.zeros(d, dtype=np.bool_)
    one = np.uint64(1)
    for a in range(k):
        v = basis[a]
        write(v, vectors[members[a]])
        v[n_words + a // 64] = one << np.uint64(a % 64)
        reduce_word_vector(v, basis, word, bit, a)
        word[a] = first_word(v, n_words)
        bit[a] = v[word[a]] & (~v[word[a]] + one)
        inside[members[a]] = True
    free = np.zeros(d, dtype=np.bool_)
    swaps = np.zeros((k, d), dtype=np.bool_)
    v = np.empty(width, dtype=np.uint64)
    for z in range(d):
        if inside[z]:
            continue
        write(v, vectors[z])
        v[n_words:] = np.uint64(0)
        reduce_word_vector(v, basis, word, bit, k)
        free[z] = first_word(v, n_words) >= 0
        for a in range(k):
            swaps[a, z] = free[z] or (v[n_words + a // 64] >> np.uint64(a % 64)) & one != 0
    return free, swaps
