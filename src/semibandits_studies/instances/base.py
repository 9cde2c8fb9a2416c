"""An instance: a decision set with mean rewards and variances."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from semibandits._typing import FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.formats.html import html_block, html_facts
from semibandits.formats.numbers import number_text
from semibandits.formats.text import brief


@dataclass(frozen=True, eq=False)
class Instance:
    """A decision set with mean rewards and variances."""

    family: str  # one of `semibandits.instances.FAMILIES`
    decision_set: DecisionSet
    theta: FloatArray  # (d,): mean reward of each item, in `unit`; costs and delays are negative
    variance: FloatArray  # (d,): variance of the reward of each item, in `unit` squared, > 0
    labels: tuple[str, ...]  # name of each item in tables and figures
    description: Mapping[str, object]  # the JSON form of the instance (docs/cli.md), from which it can be rebuilt
    name: str
    unit: str = ""  # of the rewards, "" if they have none
    note: str = ""  # source of the numbers: which are measured and which are modelled
    positions: Mapping[Hashable, tuple[float, float]] | None = None  # of the nodes of a graph
    geographic: bool = False  # whether `positions` are longitude and latitude in degrees
    question: str = ""  # that a report answers, "" if none is given
    features: Mapping[str, Sequence[Any]] | None = None  # of the items, d values by name: numbers, texts, or None

    def __repr__(self) -> str:
        return brief(self)

    def _repr_html_(self) -> str:
        """The name, the decisions and the range of the mean rewards as a table, for notebooks."""
        return html_block(self.name, html_facts(self.facts()))

    def facts(self) -> list[tuple[str, str]]:
        """What a reader wants to know first, each fact with its title."""
        noun, values = ("costs", -self.theta + 0.0) if self.in_costs else ("rewards", self.theta)
        least, most = number_text(values.min(), 4), number_text(values.max(), 4)
        facts = [
            ("Question", self.question),
            ("Decisions", repr(self.decision_set)),
            (f"Mean {noun}", f"{least} to {most} {self.unit}".rstrip()),
            ("Features", ", ".join(self.features or ())),
            ("Note", self.note),
        ]
        return [fact for fact in facts if fact[1]]

    def __post_init__(self) -> None:
        self.theta.setflags(write=False)
        self.variance.setflags(write=False)

    @property
    def in_costs(self) -> bool:
        """Whether the rewards are minus costs: given as `costs`, or none is positive and some are negative."""
        return "costs" in self.description or bool((self.theta <= 0).all() and (self.theta < 0).any())
