"""The record that describes a family of decision sets."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias

from semibandits._fields import Fields
from semibandits._graphs import EdgeList
from semibandits._typing import IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.families.tables import Table

JSON: TypeAlias = dict[str, Any]


class Guarantee(StrEnum):
    """Guarantee of a method for all inputs."""

    CLOSED_FORM = "closed form"
    """For C(theta) over matroid bases."""
    POLYNOMIAL = "polynomial"
    """Exact and polynomial."""
    FPTAS = "any ratio, polynomial also in 1/(1 − ratio)"
    """Approximation scheme, polynomial in the input and in 1 / (1 - ratio)."""
    PTAS = "any ratio, polynomial for each"
    """Approximation scheme whose degree grows as the ratio approaches 1."""
    PSEUDO_POLYNOMIAL = "exact, polynomial in integer data"
    """By dynamic programming."""
    SEARCH = "exact, exponential at worst"
    """Branch and bound. Families without an approximation scheme use it for ratios below 1, too."""
    CERTIFIED = "certified bracket, exponential at worst"
    """For C(theta): cycle cuts, or column generation if there is no exchange graph."""
    LISTING = "by listing"
    """Enumeration of all decisions."""


@dataclass(frozen=True)
class Guarantees:
    """Guarantees of the methods for each problem over a family.

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
    """Singular and plural nouns for decisions and items."""

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
        Indices of the end nodes, if any.
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


def network_of_edges(edges: EdgeList, *, directed: bool = False, source: int | None = None) -> Network:
    """Build a network from a list of edges."""
    return Network(edges.nodes, edges.tails, edges.heads, directed, source)


def _no_network(decisions: Any) -> Network | None:
    return None


@dataclass(frozen=True, kw_only=True)
class Family:
    """A family of decision sets.

    Attributes
    ----------
    name : str
        Name in files, such as "msets".
    cls : type
        Class of the decision sets.
    title : str
        Name in docs/structures.md, such as "m-sets".
    heading : str
        Heading in the list of datasets.
    nouns : Nouns
        Names of decisions and items.
    guarantees : Guarantees
        Guarantees of the methods.
    beyond_paper : frozenset of str
        Guarantees that Table 1 of the paper does not have, including certified bounds where the paper approximates C(theta).
        Empty for lists.
    write, read : callable
        ``write(x)`` returns plain JSON, without the family name, for saved learners, and ``read(data)`` rebuilds the set; see
        :func:`semibandits.families.description.describe`. Writing a set that was read must give the same JSON. A key with the
        number of items must be called ``d``, so that it can be checked before memory is allocated.
    build : callable
        ``build(fields, d)`` builds a set from an instance file (docs/cli.md) with d means. It consumes the keys of the family,
        for example with ``fields.count("size")``; keys that are left over raise an error.
    tables : tuple of Table
        Supported CSV formats (docs/cli.md). Their columns should differ from those of all other tables.
    examples : callable
        Returns small sets that together use every kernel of the family, for `semibandits compile`.
    shape : callable
        ``shape(x, some, question)`` describes a decision in one sentence for readers who do not know matroids. `some` states m
        of d items, such as "3 of 12 links", and `question` is the subtitle of the report.
    has_exchange_graph : bool
        Whether `exchange_graph` is available, as cycle cuts require.
    plain_nouns : callable, optional
        Nouns for the same readers; `nouns` by default.
    link : str, optional
        Separator between the end nodes in item names.
    reads_along : bool
        Whether decisions are printed as a sequence of nodes.
    network : callable
        Returns the graph whose edges are items; None if items are not edges.
    figure : str
        Type of figure for plans: a network, a heat map, or one stem per item.
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
        """Nouns for readers who do not know matroids."""
        return self.nouns if self.plain_nouns is None else self.plain_nouns(decisions)
