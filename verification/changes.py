"""Is the regret after a change that of a learner that knew it all along?

    python verification/changes.py [--seeds 100] [--replications 2000] [--jobs 2]

Two items leave and two others arrive, one of which is the best: after 4,000 rounds, `replace` moves the learner to the new
decision set. Or the two best items are no longer available from then on: `ask(available=...)`. Some time after the change, the
regret against the best decision that is left is compared with that of simulations which play on the new set, or on what is left,
from the first round on; both should lose C / t in round t. The statistic is the difference of the means in standard errors. It
must be below 4, which it exceeds with probability 3e-5 if the means are equal. The same statistic for as many learners that
forget everything at the change shows what the check can find. A third case leaves out each item with probability 0.3 in every
round: a learner that knows the means loses nothing then, and the regret is printed. The check fails for Thompson sampling if the
best items leave; see docs/learner.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

import semibandits as sb

MEANS = dict(zip("abcdefghij", (1.0, 0.1, 0.9, 0.7, 0.5, 0.3, 0.2, 0.0, 1.1, 0.4), strict=True))
BEFORE, AFTER, LEFT = "abcdefgh", "cdefghij", "bdefgh"
SIZE, VARIANCE = 2, 0.25
POLICIES = {policy.name: policy for policy in (sb.GLADE(), sb.CUCB(), sb.ThompsonSampling())}
KINDS = ("replace", "available", "random")
LARGEST = 4.0
"""Standard errors; a normal number exceeds them with probability 3e-5."""


@dataclass(frozen=True)
class Window:
    """Rounds of a comparison: the change takes place after `start`, and regret counts from `first` to `last`."""

    start: int
    first: int
    last: int


def means_of(labels: Iterable[str]) -> np.ndarray:
    """Mean rewards of these items."""
    return np.array([MEANS[label] for label in labels])


def changed(kind: str, policy: str, window: Window, seed: int) -> float:
    """Regret in the window of a learner that meets the change."""
    learner = sb.Learner(sb.MSets(len(BEFORE), SIZE, items=BEFORE), POLICIES[policy], variance=VARIANCE, seed=seed)
    draws, total, left, available = np.random.default_rng([seed, 1]), 0.0, BEFORE, None
    for count in range(window.last):
        if count == window.start:
            left = AFTER if kind == "replace" else LEFT
            if kind == "replace":
                learner, _ = learner.replace(sb.MSets(len(AFTER), SIZE, items=AFTER))
            else:
                available = set(LEFT)
        asked = learner.ask(available)
        means = means_of(asked.labels)
        learner.tell(asked.id, means + VARIANCE**0.5 * draws.normal(size=SIZE))
        if count >= window.first:
            total += np.sort(means_of(left))[-SIZE:].sum() - means.sum()
    return total


def random_items(policy: str, window: Window, seed: int) -> float:
    """Regret a round in the window if each item is left out with probability 0.3, against the best decision that is left."""
    learner = sb.Learner(sb.MSets(len(BEFORE), SIZE, items=BEFORE), POLICIES[policy], variance=VARIANCE, seed=seed)
    draws, total, theta = np.random.default_rng([seed, 2]), 0.0, means_of(BEFORE)
    for count in range(window.last):
        mask = draws.random(len(BEFORE)) < 0.7
        if mask.sum() < SIZE:
            mask[:] = True
        asked = learner.ask(mask)
        learner.tell(asked.id, theta[asked.items] + VARIANCE**0.5 * draws.normal(size=SIZE))
        if count >= window.first:
            total += np.sort(theta[mask])[-SIZE:].sum() - theta[asked.items].sum()
    return total / (window.last - window.first)


def known_all_along(
    kind: str, policy: str, window: Window, replications: int, jobs: int
) -> tuple[np.ndarray, np.ndarray]:
    """Regret in the window of learners that play on what is left from the first round on, or from the change on."""
    left = AFTER if kind == "replace" else LEFT
    ends = (window.first - window.start, window.last - window.start, window.first, window.last)
    result = sb.simulate(
        sb.MSets(len(left), SIZE, items=left),
        sb.GaussianRewards(means_of(left), variance=VARIANCE),
        POLICIES[policy],
        horizon=window.last,
        replications=replications,
        seed=1,
        n_jobs=jobs,
        checkpoints=sorted(set(ends)),
        bound=False,
    )
    at = dict(zip(result.checkpoints.tolist(), result.regret[policy].T, strict=True))
    return at[window.last] - at[window.first], at[ends[1]] - at[ends[0]]


def statistic(one: np.ndarray, other: np.ndarray) -> float:
    """Difference of the means in standard errors, positive if that of the first is larger."""
    error = np.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other))
    return float((one.mean() - other.mean()) / error)


def main() -> int:
    """Run, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--replications", type=int, default=2_000, help="of learners that knew it all along")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    window, is_good = Window(4_000, 8_000, 12_000), True
    print(f"change after {window.start:,} rounds; regret of the rounds {window.first + 1:,} to {window.last:,}")
    print(
        f"{'change':10} {'policy':18} {'changed':>9} {'knew it':>9} {'statistic':>10} {'forgot':>9} {'statistic':>10}"
    )
    with ProcessPoolExecutor(options.jobs) as pool:
        for kind in options.kinds:
            for policy in POLICIES:
                played = random_items if kind == "random" else partial(changed, kind)
                regret = np.array(list(pool.map(partial(played, policy, window), range(options.seeds))))
                if kind == "random":
                    error = regret.std(ddof=1) / np.sqrt(len(regret))
                    print(f"{kind:10} {policy:18} {regret.mean():9.5f} a round, standard error {error:.5f}", flush=True)
                    continue
                knew, forgot = known_all_along(kind, policy, window, options.replications, options.jobs)
                difference, control = statistic(regret, knew), statistic(forgot[: options.seeds], knew)
                is_good &= difference < LARGEST
                print(
                    f"{kind:10} {policy:18} {regret.mean():9.3f} {knew.mean():9.3f} {difference:10.2f} {forgot.mean():9.3f} "
                    f"{control:10.2f}",
                    flush=True,
                )
    print("passed" if is_good else "failed")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
