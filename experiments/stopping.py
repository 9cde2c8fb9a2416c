"""How many rounds a test takes until it is sure, and how often it is then wrong.

    python experiments/stopping.py --of rounds --write      a table of docs/policies/identify.md
    python experiments/stopping.py --of errors --write      wrong decisions; 5 to 6 hours of one core

"rounds" compares Identify with a policy that samples the plan of `identification_time` at its estimates (tracking). "errors"
stops by the proved threshold: also with late outcomes, checks in every round, items that are not available on some days, and a
decision set that gets two more items after ten days.
"""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from doc_tables import header, options_of, row, write_between
from scipy.stats import beta

import semibandits as sb
from semibandits.simulation import stopping

SEED: Final = 20_261_128
CONFIDENCE: Final = 0.95
LONGEST: Final = 40.0
"""Rounds of a simulation, in characteristic times, with the customary threshold."""
PROVED: Final = 3.0
"""How many times as many with the proved one."""
DELAY: Final = 50
DAY: Final = 20
"""Rounds that a learner opens at once."""
DAYS_OF_PART: Final = 10
"""Days before the two other items come."""
AWAY: Final = 0.2
"""Probability that an item is not available on a day."""
KINDS: Final = ("a check per 1 %", f"{DELAY} rounds late", "checks in all rounds", "items away", "items that come")
OTHERS: Final = 33
"""How many times fewer runs of the last four kinds, which take longer."""


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


class Instance(NamedTuple):
    """A small instance with a moderate characteristic time."""

    name: str
    decision_set: sb.DecisionSet
    part: sb.DecisionSet  # without the last two items
    theta: Any
    time: float  # the characteristic time
    variance: float = 0.25


def instances() -> Iterator[Instance]:
    """Twelve of them."""
    grid = [((i, j), (i + a, j + b)) for i in range(4) for j in range(4) for a, b in ((0, 1), (1, 0)) if max(i + a, j + b) < 4]
    kinds: dict[str, tuple[Callable[[Any], sb.DecisionSet], Any, float]] = {
        "one of 8": (lambda items: sb.MSets(len(items), 1, items=items), range(8), 1.0),
        "4 of 12": (lambda items: sb.MSets(len(items), 4, items=items), range(12), 1.0),
        "spanning trees": (sb.SpanningTrees, list(itertools.combinations(range(6), 2)), 1.0),
        "matchings": (sb.Matchings, list(itertools.product(range(4), "abcd")), 1.0),
        "paths": (lambda arcs: sb.Paths(arcs, (0, 0), (3, 3)), grid, -1.0),
        "quotas": (lambda items: sb.MatroidBases(sb.matroids.Partition([i % 4 for i in items], 1), items=items), range(12), 1.0),
    }
    for (name, (made, items, sign)), seeds in itertools.product(kinds.items(), (range(100), range(100, 200))):
        decision_set = made(items)
        for seed in seeds:
            theta = sign * np.random.default_rng(seed).random(decision_set.d)
            time = sb.identification_time(decision_set, theta, variance=0.25, gap=0.05).value
            if 50.0 < time < 500.0:
                yield Instance(name, decision_set, made(items[:-2]), theta, time)
                break


def stopped(one: Instance, policy: sb.Policy, stop: sb.Stop, rounds: int, runs: int, **options: Any) -> tuple[Any, float]:
    """Rounds after the stop, and those of them with a wrong decision, shape (runs, 2); and seconds a run."""
    start, rewards = time.perf_counter(), sb.GaussianRewards(one.theta, variance=one.variance)
    result = sb.simulate(
        one.decision_set, rewards, {"policy": policy}, rounds, runs, SEED,
        checkpoints=[rounds], bound=False, stop_at=stop, **options,
    )  # fmt: skip
    return result.stops["policy"][:, -1], (time.perf_counter() - start) / runs


