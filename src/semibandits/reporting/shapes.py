"""What a decision is, and how many there are, in words for those who know no matroids."""

from __future__ import annotations

from typing import Final

from semibandits.decisions.matchings import Matchings
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.decisions.paths import Paths
from semibandits.matroids import Matroid, Partition
from semibandits.reporting.drawings import network_of, partition_of
from semibandits.reporting.formatting import NOUNS, count_decisions, counted
from semibandits.reporting.report_data import Structure

_SUPERSCRIPTS: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def nouns_of(structure: Structure) -> tuple[str, str, str, str]:
    """A decision, several, an item, several: as those say who know no matroids."""
    network = network_of(structure.decision_set)
    if network is not None and structure.family == "intersection":
        if network.source is not None:
            return "rooted tree", "rooted trees", "arc", "arcs"
        return ("forest", "forests", "arc", "arcs") if network.directed else ("forest", "forests", "edge", "edges")
    if network is not None and structure.family == "matroid":
        return "spanning forest", "spanning forests", "edge", "edges"
    if structure.family in ("matroid", "intersection"):
        return "selection", "selections", "item", "items"
    return NOUNS[structure.family]


def how_many(structure: Structure, known: int | None) -> str:
    """That one of so many decisions is taken; `known` is their number if somebody has counted."""
    one, several, _, _ = nouns_of(structure)
    count, more_than = (known, None) if known is not None else count_decisions(structure.decision_set)
    if count is None:
        number = "many" if more_than is None else f"more than {number_of_decisions(more_than)}"
        return f"One of {number} {several}"
    return f"Nothing: there is only one {one}" if count == 1 else f"One of {number_of_decisions(count)} {several}"


def number_of_decisions(count: int) -> str:
    """A number of decisions: in full below a billion, then as a power of ten."""
    if count < 10**9:
        return f"{count:,}"
    power = len(str(count)) - 1
    return f"{count / 10**power:.3g}\u00a0×\u00a010{str(power).translate(_SUPERSCRIPTS)}"


def shape_of(structure: Structure, question: str) -> str:
    """What a decision consists of."""
    decisions = structure.decision_set
    _, _, item, items = nouns_of(structure)
    some = f"{decisions.m:,} of {counted(decisions.d, item, items)}"
    network = network_of(decisions)
    if isinstance(decisions, Paths):
        way = f"From {decisions.source} to {decisions.target}, over"
        told = all(str(end) in question for end in (decisions.source, decisions.target))
        return f"{'Over' if told else way} at most {some}."
    if structure.family == "trees" and network is not None:
        return f"{some}, which join all {len(network.nodes):,} nodes without a cycle."
    if structure.family == "intersection" and network is not None:
        if network.source is None:
            return f"{some} without a cycle, within a second constraint."
        return f"{some}, which lead from {network.nodes[network.source]} to every other node, to each along one way."
    if isinstance(decisions, Matchings):
        return _matching_shape(decisions, some)
    if isinstance(decisions, MatroidIntersection):
        limits = [limit for limit in (_limits(decisions.m1), _limits(decisions.m2)) if limit]
        return f"{some}, {' and '.join(limits) if len(limits) == 2 else 'within two constraints at once'}."
    if isinstance(decisions, MatroidDecisions):
        limit = _limits(decisions.matroid)
        return f"{some}{', ' + limit if limit else ''}."
    return f"At most {some}."


def _matching_shape(decisions: Matchings, some: str) -> str:
    rows, columns = len(decisions.rows), len(decisions.columns)
    if decisions.saturate == "both":
        return f"Each of {rows:,} rows gets a column of its own, and no column is left: {some}."
    if decisions.saturate == "rows":
        return f"Each of {rows:,} rows gets one of {columns:,} columns, none twice: {some}."
    if decisions.saturate == "columns":
        return f"Each of {columns:,} columns gets one of {rows:,} rows, none twice: {some}."
    return f"Rows and columns are paired, none twice, and some may stay alone: at most {some}."


def _limits(matroid: Matroid) -> str:
    """The limits of a partition, ``""`` for other matroids."""
    if not isinstance(matroid, Partition):
        return ""
    _, capacities = partition_of(matroid)
    groups = f"{len(capacities):,} {'group' if len(capacities) == 1 else 'groups'}"
    most = max(capacities)
    limit = f"at most {most:,}" if min(capacities) == most else f"at most {min(capacities):,} to {most:,}"
    return f"{limit} from each of {groups}"
