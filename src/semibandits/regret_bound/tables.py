"""How large a table of decisions by items may become."""

from __future__ import annotations

from typing import Final

from semibandits.errors import TooManyDecisionsError

LARGEST_TABLE: Final = 1_000_000_000
"""Bytes of the largest table with a row for each decision and a column for each item; two or three of them exist at a time."""


def check_table(rows: int, d: int, entry: int = 1, *, remedy: str = "leave items out") -> None:
    """Check that a table may be allocated.

    Parameters
    ----------
    rows : int
        Decisions of a plan, or whatever else has an entry for each item.
    d : int
        Number of items.
    entry : int
        Bytes of an entry.
    remedy : str
        What to do if the table is too large.

    Raises
    ------
    TooManyDecisionsError
        If it needs more than `LARGEST_TABLE` bytes.
    """
    needed = rows * d * entry
    if needed > LARGEST_TABLE:
        raise TooManyDecisionsError(
            f"a plan must fit into {LARGEST_TABLE / 1e9:,.3g} GB, as a table of decisions by items, got {rows:,} decisions over "
            f"{d:,} items, {needed / 1e9:,.3g} GB: {remedy}"
        )
