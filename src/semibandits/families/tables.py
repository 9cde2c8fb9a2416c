"""Formats of tables of families and the command-line options that go with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from semibandits.errors import InvalidInputError, Option
from semibandits.inputs.options import CAPACITIES, COLUMNS, LABEL, TEXT, TRUTH, Kind, number, option, read_name, whole

PROBLEM: Final = "Problem"
TEXTS: Final = "Texts for tables, figures and reports"
"""Panels of the options of a problem on the command line."""
_problem, _texts = partial(option, panel=PROBLEM), partial(option, panel=TEXTS)


@dataclass(frozen=True)
class ProblemOptions:
    """Options that complete an instance file.

    Attributes
    ----------
    family : str, optional
        For tables, the name of a format; required only if the header fits several.
    source, target : str, optional
        Ends of the paths.
    size : int, optional
        Number of items to choose: required for m-sets; for partitions and intersections, the largest possible one by default.
    saturate : str, optional
        Sides that a matching must cover: both (default), rows, columns, most or none.
    capacities : sequence of str
        Capacities of groups: ``K`` for all, ``NAME=K`` for one, and ``group2:K`` or ``group2:NAME=K`` for one column only.
    variance : float, optional
        Variance of every item, if the file has no variance column; bounds assume 0.5.
    undirected : bool
        Whether links can be used in both directions.
    minimize : bool
        Whether the numbers of a table are costs, to be minimised.
    columns : sequence of str
        Columns of a table by role: ``ROLE=COLUMN``, such as ``theta=click_rate``.
    title, unit, question : str, optional
        Title, unit of the rewards, and the question that is to be answered, instead of those of the file.

    Examples
    --------
    >>> options = sb.studies.ProblemOptions(capacities=("2", "drama=1"), size=8, columns=("theta=click_rate",))
    >>> options.capacities, options.size, options.source
    (('2', 'drama=1'), 8, None)
    """

    family: str | None = _problem(
        TEXT,
        'family = "trees"',
        "paths, routes, trees, matchings, msets, partition or intersection; often clear from the header.",
    )
    source: str | None = _problem(LABEL, 'source = "Saarbruecken"', "First node of the paths or routes.")
    target: str | None = _problem(LABEL, 'target = "Greifswald"', "Last node of the paths or routes.")
    size: int | None = _problem(whole(0), "size = 10", "Number of items to choose, within the capacities if any.")
    saturate: str | None = _problem(
        Kind(partial(read_name, ("both", "rows", "columns", "most", "none")), "both, rows, columns, most or none"),
        'saturate = "rows"',
        "Sides that a matching must cover: both (default), rows, columns, most (as many pairs as possible) or none.",
    )
    capacities: Sequence[str] = _problem(
        CAPACITIES,
        'capacity = [2, "drama=3"]',
        "Largest number of items from each group, or with NAME=K from one group. Repeatable.",
        metavar="[COLUMN:][NAME=]K",
        default=(),
    )
    variance: float | None = _problem(
        number(lambda v: 0 < v < math.inf, "a positive number"),
        "variance = 0.5",
        "Variance of each reward, if the file has none; 0.5 in bound and plan-test.",
    )
    undirected: bool = _problem(TRUTH, "undirected = true", "Links of routes can be used in both directions.", default=False)
    minimize: bool = _problem(TRUTH, "minimize = true", "The numbers of a table are costs.", default=False)
    columns: Sequence[str] = _problem(
        COLUMNS,
        'columns = {theta = "click_rate"}',
        "Column of a table for a role: theta, costs, variance, least, item, group, tail, head, ... Repeatable.",
        metavar="ROLE=NAME",
        default=(),
    )
    title: str | None = _texts(TEXT, 'title = "Front page"', "Title, by default the file's name.")
    unit: str | None = _texts(TEXT, 'unit = "clicks"', "Unit of the rewards or costs, as in clicks or min.")
    question: str | None = _texts(
        TEXT, 'question = "Which articles belong on the front page?"', "The question that the report answers."
    )


@dataclass(frozen=True)
class Table:
    """A format of tables with one line per item."""

    name: str  # of the family on the command line
    columns: tuple[str, ...]  # besides ``theta`` and, optionally, ``variance``
    options: tuple[str, ...]  # supported fields of `ProblemOptions`, besides `family` and `variance`
    # Keys of the JSON form, given the cells of each column and the options.
    keys: Callable[[Mapping[str, list[str]], ProblemOptions], dict[str, object]]
    names_items: bool  # whether the first column holds unique item names
    numbers: tuple[str, ...] = ()  # optional columns of numbers, which become keys of the JSON form
    # Whether the format suits the cells and the options, where several formats have these columns.
    fits: Callable[[Mapping[str, list[str]], ProblemOptions], bool] = lambda cells, options: True
    is_in_costs: bool = False  # whether rewards are minus costs, which must be at least 0, or at least the column ``least``
    texts: tuple[str, ...] = ()  # optional columns of texts, which become keys of the JSON form; cells may be empty


def edges_from(cells: Mapping[str, list[str]], first: str, second: str) -> list[list[str]]:
    """Combine the cells of two columns to edges."""
    return [list(pair) for pair in zip(cells[first], cells[second], strict=True)]


def required(value: object, name: str) -> object:
    """The value of an option that must be given."""
    if value is None:
        raise InvalidInputError(Option(name), " must be given for this family, got none: add ", Option(name))
    return value
