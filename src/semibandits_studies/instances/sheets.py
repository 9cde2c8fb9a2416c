"""Tables as they are read from a file, before their columns have a meaning: rows of texts and numbers with their lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from semibandits.errors import InvalidInputError
from semibandits.formats.json import MOST_CHARACTERS

Cell: TypeAlias = str | float | int
"""A text without spaces around it, or a number of a file with types."""

MOST_CELLS: Final = 5 * 10**6
"""Largest number of cells of a table."""
SHOWN: Final = 40
"""Number of characters of a cell that messages show."""
NAMES_SHOWN: Final = 12
"""Number of columns that messages name."""


@dataclass(frozen=True)
class Sheet:
    """The rows of a table."""

    path: str
    rows: Sequence[tuple[int, list[Cell]]]  # line number and cells of each row that is not blank
    notes: tuple[str, ...] = ()  # what the reader assumed about the file, one sentence each
    has_titles: bool = True  # whether the header may follow lines of titles; records have no such lines
    separator: str = ""  # what separates the cells, in words; "" if the file has cells of its own

    def __post_init__(self) -> None:
        if not self.rows:
            raise InvalidInputError(
                f"{self.path} must have a header, got empty cells only: semibandits bound --help lists the columns"
            )


def as_text(cell: Cell) -> str:
    """The text of a cell; whole numbers are written without a point."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return cell if isinstance(cell, str) else repr(cell)


def filled(row: Sequence[Cell]) -> int:
    """Number of cells up to the last one that is not empty."""
    return max((k for k, cell in enumerate(row, 1) if cell != ""), default=0)


def shown(cell: Cell) -> str:
    """A cell for messages: texts in quotes, long ones cut."""
    if not isinstance(cell, str):
        return as_text(cell)
    return repr(cell if len(cell) <= SHOWN else cell[:SHOWN] + "...")


def listed(names: Sequence[str]) -> str:
    """Names of columns for messages; those without a name as such."""
    texts = [(name if len(name) <= SHOWN else name[:SHOWN] + "...") or "(no name)" for name in names[:NAMES_SHOWN]]
    return ", ".join(texts) + (f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else "")


def check_size(path: object, cells: int) -> None:
    """Refuse a table of more than `MOST_CELLS` cells."""
    if cells > MOST_CELLS:
        raise too_large(path)


def too_large(path: object, most: int = MOST_CHARACTERS) -> InvalidInputError:
    """The error for a table that is too large."""
    return InvalidInputError(
        f"{path} must have at most {MOST_CELLS:,} cells and {most:,} bytes unpacked, got more: remove columns or items"
    )
