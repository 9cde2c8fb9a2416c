"""Reproduce the paper: write the table of docs/explanations/paper.md, with the test of each cell, and draw the steps of GLPG.

Usage: python tools/paper.py
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import networkx as nx
import numpy as np
from images import write_small_png
from matplotlib import pyplot as plt

import semibandits as sb
from semibandits.families.capabilities import PROBLEMS
from semibandits.families.family import Guarantee
from semibandits.families.registry import FAMILIES
from semibandits.formats.files import write_whole

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "explanations" / "paper.md"
FIGURE = ROOT / "docs" / "figures" / "glpg-steps.png"
BEGIN, END = "<!-- table of tools/paper.py -->\n", "<!-- end -->\n"
STAGE, MOST_STEPS = 20, 800
BLUE, ORANGE, INK = "#0072b2", "#d55e00", "#1d2733"

WORDS = {
    Guarantee.CLOSED_FORM: "closed form",
    Guarantee.POLYNOMIAL: "polynomial",
    Guarantee.FPTAS: "any ratio",
    Guarantee.PTAS: "any ratio",
    Guarantee.PSEUDO_POLYNOMIAL: "pseudo-polynomial",
    Guarantee.SEARCH: "search",
    Guarantee.CERTIFIED: "bracket",
    Guarantee.LISTING: "listing",
}
"""One word for each guarantee of docs/structures.md."""

BY_LISTS = {
    "linear": "decisions/test_small_sets.py::test_maximize_is_the_best_by_definition",
    "budgeted": "optimization/test_budgeted_and_index.py::test_budgeted_is_exact",
    "budgeted_ratio": "optimization/test_budgeted_and_index.py::test_ratio_of_budgeted_holds",
    "index": "optimization/test_budgeted_and_index.py::test_index_is_exact",
    "index_ratio": "optimization/test_budgeted_and_index.py::test_ratio_of_index_holds",
    "graves_lai": "regret_bound/test_graves_lai.py::test_bracket_and_plan",
}
TESTS = dict.fromkeys(FAMILIES, BY_LISTS) | {
    "routes": {
        "linear": "decisions/test_routes.py::test_the_best_route_at_clipped_weights",
        "budgeted": "decisions/test_routes.py::test_budgets",
        "budgeted_ratio": "decisions/test_routes.py::test_budgets",
        "index": "decisions/test_routes.py::test_the_largest_index_with_limited_raises",
        "index_ratio": "decisions/test_routes.py::test_the_largest_index_with_limited_raises",
        "graves_lai": "regret_bound/test_route_bounds.py::test_any_graph",
    }
}
"""The test of each family and problem, against lists of all decisions."""


def table() -> str:
    """Table 1 of the paper for this library in Markdown, with a footnote in each cell for its test."""
    numbers: dict[str, int] = {}
    lines = ["| | " + " | ".join(PROBLEMS.values()) + " |", "|---|" + "---|" * len(PROBLEMS)]
    for family in FAMILIES.values():
        cells = []
        for problem in PROBLEMS:
            number = numbers.setdefault(TESTS[family.name][problem], len(numbers) + 1)
            star = " ★" if problem in family.beyond_paper else ""
            cells.append(f"{WORDS[getattr(family.guarantees, problem)]}{star} [^{number}]")
        lines.append(f"| {family.title} | {' | '.join(cells)} |")
    lines.append("")
    for test, number in numbers.items():
        file, name = test.split("::")
        lines.append(f"[^{number}]: [`tests/{file}`](../../tests/{file}): `{name}`")
    return "\n".join(lines) + "\n"


def with_table(page: str) -> str:
    """The text of the page with the current table."""
    return re.sub(f"(?<={BEGIN}).*(?={END})", lambda _: f"\n{table()}\n", page, flags=re.DOTALL)


def steps_of_glpg() -> None:
    """Draw both bounds by the number of steps."""
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(5, 5))
    instances = {
        "Perfect matchings, 5 × 5": sb.Matchings([(row, column) for row in range(5) for column in range(5)]),
        "Paths through a grid, 5 × 5 nodes": sb.Paths(sorted(grid.edges), 0, 24),
    }
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.6), constrained_layout=True)
    for axis, (title, decision_set) in zip(axes, instances.items(), strict=True):
        theta = -np.random.default_rng(0).random(decision_set.d)
        truth = sb.graves_lai(decision_set, theta, gap=1e-6).value
        glpg = sb.GLPG(sb.ReducedProblem.of(decision_set, theta), sb.GLPGParameters(steps=STAGE))
        bounds = [(0, glpg.lower, glpg.value)]
        while glpg.steps < MOST_STEPS:
            for _ in range(STAGE):
                glpg.step()
            bounds.append((glpg.steps, glpg.lower, glpg.value))
        steps, lower, value = np.array(bounds).T
        axis.plot(steps, value, color=ORANGE, label="cost of the best feasible rates")
        axis.plot(steps, lower, color=BLUE, ls="--", label="lower bound")
        axis.axhline(truth, color=INK, lw=0.8, ls=":", label="C(θ), by cycles")
        axis.set(title=title, xlabel="step", ylabel="regret per ln T")
        print(f"{title}: {lower[-1] / truth:.4f} and {value[-1] / truth:.4f} times C(theta) after {glpg.steps} steps")
    axes[0].legend(frameon=False)
    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=150)
    write_small_png(drawn.getvalue(), FIGURE)


if __name__ == "__main__":
    write_whole(PAGE, with_table(PAGE.read_text(encoding="utf-8")).encode())
    steps_of_glpg()
