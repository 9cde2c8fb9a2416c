"""What can be solved over each family, and at which cost: the paper's table of structures and problems, as data.

docs/structures.md is written from it: ``python -m semibandits.decisions.capabilities`` prints the table.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum

from semibandits.decisions.registry import FAMILIES


class Guarantee(StrEnum):
    """What a method promises, whatever the input."""

    CLOSED_FORM = "closed form"
    POLYNOMIAL = "polynomial"
    FPTAS = "any ratio, polynomial also in 1/(1 − ratio)"
    PTAS = "any ratio, polynomial for each"
    PSEUDO_POLYNOMIAL = "exact, polynomial in integer data"
    SEARCH = "exact, exponential at worst"
    CERTIFIED = "certified bracket, exponential at worst"
    LISTING = "by listing"


@dataclass(frozen=True)
class Capabilities:
    """Guarantees over one family.

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


_LABELS = Capabilities(
    linear=Guarantee.POLYNOMIAL,
    budgeted=Guarantee.PSEUDO_POLYNOMIAL,
    budgeted_ratio=Guarantee.FPTAS,
    index=Guarantee.PSEUDO_POLYNOMIAL,
    index_ratio=Guarantee.FPTAS,
    graves_lai=Guarantee.CERTIFIED,
)
_MATROIDS = Capabilities(
    linear=Guarantee.POLYNOMIAL,
    budgeted=Guarantee.SEARCH,
    budgeted_ratio=Guarantee.PTAS,
    index=Guarantee.SEARCH,
    index_ratio=Guarantee.SEARCH,
    graves_lai=Guarantee.CLOSED_FORM,
)
_SEARCHED = Capabilities(
    linear=Guarantee.POLYNOMIAL,
    budgeted=Guarantee.SEARCH,
    budgeted_ratio=Guarantee.SEARCH,
    index=Guarantee.SEARCH,
    index_ratio=Guarantee.SEARCH,
    graves_lai=Guarantee.CERTIFIED,
)
_LISTED = Capabilities(*[Guarantee.LISTING] * 6)

CAPABILITIES = {
    "paths": _LABELS,
    "trees": _MATROIDS,
    "msets": Capabilities(
        linear=Guarantee.POLYNOMIAL,
        budgeted=Guarantee.PSEUDO_POLYNOMIAL,
        budgeted_ratio=Guarantee.FPTAS,
        index=Guarantee.SEARCH,
        index_ratio=Guarantee.FPTAS,
        graves_lai=Guarantee.CLOSED_FORM,
    ),
    "matchings": _SEARCHED,
    "matroid": _MATROIDS,
    "intersection": _SEARCHED,
    "enumerated": _LISTED,
}
"""Guarantees by name of family."""

TITLES = {
    "paths": "s-t paths in a DAG",
    "trees": "spanning trees",
    "msets": "m-sets",
    "matchings": "bipartite matchings",
    "matroid": "matroid bases",
    "intersection": "intersections of two matroids",
    "enumerated": "lists",
}
PROBLEMS = {
    "linear": "P_LM",
    "budgeted": "P_BLM",
    "budgeted_ratio": "P_BLM, ratio < 1",
    "index": "P_IM",
    "index_ratio": "P_IM, ratio < 1",
    "graves_lai": "P_GL",
}
BEYOND_PAPER = frozenset(
    [("trees", "budgeted"), ("matroid", "budgeted"), ("matchings", "budgeted")]
    + [(family, problem) for family in ("paths", "trees", "msets", "matchings", "matroid") for problem in ("index", "graves_lai")]
    + [("intersection", field.name) for field in fields(Capabilities)]
)  # fmt: skip
"""Entries where Table 1 of the paper has a cross or no row, or where the paper approximates and we certify."""


def capability_table() -> str:
    """The table of structures and problems in Markdown; a star marks what goes beyond the paper's Table 1."""
    lines = [
        "| | " + " | ".join(PROBLEMS.values()) + " |",
        "|---|" + "---|" * len(PROBLEMS),
    ]
    for family in FAMILIES:
        cells = [
            f"{getattr(CAPABILITIES[family.name], problem)}{' ★' if (family.name, problem) in BEYOND_PAPER else ''}"
            for problem in PROBLEMS
        ]
        lines.append(f"| {TITLES[family.name]} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(capability_table(), end="")
