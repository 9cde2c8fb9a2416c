"""Instances in CSV files: one line an item, the family told by the header (docs/cli.md)."""

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

from semibandits.errors import InvalidInputError
from semibandits.instances.base import Instance
from semibandits.instances.capacities import read_capacities
from semibandits.instances.families import unknown_name
from semibandits.instances.files import read_text
from semibandits.instances.json_files import instance_from_description

CSV_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "paths": ("tail", "head"),
    "trees": ("tail", "head"),
    "matchings": ("row", "column"),
    "msets": ("item",),
    "partition": ("item", "group"),
    "intersection": ("item", "group1", "group2"),
}
"""Columns of each family beside ``theta`` and, if wanted, ``variance``."""


@dataclass(frozen=True)
class ProblemOptions:
    """What a file cannot say, or leaves out.

    Attributes
    ----------
    family : str, optional
        For CSV files a key of :data:`CSV_COLUMNS`, needed only where the header leaves a doubt.
    source, target : str, optional
        Ends of the paths.
    size : int, optional
        Number of items to choose: required for m-sets, and for intersections the largest possible one by default.
    saturate : str, optional
        Which sides a matching must cover: both (default), rows, columns or none.
    capacities : sequence of str
        Of groups: ``K`` for all, ``NAME=K`` for one, and ``group2:K`` or ``group2:NAME=K`` for one column only.
    variance : float, optional
        Variance of every item, if the file has no such column; 0.5 by default.
    """

    family: str | None = None
    source: str | None = None
    target: str | None = None
    size: int | None = None
    saturate: str | None = None
    capacities: Sequence[str] = ()
    variance: float | None = None


@dataclass(frozen=True)
class _Table:
    """The cells of a CSV file, by column, with the line each row stands on."""

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
                "an item that is known exactly needs no exploration and can be left out"
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
        The file: UTF-8, commas between cells, one line an item.
    options : ProblemOptions, optional
        What the file cannot say.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, a column is missing or unknown, a cell is odd, or the instance has no decision.
    """
    options = options or ProblemOptions()
    table = _read_table(path)
    family = _family_of(table, options)
    _check_columns(table, family)
    _check_options(family, options)
    description: dict[str, object] = {"family": family, "name": Path(path).stem, "theta": table.numbers("theta")}
    description |= _variance_of(table, options)
    description |= _structure_of(table, family, options)
    return instance_from_description(description)


def _read_table(path: str | os.PathLike[str]) -> _Table:
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
    return _Table(str(path), cells, [line for line, _ in rows[1:]])


def _family_of(table: _Table, options: ProblemOptions) -> str:
    if options.family is not None:
        if options.family not in CSV_COLUMNS:
            raise unknown_name("family of a CSV file", options.family, CSV_COLUMNS)
        return options.family
    key = set(table.columns) - {"theta", "variance"}
    fitting = [family for family, columns in CSV_COLUMNS.items() if key == set(columns)]
    if options.source is not None or options.target is not None:
        fitting = [family for family in fitting if family != "trees"]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise InvalidInputError(
            f"family must be clear, got the columns tail and head in {table.path}, which suit paths and trees: "
            "give --source and --target for paths, or --family trees"
        )
    known = "; ".join(f"{family}: {', '.join(columns)}" for family, columns in CSV_COLUMNS.items())
    raise InvalidInputError(
        f"columns must be those of a family ({known}; and theta, maybe variance), got {', '.join(table.columns)} "
        f"in {table.path}: rename the columns or pass --family"
    )


def _check_columns(table: _Table, family: str) -> None:
    needed = (*CSV_COLUMNS[family], "theta")
    for column in needed:
        if column not in table.columns:
            raise InvalidInputError(
                f"{family} must have the columns {', '.join(needed)}, got no {column!r} in {table.path}: add it"
            )
    for column in table.columns:
        if column not in (*needed, "variance"):
            close = get_close_matches(column, ("variance", "theta"), n=1)
            remedy = f"did you mean {close[0]!r}?" if close else "remove it"
            raise InvalidInputError(
                f"{family} must have the columns {', '.join(needed)} and maybe variance, got {column!r} "
                f"in {table.path}: {remedy}"
            )


def _check_options(family: str, options: ProblemOptions) -> None:
    """Reject an option that the family has no use for."""
    users = {
        "source": ("paths",),
        "target": ("paths",),
        "size": ("msets", "intersection"),
        "saturate": ("matchings",),
        "capacities": ("partition", "intersection"),
    }
    for name, families in users.items():
        if getattr(options, name) and family not in families:
            option = "--capacity" if name == "capacities" else f"--{name}"
            raise InvalidInputError(
                f"{option} must be used with {' or '.join(families)}, got it with {family}: drop it"
            )


def _variance_of(table: _Table, options: ProblemOptions) -> dict[str, object]:
    if "variance" in table.columns:
        if options.variance is not None:
            raise InvalidInputError(
                f"variance must be given once, got --variance beside the column of {table.path}: drop one of the two"
            )
        return {"variance": table.numbers("variance")}
    return {} if options.variance is None else {"variance": options.variance}


def _structure_of(table: _Table, family: str, options: ProblemOptions) -> dict[str, object]:
    """The keys of the description that belong to the family."""
    if family in ("paths", "trees", "matchings"):
        ends = [table.names(column) for column in CSV_COLUMNS[family]]
        keys: dict[str, object] = {"edges": [list(pair) for pair in zip(*ends, strict=True)]}
        if family == "paths":
            keys |= {"source": _required(options.source, "source"), "target": _required(options.target, "target")}
        if options.saturate is not None:
            keys["saturate"] = options.saturate
        return keys
    keys = {"items": table.distinct_names("item")}
    if family == "msets":
        return keys | {"size": _required(options.size, "size")}
    columns = CSV_COLUMNS[family][1:]
    groups = {column: table.names(column) for column in columns}
    capacities = read_capacities(options.capacities, groups)
    matroids = [{"kind": "partition", "groups": groups[c], "capacities": capacities[c]} for c in columns]
    if family == "partition":
        return keys | {"family": "matroid", "matroid": matroids[0]}
    return keys | {"matroids": matroids, "size": options.size}


def _required(value: object, name: str) -> object:
    if value is None:
        raise InvalidInputError(f"{name} must be given for this family, got none: add --{name}")
    return value
