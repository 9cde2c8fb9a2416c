"""Regret of policies compared with C(theta) ln T.

    python experiments/regret.py FOLDER --write                  docs/verification.md: every policy on an instance of each
                                                                 family and on road networks; 50 minutes on two cores
    python experiments/regret.py FOLDER --of laws --write        docs/regret-of-laws.md: counts, times and known bounds
    python experiments/regret.py --of bernoulli --write          docs/policies/choosing.md: policies that know that rewards are
                                                                 0 or 1, and those that assume a variance of 1/4

Simulates, or resumes the runs in FOLDER; the last two take some ten minutes each. Means are chosen independently of the results
of policies. The road networks are read from the package aequilibrae.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import matplotlib as mpl
import numpy as np
from doc_tables import DOCS, header, options_of, row, write_between
from panel_sets import VARIANCE, grid, laminar, listed, matchings, trees

import semibandits as sb

SEED: Final = 2026
MOST_EXPLORED: Final = 0.01
"""Largest share of the rounds that the plan may explore, for the last decade to count as asymptotic."""
FAST = (sb.CUCB(), sb.ThompsonSampling(), sb.OSSB(), sb.GLADE())
SLOW = (sb.ESCB(), sb.AESCB())
ON_NETWORKS = (sb.CUCB(), sb.ThompsonSampling(), sb.GLADE())
SHORTER = {"sioux-falls": (10, 1), "nauru": (50, 5)}
"""By what the numbers of rounds and replications are divided on road networks."""
WITH_LAWS = (sb.GLADE(), sb.OSSB(), sb.ThompsonSampling())
LAWS: dict[str, Callable[[np.ndarray], sb.RewardModel]] = {
    "Poisson counts": lambda u: sb.PoissonRewards(1.0 + 9.0 * u),
    "gamma times as costs, shape 2": lambda u: sb.GammaRewards(-1.0 - 4.0 * u, shape=2.0, cost=True),
    "Gaussian costs, known to be costs": lambda u: sb.GaussianRewards(-2.0 * u, upper=0.0),
}
OF_CLICKS = {
    "Thompson, normal posterior": sb.ThompsonSampling(law=sb.laws.Gaussian(0.25)),
    "Thompson": sb.ThompsonSampling(),
    'GLADE(rewards="gaussian")': sb.GLADE(rewards="gaussian"),
    "GLADE": sb.GLADE(),
}
GAUSSIAN: Final = "C(θ), Gaussian of variance 1/4"


class Run(NamedTuple):
    """A simulation, and the first cells of its rows by column."""

    cells: dict[str, str]
    decision_set: sb.DecisionSet
    rewards: sb.RewardModel
    policies: Sequence[sb.Policy] | Mapping[str, sb.Policy]
    horizon: int
    replications: int
    bound: sb.GravesLaiResult

    @property
    def name(self) -> str:
        """The first cells."""
        return " - ".join(self.cells.values())


Results = list[tuple[Run, sb.SimulationResult]]


def families(horizon: int, replications: int) -> Iterator[Run]:
    """One instance of each family, first draws that are near-ties, and road networks; slow policies play a tenth."""
    for name, (decision_set, theta) in instances().items():
        rewards, bound = sb.GaussianRewards(theta, variance=VARIANCE), sb.graves_lai(decision_set, theta, VARIANCE)
        for policies, rounds, times in ((FAST, horizon, replications), (SLOW, horizon // 10, max(2, replications * 3 // 10))):
            yield Run({"instance": name}, decision_set, rewards, policies, rounds, times, bound)
    for name, (fewer, less) in SHORTER.items():
        network = sb.datasets.load(f"{name}-routing")
        bound = sb.graves_lai(network.decision_set, network.theta, network.variance)
        rewards = sb.GaussianRewards(network.theta, variance=network.variance)
        times = max(2, replications // less)
        yield Run({"instance": name}, network.decision_set, rewards, ON_NETWORKS, horizon // fewer, times, bound)


def instances() -> dict[str, tuple[sb.DecisionSet, np.ndarray]]:
    """Decision set and means, uniform on (0, 1), by name.

    If the last decade of 10^6 rounds is not asymptotic, the draw is kept as "near-tie", and another one replaces it.
    """
    partitions = (sb.matroids.Partition(groups, 1) for groups in ([i % 4 for i in range(16)], [i // 3 for i in range(16)]))
    sets = {
        "m-sets": sb.MSets(8, 2),
        "trees": trees(5),
        "matroid": laminar(),
        "paths": grid(4),
        "matchings": matchings(5),
        "intersection": sb.MatroidIntersection(*partitions),
        "list": listed(np.random.default_rng(SEED), 12, 20),
    }

    def is_late(decision_set: sb.DecisionSet, theta: np.ndarray) -> bool:
        return explored(sb.graves_lai(decision_set, theta, VARIANCE), 1_000_000) <= MOST_EXPLORED

    rng = np.random.default_rng(SEED)
    first = {name: (decision_set, rng.random(decision_set.d)) for name, decision_set in sets.items()}
    plain, near_ties = {}, {}
    for name, (decision_set, theta) in first.items():
        if not is_late(decision_set, theta):
            near_ties[f"{name}-near-tie"] = decision_set, theta
        while not is_late(decision_set, theta):
            theta = rng.random(decision_set.d)
        plain[name] = decision_set, theta
    return plain | near_ties


def explored(bound: sb.GravesLaiResult, horizon: int) -> float:
    """Share of the rounds that the plan explores."""
    return float(bound.plan.rates.sum()) * math.log(horizon) / horizon


def laws(horizon: int, replications: int) -> Iterator[Run]:
    """Each law on a matroid, on paths and on matchings; means are redrawn while the last decade is not asymptotic."""
    sets = {"2 of 8": sb.MSets(8, 2), "paths of a 4 × 4 grid": grid(4, ((0, 1), (1, 0))), "4 × 4 matchings": matchings(4)}
    rng = np.random.default_rng(SEED)
    for (law, model), (name, decision_set) in itertools.product(LAWS.items(), sets.items()):
        while True:
            rewards = model(rng.random(decision_set.d))
            bound = sb.graves_lai(decision_set, rewards.theta, law=rewards.law)
            if 0.0 < explored(bound, horizon) <= MOST_EXPLORED:
                break
        yield Run({"law": law, "decisions": name}, decision_set, rewards, WITH_LAWS, horizon, replications, bound)


def bernoulli(horizon: int, replications: int) -> Iterator[Run]:
    """Instances with high, medium and low means."""
    sets = {
        "2 of 8, means 0.6 to 0.97": (sb.MSets(8, 2), np.linspace(0.6, 0.97, 8)),
        "2 of 8, means 0.05 to 0.4": (sb.MSets(8, 2), np.linspace(0.05, 0.4, 8)),
        "4 × 4 matchings, means drawn from 0.02 to 0.3": (matchings(4), np.random.default_rng(4).uniform(0.02, 0.3, 16)),
    }
    for name, (decision_set, theta) in sets.items():
        rewards, bound = sb.BernoulliRewards(theta), sb.graves_lai(decision_set, theta, rewards="bernoulli")
        yield Run({"instance": name}, decision_set, rewards, OF_CLICKS, horizon, replications, bound)


def by_policy(run: Run, result: sb.SimulationResult) -> Iterator[dict[str, str]]:
    """Cells of a row for each policy, by column."""
    for found in result.summary():
        (low, high), last = found.slope_interval, result.regret[found.policy][:, -1]
        yield run.cells | {
            "policy": found.policy,
            "rounds × replications": f"{result.horizon:,} × {result.replications}",
            "regret": f"{found.regret:.1f} ± {1.96 * found.standard_error:.1f}",
            "largest": f"{last.max() / np.median(last):.1f}",
            "regret / (C ln T)": f"{found.regret / (result.lower_bound * math.log(result.horizon)):.2f}",
            "slope": f"{found.slope:.2f} [{low:.2f}, {high:.2f}]",
            "slope / C": f"{found.slope / result.lower_bound:.2f}",
            "C(θ)": f"{result.lower_bound:.3f}",
        }


def by_instance(run: Run, result: sb.SimulationResult) -> Iterator[dict[str, str]]:
    """Cells of one row with the regret of all policies, by column."""
    regret = {found.policy: f"{found.regret:.0f} ± {1.96 * found.standard_error:.0f}" for found in result.summary()}
    gaussian = sb.graves_lai(run.decision_set, run.rewards.theta, 0.25).value
    yield run.cells | regret | {"C(θ)": f"{result.lower_bound:.1f}", GAUSSIAN: f"{gaussian:.1f}"}


def draw_families(results: Results) -> str:
    """Draw a figure of each instance, with a panel for each simulation; the sections that show them."""
    import matplotlib.pyplot as plt

    sections = []
    for name, group in itertools.groupby(results, lambda pair: pair[0].name):
        parts = [result for _, result in group]
        figure, axes = plt.subplots(1, len(parts), figsize=(6 * len(parts), 4.5), squeeze=False, constrained_layout=True)
        for ax, result in zip(axes[0], parts, strict=True):
            result.plot(ax, unit="minutes" if name in SHORTER else "units of reward")
            ax.set_title(f"{result.horizon:,} rounds, {result.replications} replications")
        figure.savefig(DOCS / "figures" / f"regret-{name}.png", dpi=110)
        plt.close(figure)
        sections.append(f"## {name}\n\n![Regret on {name}](figures/regret-{name}.png)")
    return "\n\n" + "\n\n".join(sections)


def draw_laws(results: Results) -> str:
    """Draw the figure of laws and decision sets, and show it."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 3, figsize=(14, 11), constrained_layout=True)
    for ax, (run, result) in zip(axes.ravel(), results, strict=True):
        result.plot(ax)
        ax.set_title("\n".join(run.cells.values()), fontsize=10)
    figure.savefig(DOCS / "figures" / "regret-of-laws.png", dpi=90)
    plt.close(figure)
    return "\n\n![Regret against rounds for three laws and three decision sets](figures/regret-of-laws.png)"


