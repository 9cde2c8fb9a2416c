"""The families of decision sets in the order of tables and lists, and how they are found."""

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
from semibandits.families.tables import Table
from semibandits.families.trees import TREES

FAMILIES: Final[Mapping[str, Family]] = {
    family.name: family
    for family in (
        PATHS,
        TREES,
        MSETS,
        MATCHINGS,
        MATROID,
        INTERSECTION,
        ENUMERATED,
    )
}
"""Every family of the library by its name in files, lists last; a test proves it complete and its guarantees right."""
TABLES: Final[Mapping[str, Table]] = {table.name: table for family in FAMILIES.values() for table in family.tables}
"""Every kind of CSV file by its name."""


def family_of(decision_set: DecisionSet) -> Family | None:
    """The family of a decision set; None for a class of a user's own."""
    return next((family for family in FAMILIES.values() if type(decision_set) is family.cls), None)
