"""Registry of the families of decision sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from semibandits.decisions.base import DecisionSet
from semibandits.families.enumerated import ENUMERATED
from semibandits.families.family import Family
from semibandits.families.intersection import INTERSECTION
from semibandits.families.matchings import MATCHINGS
from semibandits.families.matroid import MATROID
from semibandits.families.msets import MSETS
from semibandits.families.paths import PATHS
from semibandits.families.routes import ROUTES
from semibandits.families.tables import Table
from semibandits.families.trees import TREES

FAMILIES: Final[Mapping[str, Family]] = {
    family.name: family for family in (PATHS, ROUTES, TREES, MSETS, MATCHINGS, MATROID, INTERSECTION, ENUMERATED)
}
"""All families by name, in display order. Tests check that it is complete and that the guarantees hold."""
TABLES: Final[Mapping[str, Table]] = {table.name: table for family in FAMILIES.values() for table in family.tables}
"""All CSV formats by name."""


def family_of(decision_set: DecisionSet) -> Family | None:
    """Return the family of a decision set, or None for user-defined classes."""
    return next((family for family in FAMILIES.values() if type(decision_set) is family.cls), None)
