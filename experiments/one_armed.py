"""GLADE compared with policies for one item per decision.

    python experiments/one_armed.py --write        docs/policies/one-armed.md; ten minutes on one core

Rewards are Gaussian with variance 1/2, so that the divergence of two means is the square of their difference. All policies except
GLADE are implemented here in a few lines; none uses the horizon. In a replication all policies have the same means, but each
has its own rewards.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Final

import numpy as np
from doc_tables import header, options_of, row, write_between
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
    options = options_of(parser)
    rounds, start = tuple(t for t in ROUNDS if t <= options.horizon), time.perf_counter()
    means = {
        name: [draw(np.random.default_rng([options.seed, j, k])) for k in range(options.replications)]
        for j, (name, draw) in enumerate(INSTANCES.items())
    }
    lines = header(["", *INSTANCES])
    print("\n".join(lines), flush=True)
    for name, policy in (REFERENCES | GLADES).items():
        cells = [cell(regrets(policy, thetas, rounds, options.seed)) for thetas in means.values()]
        lines.append(row([name, *cells]))
        print(lines[-1], flush=True)
    print(f"{time.perf_counter() - start:.0f} s")
    if options.write:
        write_between("policies/one-armed.md", "one_armed.py", "\n".join(lines))


if __name__ == "__main__":
    main()
