"""Table of the guarantees for each family and problem, in the format of Table 1 of the paper.

``python -m semibandits.families.capabilities`` prints the table for docs/structures.md.
"""

from __future__ import annotations

from typing import Final

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
    lines = ["| | " + " | ".join(PROBLEMS.values()) + " |", "|---|" + "---|" * len(PROBLEMS)]
    for family in FAMILIES.values():
        stars = {problem: " ★" if problem in family.beyond_paper else "" for problem in PROBLEMS}
        cells = [f"{getattr(family.guarantees, problem)}{star}" for problem, star in stars.items()]
        lines.append(f"| {family.title} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(capability_table(), end="")
