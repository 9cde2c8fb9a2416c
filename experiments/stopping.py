"""How many rounds a test takes until it is sure, and how often it is then wrong.

    python experiments/stopping.py --of rounds --write      a table of docs/policies/identify.md
    python experiments/stopping.py --of errors              wrong decisions, also with late outcomes

"rounds" compares Identify with a policy that samples the plan of `identification_time` at its estimates (tracking).
"""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from doc_tables import header, options_of, row, write_between
from scipy.stats import beta

import semibandits as sb

SEED: Final = 20_261_128
CONFIDENCE: Final = 0.95
LONGEST: Final = 40.0
"""Rounds of a simulation, in characteristic times, with the customary threshold."""


class Tracking(sb.Policy):
    """Sample the plan at the estimates, made anew whenever the number of rounds has grown by a fifth."""

    def start(self, decision_set: sb.DecisionSet, variance: Any) -> sb.Agent:
        """A new agent."""
        return TrackingAgent(decision_set, np.broadcast_to(variance, (decision_set.d,)))


class TrackingAgent(sb.Agent):
    """The decision that is furthest behind its share of the plan; items with fewer than sqrt(t / d) plays come first."""

    def __init__(self, decision_set: sb.DecisionSet, variance: Any) -> None:
        self.x, self.variance = decision_set, variance
        self.plays, self.sums = np.zeros(decision_set.d), np.zeros(decision_set.d)
        self.t, self.due = 0, 1.0
        self.plan: sb.SamplingPlan | None = None
        self.counts = np.zeros(0)

    def choose(self, rng: np.random.Generator) -> Any:
        """Choose a decision."""
        self.t += 1
        behind = np.maximum(math.sqrt(self.t / self.x.d) - self.plays, 0.0)
        if (behind > 0.0).any():
            return self.x.maximize(behind)
        if self.t >= self.due:
            self.due = 1.2 * self.t
            found = sb.identification_time(
                self.x, self.sums / self.plays, variance=self.variance, gap=0.05, throw=False, time_limit=10.0
            )
            if len(found.plan):
                self.plan, self.counts = found.plan, np.zeros(len(found.plan))
        if self.plan is None:
            return self.x.maximize(-self.plays)
        k = int(np.argmax(self.plan.shares * (self.counts.sum() + 1.0) - self.counts))
        self.counts[k] += 1.0
        return np.isin(np.arange(self.x.d), self.plan.items[k])

    def observe(self, items: Any, rewards: Any) -> None:
        """Observe rewards."""
        self.plays[items] += 1.0
        self.sums[items] += rewards


def instances() -> Iterator[tuple[str, sb.DecisionSet, Any, float]]:
    """Twelve small instances with a moderate characteristic time: name, decisions, means, variance."""
    grid = [((i, j), (i + a, j + b)) for i in range(4) for j in range(4) for a, b in ((0, 1), (1, 0)) if max(i + a, j + b) < 4]
    kinds: dict[str, tuple[sb.DecisionSet, float]] = {
        "one of 8": (sb.MSets(8, 1), 1.0),
        "4 of 12": (sb.MSets(12, 4), 1.0),
        "spanning trees": (sb.SpanningTrees(list(itertools.combinations(range(6), 2))), 1.0),
        "matchings": (sb.Matchings(list(itertools.product(range(4), "abcd"))), 1.0),
        "paths": (sb.Paths(grid, (0, 0), (3, 3)), -1.0),
        "quotas": (sb.MatroidBases(sb.matroids.Partition((np.arange(12) % 4).tolist(), 1)), 1.0),
    }
    for (name, (decision_set, sign)), seeds in itertools.product(kinds.items(), (range(100), range(100, 200))):
        for seed in seeds:
            theta = sign * np.random.default_rng(seed).random(decision_set.d)
            if 50.0 < sb.identification_time(decision_set, theta, variance=0.25, gap=0.05).value < 500.0:
                yield name, decision_set, theta, 0.25
                break


