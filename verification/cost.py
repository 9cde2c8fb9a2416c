"""Microseconds per round of GLADE and of Thompson sampling on the instances of the panel.

    python verification/cost.py             print them
    python verification/cost.py --write     the same, and write verification/cost.json, which the page of compare.py shows

One replication of each policy in this process, twice in turn; the shorter processor time counts. Before that, a thousand rounds
compile the kernels. Drawing the rewards takes part of each round, which moves ratios of times closer to 1.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
from compare import POLICIES
from compare_results import NEW, OLD, short_name
from panel import HALVES, Instance, panel, star

import semibandits as sb
from semibandits._files import write_whole
from semibandits.simulation.replication import replicate
from semibandits.simulation.specification import Specification

SEED: Final = 20_261_124
WARM_UP: Final = 1000
TURNS: Final = 2
WRITTEN: Final = Path(__file__).with_name("cost.json")


def main() -> int:
    """Measure, print the times, and write them if requested."""
    options = _options()
    rows = []
    for instance in (star(), *panel(options.half)):
        if options.only and instance.name not in options.only:
            continue
        rows.append(measured(instance, min(instance.horizon, options.rounds or instance.horizon)))
        print(_line(rows[-1]), flush=True)
    if not rows:
        sys.exit(f"--only must name instances of the half {options.half!r}, got {', '.join(options.only)}")
    ratios = [row[NEW] / row[OLD] for row in rows]
    print(f"median ratio {statistics.median(ratios):.2f}, largest {max(ratios):.2f}")
    if options.write:
        content = {"half": options.half, "instances": rows}
        write_whole(WRITTEN, (json.dumps(content, indent=1) + "\n").encode())
    return 0


def measured(instance: Instance, rounds: int) -> dict[str, Any]:
    """Microseconds per round of each policy."""
    best = dict.fromkeys(POLICIES, math.inf)
    for policy in POLICIES:
        replicate(_specification(instance, WARM_UP), policy, 0)
    specification = _specification(instance, rounds)
    for _ in range(TURNS):
        for policy in POLICIES:
            start = time.process_time()
            replicate(specification, policy, 0)
            best[policy] = min(best[policy], time.process_time() - start)
    times = {policy: float(f"{1e6 * seconds / rounds:.4g}") for policy, seconds in best.items()}
    return {"instance": short_name(instance), "rounds": rounds, **times}


def _specification(instance: Instance, rounds: int) -> Specification:
    return Specification.of(
        instance.decision_set,
        sb.GaussianRewards(instance.theta, variance=instance.variance),
        POLICIES,
        horizon=rounds,
        replications=1,
        seed=SEED,
        checkpoints=np.array([rounds]),
    )


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['instance']:26} {row['rounds']:9,} rounds  {OLD} {row[OLD]:7.3g} µs  {NEW} {row[NEW]:7.3g} µs  "
        f"ratio {row[NEW] / row[OLD]:.2f}"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default="held")
    parser.add_argument("--only", nargs="+", metavar="INSTANCE", help="only these instances; not with --write")
    parser.add_argument("--rounds", type=int, help="largest number of rounds; not with --write")
    parser.add_argument("--write", action="store_true", help="write cost.json")
    options = parser.parse_args()
    if options.write and (options.only or options.rounds):
        parser.error("--write needs the complete measurement: omit --only and --rounds")
    return options


if __name__ == "__main__":
    sys.exit(main())
