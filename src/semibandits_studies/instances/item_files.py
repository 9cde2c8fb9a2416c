"""Tables about the items of an instance: their features, and logs of their rewards."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from semibandits.decisions.base import DecisionSet
from semibandits.decisions.matchings import Matchings
from semibandits.errors import InvalidInputError, Option
from semibandits.families.tables import ProblemOptions
from semibandits_studies.instances.base import Instance
from semibandits_studies.instances.header import Header, chosen_columns
from semibandits_studies.instances.matrices import CELLS
from semibandits_studies.instances.measures import MEASURES, measure_of
from semibandits_studies.instances.numbers import is_number, read_numbers, style_of
from semibandits_studies.instances.roles import COSTS, ROLES
from semibandits_studies.instances.sheets import Cell, as_text, listed
from semibandits_studies.instances.table_files import Cells, below_header, sheet_of


def read_features(
    path: str | os.PathLike[str], instance: Instance, options: ProblemOptions, names: Sequence[str] = ()
) -> dict[str, list[Cell | None]]:
    """Columns of features by name, their rows in the order of the items; None where a text is missing.

    They are all columns of a table with a line for each item, in any order, but those of its labels. `names` are columns of the
    table that the instance itself was read from, whose lines are the items.
    """
    cells = _cells(path, options, ROLES)
    header, lines = cells.header, list(range(len(cells.lines)))
    if names:
        columns = {header.names[k]: k for k in map(header.named, names)}
    else:
        labels = _label_columns(header, instance)
        columns = {name: header.named(name) for k, name in enumerate(header.names) if name and k not in labels}
        lines = _line_of_items(cells, instance, labels)
    if not columns:
        raise InvalidInputError(
            f"{path} must have a column of features, got {listed(header.names)} only: add one, or use ",
            Option("features", "pooled"),
        )
    numeric = [k for k in columns.values() if all(cell == "" or is_number(cell) for cell in cells.columns[k])]
    style = style_of(map(cells.column, numeric), cells.path)
    features: dict[str, list[Cell | None]] = {}
    for name, k in columns.items():
        texts = [as_text(cell) or None for cell in cells.columns[k]]
        values = read_numbers(cells.column(k), style, cells.path) if k in numeric else texts
        features[name] = [values[line] for line in lines]
    return features


NUMBER: Final = "item_3"
"""The column of the numbers of parallel links in the logs of learners."""


@dataclass(frozen=True)
class ItemLog:
    """Outcomes of single items, from a table with a line for each."""

    items: list[int | str]  # an unknown item is its name
    outcomes: list[float]
    in_costs: bool
    names: list[str]  # of the columns of the outcomes and of the items
    gaps: int  # number of lines without an outcome

    @property
    def unknown(self) -> int:
        """Number of outcomes of unknown items."""
        return sum(isinstance(item, str) for item in self.items)


def read_log(path: str | os.PathLike[str], instance: Instance, options: ProblemOptions, *, has_means: bool = False) -> ItemLog:
    """The item and the reward, or cost, of each line of a log; lines without an outcome are left out.

    If the problem `has_means`, chosen columns of means may be missing here, since they may belong to its table.
    """
    of_matrix = {name for name in chosen_columns(options.columns).values() if name.strip().casefold() == CELLS}
    own = [text for text in options.columns if of_matrix.isdisjoint(chosen_columns([text]).values())]
    options = replace(options, columns=own)
    cells = _cells(path, options, ROLES if has_means else ROLES.keys() - set(MEASURES))
    header, labels = cells.header, _label_columns(cells.header, instance)
    first = [column[0] for column in cells.columns]
    taken = [*labels, *(k for k, name in enumerate(header.names) if name.strip().casefold() == "probability")]  # of the choice
    measure = measure_of(header, options, family="a history", taken=taken, first=first)
    columns = [cells.column(k) for k in (measure.column, measure.trials) if k is not None]
    style = style_of(columns, cells.path)
    outcomes, *trials = (read_numbers(column, style, cells.path, gaps=True) for column in columns)
    for line, outcome, count in zip(cells.lines, outcomes, *trials, strict=True) if trials else ():
        if count != 1.0 and not math.isnan(outcome):
            raise InvalidInputError(
                f"{columns[1].name} must be 1 on each line of a log, got {count:g} on line {line} of {path}: write one line for "
                "each outcome, or a table with a line for each item, and its outcomes in a column for ",
                Option("prior_plays", columns[1].name),
            )
    texts = zip(*(cells.names(k) for k in labels), strict=True)
    places = _items_of_lines(cells, instance, labels, number=header.names.index(NUMBER) if NUMBER in header.names else None)
    items = [own[0] if len(own) == 1 else " - ".join(text) for own, text in zip(places, texts, strict=True)]
    known = [k for k, outcome in enumerate(outcomes) if not math.isnan(outcome)]
    names = [header.names[k] for k in (measure.column, *labels)]
    listed_items, values = [items[k] for k in known], [outcomes[k] for k in known]
    return ItemLog(listed_items, values, measure.key == COSTS, names, len(outcomes) - len(known))


def _cells(path: str | os.PathLike[str], options: ProblemOptions, optional: Collection[str]) -> Cells:
    """The cells of a file; columns that were chosen for the optional roles may be those of the problem's own table."""
    chosen = chosen_columns(options.columns)
    return below_header(sheet_of(path, chosen), chosen, optional=optional)


