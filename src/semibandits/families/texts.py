"""Decisions as text, with the names of their items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple, Protocol

import numpy as np

from semibandits._typing import BoolArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.paths import Paths
from semibandits.decisions.routes import Routes
from semibandits.errors import InvalidInputError
from semibandits.families.family import Nouns
from semibandits.families.registry import FAMILIES, family_of

UNNAMED: Final = "an unnamed street"
OWN_NOUNS: Final = Nouns("decision", "decisions", "item", "items")
"""Nouns for a user's own decision sets."""


class Named(Protocol):
    """Decisions whose items have names: an instance, or the structure of a report."""

    @property
    def family(self) -> str:
        """A key of :data:`semibandits.families.registry.FAMILIES`, or any other text for a user's own decision set."""

    @property
    def decision_set(self) -> DecisionSet:
        """The set X of decisions."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the items."""

    @property
    def description(self) -> Mapping[str, object]:
        """The JSON form of the instance, empty if unknown; with the key ``streets``, routes are described by their streets."""


@dataclass(frozen=True, eq=False)
class NamedItems:
    """The decisions of a set, whose items have names."""

    decision_set: DecisionSet
    family: str
    labels: tuple[str, ...]
    description: Mapping[str, object] = field(default_factory=dict)

    @staticmethod
    def of(decision_set: DecisionSet, labels: Sequence[str] | None = None) -> NamedItems:
        """Decisions with these names of their items, d texts; by default those of the decision set."""
        family = family_of(decision_set)
        name, d = "" if family is None else family.name, decision_set.d
        if labels is not None and len(labels) != d:
            raise InvalidInputError(f"labels must have d = {d} entries, got {len(labels)}: name each item once")
        names = item_labels(name, decision_set) if labels is None else tuple(map(str, labels))
        return NamedItems(decision_set, name, names)

    @property
    def nouns(self) -> Nouns:
        """Nouns for decisions and items, for readers who do not know matroids."""
        return FAMILIES[self.family].nouns_of(self.decision_set) if self.family in FAMILIES else OWN_NOUNS


def item_labels(family: str, decision_set: DecisionSet) -> tuple[str, ...]:
    """Names of items for tables and figures; parallel edges are numbered."""
    link = FAMILIES[family].link if family in FAMILIES else None
    labels = []
    for item in decision_set.items:
        if link is None or not isinstance(item, tuple):
            labels.append(str(item))
        else:
            parallel = f" (#{item[2] + 1})" if len(item) > 2 else ""
            labels.append(f"{item[0]}{link}{item[1]}{parallel}")
    return tuple(labels)


def streets_of(instance: Named) -> Sequence[str]:
    """Name of the street of each link, "" for those without one; empty if no link has a street."""
    streets = instance.description.get("streets")
    return streets if isinstance(streets, list | tuple) else ()


def decision_text(instance: Named, decision: BoolArray) -> str:
    """A decision: the nodes along a path, or the labels of its items."""
    if _reads_along(instance):
        return _chain_text(instance, _steps(instance, decision))
    return ", ".join(instance.labels[i] for i in np.flatnonzero(decision)) or "nothing"


def change_text(instance: Named, decision: BoolArray, optimal: BoolArray) -> str:
    """Difference of a decision from the optimal one: the detours of a path, or the items added and removed."""
    if _reads_along(instance):
        runs = groupby(_steps(instance, decision), key=lambda step: bool(optimal[step.item]))
        return "; ".join(_detour_text(instance, list(run), optimal) for on_optimal, run in runs if not on_optimal)
    parts = (("+ ", decision & ~optimal), ("− ", optimal & ~decision))
    return "  ".join(sign + decision_text(instance, part) for sign, part in parts if part.any())


def _reads_along(instance: Named) -> bool:
    """Whether decisions are sequences of nodes."""
    return instance.family in FAMILIES and FAMILIES[instance.family].reads_along


class _Step(NamedTuple):
    """An item of a path or route, from one node to the next."""

    item: int
    start: str
    end: str


def _steps(instance: Named, decision: BoolArray) -> list[_Step]:
    """The steps of a path or route, from its source to its target; parallel links are numbered."""
    x = instance.decision_set
    assert isinstance(x, Paths | Routes)
    steps, nodes = [], x.walk(decision)
    for item, start, end in zip(x.order(decision).tolist(), nodes, nodes[1:], strict=False):
        label = x.items[item]
        number = f"(#{label[2] + 1}) " if isinstance(label, tuple) and len(label) == 3 else ""
        steps.append(_Step(item, str(start), f"{number}{end}"))
    return steps


def _chain_text(instance: Named, steps: list[_Step]) -> str:
    """The nodes along consecutive steps, or the names of their streets."""
    streets = streets_of(instance)
    if not streets:
        return " → ".join([steps[0].start, *(step.end for step in steps)])
    return ", ".join(street for street, _ in groupby(streets[step.item] or UNNAMED for step in steps))


def _detour_text(instance: Named, steps: list[_Step], optimal: BoolArray) -> str:
    """A detour; with names of streets also the part of the optimal route that it replaces."""
    text = _chain_text(instance, steps)
    if not streets_of(instance):
        return text
    route = _steps(instance, optimal)
    starts, ends = [step.start for step in route], [step.end for step in route]
    if steps[0].start not in starts or steps[-1].end not in ends:
        return text
    replaced = route[starts.index(steps[0].start) : ends.index(steps[-1].end) + 1]
    return f"{text} instead of {_chain_text(instance, replaced)}" if replaced else text
