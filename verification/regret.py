"""Regret of every policy on one instance of each family, and on road networks, compared with C(theta) ln T.

    python verification/regret.py FOLDER --workers 2

simulates (or resumes the runs in FOLDER), and writes docs/verification.md and its figures: about 50 minutes on two cores. The
road networks are read from the package aequilibrae.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np

import semibandits as sb
from instances import SEED, VARIANCE, instances, networks

FAST = (sb.CUCB(), sb.ThompsonSampling(), sb.OSSB(), sb.GLADE())
SLOW = (sb.ESCB(), sb.AESCB())
ON_NETWORKS = (sb.CUCB(), sb.ThompsonSampling(), sb.GLADE())
SHORTER = {"sioux-falls": (10, 1), "nauru": (50, 5)}
"""By what the numbers of rounds and replications are divided on road networks."""
DOCS = Path(__file__).resolve().parents[1] / "docs"


def main() -> None:
    """Simulate, then write the page."""
    options = _options()
    mpl.use("Agg")
    results: dict[str, list[sb.SimulationResult]] = {}
    for run in _runs(options):
        if options.only and run.name not in options.only:
            continue
        bound = sb.graves_lai(run.decision_set, run.theta, run.variance)
        results.setdefault(run.name, []).append(
            sb.simulate(
                run.decision_set,
                sb.GaussianRewards(run.theta, variance=run.variance),
                run.policies,
                run.horizon,
                run.replications,
                seed=options.seed,
                n_jobs=options.workers,
                progress=options.progress,
                bound=bound,
                folder=options.folder / f"{run.name}-{run.policies[0].name}",
                resume=True,
            )
        )
        print(_table(run.name, results[run.name][-1:]), flush=True)
    if options.write:
        _write(results, options)


class _Run(NamedTuple):
    """A simulation of the page."""

    name: str
    decision_set: sb.DecisionSet
    theta: np.ndarray
    variance: float | np.ndarray
    policies: tuple[sb.Policy, ...]
    horizon: int
    replications: int


def _runs(options: argparse.Namespace) -> Iterator[_Run]:
    horizon, replications = options.horizon, options.replications
    for name, (decision_set, theta) in instances().items():
        yield _Run(name, decision_set, theta, VARIANCE, FAST, horizon, replications)
        yield _Run(name, decision_set, theta, VARIANCE, SLOW, horizon // 10, max(2, replications * 3 // 10))
    for name, network in networks().items():
        rounds, times = SHORTER[name]
        yield _Run(
            name, network.decision_set, network.theta, network.variance, ON_NETWORKS, horizon // rounds,
            max(2, replications // times),
        )  # fmt: skip


def _table(name: str, results: list[sb.SimulationResult]) -> str:
    """One instance as rows of a Markdown table."""
    lines = []
    for result in results:
        scale = result.lower_bound * math.log(result.horizon)
        for row in result.summary():
            low, high = row.slope_interval
            last = result.regret[row.policy][:, -1]
            lines.append(
                f"| {name} | {row.policy} | {result.horizon:,} × {result.replications} | {row.regret:.1f} ± "
                f"{1.96 * row.standard_error:.1f} | {last.max() / np.median(last):.1f} | {row.regret / scale:.2f} | "
                f"{row.slope:.2f} [{low:.2f}, {high:.2f}] | {row.slope / result.lower_bound:.2f} | {result.lower_bound:.3f} |"
            )
    return "\n".join(lines)


def _write(results: dict[str, list[sb.SimulationResult]], options: argparse.Namespace) -> None:
    for name, parts in results.items():
        _draw(name, parts)
    page = DOCS / "verification.md"
    _, mark, others = page.read_text(encoding="utf-8").partition("\n## Mutation testing\n")  # not from this script
    page.write_text(_page(results, options) + mark + others, encoding="utf-8")


def _draw(name: str, results: list[sb.SimulationResult]) -> None:
    """Write the figure of an instance, a panel for each simulation."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(results), figsize=(6 * len(results), 4.5), squeeze=False, constrained_layout=True)
    for ax, result in zip(axes[0], results, strict=True):
        result.plot(ax, unit="minutes" if name in networks() else "units of reward")
        ax.set_title(f"{result.horizon:,} rounds, {result.replications} replications")
    (DOCS / "figures").mkdir(exist_ok=True)
    figure.savefig(DOCS / "figures" / f"regret-{name}.png", dpi=110)
    plt.close(figure)


def _page(results: dict[str, list[sb.SimulationResult]], options: argparse.Namespace) -> str:
    head = f"""# Regret compared with C(θ) ln T

This page shows the measured regret of every policy on one instance of each family. It is written by

```
python verification/regret.py FOLDER --horizon {options.horizon} --replications {options.replications} --seed {options.seed}
```

There is one instance of each family (`verification/instances.py`), with means drawn uniformly from (0, 1) and Gaussian
rewards of variance 1/2. Regret is the mean pseudo-regret at the horizon with a 95 % interval; the slope is the growth of
mean regret per ln T over the last decade, with its 95 % interval over replications. C(θ) bounds the slope of every
uniformly good policy as T grows, not the regret at a given T.

"Largest" is the largest regret of a replication divided by the median one. Where the best decision looks bad at first, a policy
may play the next best one for very long before it tries the best one again: few such runs make most of a wide interval.

How large must T be? If the Graves-Lai plan needs more than one percent of a million rounds, the last decade is not
asymptotic: gaps are so small that they are still being explored. Such first draws are kept as *near-tie*, and another
instance of the family is drawn; the results of the policies have no influence on this choice.

The road networks `sioux-falls-routing` and `nauru-routing` have means, variances and least travel times of their own
([datasets.md](datasets.md)); policies know the variances and the least times, and regret is in minutes. On Nauru, C(θ) ln T is
the cost of 1.5 detours in 20,000 trips: at this horizon no policy is asymptotic.

| instance | policy | rounds × replications | regret | largest | regret / (C ln T) | slope | slope / C | C(θ) |
|---|---|---|---|---|---|---|---|---|
"""
    body = "\n".join(_table(name, parts) for name, parts in results.items())
    pictures = "\n\n".join(f"## {name}\n\n![Regret on {name}](figures/regret-{name}.png)" for name in results)
    return f"{head}{body}\n\n{pictures}\n"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the replications; a run in it is resumed")
    parser.add_argument("--horizon", type=int, default=1_000_000, help="rounds; ESCB and AESCB play a tenth of them")
    parser.add_argument("--replications", type=int, default=100, help="ESCB and AESCB: three tenths of them")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="INSTANCE", help="only these instances; no page is written")
    parser.add_argument("--progress", action="store_true")
    options = parser.parse_args()
    options.write = not options.only
    return options


if __name__ == "__main__":
    main()
