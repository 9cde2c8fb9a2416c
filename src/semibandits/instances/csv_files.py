"""Instances in CSV files: one line per item, the family determined by the header (docs/cli.md)."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from semibandits._fields import unknown_name
from semibandits.errors import InvalidInputError, Option
from semibandits.families.registry import TABLES
from semibandits.families.tables import ProblemOptions, Table
from semibandits.instances.base import Instance
from semibandits.instances.files import read_text
from semibandits.instances.json_files import instance_from_description

PATHS_OR_TREES: Final = (
    "give ",
    Option("source"),
    " and ",
    Option("target"),
    " for paths or routes, or ",
    Option("family", "trees"),
)
"""Remedy where the edges of a graph could be those of paths or of spanning trees."""


@dataclass(frozen=True)
class _Cells:
    """The cells of a CSV file by column, with the line number of each row."""

    path: str
    columns: Mapping[str, list[str]]
    lines: Sequence[int]

    def numbers(self, column: str) -> list[float]:
        return [self._number(column, i) for i in range(len(self.lines))]

    def _number(self, column: str, i: int) -> float:
        cell = self.columns[column][i]
        try:
            value = float(cell)
        except ValueError:
            raise InvalidInputError(
                f"{column} must be a number, got {cell!r} on line {self.lines[i]} of {self.path}: correct that cell"
            ) from None
        if not math.isfinite(value):
            raise InvalidInputError(
                f"{column} must be finite, got {cell} on line {self.lines[i]} of {self.path}: "
                "replace or drop the items whose value is unknown"
            )
        if column == "variance" and value <= 0:
            raise InvalidInputError(
                f"variance must be positive, got {cell} on line {self.lines[i]} of {self.path}: "
                "leave out items that are known exactly, which need no exploration"
            )
        return value

    def names(self, column: str) -> list[str]:
        for i, cell in enumerate(self.columns[column]):
            if not cell:
                raise InvalidInputError(
                    f"{column} must be filled in on every line, got nothing on line {self.lines[i]} of {self.path}: "
                    "fill in that cell"
                )
        return self.columns[column]

    def distinct_names(self, column: str) -> list[str]:
        first: dict[str, int] = {}
        for i, name in enumerate(self.names(column)):
            if first.setdefault(name, i) != i:
                raise InvalidInputError(
                    f"items must have distinct names, got {name!r} on lines {self.lines[first[name]]} and "
                    f"{self.lines[i]} of {self.path}: rename one of them"
                )
        return self.columns[column]


def read_csv(path: str | os.PathLike[str], options: ProblemOptions | None = None) -> Instance:
    """Read an instance from a CSV file with a header.

    Parameters
    ----------
    path : path
        The file: UTF-8, comma-separated, one line per item.
    options : ProblemOptions, optional
        Options that complete the file.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, a column is missing or unknown, a cell is invalid, or there is no decision.
    """
    options = options or ProblemOptions()
    cells = _read_cells(path)
    table = _table_of(cells, options)
    _check_columns(cells, table)
    _check_options(table, options)
    description: dict[str, object] = {"family": table.name, "name": Path(path).stem, "theta": cells.numbers("theta")}
    description |= _variance_of(cells, options)
    description |= {column: cells.numbers(column) for column in table.numbers if column in cells.columns}
    names = {
        column: cells.distinct_names(column) if table.names_items and k == 0 else cells.names(column)
        for k, column in enumerate(table.columns)
    }
    description |= table.keys(names, options)
    return instance_from_description(description)


def _read_cells(path: str | os.PathLike[str]) -> _Cells:
    reader = csv.reader(io.StringIO(read_text(path)), strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append((reader.line_num, [cell.strip() for cell in row]))
    except csv.Error as error:
        raise InvalidInputError(
            f"{path} must be a CSV file, got {error} on line {reader.line_num}: correct that line"
        ) from error
    if not rows:
        raise InvalidInputError(f"{path} must have a header, got empty cells only: see docs/cli.md for the columns")
    header = [name.lower() for name in rows[0][1]]
    for name in header:
        if header.count(name) > 1:
            raise InvalidInputError(f"columns must be distinct, got {name!r} twice in {path}: rename or remove one")
    for line, row in rows[1:]:
        if len(row) != len(header):
            raise InvalidInputError(
                f"each line must have {len(header)} cells like the header, got {len(row)} on line {line} of {path}: "
                "add or remove cells, and put names with commas in double quotes"
            )
    if len(rows) == 1:
        raise InvalidInputError(f"{path} must have a line for each item, got the header only: add the items")
    cells = {name: [row[k] for _, row in rows[1:]] for k, name in enumerate(header)}
    return _Cells(str(path), cells, [line for line, _ in rows[1:]])


def _table_of(cells: _Cells, options: ProblemOptions) -> Table:
    """Determine the CSV format from the options or the header."""
    if options.family is not None:
        if options.family not in TABLES:
            raise unknown_name("family of a CSV file", options.family, TABLES)
        return TABLES[options.family]
    key = set(cells.columns) - {"theta", "variance"}
    fitting = [table for table in TABLES.values() if set(table.columns) <= key <= {*table.columns, *table.numbers}]
    if len(fitting) > 1 and (options.source is not None or options.target is not None):
        fitting = [table for table in fitting if "source" in table.options]
        fitting = [table for table in fitting if table.fits(cells.columns, options)][:1]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise InvalidInputError(
            f"family must be clear, got the columns {' and '.join(fitting[0].columns)} in {cells.path}, which suit "
            f"{' and '.join(table.name for table in fitting)}: ",
            *PATHS_OR_TREES,
        )
    known = "; ".join(f"{table.name}: {', '.join(table.columns)}" for table in TABLES.values())
    raise InvalidInputError(
        f"columns must be those of a family ({known}; and theta, optionally variance), got {', '.join(cells.columns)} "
        f"in {cells.path}: rename the columns or pass ",
        Option("family"),
    )


def _check_columns(cells: _Cells, table: Table) -> None:
    needed = (*table.columns, "theta")
    for column in needed:
        if column not in cells.columns:
            raise InvalidInputError(
                f"{table.name} must have the columns {', '.join(needed)}, got no {column!r} in {cells.path}: add it"
            )
    for column in cells.columns:
        optional = ("variance", *table.numbers)
        if column not in (*needed, *optional):
            close = get_close_matches(column, (*optional, "theta"), n=1)
            remedy = f"did you mean {close[0]!r}?" if close else "remove it"
            raise InvalidInputError(
                f"{table.name} must have the columns {', '.join(needed)} and optionally {', '.join(optional)}, got {column!r} "
                f"in {cells.path}: {remedy}"
            )


def _check_options(table: Table, options: ProblemOptions) -> None:
    """Reject options that the format does not support."""
    for name in ("source", "target", "size", "saturate", "capacities", "undirected"):
        if getattr(options, name) and name not in table.options:
            users = " or ".join(other.name for other in TABLES.values() if name in other.options)
            raise InvalidInputError(Option(name), f" must be used with {users}, got it with {table.name}: drop it")


def _variance_of(cells: _Cells, options: ProblemOptions) -> dict[str, object]:
    if "variance" in cells.columns:
        if options.variance is not None:
            raise InvalidInputError(
                "variance must be given once, got ",
                Option("variance"),
                f" beside the column of {cells.path}: drop one of the two",
            )
        return {"variance": cells.numbers("variance")}
    return {} if options.variance is None else {"variance": options.variance}
