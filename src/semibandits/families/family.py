"""The record that describes a family of decision sets to the rest of the library."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias

from semibandits._fields import Fields
from semibandits._typing import IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.families.tables import Table

JSON: TypeAlias = dict[str, Any]


class Guarantee(StrEnum):
    """What a method promises, whatever the input."""

    CLOSED_FORM = "closed form"
    """Of C(theta) over bases of matroids."""
    POLYNOMIAL = "polynomial"
    """Exact."""
    FPTAS = "any ratio, polynomial also in 1/(1 − ratio)"
    """Where a ratio below 1 is faster."""
    PTAS = "any ratio, polynomial for each"
    """The same, but the degree grows as the ratio nears 1."""
    PSEUDO_POLYNOMIAL = "exact, polynomial in integer data"
    """By dynamic programming."""
    SEARCH = "exact, exponential at worst"
    """By branch and bound; also at a ratio below 1, for families without a method for that."""
    CERTIFIED = "certified bracket, exponential at worst"
    """Of C(theta): by cycles, or by columns where there is no exchange graph."""
    LISTING = "by listing"
    """Of all decisions."""


@dataclass(frozen=True)
class Guarantees:
    """What can be solved over a family, and at which cost.

    Attributes
    ----------
    linear : Guarantee
        P_LM, ``maximize``.
    budgeted : Guarantee
        P_BLM, ``maximize_budgeted`` with ``ratio=1``.
    budgeted_ratio : Guarantee
        The same with ``ratio < 1``.
    index : Guarantee
        P_IM, ``maximize_index`` with ``ratio=1``.
    index_ratio : Guarantee
        The same with ``ratio < 1``.
    graves_lai : Guarantee
        P_GL, ``graves_lai`` with ``method="auto"``.
    """

    linear: Guarantee
    budgeted: Guarantee
    budgeted_ratio: Guarantee
    index: Guarantee
    index_ratio: Guarantee
    graves_lai: Guarantee


class Nouns(NamedTuple):
    """What a decision and an item are called, one and several of them."""

    decision: str
    decisions: str
    item: str
    items: str


@dataclass(frozen=True, eq=False)
class Network:
    """A graph whose edges are items.

    Attributes
    ----------
    nodes : tuple
        Labels of the nodes.
    tails, heads : ndarray of int, shape (d,)
        Item i joins ``nodes[tails[i]]`` and ``nodes[heads[i]]``.
    directed : bool
        Whether items are arcs.
    source, target : int or None
        Numbers of the ends.
    order : ndarray of int, shape (n,), or None
        Nodes in topological order, for paths.
    """

    nodes: tuple[Hashable, ...]
    tails: IntArray
    heads: IntArray
    directed: bool
    source: int | None = None
    target: int | None = None
    order: IntArray | None = None


def _no_network(decisions: Any) -> Network | None:
    return None


@dataclass(frozen=True, kw_only=True)
class Family:
    """A family of decision sets.

    Attributes
    ----------
    name : str
        Its name in files, such as "msets".
    cls : type
        Its class.
    title : str
        What its members are called in docs/structures.md, such as "m-sets".
    heading : str
        What stands above its datasets in a list, such as "m-sets: so many of the items".
    nouns : Nouns
        What its decisions and items are called.
    guarantees : Guarantees
        What can be solved over it.
    beyond_paper : frozenset of str
        Those guarantees where Table 1 of the paper has a cross or no row, or where the paper approximates C(theta) and we certify
        it; none for lists.
    write, read : callable
        ``write(x)`` is a set as plain JSON without its family, for the files of learners, and ``read(data)`` builds it again; see
        :func:`semibandits.families.description.describe`. What is read must be written in the same way again. If a key holds the
        number of items, call it ``d``: then it is compared before memory is taken.
    build : callable
        ``build(fields, d)`` is a set from the keys of an instance file (docs/cli.md), with d the number of means there. It takes
        the keys of its family by ``fields.count("size")`` and the like; keys that nobody takes are an error.
    tables : tuple of Table
        The CSV files that it is read from (docs/cli.md). Their columns must differ from those of all other tables.
    examples : callable
        Small sets that between them call every kernel of the family: `semibandits compile` solves them.
    shape : callable
        ``shape(x, some, question)`` says in one sentence what a decision is, for people who know no matroids; `some` is m of d
        items, such as "3 of 12 links", and `question` the title of the report.
    has_exchange_graph : bool
        Whether sets have an exchange graph, which bounds by cycles need.
    plain_nouns : callable, optional
        Nouns for the same people; by default `nouns`.
    link : str, optional
        What stands between the two ends in the name of an item.
    reads_along : bool
        Whether a decision is read from its first node to its last.
    network : callable
        The graph whose edges are items, None if there is none.
    figure : str
        How a plan is drawn: as a network, as a heat map, or by a stem for each item.
    """

    name: str
    cls: type[DecisionSet]
    title: str
    heading: str
    nouns: Nouns
    guarantees: Guarantees
    write: Callable[[Any], JSON]
    read: Callable[[Mapping[str, Any]], DecisionSet]
    build: Callable[[Fields, int], DecisionSet]
    examples: Callable[[], Iterator[DecisionSet]]
    shape: Callable[[Any, str, str], str]
    tables: tuple[Table, ...] = ()
    has_exchange_graph: bool = True
    beyond_paper: frozenset[str] = frozenset()
    plain_nouns: Callable[[Any], Nouns] | None = None
    link: str | None = None
    reads_along: bool = False
    network: Callable[[Any], Network | None] = _no_network
    figure: Literal["network", "heat map", "stems"] = "stems"

    def nouns_of(self, decisions: DecisionSet) -> Nouns:
        """Nouns for people who know no matroids."""
        return self.nouns if self.plain_nouns is None else self.plain_nouns(decisions)