def stopped(
    decision_set: sb.DecisionSet,
    theta: Any,
    variance: float,
    policy: sb.Policy,
    stop: sb.Stop,
    rounds: int,
    runs: int,
    **options: Any,
) -> tuple[sb.SimulationResult, float]:
    """A simulation with stops, and its seconds a run."""
    start, rewards = time.perf_counter(), sb.GaussianRewards(theta, variance=variance)
    result = sb.simulate(
        decision_set, rewards, {"policy": policy}, rounds, runs, SEED, checkpoints=[rounds], bound=False, stop_at=stop, **options
    )
    return result, (time.perf_counter() - start) / runs


def of_rounds(runs: int) -> list[str]:
    """Rounds until the stop, of Identify and of tracking, over the least that a rule with a customary threshold can hope for."""
    lines, ratios = header(("instance", "T\\*(θ)", "`Identify()`", "ratio", "tracking", "ratio", "proved", "ms a run")), []
    for name, decision_set, theta, variance in instances():
        best = sb.identification_time(decision_set, theta, variance=variance, confidence=CONFIDENCE)
        cells = [name, f"{best.value:,.0f}"]
        rounds = int(LONGEST * best.value)
        milliseconds = ""
        for policy, most in ((sb.Identify(), runs), (Tracking(), max(runs // 10, 2))):
            result, seconds = stopped(
                decision_set, theta, variance, policy, sb.Stop(CONFIDENCE, threshold="customary"), rounds, most
            )
            found = rounds - result.stops["policy"][:, -1, 0]
            mean, half = found.mean(), 1.96 * found.std(ddof=1) / math.sqrt(most)
            ratio = mean / (best.value * math.log((math.log(mean) + 1.0) / (1.0 - CONFIDENCE)))
            ratios.append((type(policy).__name__, ratio))
            cells += [f"{mean:,.0f} ± {half:,.0f}", f"{ratio:.2f}"]
            milliseconds = f"{1e3 * seconds:,.0f}" if isinstance(policy, sb.Identify) else milliseconds
        proved, _ = stopped(decision_set, theta, variance, sb.Identify(), sb.Stop(CONFIDENCE), 3 * rounds, max(runs // 4, 2))
        lines.append(row((*cells, f"{(3 * rounds - proved.stops['policy'][:, -1, 0]).mean():,.0f}", milliseconds)))
        print(lines[-1], flush=True)
    for name in ("Identify", "Tracking"):
        lines.append(f"\nMedian ratio of {name}: {np.median([ratio for kind, ratio in ratios if kind == name]):.2f}")
    return lines


def of_errors(runs: int) -> list[str]:
    """Stops with a wrong decision, with a bound on their probability (one-sided, 99.9 %, Clopper and Pearson)."""
    lines = header(("instance", "delay", "threshold", "runs", "stopped", "wrong", "at most"))
    for (name, decision_set, theta, variance), delay in itertools.product(instances(), (0, 50)):
        for threshold, factor in (("proved", 3.0), ("customary", 1.0)):
            rounds = int(factor * LONGEST * sb.identification_time(decision_set, theta, variance=variance).value)
            stop = sb.Stop(CONFIDENCE, threshold=threshold)
            result, _ = stopped(decision_set, theta, variance, sb.Identify(), stop, rounds, runs, delay=delay, n_jobs=2)
            after = result.stops["policy"][:, -1]
            wrong = int((after[:, 1] > 0).sum())
            limit = beta.ppf(0.999, wrong + 1, runs - wrong)
            lines.append(row((name, delay, threshold, runs, f"{(after[:, 0] > 0).mean():.1%}", wrong, f"{limit:.2%}")))
            print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Measure and print a table; with --write put it into its page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--of", choices=("rounds", "errors"), default="rounds")
    parser.add_argument("--runs", type=int, default=200)
    options = options_of(parser)
    lines = {"rounds": of_rounds, "errors": of_errors}[options.of](options.runs)
    print("\n".join(lines))
    if options.write:
        write_between("policies/identify.md", f"stopping.py --of {options.of}", "\n".join(lines))


if __name__ == "__main__":
    main()
