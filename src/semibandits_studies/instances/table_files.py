"""Instances in tables: one line per item, the family determined by the header (docs/cli.md)."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from semibandits.decisions.base import DecisionSet
from semibandits.decisions.paths import Paths
from semibandits.decisions.routes import Routes
from semibandits.errors import InvalidInputError, Option
from semibandits.families.tables import ProblemOptions, Table
from semibandits.inputs.labelled import refuse_rounded
from semibandits_studies.instances.base import Instance
from semibandits_studies.instances.header import Header, chosen_columns, find_header, name_counter
from semibandits_studies.instances.json_files import instance_from_description
from semibandits_studies.instances.matrices import as_pairs
from semibandits_studies.instances.measures import PLAYS, TRIALS, Measure, measure_of, plays_of
from semibandits_studies.instances.numbers import Column, gaps_error, is_gap, read_numbers, style_of
from semibandits_studies.instances.roles import COSTS, THETA, VARIANCE
from semibandits_studies.instances.rows import alike_notes, check_names, sum_notes
from semibandits_studies.instances.sheets import Cell, Sheet, as_text, check_size, filled, listed, shown
from semibandits_studies.instances.table_choice import check_options, check_roles, choose_table, only_one
from semibandits_studies.instances.text_tables import read_text_table
from semibandits_studies.instances.typed_tables import READERS

MISSPELT: Final = {VARIANCE: 0.85, "least": 0.9}
"""Similarity from which a name counts as a misspelt name of an optional column."""


FEW_TRIALS: Final = 10
"""Shares of fewer trials are pointed out."""


@dataclass(frozen=True)
class Cells:
    """The cells below a header by column, with the line of each row, and notes on how they were read."""

    path: str
    header: Header
    columns: Sequence[Sequence[Cell]]
    lines: Sequence[int]
    notes: Sequence[str]

    def column(self, k: int) -> Column:
        """A column with its name and lines."""
        return Column(self.header.names[k], self.columns[k], self.lines)

    def names(self, k: int) -> list[str]:
        """The texts of a column, which must be filled in on every line."""
        for line, cell in zip(self.lines, self.columns[k], strict=True):
            if cell == "":
                raise InvalidInputError(
                    f"{self.header.names[k]} must be filled in on every line, got nothing on line {line} of {self.path}: "
                    "fill in that cell"
                )
        for line, cell in zip(self.lines, self.columns[k], strict=True):
            refuse_rounded(cell, f"{self.header.names[k]} on line {line} of {self.path}")
        return [as_text(cell) for cell in self.columns[k]]

    def check_distinct(self, names: Sequence[str]) -> None:
        """Refuse a name on two lines."""
        first: dict[str, int] = {}
        for line, name in zip(self.lines, names, strict=True):
            if first.setdefault(name, line) != line:
                raise InvalidInputError(
                    f"items must have distinct names, got {shown(name)} on lines {first[name]} and {line} of {self.path}: "
                    "rename one of them; of a log with a line per outcome, make a table with a line per item, with its mean or "
                    "with clicks and impressions"
                )


def read_table(path: str | os.PathLike[str], options: ProblemOptions | None = None) -> Instance:
    """Read an instance from a table with a header and one line per item.

    The ending of the file gives the format: .xlsx, .xls, .parquet, .jsonl or .ndjson; any other ending is read as text with
    commas, semicolons, tabs or bars between cells. `options` complete the file.
    """
    options = options or ProblemOptions()
    chosen = chosen_columns(options.columns)
    return _instance(sheet_of(path, chosen), options, chosen)[0]


def read_prior(path: str | os.PathLike[str], options: ProblemOptions, plays: int | str | None) -> tuple[Instance, list[float]]:
    """Read a table in which means may be unknown, and how many outcomes each mean is worth.

    `plays` is their number, or the name of its column, "" for one that is found if it is clear; None if the means are not read at
    all. An item with an empty cell has no plays, and a mean that stands for nothing.
    """
    chosen = chosen_columns(options.columns)
    return _instance(sheet_of(path, chosen), options, chosen, plays=plays, gaps=True)


def sheet_of(path: str | os.PathLike[str], chosen: Mapping[str, str]) -> Sheet:
    """The rows of a file, by its ending; `chosen` are the names of columns that the user chose, by role."""
    read = READERS.get(Path(path).suffix.lower())
    return read_text_table(path, name_counter(chosen)) if read is None else read(path)


def read_csv(path: str | os.PathLike[str], options: ProblemOptions | None = None) -> Instance:
    """Read an instance from a table in text, whatever the ending of the file; see :func:`read_table`."""
    options = options or ProblemOptions()
    chosen = chosen_columns(options.columns)
    return _instance(read_text_table(path, name_counter(chosen)), options, chosen)[0]


def _instance(
    sheet: Sheet, options: ProblemOptions, chosen: Mapping[str, str], *, plays: int | str | None = 1, gaps: bool = False
) -> tuple[Instance, list[float]]:
    """The instance of a table, and the plays of its means; see :func:`read_prior`, which allows `gaps`."""
    cells = below_header(as_pairs(sheet, chosen, options, gaps=gaps, means=plays is not None), chosen)
    header = cells.header
    tables = choose_table(header, options)
    columns = {name: k for name in tables[0].columns if (k := header.column(name)) is not None}  # which has all of them
    first = [next((cell for cell in column if not is_gap(cell)), "") for column in cells.columns]
    family = " or ".join(table.name for table in tables)
    taken = [*columns.values()]
    of_plays: list[str] = []
    if plays == "":
        plays = None
        with suppress(InvalidInputError):  # no or several columns of means
            plays, of_plays = plays_of(
                header, cells.columns, cells.lines, measure_of(header, options, family=family, taken=taken, first=first), taken
            )
    counts = {PLAYS: header.named(plays)} if isinstance(plays, str) else {}
    taken += counts.values()
    measure = None if plays is None else measure_of(header, options, family=family, taken=taken, first=first)
    _check_spelling(cells, tables)
    table = _that_fits(tables, cells, columns, options)
    check_roles(table, header)
    check_options(table, options)
    items = [as_text(cell) for cell in cells.columns[columns[table.columns[0]]]]
    check_names(cells.lines, cells.columns[0], items, cells.path)
    numbers = _numbers(cells, table, measure, options, counts, gaps=gaps)
    totals: list[str] = []
    if measure is not None:
        texts_of = zip(*(map(as_text, cells.columns[k]) for k in columns.values()), strict=True)
        names_of = [(as_text(cell), " - ".join(filter(None, one))) for cell, one in zip(cells.columns[0], texts_of, strict=True)]
        means, weights = numbers[measure.key][1], _weights(cells, measure)
        totals = sum_notes(cells.lines, names_of, means, cells.path, weights=weights)
    known = _fill_gaps(cells, table, measure, numbers, plays) if gaps else []
    description: dict[str, object] = {"family": table.name, "name": Path(sheet.path).stem}
    description |= {key: values for key, (_, values) in numbers.items()}
    if options.variance is not None:
        description[VARIANCE] = options.variance
    if measure is not None and header.unit(measure.column) and measure.trials is None:
        description["unit"] = header.unit(measure.column)
    names: dict[str, list[str]] = {}
    for name, k in columns.items():
        names[name] = cells.names(k)
        if table.names_items and name == table.columns[0]:
            cells.check_distinct(names[name])
    description |= table.keys(names, options)
    texts = {role: k for role in table.texts if (k := header.column(role)) is not None and k not in columns.values()}
    description |= {role: [as_text(cell) for cell in cells.columns[k]] for role, k in texts.items()}
    instance = instance_from_description(description)
    roles = columns | {key: k for key, (k, _) in numbers.items() if k >= 0} | texts
    notes = [
        *_column_notes(cells, roles, measure, has_ignored=not gaps),
        *cells.notes,
        *of_plays,
        *([] if measure is None or gaps else _sparse_notes(cells, measure)),
        *totals,
        *_alike_notes(cells, columns),
        *_unused_notes(instance.decision_set),
    ]
    note = " ".join([*filter(None, [instance.note]), *notes])
    return replace(instance, note=note, description=description | {"note": note}) if notes else instance, known


def below_header(sheet: Sheet, chosen: Mapping[str, str], *, optional: Collection[str] = ()) -> Cells:
    """The cells below the header; all rows are as wide as its names. Chosen columns of the optional roles may be absent."""
    position = find_header(sheet, chosen)
    names = [as_text(cell) for cell in sheet.rows[position][1]]
    there = {name.casefold() for name in names}
    chosen = {role: name for role, name in chosen.items() if role not in optional or name.strip().casefold() in there}
    width, below = filled(names), sheet.rows[position + 1 :]
    if not below:
        raise InvalidInputError(f"{sheet.path} must have a line for each item, got the header only: add the items")
    check_size(sheet.path, width * len(below))
    for line, row in below:
        if sheet.separator and (len(row) < width or filled(row) > len(names)):
            raise InvalidInputError(
                f"each line must have {width} cells like the header, got {max(filled(row), min(len(row), width))} on line "
                f"{line} of {sheet.path}: add or remove cells, and put texts and numbers with {sheet.separator} in double quotes"
            )
    rows = [[*row[:width], *[""] * (width - len(row))] for _, row in below]
    notes = list(sheet.notes)
    if position:
        top, last = sheet.rows[0][0], sheet.rows[position - 1][0]
        skipped = f"Line {top} above the header was" if position == 1 else f"Lines {top} to {last} above the header were"
        notes.append(f"{skipped} skipped.")
    if any(filled(row) > width for _, row in below):
        notes.append("Cells to the right of the last column name are ignored.")
    return Cells(
        path=sheet.path,
        header=Header(names[:width], chosen, sheet.path),
        columns=list(zip(*rows, strict=True)),
        lines=[line for line, _ in below],
        notes=notes,
    )


def _that_fits(tables: Sequence[Table], cells: Cells, columns: Mapping[str, int], options: ProblemOptions) -> Table:
    """The format that suits cells and options, where several have the same columns."""
    if len(tables) > 1 and (options.source is not None or options.target is not None):
        texts = {name: [as_text(cell) for cell in cells.columns[k]] for name, k in columns.items()}
        ways = [table for table in tables if "source" in table.options]
        tables = [table for table in ways if table.fits(texts, options)][:1]
    return only_one(tables, cells.header)


def _check_spelling(cells: Cells, tables: Sequence[Table]) -> None:
    """Refuse a column whose name is a misspelt one of an optional column."""
    header = cells.header
    for role, cutoff in MISSPELT.items():
        if role == VARIANCE or any(role in table.numbers for table in tables):
            close = None if header.candidates(role) else header.misspelt(role, cutoff)
            if close is not None:
                raise InvalidInputError(
                    f"{tables[0].name} may have the column {role}, got {close!r} in {cells.path}: did you mean {role!r}? "
                    f"Rename it, or add ",
                    Option("columns", [f"{role}={close}"]),
                )


def _numbers(
    cells: Cells, table: Table, measure: Measure | None, options: ProblemOptions, counts: Mapping[str, int], *, gaps: bool
) -> dict[str, tuple[int, list[float]]]:
    """Column and numbers of the rewards or costs, the variance, the optional columns of the format, and the plays.

    With `gaps`, rewards or costs and plays are NaN where they are not known.
    """
    header = cells.header
    columns = ({} if measure is None else {measure.key: measure.column}) | dict(counts)
    partial = {*columns}
    for role in (VARIANCE, *table.numbers):
        column = header.column(role)
        if column is not None and not (measure and column in header.flow_times(measure.column)):
            columns[role] = column
    if VARIANCE in columns and options.variance is not None:
        raise InvalidInputError(
            "variance must be given once, got ", Option(VARIANCE), f" beside the column of {cells.path}: drop one of the two"
        )
    every = [cells.column(k) for k in columns.values()]
    trials = None if measure is None or measure.trials is None else cells.column(measure.trials)
    style = style_of([*every, *([] if trials is None else [trials])], cells.path)
    numbers = {role: (k, read_numbers(cells.column(k), style, cells.path, gaps=role in partial)) for role, k in columns.items()}
    if measure is not None and trials is not None:
        of = read_numbers(trials, style, cells.path, gaps=True)
        numbers[measure.key] = (measure.column, _shares(cells, measure, numbers[measure.key][1], of))
    if measure is not None and not gaps:
        unknown = [line for line, mean in zip(cells.lines, numbers[measure.key][1], strict=True) if mean != mean]
        if unknown:
            share = " / ".join(header.names[k] for k in (measure.column, measure.trials) if k is not None)
            raise gaps_error(share, unknown, cells.path, "leave out the items")
    _check_variance(cells, numbers)
    if table.is_in_costs and measure is not None:
        _check_costs(cells, table, measure, {role: values for role, (_, values) in numbers.items()})
    return numbers


def _weights(cells: Cells, measure: Measure) -> list[float] | None:
    """The trials of each mean, if there are such numbers."""
    columns = cells.header.candidates(TRIALS) if measure.trials is None else [measure.trials]
    for column in map(cells.column, columns[:1]):
        with suppress(InvalidInputError):  # cells of other kinds
            return read_numbers(column, style_of([column], cells.path), cells.path, gaps=True)
    return None


def _fill_gaps(
    cells: Cells, table: Table, measure: Measure | None, numbers: dict[str, tuple[int, list[float]]], plays: int | str | None
) -> list[float]:
    """The plays of the means, 0 of unknown ones; these get the number that is possible for any item, and plays are taken out."""
    key = measure.key if measure is not None else COSTS if table.is_in_costs else THETA
    blank = [math.nan] * len(cells.lines)
    column, means = numbers.pop(key, (-1, blank))
    counts = numbers.pop(PLAYS, (-1, [float(plays)] * len(blank) if isinstance(plays, int) else blank))[1]
    known = [count if mean == mean and count == count else 0.0 for mean, count in zip(means, counts, strict=True)]
    least = numbers.get("least", (-1, [0.0] * len(blank)))[1]
    filled = [mean if mean == mean else bound if key == COSTS else 0.0 - bound for mean, bound in zip(means, least, strict=True)]
    numbers[key] = (column, filled)
    return known


def _shares(cells: Cells, measure: Measure, successes: Sequence[float], trials: Sequence[float]) -> list[float]:
    assert measure.trials is not None
    few, many = cells.header.names[measure.column], cells.header.names[measure.trials]
    trials = [math.nan if n == of == 0 else of for n, of in zip(successes, trials, strict=True)]
    for line, n, of in zip(cells.lines, successes, trials, strict=True):
        if (n == n and of == of and not 0 <= n <= of) or of == 0:
            raise InvalidInputError(
                f"{few} must be at least 0 and at most {many}, which must be positive, got {n:g} of {of:g} on line {line} of "
                f"{cells.path}: correct or remove that line, or choose another column, as in ",
                Option("columns", [f"theta={few}"]),
            )
    return [n / of for n, of in zip(successes, trials, strict=True)]


def _check_variance(cells: Cells, numbers: Mapping[str, tuple[int, list[float]]]) -> None:
    if VARIANCE not in numbers:
        return
    column, values = numbers[VARIANCE]
    for i, value in enumerate(values):
        if value <= 0:
            raise InvalidInputError(
                f"variance must be positive, got {as_text(cells.columns[column][i])} on line {cells.lines[i]} of {cells.path}: "
                "leave out items that are known exactly, which need no exploration"
            )


def _check_costs(cells: Cells, table: Table, measure: Measure, numbers: Mapping[str, list[float]]) -> None:
    """Refuse costs that are negative, or below the least ones."""
    name, sign = cells.header.names[measure.column], 1 if measure.key == COSTS else -1
    least = numbers.get("least", [0.0] * len(cells.lines))
    for i, (value, bound) in enumerate(zip(numbers[measure.key], least, strict=True)):
        if sign * value < bound:
            limit = f"{sign * bound + 0.0:g}"
            expected = f"at least {limit}" if sign > 0 else f"at most {limit}"
            remedy: tuple[str | Option, ...] = ("correct that cell",)
            if sign < 0 and value > 0:
                remedy = ("check the sign, or, if the column holds costs, add ", Option("minimize", True))
            raise InvalidInputError(
                f"{name} must be {expected} for {table.name}, got {as_text(cells.columns[measure.column][i])} on line "
                f"{cells.lines[i]} of {cells.path}: ",
                *remedy,
            )


def _column_notes(cells: Cells, roles: Mapping[str, int], measure: Measure | None, *, has_ignored: bool) -> list[str]:
    """Sentences about the columns whose names differ from their roles, and about those without a role."""
    trials = None if measure is None else measure.trials
    header, read = cells.header, []
    for role, k in roles.items():
        own = measure.role if measure is not None and role in (THETA, COSTS) else role
        if (trials is None or role not in (THETA, COSTS)) and header.needs_note(own, k):
            read.append(f"{header.names[k]} as {'rewards' if role == THETA else role}")
    notes = [f"Read from the table: {', '.join(read)}."] if read else []
    if measure is not None and trials is not None:
        share = f"{header.names[measure.column]} / {header.names[trials]}"
        notes.append(f"{'Costs' if measure.key == COSTS else 'Rewards'} are {share}.")
    used = {*roles.values(), trials}
    ignored = [name for k, name in enumerate(header.names) if k not in used and (name or any(map(as_text, cells.columns[k])))]
    if ignored and has_ignored:
        notes.append(f"Ignored columns: {listed(ignored)}.")
    return notes


def _sparse_notes(cells: Cells, measure: Measure) -> list[str]:
    """A sentence about items whose share is that of a few trials: one click of one view is a mean of 1."""
    trials = None if measure.trials is None else _weights(cells, measure)
    few = [(line, count) for line, count in zip(cells.lines, trials or (), strict=False) if count < FEW_TRIALS]
    if measure.trials is None or not few:
        return []
    (line, count), name = min(few, key=lambda pair: pair[1]), cells.header.names[measure.trials]
    lines = f"{len(few):,} {'line has' if len(few) == 1 else 'lines have'}"
    return [f"{lines} fewer than {FEW_TRIALS} {name} (line {line}: {count:g}), which tell little of a mean."]


def _alike_notes(cells: Cells, columns: Mapping[str, int]) -> list[str]:
    """A sentence about names that look alike; both ends of links are names of the same places."""
    ends = [columns[role] for role in ("tail", "head") if role in columns]
    groups = [ends] if ends else [[k] for k in columns.values()]
    rows = [[(line, cells.columns[k][i]) for i, line in enumerate(cells.lines) for k in group] for group in groups]
    return [note for row in rows for note in alike_notes(row)]


def _unused_notes(decisions: DecisionSet) -> list[str]:
    """A sentence about links that no path from the source to the target can use."""
    if not isinstance(decisions, Paths | Routes):
        return []
    unused = int((~decisions.useful_items).sum())
    where = f"from {decisions.source} to {decisions.target}"
    return [f"{unused:,} of {decisions.d:,} links are on no path {where}."] if unused else []
