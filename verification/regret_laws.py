"""Regret of the policies that use a law, compared with C(theta) ln T: Poisson counts, gamma times, known bounds.

    python verification/regret_laws.py FOLDER

simulates (or resumes the runs in FOLDER), and writes docs/regret-of-laws.md and its figure: about ten minutes on one core.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib as mpl
import numpy as np

import semibandits as sb
from instances import SEED

DOCS = Path(__file__).resolve().parents[1] / "docs"
POLICIES = (sb.GLADE(), sb.OSSB(), sb.ThompsonSampling())
SHARE = 0.01
"""Largest share of the rounds that the plan may need; other draws are rejected."""
LAWS: dict[str, Callable[[np.ndarray], sb.RewardModel]] = {
    "Poisson counts": lambda u: sb.PoissonRewards(1.0 + 9.0 * u),
    "gamma times as costs, shape 2": lambda u: sb.GammaRewards(-1.0 - 4.0 * u, shape=2.0, cost=True),
    "Gaussian costs, known to be costs": lambda u: sb.GaussianRewards(-2.0 * u, upper=0.0),
}


def sets() -> dict[str, sb.DecisionSet]:
    """One small set of each kind: a matroid, paths, matchings."""
    steps = [
        ((r, c), (r + down, c + right)) for r, c in itertools.product(range(4), range(4)) for down, right in ((0, 1), (1, 0))
    ]
    return {
        "2 of 8": sb.MSets(8, 2),
        "paths of a 4 × 4 grid": sb.Paths([(a, b) for a, b in steps if max(b) < 4], (0, 0), (3, 3)),
        "4 × 4 matchings": sb.Matchings(list(itertools.product(range(4), range(4)))),
    }


def instances(horizon: int) -> Iterator[tuple[str, str, sb.DecisionSet, sb.RewardModel, sb.GravesLaiResult]]:
    """Names of law and set, the set, the rewards and the bound; means are redrawn while T is too small to be asymptotic."""
    rng = np.random.default_rng(SEED)
    for (law, model), (name, decision_set) in itertools.product(LAWS.items(), sets().items()):
        while True:
            rewards = model(rng.random(decision_set.d))
            bound = sb.graves_lai(decision_set, rewards.theta, law=rewards.law)
            if 0.0 < bound.plan.rates.sum() * math.log(horizon) <= SHARE * horizon:
                break
        yield law, name, decision_set, rewards, bound


def main() -> None:
    """Simulate, then write the page."""
    options = _options()
    mpl.use("Agg")
    results = {}
    for law, name, decision_set, rewards, bound in instances(options.horizon):
        results[law, name] = result = sb.simulate(
            decision_set, rewards, POLICIES, options.horizon, options.replications, seed=options.seed, n_jobs=options.workers,
            bound=bound, folder=options.folder / f"{law} - {name}".replace(" ", "-"), resume=True,
        )  # fmt: skip
        print(_rows(law, name, result), flush=True)
    if options.write:
        _write(results, options)


def _rows(law: str, name: str, result: sb.SimulationResult) -> str:
    lines = []
    for row in result.summary():
        low, high = row.slope_interval
        lines.append(
            f"| {law} | {name} | {row.policy} | {row.regret:.1f} ± {1.96 * row.standard_error:.1f} | "
            f"{row.regret / (result.lower_bound * math.log(result.horizon)):.2f} | {row.slope:.2f} [{low:.2f}, {high:.2f}] | "
            f"{row.slope / result.lower_bound:.2f} | {result.lower_bound:.3f} |"
        )
    return "\n".join(lines)


def _write(results: dict[tuple[str, str], sb.SimulationResult], options: argparse.Namespace) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 3, figsize=(14, 11), constrained_layout=True)
    for ax, ((law, name), result) in zip(axes.ravel(), results.items(), strict=True):
        result.plot(ax)
        ax.set_title(f"{law}\n{name}", fontsize=10)
    figure.savefig(DOCS / "figures" / "regret-of-laws.png", dpi=90)
    plt.close(figure)
    body = "\n".join(_rows(law, name, result) for (law, name), result in results.items())
    (DOCS / "regret-of-laws.md").write_text(HEAD.format(**vars(options)) + body + TAIL, encoding="utf-8")


HEAD = """# Regret under other laws compared with C(θ) ln T

This page shows the measured regret for counts, times and costs instead of Gaussian rewards ([laws.md](laws.md)). It is
written by

```
python verification/regret_laws.py FOLDER --horizon {horizon} --replications {replications} --seed {seed}
```

GLADE and OSSB use the law of the rewards, and Thompson sampling samples from the posterior of the law, except for the
known bound, which it does not use. Means are drawn uniformly: from (1, 10) for counts, (1, 5) for times, (0, 2) for costs
of variance 1/2; draws whose plan needs more than one percent of the rounds are rejected. T = {horizon:,}, {replications}
replications, common random numbers. The slope is the growth of mean regret per ln T over the last decade, with its 95 %
interval over replications; C(θ) bounds it for every uniformly good policy as T grows.

| law | decisions | policy | regret | regret / (C ln T) | slope | slope / C | C(θ) |
|---|---|---|---|---|---|---|---|
"""
TAIL = """

![Regret against rounds for three laws and three decision sets](figures/regret-of-laws.png)
"""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the replications; a run in it is resumed")
    parser.add_argument("--horizon", type=int, default=200_000, help="rounds")
    parser.add_argument("--replications", type=int, default=50)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--draft", dest="write", action="store_false", help="write no page")
    return parser.parse_args()


if __name__ == "__main__":
    main()
