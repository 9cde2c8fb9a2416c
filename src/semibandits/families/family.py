"""The record that describes a family of decision sets."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias

from semibandits._typing import IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.families.tables import Table
from semibandits.inputs.fields import Fields
from semibandits.inputs.graphs import EdgeList

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
    """Guarantees of the methods for each problem over a family."""

    linear: Guarantee  # P_LM, ``maximize``
    budgeted: Guarantee  # P_BLM, ``maximize_budgeted`` with ``ratio=1``
    budgeted_ratio: Guarantee  # the same with ``ratio < 1``
    index: Guarantee  # P_IM, ``maximize_index`` with ``ratio=1``
    index_ratio: Guarantee  # the same with ``ratio < 1``
    graves_lai: Guarantee  # P_GL, ``graves_lai`` with ``method="auto"``


class Nouns(NamedTuple):
    """Singular and plural nouns for decisions and items."""

    decision: str
    decisions: str
    item: str
    items: str


@dataclass(frozen=True, eq=False)
class Network:
    """A graph whose edges are items."""

    nodes: tuple[Hashable, ...]  # labels
    # Shape (d,): item i joins ``nodes[tails[i]]`` and ``nodes[heads[i]]``.
    tails: IntArray
    heads: IntArray
    directed: bool  # whether items are arcs
    # Indices of the end nodes, if any.
    source: int | None = None
    target: int | None = None
    order: IntArray | None = None  # (n,): nodes in topological order, for paths


def network_of_edges(edges: EdgeList, *, directed: bool = False, source: int | None = None) -> Network:
    """Build a network from a list of edges."""
    return Network(edges.nodes, edges.tails, edges.heads, directed, source)


@dataclass(frozen=True, kw_only=True)
class Family:
    """A family of decision sets."""

    name: str  # in files, such as "msets"
    cls: type[DecisionSet]
    title: str  # in docs/structures.md, such as "m-sets"
    heading: str  # in the list of datasets
    nouns: Nouns  # names of decisions and items
    guarantees: Guarantees
    # ``write(x)`` returns plain JSON, without the family name, for saved learners, and ``read(data)`` rebuilds the set; see
    # `description.describe`. Writing a set that was read must give the same JSON. A key with the number of items must be called
    # ``d``, so that it can be checked before memory is allocated.
    write: Callable[[Any], JSON]
    read: Callable[[Mapping[str, Any]], DecisionSet]
    # ``build(fields, d)`` builds a set from an instance file (docs/cli.md) with d means. It consumes the keys of the family, for
    # example with ``fields.count("size")``; keys that are left over raise an error.
    build: Callable[[Fields, int], DecisionSet]
    # Small sets that together use every kernel of the family, for `semibandits compile`.
    examples: Callable[[], Iterator[DecisionSet]]
    # ``shape(x, some, question)`` describes a decision in one sentence for readers who do not know matroids. `some` states m of d
    # items, such as "3 of 12 links", and `question` is the subtitle of the report.
    shape: Callable[[Any, str, str], str]
    tables: tuple[Table, ...] = ()  # CSV formats (docs/cli.md), whose columns should differ from those of all other tables
    has_exchange_graph: bool = True  # whether `exchange_graph` is available, as cycle cuts require
    # Guarantees that Table 1 of the paper does not have, including certified bounds where the paper approximates C(theta). Empty
    # for lists.
    beyond_paper: frozenset[str] = frozenset()
    plain_nouns: Callable[[Any], Nouns] | None = None  # for readers who do not know matroids; `nouns` by default
    link: str | None = None  # separator between the end nodes in item names
    reads_along: bool = False  # whether decisions are printed as a sequence of nodes
    network: Callable[[Any], Network | None] = lambda decisions: None  # the graph whose edges are items, if they are edges
    figure: Literal["network", "heat map", "stems"] = "stems"  # of plans; stems are one per item

    def nouns_of(self, decisions: DecisionSet) -> Nouns:
        """Nouns for readers who do not know matroids."""
        return self.nouns if self.plain_nouns is None else self.plain_nouns(decisions)
