"""Limit on the size of tables of decisions by items."""

from __future__ import annotations

from typing import Final

from semibandits.errors import TooManyDecisionsError

LARGEST_TABLE: Final = 1_000_000_000
"""Largest size in bytes of a table with a row per decision and a column per item; two or three exist at a time."""


def check_table(rows: int, d: int, entry: int = 1, *, remedy: str = "leave items out") -> None:
    """Check that a table of `entry` bytes per entry and d entries per row needs at most `LARGEST_TABLE` bytes;
    `TooManyDecisionsError` with the advice `remedy` if it needs more. Rows are decisions, or others with an entry per item.
    """
    needed = rows * d * entry
    if needed > LARGEST_TABLE:
        raise TooManyDecisionsError(
            f"a table of decisions by items must fit into {LARGEST_TABLE / 1e9:,.3g} GB, got {rows:,} decisions over "
            f"{d:,} items, {needed / 1e9:,.3g} GB: {remedy}"
        )


def check_lists(rows: int, entries: int, entry: int, *, remedy: str) -> None:
    """Check that lists of the items of `rows` decisions, `entries` items together of `entry` bytes each, need at most
    `LARGEST_TABLE` bytes; `TooManyDecisionsError` with the advice `remedy` if they need more.
    """
    needed = entries * entry
    if needed > LARGEST_TABLE:
        raise TooManyDecisionsError(
            f"lists of the items of all decisions must fit into {LARGEST_TABLE / 1e9:,.3g} GB, got {rows:,} decisions with "
            f"{entries:,} items together, {needed / 1e9:,.3g} GB: {remedy}"
        )
