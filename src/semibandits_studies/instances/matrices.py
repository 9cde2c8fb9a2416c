"""Matrices, with a row of numbers for each row of a matching, as tables with a line for each pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from semibandits.errors import InvalidInputError, Option
from semibandits.families.tables import ProblemOptions
from semibandits.formats.numbers import counted
from semibandits_studies.instances.header import MOST_TITLES, ends_of
from semibandits_studies.instances.numbers import gaps_error, is_gap, is_number
from semibandits_studies.instances.roles import COSTS, PLAYS, ROLES, THETA, parsed_name
from semibandits_studies.instances.rows import is_total
from semibandits_studies.instances.sheets import Cell, Sheet, as_text, filled, shown
from semibandits_studies.instances.table_choice import EVIDENCE

CELLS: Final = "cells"
"""Name of the column of the numbers, where the matrix has none for them."""
FORBIDDEN: Final = ("x", "-", "\u2013", "\u2014", "inf", "infinity", "\u221e", "m", "forbidden", "impossible")
"""Marks of pairs that are not possible, in lower case."""
_NAMES: Final = {role: each.exact | each.usual | each.last | each.possible for role, each in ROLES.items()}
_KNOWN: Final = PLAYS.union(*_NAMES.values()) - {"u", "v", "n"}
_OF_CORNERS: Final = _NAMES["row"] | _NAMES[COSTS] | _NAMES[THETA] | {""}


def as_pairs(sheet: Sheet, chosen: Mapping[str, str], options: ProblemOptions, *, gaps: bool, means: bool) -> Sheet:
    """The sheet with a line for each pair, if it is a matrix; otherwise the sheet itself.

    A matrix has numbers, marks and empty cells only, but for the names of its rows and columns, and no column has a usual name.
    Where a pair is marked as not possible, and with `gaps`, empty cells are pairs without a number; otherwise they are no pairs.
    Whether the numbers are rewards or costs is in the corner, or chosen by the user, if their `means` are read. `chosen` are the
    names of columns by role, as the user gave them.
    """
    if options.family not in (None, "matchings") or any(getattr(options, name) for name in EVIDENCE if name != "saturate"):
        return sheet
    names_chosen = set(map(str.casefold, chosen.values()))
    widths = [filled(row) for _, row in sheet.rows]
    for top in range(min(MOST_TITLES if sheet.has_titles else 1, len(sheet.rows) - 2)):
        above = [parsed_name(as_text(cell)).words for cell in sheet.rows[top - 1][1][:2]] if top else []
        if max(widths[top:]) < 3 or (top and (widths[top - 1] > 2 or (all(above[1:]) and not _KNOWN.isdisjoint(above)))):
            break
        names = _names([as_text(cell) for cell in sheet.rows[top][1][: widths[top]]], max(widths[top + 1 :]))
        is_longer = max(len(row) for _, row in sheet.rows[top + 1 :]) > len(sheet.rows[top][1])
        # of a longer line, the last column is empty, or the corner is missing
        is_unclear = is_longer and not _OF_CORNERS.issuperset(parsed_name(name).words for name in names[:1])
        if not names or is_unclear or names_chosen & set(map(str.casefold, names)):
            continue
        below = [(line, [*row, *[""] * len(names)][: len(names)]) for line, row in sheet.rows[top + 1 :]]
        if _are_pairs(names, below, sheet.path, is_named=CELLS in names_chosen):
            corner = names[0] if parsed_name(names[0]).words in _NAMES["row"] else "row"
            header: list[Cell] = [corner, "column", _value(names, sheet.path, chosen, options) if means else CELLS]
            pairs, notes = _pairs(sheet.path, names[1:], below, gaps=gaps)
            rows = [*sheet.rows[:top], (sheet.rows[top][0], header), *pairs]
            return replace(sheet, rows=rows, notes=(*sheet.notes, *notes))
    return sheet


def _names(header: list[str], width: int) -> list[str]:
    """Corner and names of columns in a row above others of a width; none if they cannot be those of a matrix."""
    if width == len(header) + 1 and "" not in header:
        header.insert(0, "")
    parsed = list(map(parsed_name, header[1:]))
    has_roles = any(one.words in _KNOWN or (one.unit and one.words != one.unit) for one in parsed)
    distinct = {name.casefold() for name in header[1:]} - {""}
    is_short = len(parsed) < 2 or width > len(header) or len(distinct) < len(parsed)
    return [] if is_short or has_roles or ends_of([one.words for one in parsed]) else header


def _are_pairs(names: Sequence[str], rows: Sequence[tuple[int, Sequence[Cell]]], path: str, *, is_named: bool) -> bool:
    """Whether the cells below a header are names of rows, and numbers of pairs; `is_named` if the user called it a matrix.

    Totals, and what else cannot be in a matrix if it is called one, are refused.
    """
    labels, corner = [as_text(row[0]) for _, row in rows], parsed_name(names[0]).words
    if corner not in _OF_CORNERS and any(map(is_number, names)):  # there is no header
        return False
    if corner not in _OF_CORNERS and not is_named and (corner in _KNOWN or any(map(is_number, labels))):
        return False
    cells = [cell for _, row in rows for cell in row[1:]]
    others = [cell for cell in cells if not (is_number(cell) or is_gap(cell) or is_forbidden(cell))]
    others += [label for label, count in Counter(labels).items() if count > 1 or not label]
    if others and is_named:
        raise InvalidInputError(
            f"a matrix must have rows of distinct names, and numbers in their cells, or x for a pair that is not possible, got "
            f"{shown(others[0])} in {path}: correct it"
        )
    if others or not any(map(is_number, cells)):
        return False
    total = next(filter(is_total, (names[1], names[-1], labels[0], labels[-1])), None)
    if total is not None:
        raise InvalidInputError(
            f"each line and column of a matrix must be one of its pairs, got {total!r} in {path}, which looks like a total: "
            "remove or rename it"
        )
    return True


def _value(names: Sequence[str], path: str, chosen: Mapping[str, str], options: ProblemOptions) -> str:
    """The name of the column of numbers; a matrix that is not said to have rewards or costs is refused."""
    if CELLS in map(str.casefold, chosen.values()):
        return CELLS
    if parsed_name(names[0]).words in (_NAMES[COSTS] | _NAMES[THETA]):
        return names[0]
    if options.minimize and parsed_name(names[0]).words in _OF_CORNERS:
        return COSTS
    raise InvalidInputError(
        f"it must be clear whether the numbers of {path} are costs or rewards, got a matrix with the columns {names[1]!r} to "
        f"{names[-1]!r}: add ",
        Option("columns", [f"{COSTS}={CELLS}"]),
        " to minimise them, or ",
        Option("columns", [f"{THETA}={CELLS}"]),
        " to maximise them, or, if each line is an item, name its columns, as in ",
        Option("columns", ["item=NAME", f"theta={names[1]}"]),
    )


def _pairs(
    path: str, columns: Sequence[str], rows: Sequence[tuple[int, Sequence[Cell]]], *, gaps: bool
) -> tuple[list[tuple[int, list[Cell]]], list[str]]:
    """A line for each pair, and sentences about the others."""
    lines: list[tuple[int, list[Cell]]] = [
        (line, [row[0], column, cell]) for line, row in rows for column, cell in zip(columns, row[1:], strict=True)
    ]
    marked, empty = sum(is_forbidden(pair[2]) for _, pair in lines), sum(pair[2] == "" for _, pair in lines)
    notes, one = ["Each cell is a pair of a row and a column."], ("empty cell is a pair", "empty cells are each a pair")
    if marked:
        notes.append(f"{counted(marked, 'cell is a pair', 'cells are pairs')} marked as not possible.")
    elif empty and gaps:
        notes.append(f"{counted(empty, *one)} that is not known; write x for a pair that is not possible.")
    elif empty:
        notes.append(f"{counted(empty, *one)} that is not possible; write ? for a number that is not known.")
        lines = [(line, pair) for line, pair in lines if pair[2] != ""]
    lines = [(line, pair) for line, pair in lines if not is_forbidden(pair[2])]
    unknown = [line for line, pair in lines if is_gap(pair[2])]
    if unknown and not gaps:
        raise gaps_error("the number of a pair", unknown, path, "write x for pairs that are not possible")
    return lines, notes


def is_forbidden(cell: Cell) -> bool:
    """Whether a cell of a matrix marks a pair that is not possible."""
    return as_text(cell).casefold() in FORBIDDEN
