"""Listing the bases of any matroid."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from semibandits._typing import BoolArray
from semibandits.errors import TooManyDecisionsError

if TYPE_CHECKING:
    from semibandits.matroids.base import Matroid

WRITTEN_OUT: Final = 10**21
"""Smaller numbers of decisions are written with all digits."""


def too_many(limit: int, count: int | None) -> TooManyDecisionsError:
    """Error for more than `limit` decisions; `count` is their number, None if unknown."""
    if count is None:
        got = "more"
    elif count < WRITTEN_OUT:
        got = f"{count:,}"
    else:
        got = f"at least 10^{int((count.bit_length() - 1) * math.log10(2))}"
    return TooManyDecisionsError(
        f"there must be at most limit = {limit:,} decisions to list, got {got}: raise limit, or avoid listing"
    )


def list_bases(matroid: Matroid, limit: int) -> BoolArray:
    """Bases of `matroid` in lexicographic order of their items, shape (n, d).

    The next basis keeps as many of the first items as possible: it drops the last item that later items can replace.
    """
    index = np.arange(matroid.d)
    basis = matroid.greedy(index)
    rows: list[BoolArray] = []
    while True:
        if len(rows) == limit:
            raise too_many(limit, None)
        rows.append(basis)
        members = np.flatnonzero(basis)
        replaceable = (matroid.exchanges(members)[1] & (index > members[:, np.newaxis])).any(axis=1)
        if not replaceable.any():
            return np.array(rows)
        last = members[np.flatnonzero(replaceable)[-1]]
        basis = matroid.greedy(np.concatenate((members[members < last], index[last + 1 :])))
