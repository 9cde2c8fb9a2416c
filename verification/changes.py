"""Is the regret after a change that of a learner that knew it all along?

    python verification/changes.py [--kinds ...] [--policies ...] [--seeds 100] [--replications 2000] [--jobs 2]

Two items leave and two others arrive, one of which is the best: after 4,000 rounds, `replace` moves the learner to the new
decision set. Or the two best items are no longer available from then on: `ask(available=...)`. In two windows of rounds, an early
and a late one, the regret against the best decision that is left is compared with that of simulations which play on the new set,
or on what is left, from the first round on. The statistic is the difference of the means in standard errors. It exceeds 4 with
probability 3e-5 if the means are equal.

What must hold depends on what a policy explores by. GLADE and CUCB explore by the number of rounds, which counts on, so they must
lose no more than those that knew it in both windows. Thompson sampling explores by the counts of the items alone. Items that were
far from the best decision before the change have few, so after it they are explored as by a learner that begins at the change:
C / (t - 4,000) in round t instead of C / t. So in the early window it must lose no more than such a learner, and in the late one,
where the two agree but for a sixth, no more than one that knew it. The last columns show the learners that began at the change,
and their difference to those that knew it: what the check can find.

A third case leaves out each item with probability 0.3 in every round: a learner that knows the means loses nothing then, and the
regret is printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

import semibandits as sb

MEANS = dict(zip("abcdefghij", (1.0, 0.1, 0.9, 0.7, 0.5, 0.3, 0.2, 0.0, 1.1, 0.4), strict=True))
BEFORE, AFTER, LEFT = "abcdefgh", "cdefghij", "bdefgh"
SIZE, VARIANCE = 2, 0.25
POLICIES = {policy.name: policy for policy in (sb.GLADE(), sb.CUCB(), sb.ThompsonSampling())}
KINDS = ("replace", "available", "random")
BY_COUNTS = {sb.ThompsonSampling().name}
"""Policies that explore by the counts of the items alone, not by the number of rounds."""
START = 4_000
"""Rounds before the change."""
EARLY, LATE = (8_000, 12_000), (24_000, 36_000)
"""Windows: regret counts after the first number of rounds, up to the second."""
Windows = tuple[tuple[int, int], ...]
LARGEST = 4.0
"""Standard errors; a normal number exceeds them with probability 3e-5."""


def means_of(labels: Iterable[str]) -> np.ndarray:
    """Mean rewards of these items."""
    return np.array([MEANS[label] for label in labels])


def changed(kind: str, policy: str, seed: int, start: int = START, windows: Windows = (EARLY, LATE)) -> list[float]:
    """Regret of a learner that meets the change after `start` rounds, in each window."""
    learner = sb.Learner(sb.MSets(len(BEFORE), SIZE, items=BEFORE), POLICIES[policy], variance=VARIANCE, seed=seed)
    draws, left, available = np.random.default_rng([seed, 1]), BEFORE, None
    regret = np.empty(windows[-1][1])
    for count in range(len(regret)):
        if count == start:
            left = AFTER if kind == "replace" else LEFT
            if kind == "replace":
                learner, _ = learner.replace(sb.MSets(len(AFTER), SIZE, items=AFTER))
            else:
                available = set(LEFT)
        asked = learner.ask(available)
        means = means_of(asked.labels)
        learner.tell(asked.id, means + VARIANCE**0.5 * draws.normal(size=SIZE))
        regret[count] = np.sort(means_of(left))[-SIZE:].sum() - means.sum()
    return [float(regret[first:last].sum()) for first, last in windows]


def random_items(policy: str, seed: int) -> float:
    """Regret a round in the early window if each item is left out with probability 0.3 in every round."""
    learner = sb.Learner(sb.MSets(len(BEFORE), SIZE, items=BEFORE), POLICIES[policy], variance=VARIANCE, seed=seed)
    draws, total, theta = np.random.default_rng([seed, 2]), 0.0, means_of(BEFORE)
    for count in range(EARLY[1]):
        mask = draws.random(len(BEFORE)) < 0.7
        if mask.sum() < SIZE:
            mask[:] = True
        asked = learner.ask(mask)
        learner.tell(asked.id, theta[asked.items] + VARIANCE**0.5 * draws.normal(size=SIZE))
        if count >= EARLY[0]:
            total += np.sort(theta[mask])[-SIZE:].sum() - theta[asked.items].sum()
    return total / (EARLY[1] - EARLY[0])


def without_change(
    kind: str, policy: str, replications: int, jobs: int, start: int = START, windows: Windows = (EARLY, LATE)
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Regret in each window of learners that play on what is left from the first round on, and from the change on."""
    left = AFTER if kind == "replace" else LEFT
    ends = [end - since for window in windows for end in window for since in (0, start)]
    result = sb.simulate(
        sb.MSets(len(left), SIZE, items=left),
        sb.GaussianRewards(means_of(left), variance=VARIANCE),
        POLICIES[policy],
        horizon=windows[-1][1],
        replications=replications,
        seed=1,
        n_jobs=jobs,
        checkpoints=sorted(set(ends)),
        bound=False,
    )
    at = dict(zip(result.checkpoints.tolist(), result.regret[policy].T, strict=True))
    return [(at[last] - at[first], at[last - start] - at[first - start]) for first, last in windows]


def statistic(one: np.ndarray, other: np.ndarray) -> float:
    """Difference of the means in standard errors, positive if that of the first is larger."""
    error = np.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other))
    return float((one.mean() - other.mean()) / error)


def compare(kind: str, policy: str, regret: np.ndarray, replications: int, jobs: int) -> bool:
    """Print both windows, and return whether what must hold does."""
    holds = True
    for window, lost, (knew, began) in zip(
        (EARLY, LATE), regret.T, without_change(kind, policy, replications, jobs), strict=True
    ):
        limit = began if window == EARLY and policy in BY_COUNTS else knew
        is_good = statistic(lost, limit) < LARGEST
        figures = (lost.mean(), knew.mean(), statistic(lost, knew), began.mean(), statistic(lost, began))
        found = statistic(began[: len(lost)], knew)
        print(
            f"{kind:10} {policy:17} {window[0] + 1:7,}-{window[1]:6,} "
            + " ".join(f"{figure:9.2f}" for figure in (*figures, found))
            + f"  {'holds' if is_good else 'fails'}",
            flush=True,
        )
        holds &= is_good
    return holds


def main() -> int:
    """Run, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--policies", nargs="+", choices=list(POLICIES), default=list(POLICIES))
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--replications", type=int, default=2_000, help="of learners without a change")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    is_good = True
    print(f"change after {START:,} rounds; statistics are differences of the changed learners, the last one of those that began")
    columns = ("changed", "knew it", "statistic", "began", "statistic", "can find")
    print(f"{'change':10} {'policy':17} {'rounds':>14} " + " ".join(f"{column:>9}" for column in columns))
    with ProcessPoolExecutor(options.jobs) as pool:
        for kind in options.kinds:
            for policy in options.policies:
                played = random_items if kind == "random" else partial(changed, kind)
                regret = np.array(list(pool.map(partial(played, policy), range(options.seeds))))
                if kind == "random":
                    error = regret.std(ddof=1) / np.sqrt(len(regret))
                    print(f"{kind:10} {policy:17} {regret.mean():9.5f} a round, standard error {error:.5f}", flush=True)
                else:
                    is_good &= compare(kind, policy, regret, options.replications, options.jobs)
    print("passed" if is_good else "failed")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
