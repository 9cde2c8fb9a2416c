"""Draw the figures of docs/explanations: an exchange graph, how sure policies become, what is expected of items, and
the packages of the library.

Usage: python tools/figures.py
"""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

import semibandits as sb
from semibandits.identification.evidence import Evidence, Observed
from semibandits.laws import Gaussian

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "figures"
RED, INK, GREY = "#b3261e", "#1d2733", "#9aa5b1"
PLAIN = {"fc": "white", "ec": "none", "pad": 0.8}
"""Behind numbers, so that no line crosses them."""
N = 4


def exchange_graph(path: Path) -> None:
    """A matching on the left, the graph of its exchanges on the right."""
    pairs = [(row, column) for row in range(N) for column in range(N)]
    matching = sb.Matchings(pairs)
    theta = np.random.default_rng(2).integers(1, 10, len(pairs)).astype(float)
    graph = matching.exchange_graph(theta)
    best = [pairs[item] for item in np.flatnonzero(graph.decision)]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 4.2), constrained_layout=True)
    for (row, column), reward in zip(pairs, theta, strict=True):
        chosen = (row, column) in best
        left.plot([0, 1], [-row, -column], color=RED if chosen else GREY, lw=2.5 if chosen else 0.8, zorder=2 if chosen else 1)
        if chosen:
            left.text(0.14, -(row + 0.14 * (column - row)) + 0.1, f"{reward:g}", color=RED, ha="center", bbox=PLAIN)
    for k in range(N):
        left.text(-0.06, -k, f"row {k + 1}", ha="right", va="center", color=INK)
        left.text(1.06, -k, f"column {k + 1}", ha="left", va="center", color=INK)
    left.plot(np.repeat([0, 1], N), -np.tile(np.arange(N), 2), "o", color=INK, ms=7, ls="none", zorder=3)
    left.set_ylim(-N + 0.6, 0.5)
    left.set_title("A matching: the best pairs in red", color=INK)
    angles = {node: math.tau * node / graph.n_nodes + 0.4 for node in range(graph.n_nodes)}
    places = {node: np.array([math.cos(angle), math.sin(angle)]) for node, angle in angles.items()}
    for tail, head, cost in zip(graph.tails.tolist(), graph.heads.tolist(), graph.costs.tolist(), strict=True):
        start, end = places[tail], places[head]
        tight = cost < 1e-9
        right.add_patch(
            FancyArrowPatch(
                start, end, connectionstyle="arc3,rad=0.14", arrowstyle="-|>", mutation_scale=12, shrinkA=17, shrinkB=17,
                color=INK if tight else GREY, lw=1.6 if tight else 1.0,
            )
        )  # fmt: skip
        along, across = (end - start) / np.linalg.norm(end - start), np.array([end[1] - start[1], start[0] - end[0]])
        right.text(
            *((start + end) / 2 + 0.10 * across - 0.18 * along),
            f"{cost:g}",
            color=INK,
            ha="center",
            va="center",
            fontsize=9,
            bbox=PLAIN,
        )
    rows = {node: next(row for row, column in best if node == row) for node in places}
    for node, place in places.items():
        row = rows[node]
        column = dict(best)[row]
        right.text(
            *place, f"{row + 1} – {column + 1}", color="white", ha="center", va="center",
            bbox={"boxstyle": "round,pad=0.35", "fc": RED, "ec": "none"},
        )  # fmt: skip
    right.set_xlim(-1.35, 1.35)
    right.set_ylim(-1.25, 1.25)
    right.set_title("Its exchange graph: the cost of a cycle is a gap", color=INK)
    for axis in (left, right):
        axis.axis("off")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def confidence(path: Path) -> None:
    """How the evidence of policies grows with the rounds, at their plays and the true means, and what thresholds ask for."""
    decision_set, variance, sure = sb.MSets(12, 4), 0.25, 0.95
    theta = np.random.default_rng(1).random(decision_set.d)
    time = sb.identification_time(decision_set, theta, variance=variance, confidence=sure)
    rounds = np.unique(np.geomspace(50, 50_000, 50).astype(int))
    result = sb.simulate(
        decision_set, sb.GaussianRewards(theta, variance=variance),
        {"Identify": sb.Identify(), "Thompson sampling": sb.ThompsonSampling(), "GLADE": sb.GLADE()},
        horizon=int(rounds[-1]), replications=20, checkpoints=rounds.tolist(), seed=0, bound=False,
    )  # fmt: skip

    def evidence(t: int, plays: np.ndarray, threshold: str = "customary") -> float:
        """In nats, beyond what is given away to the threshold."""
        observed = Observed(theta, plays, t, Gaussian(variance))
        return Evidence(decision_set, time.optimal_decision, observed, sb.Stop(threshold=threshold)).least()

    figure, axis = plt.subplots(figsize=(7.0, 4.4), constrained_layout=True)
    late = np.log1p(np.log(rounds))  # what the customary threshold gives away
    plan = [(evidence(t, t * time.plan.item_shares), evidence(t, t * time.plan.item_shares, "proved")) for t in rounds.tolist()]
    wanted = -math.log1p(-sure)
    for asked, label in ((wanted + late, "customary"), (wanted + late + [old - new for old, new in plan], "proved")):
        axis.plot(rounds, asked, color=GREY, lw=1.0)
        axis.text(rounds[-1], asked[-1], f" {label}", color=GREY, va="center")
    axis.plot(rounds, [old for old, _ in plan] + late, color=INK, lw=1.2, ls=(0, (4, 3)), label="the plan of T*: t / T*")
    for name, color in (("Identify", RED), ("Thompson sampling", "#1f6fb2"), ("GLADE", "#2e7d32")):
        found = [np.median([evidence(t, each) for each in result.plays[name][:, c]]) for c, t in enumerate(rounds.tolist())]
        axis.plot(rounds, found + late, color=color, lw=1.8, label=name)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_ylim(0.2, 60.0)
    axis.set_yticks([1, 10], ["1", "10"])
    axis.set_xlabel("rounds t")
    axis.set_ylabel("evidence against the nearest alternative (nats)")
    axis.legend(frameon=False, loc="upper left")
    axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def features(path: Path) -> None:
    """On the left, what is expected of articles by their views; on the right, what it is worth on real flights."""
    rng, d = np.random.default_rng(3), 300
    truth = rng.beta(8.0, 72.0, d)
    views = np.r_[np.geomspace(2_000, 5, 200).round(), np.zeros(100)].astype(int)
    pages = sb.MSets(d, 2)
    shown = np.repeat(np.arange(d), views)
    learner = sb.Learner.from_history(
        pages, shown.tolist(), (rng.random(len(shown)) < truth[shown]).astype(float), law="bernoulli", features="pooled", seed=0
    )
    found, some = learner.estimates(), np.arange(5, d, 10)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.9), constrained_layout=True)
    spread = 2 * found.shrunk_sd[some]
    left.errorbar(range(len(some)), found.shrunk[some], spread, fmt="o", ms=4, lw=1.2, color=RED, label="expected, ± 2 sd")
    left.plot(found.means[some], "o", ms=5, mfc="none", color=GREY, label="mean of its own clicks")
    left.plot(truth[some], "_", ms=8, mew=1.6, color=INK, label="true click rate")
    left.set_xticks(range(0, len(some), 4), [f"{n:,}" for n in views[some[::4]]])
    left.set_xlabel("views so far, 30 of 300 articles")
    left.set_ylabel("click rate")
    left.set_ylim(0.0, 0.32)
    left.legend(frameon=False, loc="upper left")
    hours = sb.datasets.load("flights-by-hour")
    policies = {"GLADE, without": sb.GLADE(features=False), "GLADE, the hour": sb.GLADE()}
    result = sb.simulate(
        hours.decision_set, hours.replay(), policies, 2_000, 8, 0, bound=False, features={"hour": hours.features["hour"]}
    )
    for (name, each), color in zip(result.regret.items(), (INK, RED), strict=True):
        right.plot(result.checkpoints, each.mean(axis=0), color=color, lw=1.8)
        right.text(2_000, each[:, -1].mean(), f" {name}", color=color, va="center")
    right.set_xlabel("rounds")
    right.set_ylabel("regret (flights that were late)")
    right.set_xlim(0, 2_000)
    right.set_xticks([0, 500, 1_000, 1_500, 2_000], ["0", "500", "1,000", "1,500", "2,000"])
    right.set_ylim(bottom=0.0)
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def architecture(path: Path) -> None:
    """The layers of the contracts in pyproject.toml: the core below, server and studies beside each other above it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers = {contract["containers"][0]: contract["layers"] for contract in contracts if contract["type"] == "layers"}
    core, server, studies = (layers[f"semibandits{part}"] for part in ("", "_server", "_studies"))
    top = len(core) + len(studies) + 2.2
    figure, axis = plt.subplots(figsize=(7.0, 0.42 * top), constrained_layout=True)
    packages = (
        ("semibandits", core, 0.0, 6.0, 0.0, "Blues"),
        ("semibandits_server", server, 0.0, 2.9, len(core) + 1.2, "Oranges"),
        ("semibandits_studies", studies, 3.1, 2.9, len(core) + 1.2, "Greens"),
    )
    for package, rows, left, whole, bottom, colours in packages:
        shades = mpl.colormaps[colours](np.linspace(0.18, 0.55, len(rows)))
        for k, (row, shade) in enumerate(zip(rows, shades, strict=True)):
            y, names = bottom + len(rows) - 1 - k, row.split(" | ")
            width = whole / len(names)
            for j, name in enumerate(names):
                x = left + j * width
                axis.add_patch(FancyBboxPatch((x + 0.04, y), width - 0.08, 0.72, boxstyle="round,pad=0.02", fc=shade, ec="white"))
                axis.text(x + width / 2, y + 0.36, name, ha="center", va="center", color=INK, family="monospace", fontsize=9)
        axis.text(
            left + whole / 2, bottom + len(rows) + 0.3, package, ha="center", va="center", color=INK, weight="bold", fontsize=10
        )
    axis.annotate("", (6.35, 0.2), (6.35, top - 1.0), arrowprops={"arrowstyle": "-|>", "color": GREY, "lw": 1.5})
    axis.text(6.5, top / 2, "imports", rotation=270, va="center", color=GREY)
    axis.set_xlim(-0.05, 6.8)
    axis.set_ylim(-0.1, top - 0.3)
    axis.axis("off")
    figure.savefig(path, dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    exchange_graph(FIGURES / "exchange-graph.png")
    confidence(FIGURES / "confidence.png")
    features(FIGURES / "features.png")
    architecture(FIGURES / "architecture.png")
