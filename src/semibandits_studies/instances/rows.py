"""Rows of a table that are not items, and names in it that look like one name."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from semibandits.errors import InvalidInputError
from semibandits_studies.instances.roles import TOTAL_WORDS, TOTALS
from semibandits_studies.instances.sheets import Cell, as_text, shown

SUBTOTALS: Final = ("subtotal", "sub total", "sub-total", "zwischensumme")
"""What names of totals of some lines begin with."""
COMMENTS: Final = ("#", "//", "%", "--", ";")
"""What comments begin with."""
SUMMED: Final = 5
"""Number of other lines from which their sum, as the last one, is worth a note, whatever its name."""
ROUNDED: Final = 2e-3
"""Relative error of weighted means, which are rounded in exports."""
_TOTAL: Final = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(TOTAL_WORDS)})(?![^\W\d_])", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,15}(?:\.0*)?")


def check_names(lines: Sequence[int], cells: Sequence[Cell], names: Sequence[str], path: str) -> None:
    """Refuse comments and totals among the lines of a table.

    A line is refused if it is a comment although others are none, if its name is that of a subtotal, or if it is the last one and
    its name is that of a total. `cells` are the first cells, and `names` the names of the items, or an end of the links.
    """
    marked = [k for k, cell in enumerate(cells) if isinstance(cell, str) and cell.startswith(COMMENTS)]
    if marked and len(marked) < len(cells):
        raise _no_item(shown(cells[marked[0]]), f"{lines[marked[0]]} of {path}", "a comment")
    last = len(names) - 1
    parts = [k for k, name in enumerate(names) if name.casefold().startswith(SUBTOTALS)]
    if last >= 2 and _words(names[-1]) in TOTALS and names.count(names[-1]) == 1:
        parts.append(last)
    if parts:
        raise _no_item(repr(names[parts[0]]), f"{lines[parts[0]]}{', the last one' * (parts[0] == last)} of {path}", "a total")


def sum_notes(
    lines: Sequence[int],
    names: Sequence[Sequence[str]],
    numbers: Sequence[float],
    path: str,
    *,
    weights: Sequence[float] | None = None,
) -> list[str]:
    """A sentence about a last line that is the sum or the mean of all others.

    A line is refused if its number is the sum or the mean of all lines that are no totals, or of those since the last such line,
    and one of its names contains a word for that, or has no letters. `names` are the first cell and the name of each item,
    `numbers` mean rewards or costs, NaN where unknown; means may have `weights`. The other arguments are as for
    :func:`check_names`.
    """
    weights = weights or [math.nan] * len(numbers)
    marked = [any(map(_TOTAL.search, texts)) or not any(map(str.isalnum, texts[-1])) for texts in names]
    known = [k for k, number in enumerate(numbers) if number == number]
    everything, since = _Sums(numbers, weights, [k for k in known if not marked[k]]), list[int]()
    for k in known:
        if not marked[k]:
            since.append(k)
        elif everything.has(numbers[k]) or _Sums(numbers, weights, since).has(numbers[k]):
            name = next(filter(_TOTAL.search, names[k]), names[k][-1])
            raise _no_item(repr(name), f"{lines[k]}{', the last one' * (k == len(lines) - 1)} of {path}", "a total")
        else:
            since = []
    others, last = known[:-1], len(lines) - 1
    if len(others) >= SUMMED and known[-1] == last and _Sums(numbers, weights, others).has(numbers[last]):
        return [f"The last line, {names[last][-1]!r}, is the sum or the mean of all others: remove it if it is no item."]
    return []


class _Sums:
    """The sum, the mean and the weighted mean of a group of numbers; none of fewer than two."""

    def __init__(self, numbers: Sequence[float], weights: Sequence[float], group: Sequence[int]) -> None:
        self.numbers = {numbers[i] for i in group}
        total, weight = sum(numbers[i] for i in group), sum(weights[i] for i in group)
        mean = sum(numbers[i] * weights[i] for i in group) / weight if weight else math.nan
        self.sums = ((total, 1e-6), (total / len(group), 1e-6), (mean, ROUNDED)) if len(group) > 1 else ()

    def has(self, number: float) -> bool:
        """Whether a number is one of them, and not also in the group, as where all numbers are the same."""
        return number not in self.numbers and any(abs(number - one) <= error * abs(one) for one, error in self.sums)


def alike_notes(cells: Iterable[tuple[int, Cell]]) -> list[str]:
    """A sentence about the first two names in cells, given with their lines, that look like one name or are of two types."""
    first: dict[str, tuple[int, Cell]] = {}
    for line, cell in cells:
        other_line, other = first.setdefault(_folded(as_text(cell)), (line, cell))
        if as_text(other) != as_text(cell):
            how = " (their letters are written by other characters)" if _composed(other) == _composed(cell) else ""
            return [
                f"{as_text(other)!r} on line {other_line} and {as_text(cell)!r} on line {line} are two names{how}: check whether "
                "one is meant."
            ]
        if isinstance(other, str) != isinstance(cell, str):
            return [
                f"{as_text(cell)} is a {_type(other)} on line {other_line} and a {_type(cell)} on line {line}, and is read as "
                "one name."
            ]
    return []


def is_total(name: str) -> bool:
    """Whether a name is that of a total, or contains a word for it."""
    return _words(name) in TOTALS or _TOTAL.search(name) is not None


def _no_item(name: str, where: str, kind: str) -> InvalidInputError:
    return InvalidInputError(
        f"each line must be an item, got {name} on line {where}, which looks like {kind}: remove that line, or rename the item"
    )


def _folded(name: str) -> str:
    """A name without differences that are easily overlooked: case, spaces, ways to write a letter, and 2.0 for 2."""
    text = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    text = " ".join(text.casefold().split())
    return repr(float(text)) if _NUMBER.fullmatch(text) else text


def _words(name: str) -> str:
    """A name without what may follow it."""
    return _folded(name).strip(" :.")


def _composed(cell: Cell) -> str:
    return unicodedata.normalize("NFC", as_text(cell))


def _type(cell: Cell) -> str:
    return "text" if isinstance(cell, str) else "number"
