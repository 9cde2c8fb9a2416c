"""What a half-life costs where means stay, and what it gains where they change: regret of learners.

    python verification/half_life.py [--runs 10] [--rounds 20000]

Choose 3 of 10 items with normal rewards of variance 0.25 and means from 0.1 to 0.9. In the first instance the means stay; in
the second one the items exchange them at random after every quarter of the rounds. Each learner is asked and told at once. Prints
means over runs with 95 % intervals; takes about 15 minutes.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import t as student

import semibandits as sb

ITEMS, CHOSEN, VARIANCE = 10, 3, 0.25
HALF_LIVES = (None, 10_000, 1_000)
POLICIES = (sb.GLADE(), sb.ThompsonSampling())


def regret(policy: sb.Policy, half_life: float | None, rounds: int, changes: int, seed: int) -> float:
    """Regret of one learner; the items exchange their means `changes` times."""
    rng = np.random.default_rng([seed, 0])
    learner = sb.Learner(sb.MSets(ITEMS, CHOSEN), policy, variance=VARIANCE, seed=seed, half_life=half_life)
    total, theta, best = 0.0, np.empty(0), 0.0
    for step in range(rounds):
        if step % -(-rounds // (changes + 1)) == 0:
            theta = rng.permutation(np.linspace(0.1, 0.9, ITEMS))
            best = np.sort(theta)[-CHOSEN:].sum()
        asked = learner.ask()
        total += best - theta[asked.items].sum()
        learner.tell(asked.id, rng.normal(theta[asked.items], np.sqrt(VARIANCE)))
    return float(total)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=20_000)
    options = parser.parse_args()
    for changes in (0, 3):
        for policy in POLICIES:
            for half_life in HALF_LIVES:
                found = [regret(policy, half_life, options.rounds, changes, seed) for seed in range(options.runs)]
                width = student.ppf(0.975, options.runs - 1) * np.std(found, ddof=1) / np.sqrt(options.runs)
                print(f"{changes} changes, {policy.name}, half-life {half_life}: {np.mean(found):.0f} ± {width:.0f}", flush=True)


if __name__ == "__main__":
    main()