def of_rounds(runs: int) -> list[str]:
    """Rounds until the stop, of Identify and of tracking, over the least that a rule with a customary threshold can hope for."""
    lines, ratios = header(("instance", "T\\*(θ)", "`Identify()`", "ratio", "tracking", "ratio", "proved", "ms a run")), []
    for one in instances():
        best = sb.identification_time(one.decision_set, one.theta, variance=one.variance, confidence=CONFIDENCE)
        cells = [one.name, f"{best.value:,.0f}"]
        rounds = int(LONGEST * best.value)
        milliseconds = ""
        for policy, most in ((sb.Identify(), runs), (Tracking(), max(runs // 10, 2))):
            after, seconds = stopped(one, policy, sb.Stop(CONFIDENCE, threshold="customary"), rounds, most)
            found = rounds - after[:, 0]
            mean, half = found.mean(), 1.96 * found.std(ddof=1) / math.sqrt(most)
            ratio = mean / (best.value * math.log((math.log(mean) + 1.0) / (1.0 - CONFIDENCE)))
            ratios.append((type(policy).__name__, ratio))
            cells += [f"{mean:,.0f} ± {half:,.0f}", f"{ratio:.2f}"]
            milliseconds = f"{1e3 * seconds:,.0f}" if isinstance(policy, sb.Identify) else milliseconds
        rounds = int(PROVED * rounds)
        after, _ = stopped(one, sb.Identify(), sb.Stop(CONFIDENCE), rounds, max(runs // 4, 2))
        lines.append(row((*cells, f"{(rounds - after[:, 0]).mean():,.0f}", milliseconds)))
        print(lines[-1], flush=True)
    for name in ("Identify", "Tracking"):
        lines.append(f"\nMedian ratio of {name}: {np.median([ratio for kind, ratio in ratios if kind == name]):.2f}")
    return lines


def is_wrong_by_learner(one: Instance, seed: int, days: int, first: sb.DecisionSet, away: float) -> bool | None:
    """Whether a learner is ever sure of a wrong decision at the end of a day; None if it is not sure of any in time."""
    rng = np.random.default_rng(SEED + seed)
    learner = sb.Learner(first, sb.Identify(), variance=one.variance, seed=seed)
    for day in range(days):
        if day == DAYS_OF_PART and first is not one.decision_set:
            learner, _ = learner.replace(one.decision_set)
        theta = one.theta[: learner.decision_set.d]
        try:
            asked = learner.ask_many(DAY, rng.random(len(theta)) >= away)
        except sb.Infeasible:  # too few items
            asked = learner.ask_many(DAY)
        noise = math.sqrt(one.variance) * rng.standard_normal((DAY, len(theta)))
        learner.tell_many((each.id, (theta + noise[k])[each.items]) for k, each in enumerate(asked))
        if learner.confidence() >= CONFIDENCE:
            best = theta[learner.best()].sum()
            if best < theta[learner.decision_set.maximize(theta)].sum() - 1e-9:
                return True
            if len(theta) == len(one.theta):
                return False
    return None


def errors_of(place: int, runs: int) -> list[list[bool | None]]:
    """Whether runs on one of the instances stopped with a wrong decision, None if they did not stop: for each of `KINDS`."""
    one = next(itertools.islice(instances(), place, None))
    rounds, few, usual = int(PROVED * LONGEST * one.time), max(runs // OTHERS, 2), stopping.GROWTH
    made: list[list[bool | None]] = []
    for count, growth, delay in ((runs, usual, 0), (few, usual, DELAY), (few, 1.0, 0)):
        stopping.GROWTH = growth
        after, _ = stopped(one, sb.Identify(), sb.Stop(CONFIDENCE), rounds, count, delay=delay)
        made.append([wrong > 0 if sure else None for sure, wrong in after.tolist()])
    for first, away in ((one.decision_set, AWAY), (one.part, 0.0)):
        made.append([is_wrong_by_learner(one, seed, rounds // DAY, first, away) for seed in range(few)])
    return made


def of_errors(runs: int, workers: int) -> list[str]:
    """Stops with a wrong decision, with a bound on their probability (one-sided, 99.9 %, Clopper and Pearson)."""
    lines, found, names = header(("instance", *KINDS)), [], [one.name for one in instances()]
    with ProcessPoolExecutor(workers) as pool:
        for name, made in zip(names, pool.map(partial(errors_of, runs=runs), range(len(names))), strict=True):
            found.append(made)
            lines.append(row((name, *map(counted, made))))
            print(lines[-1], flush=True)
    lines.append(row(("all", *(counted(itertools.chain(*each)) for each in zip(*found, strict=True)))))
    return lines


def counted(runs: Iterable[bool | None]) -> str:
    """Wrong stops of all runs, the bound, and the runs that did not stop if there are any."""
    runs = list(runs)
    wrong, unsure = sum(run is True for run in runs), sum(run is None for run in runs)
    limit = beta.ppf(0.999, wrong + 1, len(runs) - wrong)
    return f"{wrong} of {len(runs):,} (≤ {limit:.2%})" + (f", {unsure} not sure" if unsure else "")


def main() -> None:
    """Measure and print a table; with --write put it into its page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--of", choices=("rounds", "errors"), default="rounds")
    parser.add_argument("--runs", type=int, default=200, help="for rounds; ten times as many for errors")
    parser.add_argument("--workers", type=int, default=2, help="processes for errors")
    options = options_of(parser)
    lines = of_rounds(options.runs) if options.of == "rounds" else of_errors(10 * options.runs, options.workers)
    print("\n".join(lines))
    if options.write:
        write_between("policies/identify.md", f"stopping.py --of {options.of}", "\n".join(lines))


if __name__ == "__main__":
    main()
