"""Descriptions of decisions and their number for readers who do not know matroids."""

from __future__ import annotations

from typing import Final

from semibandits.families.family import Nouns
from semibandits.families.registry import FAMILIES
from semibandits.families.texts import OWN_NOUNS
from semibandits_studies.reporting.formatting import count_decisions, counted
from semibandits_studies.reporting.report_data import Structure

_SUPERSCRIPTS: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def nouns_of(structure: Structure | None) -> Nouns:
    """Common nouns for decisions and items; general ones if the structure is unknown."""
    return OWN_NOUNS if structure is None else FAMILIES[structure.family].nouns_of(structure.decision_set)


def how_many(structure: Structure, known: int | None) -> str:
    """A headline with the number of decisions, which is counted unless `known`."""
    one, several, _, _ = nouns_of(structure)
    count, more_than = (known, None) if known is not None else count_decisions(structure.decision_set)
    if count is None:
        number = "many" if more_than is None else f"more than {number_of_decisions(more_than)}"
        return f"One of {number} {several}"
    return f"Nothing: there is only one {one}" if count == 1 else f"One of {number_of_decisions(count)} {several}"


def number_of_decisions(count: int) -> str:
    """A number of decisions: in full below a billion, else with a power of ten."""
    if count < 10**9:
        return f"{count:,}"
    power = len(str(count)) - 1
    return f"{count / 10**power:.3g}\u00a0×\u00a010{str(power).translate(_SUPERSCRIPTS)}"


def shape_of(structure: Structure, question: str) -> str:
    """The items of a decision."""
    decisions = structure.decision_set
    _, _, item, items = nouns_of(structure)
    some = f"{decisions.m:,} of {counted(decisions.d, item, items)}"
    return FAMILIES[structure.family].shape(decisions, some, question)
