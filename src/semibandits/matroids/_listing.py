"""Listing the bases of any matroid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from semibandits._typing import BoolArray
from semibandits.errors import TooManyDecisionsError

if TYPE_CHECKING:
    from semibandits.matroids.base import Matroid


def too_many(limit: int, count: int | None) -> TooManyDecisionsError:
    """Error for more than `limit` bases; `count` of them, or None if that is not known."""
    got = f"{count:,}" if count is not None and count < 10**15 else "more"
    return TooManyDecisionsError(
        f"there must be at most limit = {limit:,} decisions to list, got {got}: raise limit, or do without the list"
    )


def list_bases(matroid: Matroid, limit: int) -> BoolArray:
    """Bases of `matroid` in lexicographic order of their items, shape (n, d).

    The next basis keeps as many of the first items as possible: it drops the last item that later ones can make up for.
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
