"""Processor time of the rounds of GLADE and of Thompson sampling.

    python experiments/cost.py                       on the instances of the panel
    python experiments/cost.py --write               the same, into experiments/cost.json, which the page of compare.py shows
    python experiments/cost.py --of early --write    of the first 10,000 rounds on small and large sets and on all datasets,
                                                     into docs/policies/large.md

On the panel, one replication of each policy, twice in turn; the shorter time counts. Of early rounds, four replications; they are
the most expensive, as almost everything is plausible, and nearly every round searches. Their regret is the mean of these
replications. Policies play in turn in this process, after rounds that compile the kernels. Drawing the rewards takes part of each
round, which moves ratios of times closer to 1.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from compare import POLICIES
from compare_results import NEW, OLD, short_name
from doc_tables import header, options_of, row, write_between
from panel import HALVES, Instance, panel, star

import semibandits as sb
from semibandits.formats.files import write_whole
from semibandits.simulation.replication import Trajectory, replicate
from semibandits.simulation.specification import Specification

SEEDS: Final = {"panel": 20_261_124, "early": 20_261_122}
WARM_UP: Final = {"panel": 1000, "early": 50}
EARLY: Final = 10_000
"""Rounds."""
REPLICATIONS: Final = range(4)
WRITTEN: Final = Path(__file__).with_name("cost.json")
COLUMNS: Final = (
    "set", "items", "Thompson, µs a round", "GLADE, µs a round", "ratio", "regret, Thompson", "regret, GLADE", "undecided",
)  # fmt: skip


def main() -> None:
    """Measure, print the times, and write them if requested."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--of", choices=SEEDS, default="panel")
    parser.add_argument("--half", choices=HALVES, default="held", help="of the panel")
    parser.add_argument("--only", nargs="+", metavar="PART", help="only instances and sets whose names contain one of these")
    parser.add_argument("--rounds", type=int, help="largest number of rounds")
    options = options_of(parser)
    measure = of_panel if options.of == "panel" else of_early_rounds
    if not measure(options):
        sys.exit(f"--only must name parts of instances, got {', '.join(options.only)}")


def is_wanted(name: str, options: argparse.Namespace) -> bool:
    """Whether a set or instance of this name is measured."""
    return not options.only or any(part in name for part in options.only)


def of_panel(options: argparse.Namespace) -> int:
    """Measure the instances of the panel; their number."""
    rows = []
    for instance in (star(), *panel(options.half)):
        if is_wanted(instance.name, options):
            one = measured(instance, min(instance.horizon, options.rounds or instance.horizon))
            rows.append(one)
            times = f"{OLD} {one[OLD]:7.3g} µs  {NEW} {one[NEW]:7.3g} µs  ratio {one[NEW] / one[OLD]:.2f}"
            print(f"{one['instance']:26} {one['rounds']:9,} rounds  {times}", flush=True)
    if rows:
        ratios = [one[NEW] / one[OLD] for one in rows]
        print(f"median ratio {statistics.median(ratios):.2f}, largest {max(ratios):.2f}")
    if options.write:
        content = {"half": options.half, "instances": rows}
        write_whole(WRITTEN, (json.dumps(content, indent=1) + "\n").encode())
    return len(rows)


def measured(instance: Instance, rounds: int) -> dict[str, Any]:
    """Microseconds per round of each policy."""
    problem = instance.decision_set, sb.GaussianRewards(instance.theta, variance=instance.variance)
    played(*problem, WARM_UP["panel"], SEEDS["panel"])
    turns = [played(*problem, rounds, SEEDS["panel"]) for _ in range(2)]
    times = {policy: float(f"{1e6 * min(turn[policy][0] for turn in turns) / rounds:.4g}") for policy in POLICIES}
    return {"instance": short_name(instance), "rounds": rounds, **times}


def played(
    decision_set: sb.DecisionSet, rewards: sb.RewardModel, rounds: int, seed: int, numbers: Sequence[int] = (0,)
) -> dict[str, tuple[float, list[Trajectory]]]:
    """Processor time in seconds and trajectories of these replications of each policy."""
    specification = Specification.of(
        decision_set, rewards, POLICIES, horizon=rounds, replications=len(numbers), seed=seed, checkpoints=np.array([rounds])
    )
    found = {}
    for policy in POLICIES:
        start = time.process_time()
        runs = [replicate(specification, policy, number) for number in numbers]
        found[policy] = time.process_time() - start, runs
    return found


def of_early_rounds(options: argparse.Namespace) -> int:
    """Measure the first rounds on all sets; the number of sets."""
    rounds, ratios, undecided, lines = options.rounds or EARLY, [], [], header(COLUMNS)
    print("\n".join(lines), flush=True)
    for name, decision_set, rewards in problems():
        if not is_wanted(name, options):
            continue
        played(decision_set, rewards, WARM_UP["early"], SEEDS["early"])
        found = played(decision_set, rewards, rounds, SEEDS["early"], REPLICATIONS)
        old, new = (1e6 * found[policy][0] / len(REPLICATIONS) / rounds for policy in (OLD, NEW))
        before, after = (np.mean([run.regret[-1] for run in found[policy][1]]) for policy in (OLD, NEW))
        _, index, _, open_ones = np.sum([run.calls[-1] for run in found[NEW][1]], axis=0).tolist()
        ratios.append(new / old)
        undecided.append(open_ones / max(index, 1))
        cells = [f"{old:.3g}", f"{new:.3g}", f"{ratios[-1]:.1f}", f"{before:,.0f}", f"{after:,.0f}", f"{undecided[-1]:.2%}"]
        lines.append(row([name, f"{decision_set.d:,}", *cells]))
        print(lines[-1], flush=True)
    if ratios:
        total = (
            f"GLADE takes {statistics.median(ratios):.1f} times as long as Thompson sampling in the median and "
            f"{max(ratios):.1f} times at most; at most {max(undecided):.2%} of its searches are left undecided."
        )
        print(total)
        if options.write:
            write_between("policies/large.md", "cost.py", "\n".join([total, "", *lines]))
    return len(ratios)


def problems() -> Iterator[tuple[str, sb.DecisionSet, sb.RewardModel]]:
    """Name, set and rewards: means drawn from (0, 1) with variance 1/2, and all datasets, also replayed where possible."""
    sets: dict[str, sb.DecisionSet] = {f"10 of {d:,} items": sb.MSets(d, 10) for d in (100, 300, 1_000, 3_000, 10_000)}
    for n in (10, 20, 30, 40, 50):
        sets[f"matchings {n} × {n}"] = sb.Matchings([(i, j) for i in range(n) for j in range(n)])
    for n in (20, 30, 40, 50):
        right = [((i, j), (i + 1, j)) for i in range(n - 1) for j in range(n)]
        up = [((i, j), (i, j + 1)) for i in range(n) for j in range(n - 1)]
        sets[f"paths, grid {n} × {n}"] = sb.Paths([*right, *up], (0, 0), (n - 1, n - 1))
    for name, decision_set in sets.items():
        theta = np.random.default_rng([SEEDS["early"], decision_set.d]).random(decision_set.d)
        yield name, decision_set, sb.GaussianRewards(theta, variance=0.5)
    for name in sb.datasets.list_datasets():
        dataset = sb.datasets.load(name)
        yield name, dataset.decision_set, sb.GaussianRewards(dataset.theta, variance=dataset.variance)
        if dataset.outcomes is not None:
            yield f"{name}, replayed", dataset.decision_set, dataset.replay()


if __name__ == "__main__":
    main()