def label_roles(decision_set: DecisionSet) -> tuple[str, ...]:
    """The roles of the columns that name an item: one, or two for items that are pairs."""
    pair = ("row", "column") if isinstance(decision_set, Matchings) else ("tail", "head")
    return pair if isinstance(decision_set.items[0], tuple) else ("item",)


def _label_columns(header: Header, instance: Instance) -> list[int]:
    """The columns that name the items."""
    roles = label_roles(instance.decision_set)
    found = [header.column(role) for role in roles]
    for role, k in zip(roles, found, strict=True):
        if k is None:
            raise InvalidInputError(
                f"{header.where} must name the items in the {'column' if len(roles) == 1 else 'columns'} {' and '.join(roles)}, "
                f"got {listed(header.names)}: name the column, as in ",
                Option("columns", [f"{role}={header.names[0]}"]),
            )
    return [k for k in found if k is not None]


def _items_of_lines(cells: Cells, instance: Instance, labels: Sequence[int], *, number: int | None = None) -> list[list[int]]:
    """The items of each line: none if unknown, several for parallel links without their column of numbers."""
    items: Sequence[Any] = instance.decision_set.items
    width = 2 if number is None else 3
    own = [tuple(map(str, item[:width])) for item in items] if len(labels) > 1 else [(label,) for label in instance.labels]
    places: dict[tuple[str, ...], list[int]] = {}
    for item, label in enumerate(own):
        places.setdefault(label, []).append(item)
    named = list(zip(*(cells.names(k) for k in labels), strict=True))
    if number is not None and len(labels) > 1:
        numbers = map(as_text, cells.columns[number])
        named = [(*name, *([own_number] if own_number else [])) for name, own_number in zip(named, numbers, strict=True)]
    return [places.get(name, []) for name in named]


def _line_of_items(cells: Cells, instance: Instance, labels: Sequence[int]) -> list[int]:
    """The line of each item; items without a line or with two, and lines without an item are refused."""
    places = _items_of_lines(cells, instance, labels)
    cells.check_distinct([" - ".join(texts) for texts in zip(*(cells.names(k) for k in labels), strict=True)])
    lines = {item: k for k, items in enumerate(places) for item in items}
    missing = [label for item, label in enumerate(instance.labels) if item not in lines]
    if missing or [] in places:
        got = f"none for {missing[0]!r}" if missing else f"one for another on line {cells.lines[places.index([])]}"
        raise InvalidInputError(
            f"{cells.path} must have a line for each item and no others, got {got}: correct the names, or add or remove lines"
        )
    return [lines[item] for item in range(len(instance.labels))]
