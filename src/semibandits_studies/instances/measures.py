"""The column of a table that holds the mean rewards or costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from semibandits.errors import InvalidInputError, Option
from semibandits.families.tables import ProblemOptions
from semibandits_studies.instances.header import Header
from semibandits_studies.instances.numbers import is_gap, is_number
from semibandits_studies.instances.roles import COSTS, THETA
from semibandits_studies.instances.sheets import Cell, as_text, listed

SUCCESSES: Final = "successes"
TRIALS: Final = "trials"
PLAYS: Final = "plays"
"""Name of the column of the outcomes that a mean is worth."""
MEASURES: Final = (THETA, COSTS, SUCCESSES, TRIALS)
"""Roles of columns that rewards or costs are read from."""


@dataclass(frozen=True)
class Measure:
    """Where the mean rewards or costs are."""

    key: str  # "theta" or "costs"
    column: int  # for counts, that of the successes
    trials: int | None = None  # the column of the trials, by which successes are divided
    role: str = THETA  # of the column; it may differ from `key`, as `minimize` turns rewards into costs


def measure_of(header: Header, options: ProblemOptions, *, family: str, taken: Sequence[int], first: Sequence[Cell]) -> Measure:
    """Determine the column of the rewards or costs; none and several are refused. `options.minimize` turns rewards into costs.

    `taken` are columns with another role; `first` are the cells of the first line, which show what columns of numbers there are.
    `family` is for messages.
    """
    found = {role: [k for k in _sure(header, role) if k not in taken] for role in (THETA, COSTS)}
    counts = [header.candidates(role) for role in (SUCCESSES, TRIALS)]
    is_ratio = all(counts) and not found[THETA] and not header.is_chosen(COSTS)
    columns = [(role, k) for role, ks in found.items() for k in ks]
    if header.is_chosen(SUCCESSES) and not any(map(header.is_chosen, (THETA, COSTS))):
        columns, is_ratio = [], all(counts)
    if len(columns) == 1 and not header.is_chosen(columns[0][0]):
        columns += [(COSTS, k) for k in header.flow_times(columns[0][1])]
    if len(columns) > 1 or (is_ratio and columns):
        raise _several(header, columns, is_ratio)
    if columns:
        role, column = columns[0]
        return Measure(COSTS if options.minimize else role, column, role=role)
    if not is_ratio:
        raise _none(header, family, taken, first)
    successes, trials = (header.column(role) for role in (SUCCESSES, TRIALS))
    assert successes is not None
    return Measure(COSTS if options.minimize else THETA, successes, trials, role=SUCCESSES)


def plays_of(
    header: Header, columns: Sequence[Sequence[Cell]], lines: Sequence[int], measure: Measure, taken: Sequence[int]
) -> tuple[str | None, list[str]]:
    """The name of the column of the outcomes that each mean is worth, if it is clear, and a sentence about it.

    It is clear for the trials of a share, for the name `plays`, and for a usual name if there are gaps, and numbers from 1 beside
    all means and no others. `columns` are the cells, and `taken` columns with another role.
    """
    places = [k for k in header.plays() if k not in (*taken, measure.column)] if measure.trials is None else [measure.trials]
    if not places and not all(map(is_gap, columns[measure.column])):
        return None, [f"The numbers of {header.names[measure.column]} are not used; --prior-plays 5 counts each as 5 outcomes."]
    if len(places) != 1:
        return None, []
    name = header.names[places[0]]
    known = [not is_gap(cell) for cell in columns[measure.column]]
    counts = [as_text(cell)[:1] in list("123456789") for cell in columns[places[0]]]
    if measure.trials is not None or name.strip().casefold() == PLAYS or (known == counts and not all(known)):
        return name, [f"Each mean counts as many outcomes as {name} has in its line; --prior-plays 0 uses none."]
    unused, odd = header.names[measure.column], [k for k in range(len(lines)) if known[k] != counts[k]]
    why = f", since on line {lines[odd[0]]} only one of {unused} and {name} is a number" if 0 < len(odd) < len(lines) / 2 else ""
    return None, [f"{unused} is not used{why}; --prior-plays {name} counts each mean as that many outcomes."]


def _sure(header: Header, role: str) -> list[int]:
    """Columns of a role; none if the other role was chosen, or is there by its exact name `theta`."""
    other = COSTS if role == THETA else THETA
    if header.is_chosen(other):
        return []
    if role == COSTS and header.exact(THETA) and not header.is_chosen(COSTS):
        return header.exact(COSTS)
    return header.candidates(role)


def _several(header: Header, columns: Sequence[tuple[str, int]], is_ratio: bool) -> InvalidInputError:
    names = [header.names[k] for _, k in columns]
    if len({name.casefold() for name in names}) < len(names):
        return header.ambiguous(columns[0][0], [k for _, k in columns])
    remedy: tuple[str | Option, ...] = (_as(columns[0][0], names[0]),)
    if is_ratio:
        clicks, impressions = (header.names[header.candidates(role)[0]] for role in (SUCCESSES, TRIALS))
        names.append(f"{clicks} / {impressions}")
        remedy = (*remedy, " or ", _as(SUCCESSES, clicks))
    return InvalidInputError(
        f"the rewards or costs must be one column, got {' and '.join(map(repr, names))} in {header.where}: choose one, as in ",
        *remedy,
    )


def _none(header: Header, family: str, taken: Sequence[int], first: Sequence[Cell]) -> InvalidInputError:
    free = [k for k in range(len(header.names)) if k not in taken and header.names[k]]
    proposed = [k for k in free if k in header.possible(THETA) or k in header.candidates(SUCCESSES)]
    proposed = proposed or [k for k in free if first[k] != "" and is_number(first[k])]
    close = header.misspelt(THETA)
    problem = (
        f"{family} must have the column theta (mean rewards) or costs, got neither among {listed(header.names)} "
        f"in {header.where}: "
    )
    if close is not None:
        return InvalidInputError(problem, f"is {close!r} meant as 'theta'? Rename it, or add ", _as(THETA, close))
    if not proposed:
        return InvalidInputError(problem, "add it")
    name = header.names[proposed[0]]
    return InvalidInputError(problem, "add ", _as(THETA, name), " to maximise it, or ", _as(COSTS, name), " to minimise it")


def _as(role: str, name: str) -> Option:
    return Option("columns", [f"{role}={name}"])
