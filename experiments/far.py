"""Growth of the regret of GLADE up to 10^300 rounds, compared with C(theta).

    python experiments/far.py --write              docs/policies/far.md and its figure; half an hour on one core

Rounds that repeat a decision are drawn at once (skipping.py). On listed stars there is also a lower bound on regret, with all
rewards known in advance (hindsight.py), and the slope of its first two terms in ln T.
"""

from __future__ import annotations

import argparse
import itertools
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from compare_results import short_name
from doc_tables import DOCS, header, options_of, row, write_between
from hindsight import least_regrets, second_order
from numpy.typing import NDArray
from panel import HALVES, Half, Instance, panel, star
from skipping import regrets
from statistics_of_ratios import mean_interval

import semibandits as sb
from semibandits_studies.plotting.style import INK, UNEXPLORED

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

SEED: Final = 20_261_125
EXPONENTS: Final = (3, 4, 5, 6, 9, 12, 25, 50, 100, 200, 300)
"""Slopes are measured between these powers of ten. Simulations round by round reach about 12."""
ROUNDS: Final = [10.0**k for k in EXPONENTS]
LOGARITHMS: Final = math.log(10.0) * np.array(EXPONENTS)
MOST_DECISIONS: Final = 600
"""Decisions are listed; with more of them a run would take seconds."""
MORE: Final = 10
"""Factor for the replications on listed stars, which are harder and take less time."""


@dataclass(frozen=True, eq=False)
class Growth:
    """Regret of GLADE and the least one in hindsight, with a column for each power of ten, and slopes of the expansion.

    The last two are known on listed stars only; slopes are between the powers of ten, over C(theta), which is `bound`.
    """

    name: str
    bound: float
    regret: Matrix
    least: Matrix | None = None
    expansion: Vector | None = None

    def slopes(self, regret: Matrix) -> Matrix:
        """Slopes over C(theta) between the powers of ten, one per column."""
        slopes: Matrix = np.diff(regret, axis=1) / np.diff(LOGARITHMS) / self.bound
        return slopes


def growth(instance: Instance, replications: int, seed: int) -> Growth:
    """Simulate one instance, with `MORE` times as many replications if it is a listed star."""
    decision_set, theta, variance, policy = instance.decision_set, instance.theta, instance.variance, sb.GLADE()
    bound = sb.graves_lai(decision_set, theta, variance).value
    is_listed_star = instance.kind == "list" and instance.trait == "informative"
    replications *= MORE if is_listed_star else 1
    regret = regrets(policy, decision_set, theta, variance, ROUNDS, replications, seed)
    if not is_listed_star:
        return Growth(short_name(instance), bound, regret)
    shape = shape_of(instance)
    least = least_regrets(*shape, policy.discount, ROUNDS, replications, seed)
    expansion = 1.0 + second_order(*shape) / bound * np.diff(np.sqrt(LOGARITHMS)) / np.diff(LOGARITHMS)
    return Growth(short_name(instance), bound, regret, least, expansion)


def instances(half: Half) -> list[Instance]:
    """The star, and those of one half of the panel that have few decisions."""
    found = [star()]
    for instance in panel(half):
        try:
            instance.decision_set.enumerate(limit=MOST_DECISIONS)
        except sb.TooManyDecisionsError:
            continue
        found.append(instance)
    return found


def shape_of(instance: Instance) -> tuple[int, float, float]:
    """Parameters of a listed star: k, the gap of single alternatives, and that of the joint one."""
    rewards = instance.decision_set.enumerate() @ instance.theta
    gaps = np.sort(rewards.max() - rewards)[1:]
    if not (gaps[0] > 0.0 and np.ptp(gaps[:-1]) < 1e-9):
        raise ValueError(f"single alternatives of a star must have equal gaps, got {gaps}")
    return len(gaps) - 1, float(gaps[0]), float(gaps[-1])


