"""Rounds of a learner on shortlists from a million items: time of `ask` and `tell` together, and peak memory.

    python benchmarks/many_items.py [--items 1000000] [--rounds 100000] [POLICY ...]

POLICY is cucb, glade or thompson; by default all. Each policy plays on Gaussian rewards (means N(0, 1), prior mean 0 worth one
reward) and on clicks (probabilities Beta(2, 98), prior mean 0.02 worth 50 rewards), each in a process of its own. Columns:
seconds up to the first decision; milliseconds a round, the median of the first and of the last thousand rounds and the 99th
percentile of all; peak memory in MB.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time

import numpy as np

import semibandits as sb

POLICIES = {"cucb": sb.CUCB(), "glade": sb.GLADE(), "thompson": sb.ThompsonSampling()}
M = 10


def measure(name: str, rewards: str, d: int, n_rounds: int) -> None:
    """Play the rounds and print a row."""
    rng = np.random.default_rng(0)
    clicks = rewards == "clicks"
    theta = rng.beta(2, 98, d) if clicks else rng.normal(size=d)
    prior = {"prior_means": 0.02, "prior_plays": 50} if clicks else {"prior_means": 0.0, "prior_plays": 1}
    law = {"law": "bernoulli"} if clicks and name != "cucb" else {"variance": 0.25 if clicks else 1.0}
    start = time.perf_counter()
    learner = sb.Learner(sb.MSets(d, M), POLICIES[name], seed=0, **prior, **law)
    asked = learner.ask()
    first, seconds = time.perf_counter() - start, np.zeros(n_rounds)
    for k in range(n_rounds):
        means = theta[asked.items]
        outcomes = rng.binomial(1, means).astype(float) if clicks else rng.normal(means)
        start = time.perf_counter()
        learner.tell(asked.id, outcomes)
        asked = learner.ask()
        seconds[k] = time.perf_counter() - start
    early, late, rare = (1e3 * float(x) for x in (
        np.median(seconds[:1000]), np.median(seconds[-1000:]), np.quantile(seconds, 0.99),
    ))  # fmt: skip
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{name:9s} {rewards:9s} {first:6.2f} {early:8.2f} {late:8.2f} {rare:8.2f} {memory:7d}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policies", nargs="*", metavar="POLICY", choices=[*POLICIES, []])
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=100_000)
    given = parser.parse_args()
    print("policy    rewards   first s  early ms  late ms   p99 ms      MB")
    context = multiprocessing.get_context("spawn")
    for name in given.policies or POLICIES:
        for rewards in ("gaussian", "clicks"):
            process = context.Process(target=measure, args=(name, rewards, given.items, given.rounds))
            process.start()
            process.join()


if __name__ == "__main__":
    main()
