"""Parser for capacities of groups on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from semibandits.errors import InvalidInputError, Option
from semibandits.formats.json import MOST_DIGITS
from semibandits.inputs.fields import unknown_name


class _Capacity(NamedTuple):
    """One ``[COLUMN:][NAME=]K``; None for an omitted part."""

    column: str | None
    name: str | None
    limit: int


def read_capacities(texts: Sequence[str], groups: Mapping[str, Sequence[str]]) -> dict[str, dict[str, int]]:
    """Capacity of each group, by column; `groups` are those that occur in each column.

    A text is ``K`` for all groups or ``NAME=K`` for one group; the prefix ``COLUMN:`` restricts it to the groups of one column.
    The most specific text applies: first those with a name, then those with a column. Unknown groups and groups without a
    capacity are refused.
    """
    wanted = [_parse(text, groups) for text in texts]
    for capacity in wanted:
        known = [g for column in groups if capacity.column in (None, column) for g in dict.fromkeys(groups[column])]
        if capacity.name is not None and capacity.name not in known:
            raise unknown_name("group of a capacity", capacity.name, known)
    wanted.sort(key=lambda capacity: (capacity.name is not None, capacity.column is not None))
    return {column: _limits(column, names, wanted) for column, names in groups.items()}


def _parse(text: str, groups: Mapping[str, Sequence[str]]) -> _Capacity:
    column, colon, rest = text.partition(":")
    if not (colon and column in groups):
        column, rest = "", text
    name, equals, number = rest.rpartition("=")
    if not number.strip().isdecimal() or len(number) > MOST_DIGITS:
        got = repr(text) if len(text) <= MOST_DIGITS else f"{len(text):,} characters"
        example = Option("capacities", [f"{list(groups)[-1]}:2" if ":" in text else "2"])
        raise InvalidInputError(
            Option("capacities"), f" must be K or NAME=K with K = 0, 1, 2, ..., got {got}: write e.g. ", example
        )
    return _Capacity(column or None, name if equals else None, int(number))


def _limits(column: str, names: Sequence[str], wanted: Sequence[_Capacity]) -> dict[str, int]:
    limits: dict[str, int] = {}
    for group in dict.fromkeys(names):
        for capacity in wanted:  # from general to specific: the last match applies
            if capacity.column in (None, column) and capacity.name in (None, group):
                limits[group] = capacity.limit
        if group not in limits:
            raise InvalidInputError(
                f"each group must have a capacity, got none for {group!r} of the column {column}: add ",
                Option("capacities", [f"{group}=K"]),
                ", or ",
                Option("capacities", ["K"]),
                " for all groups",
                *(() if wanted else (", or ignore the groups: ", Option("family", "msets"))),
            )
    return limits