def rows(found: Growth) -> list[str]:
    """Rows of the table."""
    lines = [row([found.name, f"{found.bound:.4g}", "GLADE", *_cells(found.slopes(found.regret))])]
    if found.least is not None and found.expansion is not None:
        lines.append(row(["", "", "in hindsight", *_cells(found.slopes(found.least))]))
        lines.append(row(["", "", "expansion", *(f"{value:.2f}" for value in found.expansion)]))
    return lines


def ratios(found: list[Growth]) -> str:
    """Table of mean regret over the mean of the least regret in hindsight, where that is known."""
    lines = header(["instance", *(f"10{k}" for k in _powers())])
    for each in found:
        if each.least is not None:
            lines.append(row([each.name, *map(_ratio, each.regret.T, each.least.T)]))
    return "\n".join(lines)


def _ratio(regret: Vector, least: Vector) -> str:
    """Ratio of two means, with a 95 % interval by the delta method: they share a seed, but are hardly correlated."""
    ratio = regret.mean() / least.mean()
    spread = math.hypot(*(values.std(ddof=1) / values.mean() / math.sqrt(len(values)) for values in (regret, least)))
    return f"{ratio:.2f} [{ratio * (1.0 - 1.96 * spread):.2f}, {ratio * (1.0 + 1.96 * spread):.2f}]"


def _cells(slopes: Matrix) -> list[str]:
    return ["{:.2f} [{:.2f}, {:.2f}]".format(*mean_interval(column)) for column in slopes.T]


def _powers() -> list[str]:
    return [str(k).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")) for k in EXPONENTS]


def draw(found: list[Growth], path: Path) -> None:
    """Draw slopes against ln T: stars in colour, with the slopes in hindsight, all other instances in grey."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(12, 4.6), sharey=True, layout="constrained")
    middles = (LOGARITHMS[1:] + LOGARITHMS[:-1]) / 2.0
    styles = iter((("#0072b2", "o"), ("#d55e00", "s"), ("#44aa99", "^")))
    for each in found:
        ordinary = "star" not in each.name
        ax, (colour, marker) = (axes[0], ("#999999", "o")) if ordinary else (axes[1], next(styles))
        label = None if ordinary else f"GLADE, {each.name}"
        (line,) = ax.plot(middles, each.slopes(each.regret).mean(axis=0), marker=marker, markersize=4, color=colour, label=label)
        if each.least is not None:
            least = each.slopes(each.least).mean(axis=0)
            ax.plot(middles, least, "--", color=line.get_color(), label=f"in hindsight, {each.name}")
    for ax, title in zip(axes, ("all other instances", "stars"), strict=True):
        ax.axhline(1.0, color=INK, linewidth=1.1)
        ax.set(xscale="log", xlabel="T", title=title)
        ticks = [k for k in EXPONENTS if k not in (4, 5, 9)]
        ax.set_xticks([k * math.log(10.0) for k in ticks], [f"$10^{{{k}}}$" for k in ticks])
        ax.minorticks_off()
        ax.grid(color=UNEXPLORED, linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("slope of mean regret against ln T, over C(θ)")
    axes[1].legend(frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """Print the table row by row, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default="held")
    parser.add_argument("--replications", type=int, default=100, help=f"replications; {MORE} times as many on listed stars")
    parser.add_argument("--seed", type=int, default=SEED)
    options = options_of(parser)
    lines = header(["instance", "C(θ)", "", *(f"10{a} to 10{b}" for a, b in itertools.pairwise(_powers()))])
    print("\n".join(lines), flush=True)
    found, start = [], time.perf_counter()
    for instance in instances(options.half):
        found.append(growth(instance, options.replications, options.seed))
        lines += rows(found[-1])
        print("\n".join(rows(found[-1])), flush=True)
    print(f"{time.perf_counter() - start:.0f} s")
    if options.write:
        draw(found, DOCS / "figures" / "far-slopes.png")
        write_between("policies/far.md", "far.py", "\n".join(lines))
        write_between("policies/far.md", "far.py, ratios", ratios(found))


if __name__ == "__main__":
    main()
