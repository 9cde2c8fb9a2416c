"""CSV formats of families and the command-line options that go with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from semibandits.errors import InvalidInputError


@dataclass(frozen=True)
class ProblemOptions:
    """What a file cannot say, or leaves out.

    Attributes
    ----------
    family : str, optional
        For CSV files the name of a table, needed only where the header fits several.
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
class Table:
    """A kind of CSV file, one line an item.

    Attributes
    ----------
    name : str
        What it is called as a family on a command line.
    columns : tuple of str
        Its columns beside ``theta`` and, if wanted, ``variance``.
    options : tuple of str
        The fields of `ProblemOptions` that it has a use for, beside `family` and `variance`.
    keys : callable
        The keys of the JSON form from the filled cells of each column, and the options.
    names_items : bool
        Whether the first column names the items, each once.
    """

    name: str
    columns: tuple[str, ...]
    options: tuple[str, ...]
    keys: Callable[[Mapping[str, list[str]], ProblemOptions], dict[str, object]]
    names_items: bool


def required(value: object, name: str) -> object:
    """The value of an option that must be given.

    Raises
    ------
    InvalidInputError
        If it is not.
    """
    if value is None:
        raise InvalidInputError(f"{name} must be given for this family, got none: add --{name}")
    return value
