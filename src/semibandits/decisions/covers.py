"""Decisions that together contain every item that is in any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.kernels.layers import greedy_layers
from semibandits.kernels.lists import on_common_base
from semibandits.kernels.oracles import kinds
from semibandits.matroids._compiled import packed

LAMINAR: Final = (kinds.UNIFORM, kinds.PARTITION, kinds.LAMINAR)
"""Kinds of matroids that are laminar: their covers are found without the oracle."""


def covers_of(decision_set: DecisionSet, maximize: Callable[[FloatArray], BoolArray]) -> tuple[IntArray, IntArray]:
    """At most d decisions that together contain every item that is in any, and for each item the first of them that contains it.

    Each one is a decision with the most items that are in none of the previous ones.

    Parameters
    ----------
    decision_set : DecisionSet
        The decisions.
    maximize : callable
        Its P_LM.

    Returns
    -------
    covers : ndarray of int
        The decisions, as lists of items, see `kernels.lists`.
    cover : ndarray of int, shape (d,)
        Row of `covers` that contains each item first; -1 for items in no decision.
    """
    layered = _layers(decision_set)
    cover, ptr, toggled = _asked(decision_set.d, maximize) if layered is None else layered
    return on_common_base(decision_set.d, ptr, toggled), cover


def _layers(decision_set: DecisionSet) -> tuple[IntArray, IntArray, IntArray] | None:
    """Covers by layers, see `greedy_layers`; None unless the decisions are the bases of a laminar matroid of the library."""
    if not isinstance(decision_set, MatroidDecisions) or decision_set.compiled() is None:
        return None
    known = packed(decision_set.matroid)
    if known is None or known[0] not in LAMINAR:
        return None
    kind, (first, second, third) = known
    if kind == kinds.UNIFORM:
        return greedy_layers(np.zeros(decision_set.d, dtype=np.int64), np.array([-1]), first)
    if kind == kinds.PARTITION:
        return greedy_layers(first, np.full(len(second), -1), second)
    # Items in no set are in one of their own, which restricts nothing.
    home = np.where(first < 0, len(second), first)
    return greedy_layers(home, np.append(second, -1), np.append(third, decision_set.d))


def _asked(d: int, maximize: Callable[[FloatArray], BoolArray]) -> tuple[IntArray, IntArray, IntArray]:
    """The same from P_LM."""
    cover, before = np.full(d, -1, dtype=np.int64), np.zeros(d, dtype=np.bool_)
    parts, ptr = [np.empty(0, dtype=np.int64)], [0]
    while True:
        x = maximize((cover < 0).astype(np.float64)).copy()
        fresh = x & (cover < 0)
        if not fresh.any():
            return cover, np.array(ptr), np.concatenate(parts)
        cover[fresh] = len(ptr) - 1
        parts.append(np.flatnonzero(x != before))
        ptr.append(ptr[-1] + len(parts[-1]))
        before = x
