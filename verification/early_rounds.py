"""Time of the first 10,000 rounds of GLADE and of Thompson sampling, on small and large sets and on all datasets.

    python verification/early_rounds.py             print the table
    python verification/early_rounds.py --write     the same, into docs/policies/large.md

Four replications of each policy, in turn, in this process; processor time, after a few rounds that compile the kernels. Early
rounds are the most expensive: almost everything is plausible, and nearly every round searches. Regret is the mean of these
replications.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

import semibandits as sb
from semibandits._files import write_whole
from semibandits.datasets import list_datasets
from semibandits.simulation.replication import Trajectory, replicate
from semibandits.simulation.specification import Specification

ROUNDS: Final = 10_000
REPLICATIONS: Final = 4
SEED: Final = 20_261_122
PAGE: Final = Path(__file__).parents[1] / "docs" / "policies" / "large.md"
MARK: Final = "<!-- table of verification/early_rounds.py -->"
END: Final = "<!-- end -->"
POLICIES: Final = (sb.ThompsonSampling(), sb.GLADE())


def main() -> int:
    """Measure, print the table, and write it if requested."""
    options = options_of(__doc__, ROUNDS)
    rows = ["| set | items | Thompson, µs a round | GLADE, µs a round | ratio | regret, Thompson | regret, GLADE | undecided |",
            "|---|---|---|---|---|---|---|---|"]  # fmt: skip
    print("\n".join(rows), flush=True)
    ratios, undecided = [], []
    for name, decision_set, rewards in problems():
        if options.only and not any(part in name for part in options.only):
            continue
        row, ratio, share = measured(name, decision_set, rewards, options.rounds)
        rows.append(row)
        ratios.append(ratio)
        undecided.append(share)
        print(row, flush=True)
    total = (
        f"GLADE takes {statistics.median(ratios):.1f} times as long as Thompson sampling in the median and {max(ratios):.1f} "
        f"times at most; at most {max(undecided):.2%} of its searches are left undecided."
    )
    print(total)
    if options.write:
        write_between(PAGE, MARK, "\n".join(["", total, "", *rows, ""]))
    return 0


def problems() -> Iterator[tuple[str, sb.DecisionSet, sb.RewardModel]]:
    """Name, set and rewards: means drawn from (0, 1) with variance 1/2, and all datasets, also replayed where possible."""
    for d in (100, 300, 1_000, 3_000, 10_000):
        yield f"10 of {d:,} items", *_drawn(sb.MSets(d, 10))
    for n in (10, 20, 30, 40, 50):
        pairs = [(i, j) for i in range(n) for j in range(n)]
        yield f"matchings {n} × {n}", *_drawn(sb.Matchings(pairs))
    for n in (20, 30, 40, 50):
        yield f"paths, grid {n} × {n}", *_drawn(grid(n))
    for name in list_datasets():
        dataset = sb.datasets.load(name)
        yield name, dataset.decision_set, sb.GaussianRewards(dataset.theta, variance=dataset.variance)
        if dataset.outcomes is not None:
            yield f"{name}, replayed", dataset.decision_set, dataset.replay()


def grid(n: int) -> sb.Paths:
    """Paths right and up through a grid of n × n nodes."""
    right = [((i, j), (i + 1, j)) for i in range(n - 1) for j in range(n)]
    up = [((i, j), (i, j + 1)) for i in range(n) for j in range(n - 1)]
    return sb.Paths([*right, *up], (0, 0), (n - 1, n - 1))


def _drawn(decision_set: sb.DecisionSet) -> tuple[sb.DecisionSet, sb.RewardModel]:
    theta = np.random.default_rng([SEED, decision_set.d]).random(decision_set.d)
    return decision_set, sb.GaussianRewards(theta, variance=0.5)


def measured(name: str, decision_set: sb.DecisionSet, rewards: sb.RewardModel, rounds: int) -> tuple[str, float, float]:
    """A row of the table, the ratio of times, and the share of undecided searches."""
    seconds, found = {}, {}
    for policy in POLICIES:
        played(decision_set, rewards, policy, 50, 0)
        start = time.process_time()
        found[policy.name] = [played(decision_set, rewards, policy, rounds, k) for k in range(REPLICATIONS)]
        seconds[policy.name] = (time.process_time() - start) / REPLICATIONS
    old, new = seconds.values()
    before, after = (np.mean([run.regret[-1] for run in runs]) for runs in found.values())
    _, index, _, undecided = np.sum([run.calls[-1] for run in found["GLADE"]], axis=0).tolist()
    share = undecided / max(index, 1)
    cells: list[Any] = [
        name, f"{decision_set.d:,}", f"{1e6 * old / rounds:.3g}", f"{1e6 * new / rounds:.3g}", f"{new / old:.1f}",
        f"{before:,.0f}", f"{after:,.0f}", f"{share:.2%}",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |", new / old, share


def played(decision_set: sb.DecisionSet, rewards: sb.RewardModel, policy: sb.Policy, rounds: int, number: int) -> Trajectory:
    """One replication."""
    specification = Specification.of(
        decision_set, rewards, policy, horizon=rounds, replications=REPLICATIONS, seed=SEED, checkpoints=np.array([rounds])
    )
    return replicate(specification, policy.name, number)


def write_between(path: Path, mark: str, text: str) -> None:
    """Replace the text of a page between `mark` and the next end mark."""
    head, _, rest = path.read_text(encoding="utf-8").partition(mark)
    if not rest:
        sys.exit(f"{path} must contain the line {mark}")
    write_whole(path, (head + mark + text + rest[rest.index(END) :]).encode())


def options_of(description: str | None, rounds: int) -> argparse.Namespace:
    """Options of a script that writes a table of the page."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--only", nargs="+", metavar="PART", help="only sets whose names contain one of these; not with --write")
    parser.add_argument("--write", action="store_true", help="write the page")
    options = parser.parse_args()
    if options.write and (options.only or options.rounds != rounds):
        parser.error("--write needs the complete measurement: omit --only and --rounds")
    return options


if __name__ == "__main__":
    sys.exit(main())