class Page(NamedTuple):
    """A page of docs: what is simulated, and the columns, rows and figures of its table."""

    path: str
    runs: Callable[[int, int], Iterator[Run]]
    horizon: int
    replications: int
    columns: tuple[str, ...]
    rows: Callable[[Run, sb.SimulationResult], Iterator[dict[str, str]]] = by_policy
    figures: Callable[[Results], str] = lambda results: ""


SLOPES = ("regret / (C ln T)", "slope", "slope / C", "C(θ)")
PAGES: Final = {
    "families": Page(
        "verification.md", families, 1_000_000, 100,
        ("instance", "policy", "rounds × replications", "regret", "largest", *SLOPES), figures=draw_families,
    ),
    "laws": Page(
        "regret-of-laws.md", laws, 200_000, 50, ("law", "decisions", "policy", "regret", *SLOPES), figures=draw_laws,
    ),
    "bernoulli": Page(
        "policies/choosing.md", bernoulli, 100_000, 100, ("instance", *OF_CLICKS, "C(θ)", GAUSSIAN), by_instance,
    ),
}  # fmt: skip


def main() -> None:
    """Simulate, print the table row by row, and write the page if requested."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="folder of the replications; a run in it is resumed")
    parser.add_argument("--of", choices=PAGES, default="families")
    parser.add_argument("--horizon", type=int, help="rounds; by default those of the page")
    parser.add_argument("--replications", type=int)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="INSTANCE", help="only these instances or laws")
    parser.add_argument("--progress", action="store_true")
    options = options_of(parser)
    page = PAGES[options.of]
    mpl.use("Agg")
    lines, results = header(page.columns), []
    print("\n".join(lines), flush=True)
    for run in page.runs(options.horizon or page.horizon, options.replications or page.replications):
        if options.only and next(iter(run.cells.values())) not in options.only:
            continue
        more: dict[str, Any] = {}
        if options.folder:
            name = f"{run.name}-{run.policies[0].name}" if options.of == "families" else run.name.replace(" ", "-")
            more = {"folder": options.folder / name, "resume": True}
        result = sb.simulate(
            run.decision_set, run.rewards, run.policies, run.horizon, run.replications, seed=options.seed,
            n_jobs=options.workers, progress=options.progress, bound=run.bound, **more,
        )  # fmt: skip
        results.append((run, result))
        for cells in page.rows(run, result):
            lines.append(row(cells[column] for column in page.columns))
            print(lines[-1], flush=True)
    if options.write:
        write_between(page.path, "regret.py", "\n".join(lines) + page.figures(results))


if __name__ == "__main__":
    main()
