"""Numbers as people write them: decimal commas, thousands separators and percent signs, resolved for all columns at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from semibandits.errors import InvalidInputError, Option
from semibandits_studies.instances.sheets import Cell, as_text, shown

_SPACES: Final = re.compile(r"(?<=[0-9])[\u0020\u00a0\u2009\u202f'’](?=[0-9]{3}(?![0-9]))")
"""Thousands separators that are not a point or a comma."""
_PLAIN: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ENGLISH: Final = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_GERMAN: Final = re.compile(r"[+-]?(?:[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:,[0-9]*)?|[0-9]*,[0-9]+|[0-9]+,)(?:[eE][+-]?[0-9]+)?")
_EITHER: Final = re.compile(r"[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}")
"""A number of four to six digits with a thousands separator, or one with three decimals."""
_CURRENCY: Final = re.compile(r"[$€£¥₹]|\b(?:EUR|USD|GBP|CHF|JPY)\b", re.IGNORECASE)
_CLOCK: Final = re.compile(r"[0-9]+:[0-9]{2}(?::[0-9]{2})?")
_WITH_UNIT: Final = re.compile(r"[+-]?[0-9.,]+\s*([^\W\d_]{1,10})")
GAPS: Final = ("", "na", "n/a", "#n/a", "nan", "null", "none", "?", ".", "-", "--", "\u2013", "\u2014")
"""Cells without a number, in lower case."""
_NO_NUMBER: Final = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


class Style(Enum):
    """How numbers are written: 1,234.5 or 1.234,5."""

    POINT = "a decimal point"
    COMMA = "a decimal comma"


@dataclass(frozen=True)
class Column:
    """A column of numbers: its name, its cells, and their lines."""

    name: str
    cells: Sequence[Cell]
    lines: Sequence[int]


def style_of(columns: Iterable[Column], path: str) -> Style:
    """The style of the numbers of all columns. Mixed styles are refused, and 1,234 where it may mean two numbers."""
    seen: dict[Style, tuple[str, int, str]] = {}
    unclear: tuple[str, int, str] | None = None
    for column in columns:
        texts = [(line, _bare(cell)) for line, cell in zip(column.lines, column.cells, strict=True) if isinstance(cell, str)]
        for line, text in texts:
            style = _evidence(text)
            if style is not None:
                seen.setdefault(style, (column.name, line, text))
            elif unclear is None and "," in text and _EITHER.fullmatch(text):
                unclear = (column.name, line, text)
    if len(seen) == 2:
        (first, line, text), (second, other, far) = seen[Style.POINT], seen[Style.COMMA]
        raise InvalidInputError(
            f"numbers must be written in one way, got {text!r} in {first} on line {line} and {far!r} in {second} on line "
            f"{other} of {path}: write all with a decimal point"
        )
    if unclear is not None and not seen:
        name, line, text = unclear
        raise InvalidInputError(
            f"{name} must be clear, got {text!r} on line {line} of {path}, which is {text.replace(',', '.')} with a decimal "
            f"comma and {text.replace(',', '')} without: write {text.replace(',', '.')} or {text.replace(',', '')}"
        )
    return next(iter(seen), Style.POINT)


def read_numbers(column: Column, style: Style, path: str, *, gaps: bool = False) -> list[float]:
    """The numbers of a column, finite; percents as fractions. Percent signs on only some lines are refused.

    With `gaps`, cells without a number are NaN; by default they are refused.
    """
    signs = [isinstance(cell, str) and cell.endswith("%") for cell in column.cells]
    percent = any(signs)
    values = []
    for line, cell, sign in zip(column.lines, column.cells, signs, strict=True):
        if gaps and is_gap(cell):
            values.append(float("nan"))
            continue
        if percent and not sign and cell not in (0, "0", ""):
            raise InvalidInputError(
                f"{column.name} must have a percent sign on every line or none, got {shown(cell)} on line {line} of {path}: "
                "write all in the same way"
            )
        value = float(cell) if not isinstance(cell, str) else _number(_bare(cell), style)
        if value is None:
            raise InvalidInputError(
                f"{column.name} must be a number, got {shown(cell)} on line {line} of {path}: {_remedy(cell)}",
                *((", or choose another column with ", Option("columns")) if cell else ()),
            )
        if value - value != 0:
            raise InvalidInputError(
                f"{column.name} must be finite, got {as_text(cell)[:40]} on line {line} of {path}: "
                "replace or drop the items whose value is unknown"
            )
        # Division, since 3.5 / 100 is the number closest to 0.035 and 3.5 * 0.01 is not.
        values.append(value / 100 if percent else value)
    return values


def is_gap(cell: Cell) -> bool:
    """Whether a cell has no number: it is empty, or has a mark for a number that is not known."""
    return isinstance(cell, str) and cell.casefold() in GAPS


def gaps_error(name: str, lines: Sequence[int], path: str, remedy: str) -> InvalidInputError:
    """The error for numbers that are not known, on these lines."""
    where = f"line {lines[0]}" if len(lines) == 1 else f"{len(lines):,} lines (first: {lines[0]})"
    return InvalidInputError(
        f"{name} must be known for every item, got none on {where} of {path}: fill in the cells, {remedy}, or create a learner "
        "(semibandits learner create), for which gaps are unknown items"
    )


def is_number(cell: Cell) -> bool:
    """Whether a cell is a number in some style."""
    return not isinstance(cell, str) or any(_number(_bare(cell), style) is not None for style in Style)


def _bare(cell: str) -> str:
    """A cell without percent sign, with a plain minus sign, and without spaces or apostrophes between thousands."""
    return _SPACES.sub("", cell.removesuffix("%").strip().replace("\u2212", "-"))


def _evidence(text: str) -> Style | None:
    """The style in which a text must be written to be a number; None if both or neither are possible."""
    if _EITHER.fullmatch(text):
        return None
    if _ENGLISH.fullmatch(text) or (_PLAIN.fullmatch(text) and "." in text):
        return Style.POINT
    return Style.COMMA if _GERMAN.fullmatch(text) else None


def _number(text: str, style: Style) -> float | None:
    if _NO_NUMBER.fullmatch(text):
        return float("nan")
    if style is Style.COMMA and _GERMAN.fullmatch(text):
        return float(text.replace(".", "").replace(",", "."))
    if style is Style.POINT and _ENGLISH.fullmatch(text):
        return float(text.replace(",", ""))
    return float(text) if _PLAIN.fullmatch(text) else None


def _remedy(cell: Cell) -> str:
    text = as_text(cell)
    unit = _WITH_UNIT.fullmatch(text)
    if _CURRENCY.search(text):
        return "remove the currency sign from the column"
    if _CLOCK.fullmatch(text):
        return "write the time as one number, for instance of minutes"
    if unit and len(text) < 30:
        return f"remove the unit from the cells, and write it into the header, as in cost ({unit[1]})"
    return "correct that cell" if text else "fill in that cell, or remove the line"
