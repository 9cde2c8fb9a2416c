"""The header of a table: which line it is, and which column has which role."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final, final

from semibandits.errors import InvalidInputError, Option
from semibandits.inputs.fields import unknown_name
from semibandits_studies.instances.numbers import is_number
from semibandits_studies.instances.roles import COSTS, ENDS, LENGTHS, OPPOSITES, PLAYS, ROLES, THETA, parsed_name
from semibandits_studies.instances.sheets import Sheet, as_text, listed

MOST_TITLES: Final = 20
"""Largest number of lines above the header."""
MOST_NAMES: Final = 1_000
"""Number of cells of a row that are compared with known names in the search for the header."""
END_WORDS: Final = frozenset(name for pair in ENDS for name in pair)
"""Names of columns that are read as an end of links, if the other end is there."""
CLOSE: Final = 0.7
"""Similarity from which a name counts as misspelt, in the measure of difflib."""


@final
class Header:
    """The names of the columns as in the file, and their roles; `chosen` are the names by role, as the user gave them.

    A role or a column that the user named and that is unknown, and a column with two roles, are refused. `where` is the file.
    """

    def __init__(self, names: Sequence[str], chosen: Mapping[str, str], where: str) -> None:
        self.names, self.where = tuple(names), where
        self._parsed = tuple(map(parsed_name, names))
        self._chosen: dict[str, int] = {}
        for role, name in chosen.items():
            self._chosen[role] = self.named(name)
        twice = [column for column, count in Counter(self._chosen.values()).items() if count > 1]
        if twice:
            roles = [role for role, column in self._chosen.items() if column == twice[0]]
            raise InvalidInputError(
                f"each column must have one role, got {self.names[twice[0]]!r} of {where} as {' and '.join(roles)}: drop one ",
                Option("columns"),
            )

    def named(self, name: str) -> int:
        """The column with a name in any case; none and several are refused."""
        places = [k for k, other in enumerate(self.names) if other.strip().casefold() == name.strip().casefold()]
        if len(places) > 1:
            raise InvalidInputError(f"columns must be distinct, got {name!r} twice in {self.where}: rename or remove one")
        if not places:
            raise unknown_name(f"column of {self.where}", name, [other for other in self.names if other])
        return places[0]

    def candidates(self, role: str) -> list[int]:
        """Columns that may have a role: the chosen one, or else those with its exact name, or else those with a usual one.

        Without any of these, both ends of links are columns whose names are a pair, and other roles have their last names.
        """
        found = self._named(role)
        if not found and role in ("tail", "head") and not self._named("tail") and not self._named("head"):
            pairs = ends_of([parsed.words for parsed in self._parsed])
            found = self._with(frozenset({pairs[0][role == "head"]})) if len(pairs) == 1 else []
        return found or self._with(ROLES[role].last)

    def _named(self, role: str) -> list[int]:
        """Columns that the user chose for a role, or that have its exact name, or else a usual one."""
        return self.exact(role) or self._with(ROLES[role].usual)

    def exact(self, role: str) -> list[int]:
        """Columns that the user chose for a role, or that have its exact name."""
        return [self._chosen[role]] if role in self._chosen else self._with(ROLES[role].exact)

    def is_chosen(self, role: str) -> bool:
        """Whether the user chose the column."""
        return role in self._chosen

    def possible(self, role: str) -> list[int]:
        """Columns whose name may mean a role."""
        return self._with(ROLES[role].possible)

    def plays(self) -> list[int]:
        """Columns that may hold how many outcomes each mean is worth."""
        return self._with(PLAYS | ROLES["trials"].usual)

    def flow_times(self, column: int) -> list[int]:
        """Columns of travel times without traffic, which are no least costs if those of `column` are lengths."""
        is_length = self._parsed[column].words in LENGTHS and not self.is_chosen("least")
        return [k for k in self.candidates("least") if is_length and "flow" in self._parsed[k].words]

    def column(self, role: str) -> int | None:
        """The column of a role, None without candidates; several are refused."""
        columns = self.candidates(role)
        if len(columns) > 1:
            raise self.ambiguous(role, columns)
        return columns[0] if columns else None

    def unit(self, column: int) -> str:
        """Unit in the name of a column, "" without one."""
        return self._parsed[column].unit

    def needs_note(self, role: str, column: int) -> bool:
        """Whether the name of a column differs from its role, and the user did not choose it."""
        return role not in self._chosen and self.names[column].strip().casefold() not in ROLES[role].exact

    def misspelt(self, role: str, cutoff: float = CLOSE, *, usual: bool = False) -> str | None:
        """The name of a column without a role that is similar to an exact name of `role`, or to one of its usual names."""
        words = self._without_role()
        for name in sorted(ROLES[role].usual if usual else ROLES[role].exact):
            close = get_close_matches(name, words, n=1, cutoff=cutoff)
            if close:
                return words[close[0]]
        return None

    def ends_without_role(self) -> tuple[str, str] | None:
        """Names of the only two columns without a role that differ in a word for tails and one for heads; None without them."""
        names, pairs = self._without_role(), set()
        for words, name in names.items():
            for first, second in OPPOSITES:
                others = {re.sub(pattern, second, words, count=1) for pattern in (rf"\b{first}", rf"{first}\b")}
                pairs |= {(name, names[other]) for other in others & names.keys() - {words}}
        return pairs.pop() if len(pairs) == 1 else None

    def only_one_without_role(self) -> str | None:
        """The name of the only column without a role; None if there are none or several."""
        names = list(self._without_role().values())
        return names[0] if len(names) == 1 else None

    def _without_role(self) -> dict[str, str]:
        """Names of columns that no role has, by their words."""
        known = {name for each in ROLES.values() for name in each.exact | each.usual | each.last}
        parsed = zip(self._parsed, self.names, strict=True)
        return {one.words: name for one, name in parsed if one.words and one.words not in known}

    def ambiguous(self, role: str, columns: Sequence[int]) -> InvalidInputError:
        """The error for several columns that may have a role."""
        names = [self.names[column] for column in columns]
        if len({name.casefold() for name in names}) == 1:
            return InvalidInputError(f"columns must be distinct, got {names[0]!r} twice in {self.where}: rename or remove one")
        return InvalidInputError(
            f"{role} must be one column, got {' and '.join(map(repr, names))} in {self.where}: choose one, as in ",
            Option("columns", [f"{role}={names[0]}"]),
        )

    def _with(self, words: frozenset[str]) -> list[int]:
        taken = set(self._chosen.values())
        return [k for k, parsed in enumerate(self._parsed) if parsed.words in words and k not in taken]


def chosen_columns(texts: Sequence[str]) -> dict[str, str]:
    """Names of columns by role, from texts ``ROLE=COLUMN``."""
    chosen: dict[str, str] = {}
    for text in texts:
        word, equals, name = str(text).partition("=")
        if not equals or not name.strip():
            raise InvalidInputError(
                Option("columns"),
                f" must be ROLE=COLUMN, got {str(text)[:80]!r}: write e.g. ",
                Option("columns", ["theta=click_rate"]),
            )
        words = parsed_name(word).words
        role = next((role for role, names in ROLES.items() if words == role or words in names.exact | names.usual), None)
        if role is None:
            raise unknown_name("role of a column", word.strip(), list(ROLES))
        if role in chosen:
            raise InvalidInputError(
                Option("columns"), f" must name one column for {role}, got {chosen[role]!r} and {name!r}: drop one"
            )
        chosen[role] = name
    if THETA in chosen and COSTS in chosen:
        raise InvalidInputError(
            Option("columns"), f" must name theta or costs, got both, {chosen[THETA]!r} and {chosen[COSTS]!r}: drop one"
        )
    return chosen


def find_header(sheet: Sheet, wanted: Mapping[str, str]) -> int:
    """Index of the row of a sheet that is the header: the first one, or one below lines of titles that has known names.

    `wanted` are the names of columns that the user chose, by role. A first row that contains numbers and fewer than two known
    names is refused.
    """
    count = name_counter(wanted)
    top = [[as_text(cell) for cell in row] for _, row in sheet.rows[: MOST_TITLES if sheet.has_titles else 1]]
    known = [count(row) for row in top]
    if known[0] > 1:
        return 0
    for k in range(1, len(top)):
        only_titles = all(sum(map(bool, row)) == 1 for row in top[:k])
        if known[k] > (0 if only_titles and not known[0] else 1) and not any(map(is_number, filter(None, top[k]))):
            return k
    if any(map(is_number, filter(None, top[0]))):
        raise InvalidInputError(
            f"{sheet.path} must have a header, got {listed(top[0])} on line {sheet.rows[0][0]}: add a line with the names of "
            "the columns above it, such as item,theta, or tail,head,costs for links, with the separator of the other lines"
        )
    return 0


def ends_of(words: Sequence[str]) -> list[tuple[str, ...]]:
    """The pairs of names among those of the columns, as words, that are read as tails and heads together."""
    there = set(words)
    return [pair for pair in ENDS if there.issuperset(pair)] if there & END_WORDS else []


def name_counter(wanted: Mapping[str, str]) -> Callable[[Sequence[str]], int]:
    """A function that counts the known names of columns in a row, each role once, and those that the user chose."""
    chosen = {name.strip().casefold() for name in wanted.values()}
    roles = {name: role for role, each in ROLES.items() for name in each.exact | each.usual | each.last}

    def count(row: Sequence[str]) -> int:
        row = row[:MOST_NAMES]
        words = [parsed_name(cell).words for cell in row]
        found = {roles.get(name) for name in words} - {None}
        return len(found) + 2 * bool(ends_of(words)) + sum(cell.strip().casefold() in chosen for cell in row)

    return count
