"""The families of decision sets, and what each of them can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from semibandits.decisions.base import DecisionSet
from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.msets import MSets
from semibandits.decisions.paths import Paths
from semibandits.decisions.spanning_trees import SpanningTrees


@dataclass(frozen=True)
class Family:
    """A family of decision sets.

    Attributes
    ----------
    name : str
        Its name in instance files.
    cls : type
        Its class.
    has_exchange_graph : bool
        Whether ``exchange_graph`` is available.
    has_closed_form : bool
        Whether the Graves-Lai problem has the closed form of matroids (theory T2).
    can_count : bool
        Whether ``count`` knows a way without listing, at least for some members of the family.
    """

    name: str
    cls: type[DecisionSet]
    has_exchange_graph: bool
    has_closed_form: bool
    can_count: bool


FAMILIES: Final = (
    Family("paths", Paths, has_exchange_graph=True, has_closed_form=False, can_count=True),
    Family("trees", SpanningTrees, has_exchange_graph=True, has_closed_form=True, can_count=True),
    Family("msets", MSets, has_exchange_graph=True, has_closed_form=True, can_count=True),
    Family("matchings", Matchings, has_exchange_graph=True, has_closed_form=False, can_count=True),
    Family("matroid", MatroidBases, has_exchange_graph=True, has_closed_form=True, can_count=True),
    Family("intersection", MatroidIntersection, has_exchange_graph=True, has_closed_form=False, can_count=True),
    Family("enumerated", EnumeratedDecisions, has_exchange_graph=False, has_closed_form=False, can_count=True),
)
"""Every family of the library; a test proves the list complete and its tags right."""
