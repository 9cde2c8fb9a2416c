"""Table of the guarantees for each family and problem, in the format of Table 1 of the paper.

``python -m semibandits.families.capabilities`` prints the table for docs/structures.md.
"""

from __future__ import annotations

from typing import Final

from semibandits.families.family import Family
from semibandits.families.registry import FAMILIES

PROBLEMS: Final = {
    "linear": "P_LM",
    "budgeted": "P_BLM",
    "budgeted_ratio": "P_BLM, ratio < 1",
    "index": "P_IM",
    "index_ratio": "P_IM, ratio < 1",
    "graves_lai": "P_GL",
}


def capability_table() -> str:
    """Return the table in Markdown. A star marks guarantees beyond Table 1 of the paper."""
    lines = [
        "| | " + " | ".join(PROBLEMS.values()) + " |",
        "|---|" + "---|" * len(PROBLEMS),
        *(f"| {family.title} | {' | '.join(_cells(family))} |" for family in FAMILIES.values()),
    ]
    return "\n".join(lines) + "\n"


def _cells(family: Family) -> list[str]:
    return [f"{getattr(family.guarantees, problem)}{' ★' if problem in family.beyond_paper else ''}" for problem in PROBLEMS]


if __name__ == "__main__":
    print(capability_table(), end="")
