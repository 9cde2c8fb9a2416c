"""What does a half-life cost where means stay, and what does it gain where they change?

    python experiments/half_lives.py [--policies ...] [--seeds 10] [--jobs 2]

prints the numbers of the table in docs/learner.md: regret of 20,000 rounds with 3 of 10 items and means from 0.1 to 0.9, which
stay, or which the items exchange at random after every quarter of the rounds; means over the seeds with 95 % intervals.
"""

from __future__ import annotations

import argparse
import itertools
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from statistics_of_ratios import mean_interval

import semibandits as sb

POLICIES = {policy.name: policy for policy in (sb.GLADE(), sb.CUCB(), sb.ThompsonSampling())}
ITEMS, SIZE, VARIANCE, ROUNDS = 10, 3, 0.25, 20_000
HALF_LIVES = (None, 10_000, 1_000)


def regret(changes: int, half_life: float | None, policy: str, seed: int) -> float:
    """Regret of a learner with this half-life; the items exchange their means `changes` times."""
    rng = np.random.default_rng([seed, 0])
    learner = sb.Learner(sb.MSets(ITEMS, SIZE), POLICIES[policy], variance=VARIANCE, seed=seed, half_life=half_life)
    total, theta, best = 0.0, np.empty(0), 0.0
    for step in range(ROUNDS):
        if step % -(-ROUNDS // (changes + 1)) == 0:
            theta = rng.permutation(np.linspace(0.1, 0.9, ITEMS))
            best = np.sort(theta)[-SIZE:].sum()
        asked = learner.ask()
        total += best - theta[asked.items].sum()
        learner.tell(asked.id, rng.normal(theta[asked.items], np.sqrt(VARIANCE)))
    return float(total)


def main() -> None:
    """Print a line for each policy, number of changes and half-life."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policies", nargs="+", choices=list(POLICIES), default=list(POLICIES))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with ProcessPoolExecutor(options.jobs) as pool:
        for policy, changes, half_life in itertools.product(options.policies, (0, 3), HALF_LIVES):
            found = list(pool.map(partial(regret, changes, half_life, policy), range(options.seeds)))
            mean, low, _ = mean_interval(found)
            print(f"{changes} changes, {policy}, half-life {half_life}: {mean:.0f} ± {mean - low:.0f}", flush=True)


if __name__ == "__main__":
    main()
