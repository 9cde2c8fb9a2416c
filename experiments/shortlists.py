"""Regret and times of single rounds (longest and median) of GLADE, ESCB and Thompson sampling on shortlists with clicks of 0
and 1.

    python experiments/shortlists.py             print the table
    python experiments/shortlists.py --write     the same, into docs/policies/large.md

Twenty shortlists of 120 to 1,000 articles: two of each of ten categories and eight in all (laminar), one of each category
(partition), two quotas at once (intersection), any eight (m-sets); click rates drawn from a Beta law with parameters 1.5 and
30, or all equal, so that nearly all articles tie for hundreds of rounds. Also every dataset with observed outcomes, replayed.
Each round is one call of the compiled loop, timed alone, without the first ten, in which kernels are loaded.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from doc_tables import header, options_of, row, write_between

import semibandits as sb
from semibandits.kernels import late, rounds

ROUNDS: Final = 20_000
SEED: Final = 20_261_122
LOADING: Final = 10
POLICIES: Final = (sb.ThompsonSampling(), sb.GLADE(), sb.ESCB())
TIMES: Final = ("longest round, ms", "median, ms", "undecided")
COLUMNS: Final = ("set", "items", "rates", "Thompson: regret", "GLADE: regret", *TIMES, "ESCB: regret", *TIMES)


class Run(NamedTuple):
    """Result of one policy: regret, longest and median time of a round in milliseconds, and share of undecided searches."""

    regret: float
    longest: float
    median: float
    undecided: float


def main() -> None:
    """Simulate, print the table, and write it if requested."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", nargs="+", metavar="PART", help="only sets whose names contain one of these")
    options = options_of(parser)
    rows = header(COLUMNS)
    print("\n".join(rows), flush=True)
    for name, items, rates, decision_set, rewards in problems():
        if options.only and not any(part in name for part in options.only):
            continue
        runs = [play(decision_set, rewards, policy, options.rounds) for policy in POLICIES]
        cells = [name, f"{items:,}", rates, f"{runs[0].regret:,.0f}"]
        for run in runs[1:]:
            cells += [f"{run.regret:,.0f}", f"{run.longest:.1f}", f"{run.median:.2f}", f"{run.undecided:.1%}"]
        rows.append(row(cells))
        print(rows[-1], flush=True)
    if options.write:
        write_between("policies/large.md", "shortlists.py", "\n".join(rows))


def problems() -> Iterator[tuple[str, int, str, sb.DecisionSet, sb.RewardModel]]:
    """Twenty shortlists, and the datasets that can be replayed."""
    for kind in ("laminar", "partition", "intersection", "m-sets"):
        for d, equal in ((120, False), (120, True), (300, False), (300, True), (1000, False)):
            decision_set, theta = shortlist(kind, d, equal=equal)
            yield kind, d, "equal" if equal else "Beta", decision_set, sb.BernoulliRewards(theta)
    for name in sb.datasets.list_datasets():
        dataset = sb.datasets.load(name)
        if dataset.outcomes is not None:
            yield name, dataset.decision_set.d, "replayed", dataset.decision_set, dataset.replay()


def shortlist(kind: str, d: int, *, equal: bool) -> tuple[sb.DecisionSet, np.ndarray]:
    """Articles in ten categories and from six sources, and their click rates."""
    rng = np.random.default_rng([SEED, d])
    category, source = rng.integers(0, 10, d), rng.integers(0, 6, d)
    theta = np.full(d, 0.05) if equal else rng.beta(1.5, 30, d)
    matroids = sb.matroids
    if kind == "laminar":
        sets = [*(np.flatnonzero(category == k).tolist() for k in range(10)), list(range(d))]
        return sb.MatroidBases(matroids.Laminar(sets, [2] * 10 + [8])), theta
    if kind == "partition":
        return sb.MatroidBases(matroids.Partition(category.tolist(), 1)), theta
    if kind == "intersection":
        quotas = matroids.Partition(category.tolist(), 2), matroids.Partition(source.tolist(), 3)
        return sb.MatroidIntersection(*quotas, size=8), theta
    return sb.MSets(d, 8), theta


def play(decision_set: sb.DecisionSet, rewards: sb.RewardModel, policy: sb.Policy, most: int) -> Run:
    """Play and time `most` rounds one by one."""
    agent = policy.for_rewards(rewards.family).start(decision_set, rewards.variance)
    oracle, law, d, theta = agent.oracle, rewards.compiled(), decision_set.d, rewards.theta
    best = float(theta[decision_set.maximize(theta)].sum())
    environment = rounds.Environment(law.kind, law.floats, law.ints, theta.copy(), best, 1e-12)
    record = rounds.record(np.array([most]), d)
    work, queue = rounds.scratch(d, agent.policy.normals(d)), late.queue(0, d, decision_set.m)
    sets = rounds.Oracle(oracle.data, oracle.m)
    own, drawn = (np.random.default_rng([SEED, k]) for k in range(2))
    seconds = np.zeros(most)
    for t in range(most):
        start = time.perf_counter()
        status = rounds.play(
            agent.rule, oracle.family, oracle.index, sets, agent.player, environment, record, work, queue, own, drawn, 1,
        )  # fmt: skip
        seconds[t] = time.perf_counter() - start
        if status not in (rounds.PAUSED, rounds.DONE):
            raise RuntimeError(f"round {t + 1} ended with status {status}")
    asked, undecided = agent.player.counters[rounds.INDEX_CALLS], agent.player.counters[rounds.UNDECIDED]
    answers = 1e3 * seconds[LOADING:]
    share = float(undecided) / max(int(asked), 1)
    return Run(float(record.totals[0]), float(answers.max()), float(np.median(answers)), share)


if __name__ == "__main__":
    main()
