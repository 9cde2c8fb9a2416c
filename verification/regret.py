"""Regret of every policy on one instance of each family, compared with C(theta) ln T.

    python verification/regret.py FOLDER --workers 2

simulates (or resumes the runs in FOLDER), and writes docs/verification.md and its figures: about three quarters of an hour on
two cores.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import matplotlib as mpl

import semibandits as sb
from instances import SEED, VARIANCE, instances

FAST = (sb.CUCB(), sb.ThompsonSampling(), sb.OSSB(), sb.GLADE())
SLOW = (sb.ESCB(), sb.AESCB())
DOCS = Path(__file__).resolve().parents[1] / "docs"


def main() -> None:
    """Simulate, then write the page."""
    options = _options()
    mpl.use("Agg")
    results = {}
    for name, (decision_set, theta) in instances().items():
        if options.only and name not in options.only:
            continue
        rewards = sb.GaussianRewards(theta, variance=VARIANCE)
        bound = sb.graves_lai(decision_set, theta, VARIANCE)
        groups = (
            (FAST, options.horizon, options.replications),
            (SLOW, options.horizon // 10, max(2, options.replications * 3 // 10)),
        )
        results[name] = [
            sb.simulate(
                decision_set,
                rewards,
                policies,
                horizon,
                replications,
                seed=options.seed,
                n_jobs=options.workers,
                progress=options.progress,
                bound=bound,
                folder=options.folder / f"{name}-{policies[0].name}",
                resume=True,
            )
            for policies, horizon, replications in groups
        ]
        print(_table(name, results[name]), flush=True)
    if options.write:
        _write(results, options)


def _table(name: str, pair: list[sb.SimulationResult]) -> str:
    """One instance as rows of a Markdown table."""
    lines = []
    for result in pair:
        scale = result.lower_bound * math.log(result.horizon)
        for row in result.summary():
            low, high = row.slope_interval
            lines.append(
                f"| {name} | {row.policy} | {result.horizon:,} × {result.replications} | {row.regret:.1f} ± "
                f"{1.96 * row.standard_error:.1f} | {row.regret / scale:.2f} | {row.slope:.2f} [{low:.2f}, {high:.2f}] | "
                f"{row.slope / result.lower_bound:.2f} | {result.lower_bound:.3f} |"
            )
    return "\n".join(lines)


def _write(results: dict[str, list[sb.SimulationResult]], options: argparse.Namespace) -> None:
    import matplotlib.pyplot as plt

    figures = DOCS / "figures"
    figures.mkdir(exist_ok=True)
    for name, (fast, slow) in results.items():
        figure, axes = plt.subplots(1, 2, figsize=(12, 4.5), constrained_layout=True)
        for ax, result in zip(axes, (fast, slow), strict=True):
            result.plot(ax)
            ax.set_title(f"{result.horizon:,} rounds, {result.replications} replications")
        figure.savefig(figures / f"regret-{name}.png", dpi=110)
        plt.close(figure)
    (DOCS / "verification.md").write_text(_page(results, options), encoding="utf-8")


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

How large must T be? If the Graves-Lai plan needs more than one percent of a million rounds, the last decade is not
asymptotic: gaps are so small that they are still being explored. Such first draws are kept as *near-tie*, and another
instance of the family is drawn; the results of the policies have no influence on this choice.

| instance | policy | rounds × replications | regret | regret / (C ln T) | slope | slope / C | C(θ) |
|---|---|---|---|---|---|---|---|
"""
    body = "\n".join(_table(name, pair) for name, pair in results.items())
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
