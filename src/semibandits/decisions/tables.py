"""Limit on the size of tables of decisions by items."""

from __future__ import annotations

from typing import Final

from semibandits.errors import TooManyDecisionsError

LARGEST_TABLE: Final = 1_000_000_000
"""Largest size in bytes of a table with a row per decision and a column per item; two or three exist at a time."""


def check_table(rows: int, d: int, entry: int = 1, *, remedy: str = "leave items out") -> None:
    """Check that a table may be allocated.

    Parameters
    ----------
    rows : int
        Number of rows: decisions of a plan, or others with an entry per item.
    d : int
        Number of items.
    entry : int
        Bytes per entry.
    remedy : str
        Advice in the error message.

    Raises
    ------
    TooManyDecisionsError
        If the table needs more than `LARGEST_TABLE` bytes.
    """
    needed = rows * d * entry
    if needed > LARGEST_TABLE:
        raise TooManyDecisionsError(
            f"a table of decisions by items must fit into {LARGEST_TABLE / 1e9:,.3g} GB, got {rows:,} decisions over "
            f"{d:,} items, {needed / 1e9:,.3g} GB: {remedy}"
        )


def check_lists(rows: int, entries: int, entry: int, *, remedy: str) -> None:
    """Check that the items of several decisions may be listed.

    Parameters
    ----------
    rows : int
        Number of decisions.
    entries : int
        Number of items of all decisions together.
    entry : int
        Bytes per item.
    remedy : str
        Advice in the error message.

    Raises
    ------
    TooManyDecisionsError
        If the lists need more than `LARGEST_TABLE` bytes.
    """
    needed = entries * entry
    if needed > LARGEST_TABLE:
        raise TooManyDecisionsError(
            f"lists of the items of all decisions must fit into {LARGEST_TABLE / 1e9:,.3g} GB, got {rows:,} decisions with "
            f"{entries:,} items together, {needed / 1e9:,.3g} GB: {remedy}"
        )
