"""The family of a table, from its header and the options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from semibandits.errors import InvalidInputError, Option
from semibandits.families.registry import TABLES
from semibandits.families.tables import ProblemOptions, Table
from semibandits.inputs.fields import unknown_name
from semibandits_studies.instances.header import Header
from semibandits_studies.instances.measures import MEASURES
from semibandits_studies.instances.roles import ROLES, VARIANCE
from semibandits_studies.instances.sheets import listed

PATHS_OR_TREES: Final = (
    "give ",
    Option("source"),
    " and ",
    Option("target"),
    " for paths or routes, or ",
    Option("family", "trees"),
)
"""Remedy where the edges of a graph could be those of paths or of spanning trees."""
EVIDENCE: Final = ("source", "target", "undirected", "saturate", "capacities", "size")
"""Options that only some families have."""


def choose_table(header: Header, options: ProblemOptions) -> list[Table]:
    """The formats that suit a header and the options best. Several are refused unless they have the same columns."""
    if options.family is not None:
        if options.family not in TABLES:
            raise unknown_name("family of a table", options.family, TABLES)
        table = TABLES[options.family]
        if _without(header, table):
            raise _missing(header, [table])
        return [table]
    fitting = [table for table in TABLES.values() if not _without(header, table)]
    if not fitting:
        raise _missing(header, _guesses(header, _with_evidence(list(TABLES.values()), options)))
    fitting = _with_evidence(fitting, options)
    exact = [table for table in fitting if all(header.exact(column) for column in table.columns)]
    fitting = _best(header, exact or fitting)
    if len({table.columns for table in fitting}) > 1:
        kinds = {table.columns: table.name for table in reversed(fitting)}
        raise InvalidInputError(
            f"family must be clear, got the columns {listed(header.names)} in {header.where}, which suit "
            f"{' and '.join(sorted(kinds.values()))}: choose one, as in ",
            Option("family", min(kinds.values())),
        )
    return [table for table in fitting if any(header.exact(column) for column in table.numbers)] or fitting


def only_one(tables: Sequence[Table], header: Header) -> Table:
    """The format, if there is only one; several are refused."""
    if len(tables) == 1:
        return tables[0]
    raise InvalidInputError(
        f"family must be clear, got the columns {' and '.join(tables[0].columns)} in {header.where}, which suit "
        f"{' and '.join(table.name for table in tables)}: ",
        *PATHS_OR_TREES,
    )


def check_options(table: Table, options: ProblemOptions) -> None:
    """Refuse options that the format does not support."""
    for name in ("source", "target", "size", "saturate", "capacities", "undirected"):
        if getattr(options, name) and name not in table.options:
            users = " or ".join(other.name for other in TABLES.values() if name in other.options)
            raise InvalidInputError(Option(name), f" must be used with {users}, got it with {table.name}: drop it")


def check_roles(table: Table, header: Header) -> None:
    """Refuse columns that the user chose for a role that the format does not have."""
    roles = (*table.columns, *table.numbers, *table.texts, *MEASURES, VARIANCE)
    for role in ROLES:
        if header.is_chosen(role) and role not in roles:
            users = [other.name for other in TABLES.values() if role in (*other.columns, *other.numbers, *other.texts)]
            raise InvalidInputError(
                Option("columns"),
                f" must name columns of {table.name}, which are {', '.join(roles)}, got {role}, a column of "
                f"{' or '.join(users)}: drop it",
            )


def _with_evidence(tables: list[Table], options: ProblemOptions) -> list[Table]:
    """The formats that support the options, as far as there are any."""
    for name in EVIDENCE:
        if getattr(options, name):
            tables = [table for table in tables if name in table.options] or tables
    return tables


def _best(header: Header, tables: list[Table]) -> list[Table]:
    """The formats that use most columns; start and end may be times, so they count as one."""

    def used(table: Table) -> int:
        names = {header.names[k].strip().casefold() for column in table.columns for k in header.candidates(column)}
        return 1 if names == {"start", "end"} else len(table.columns)

    most = max(map(used, tables))
    return [table for table in tables if used(table) == most]


def _guesses(header: Header, tables: list[Table]) -> list[Table]:
    """The formats that lack the fewest columns, misspelt ones counting half; none if all of all families lack all."""

    def found(table: Table) -> tuple[float, float]:
        there, near = len(table.columns) - len(_without(header, table)), len(_meant(header, table))
        return (there + near / 2) / len(table.columns), there + near / 2

    best = max(map(found, tables))
    return [table for table in tables if found(table) == best] if best[0] > 0 or len(tables) < len(TABLES) else []


def _missing(header: Header, tables: list[Table]) -> InvalidInputError:
    """The error for columns that are missing, with the family that was guessed."""
    if not tables:
        known = "; ".join(f"{table.name}: {', '.join(table.columns)}" for table in TABLES.values())
        return InvalidInputError(
            f"columns must be those of a family ({known}; and theta or costs, optionally variance), got "
            f"{listed(header.names)} in {header.where}: rename the columns, or name them, as in ",
            Option("columns", [f"item={header.names[0] or 'NAME'}"]),
        )
    table, users = tables[0], " or ".join(other.name for other in tables)
    missing, meant = _without(header, table), _meant(header, table, usual=True)
    other = header.only_one_without_role() if len(missing) == 1 else None
    needed = ", ".join((*table.columns, "theta or costs")) + (" (one line per pair)" if table.name == "matchings" else "")
    if not meant:
        remedy = "add it, or name the column, as in " if len(missing) == 1 else "add them, or name the columns, as in "
    else:
        names, roles = (" and ".join(map(repr, texts)) for texts in (meant.values(), meant))
        is_one, them = ("is", "it") if len(meant) == 1 else ("are", "them")
        remedy = f"{is_one} {names} meant as {roles}? Rename {them}, or add "
    return InvalidInputError(
        f"{users} must have the columns {needed}, got {listed(header.names)} in {header.where}, "
        f"without {' and '.join(missing)}: {remedy}",
        Option("columns", [f"{column}={meant.get(column, other or 'NAME')}" for column in missing]),
    )


def _without(header: Header, table: Table) -> list[str]:
    """The columns of a format that the header lacks."""
    return [column for column in table.columns if not header.candidates(column)]


def _meant(header: Header, table: Table, *, usual: bool = False) -> dict[str, str]:
    """Names of the header that may mean columns that it lacks; both ends of links or none, since one may be the other."""
    missing = _without(header, table)
    close = {column: header.misspelt(column) or (header.misspelt(column, usual=True) if usual else None) for column in missing}
    if {"tail", "head"} <= close.keys():
        exact = header.misspelt("tail"), header.misspelt("head")
        close["tail"], close["head"] = (header.ends_without_role() if usual else None) or (
            exact if None not in exact else (None, None)
        )
    first: dict[str, str] = {}
    for column, name in close.items():
        if name is not None and name not in first.values():
            first[column] = name
    return first if not {"tail", "head"} <= close.keys() or len(first) != 1 else {}
