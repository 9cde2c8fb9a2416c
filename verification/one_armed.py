"""GLADE compared with policies for one item per decision.

    python verification/one_armed.py --write        docs/policies/one-armed.md; ten minutes on one core

Rewards are Gaussian with variance 1/2, so that the divergence of two means is the square of their difference. All policies except
GLADE are implemented here in a few lines; none uses the horizon. In a replication all policies have the same means, but each
has its own rewards.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

import semibandits as sb

Vector = NDArray[np.float64]

ROUNDS: Final = (1_000, 10_000, 100_000)
SEED: Final = 20_261_126
INSTANCES: Final[dict[str, Callable[[np.random.Generator], Vector]]] = {
    "10 arms, uniform gaps": lambda rng: np.linspace(1.0, 0.0, 10),
    "one close (0.1), 8 far (0.6)": lambda rng: np.array([1.0, 0.9, *[0.4] * 8]),
    "20 arms, means drawn from U(0, 1)": lambda rng: rng.random(20),
    "two arms, gap 0.3": lambda rng: np.array([0.3, 0.0]),
}
THOMPSON, IMED, KL_UCB_PLUS_PLUS, ADA_UCB = 0, 1, 2, 3
REFERENCES: Final = {
    "Thompson sampling": THOMPSON, "IMED": IMED, "KL-UCB++, anytime": KL_UCB_PLUS_PLUS, "AdaUCB's level, anytime": ADA_UCB,
}  # fmt: skip
GLADES: Final = {"`GLADE()`": sb.GLADE(), "`GLADE(rivals=0.4)`": sb.GLADE(rivals=0.4)}
PAGE: Final = """# One item per decision

This page compares GLADE with policies for classical bandits, where every decision is one item. It is written by

```
python verification/one_armed.py --replications {replications} --seed {seed} --write
```

The table shows mean regret at {rounds} rounds with its standard error, and the share of runs above three times the median
at the last of these rounds; {replications} replications, Gaussian rewards of variance 1/2. Thompson sampling has a flat
prior. IMED (Honda and Takemura 2015) plays the arm with the smallest n D² + ln n, where D is the gap to the best mean.
KL-UCB++ (Ménard and Garivier 2017) is used with the current round in place of the horizon, with level ln₊(y (1 + ln₊²
y)), y = t/(K n). AdaUCB's level (Lattimore 2018), also at the current round, is ln(t / Σ_j min(n_i, √(n_i n_j))). With
`rivals`, GLADE uses a fraction of this count, and is not optimistic about the best arm: [optimality.md](optimality.md).

"""


@njit(cache=True, error_model="numpy")
def index(rule: int, i: int, t: int, plays: Vector, means: Vector, best: float, rng: np.random.Generator) -> float:
    """Index of one arm; the arm with the largest index is played."""
    n = plays[i]
    if rule == THOMPSON:
        return means[i] + rng.standard_normal() * math.sqrt(0.5 / n)
    if rule == IMED:
        return -n * (best - means[i]) ** 2 - math.log(n)
    if rule == KL_UCB_PLUS_PLUS:
        log = max(math.log(t / (len(plays) * n)), 0.0)
        return means[i] + math.sqrt(max(log + math.log(1.0 + log * log), 0.0) / n)
    rivals = 0.0
    for other in plays:
        rivals += min(n, math.sqrt(n * other))
    return means[i] + math.sqrt(max(math.log(t / rivals), 0.0) / n)


@njit(cache=True, error_model="numpy")
def play(rule: int, theta: Vector, rounds: Vector, rng: np.random.Generator) -> Vector:
    """Regret of one run at each of the rounds."""
    k = len(theta)
    plays, means, found = np.zeros(k), np.zeros(k), np.zeros(len(rounds))
    regret, done = 0.0, 0
    for t in range(1, int(rounds[-1]) + 1):
        arm = t - 1
        if t > k:
            best, highest = means.max(), -math.inf
            for i in range(k):
                value = index(rule, i, t, plays, means, best, rng)
                if value > highest:
                    arm, highest = i, value
        plays[arm] += 1.0
        means[arm] += (theta[arm] + math.sqrt(0.5) * rng.standard_normal() - means[arm]) / plays[arm]
        regret += theta.max() - theta[arm]
        if t == rounds[done]:
            found[done] = regret
            done += 1
    return found


def regrets(policy: int | sb.GLADE, thetas: list[Vector], rounds: tuple[int, ...], seed: int) -> Vector:
    """Regret of one run for each vector of means, shape (n, len(rounds))."""
    if isinstance(policy, int):
        ends = np.array(rounds, dtype=np.float64)
        return np.array([play(policy, theta, ends, np.random.default_rng([seed, k])) for k, theta in enumerate(thetas)])
    same = all((theta == thetas[0]).all() for theta in thetas)
    runs = [(thetas[0], len(thetas), seed)] if same else [(theta, 1, seed + k) for k, theta in enumerate(thetas)]
    found = [
        sb.simulate(
            sb.MSets(len(theta), 1), sb.GaussianRewards(theta, variance=0.5), {"GLADE": policy}, rounds[-1], count, seed=start,
            n_jobs=1, checkpoints=list(rounds), bound=None,
        ).regret["GLADE"]
        for theta, count, start in runs
    ]  # fmt: skip
    return np.concatenate(found)


def cell(regret: Vector) -> str:
    """Means with standard errors, and the share of runs far above the median."""
    errors = regret.std(axis=0, ddof=1) / math.sqrt(len(regret))
    means = " / ".join(f"{mean:.1f} ± {error:.1f}" for mean, error in zip(regret.mean(axis=0), errors, strict=True))
    return f"{means}; {100 * (regret[:, -1] > 3 * np.median(regret[:, -1])).mean():.1f} %"


def main() -> None:
    """Print the table row by row, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replications", type=int, default=300)
    parser.add_argument("--horizon", type=int, default=ROUNDS[-1], choices=ROUNDS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--write", action="store_true", help="write docs/policies/one-armed.md")
    options = parser.parse_args()
    rounds, start = tuple(t for t in ROUNDS if t <= options.horizon), time.perf_counter()
    means = {
        name: [draw(np.random.default_rng([options.seed, j, k])) for k in range(options.replications)]
        for j, (name, draw) in enumerate(INSTANCES.items())
    }
    lines = [f"| | {' | '.join(INSTANCES)} |", "|" + "---|" * (len(INSTANCES) + 1)]
    print("\n".join(lines), flush=True)
    for name, policy in (REFERENCES | GLADES).items():
        cells = [cell(regrets(policy, thetas, rounds, options.seed)) for thetas in means.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    print(f"{time.perf_counter() - start:.0f} s")
    if options.write:
        head = PAGE.format(replications=options.replications, seed=options.seed, rounds=" / ".join(f"{t:,}" for t in rounds))
        docs = Path(__file__).resolve().parents[1] / "docs" / "policies"
        (docs / "one-armed.md").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
