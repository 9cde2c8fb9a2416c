"""How late is C(theta) with a time limit, and how good is its bracket then?

    python benchmarks/limits.py [CASE ...] [--seconds 1 3 10 30] [--busy]

Each case runs once a limit, in a process of its own, after a small instance that loads all code. Columns: seconds of the clock
and of the processor at the return, both from the call; relative gap of the bracket; status; peak memory in MB. Without a limit
most cases take much longer than the largest one.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import semibandits as sb
from instances import grid, layered, m_sets, matching, sparse_matching, two_partitions
from large import run_command
from semibandits.kernels.machine import tiers


@dataclass(frozen=True)
class Case:
    """An instance, a small one of the same kind, and options of `graves_lai`."""

    build: Callable[[int], tuple[sb.DecisionSet, np.ndarray]]
    size: int
    small: int
    options: dict[str, Any] = field(default_factory=dict)


def streets(k: int) -> tuple[sb.Routes, np.ndarray]:
    """Routes from corner to corner of a k x k grid of two-way streets; times are uniform on (1, 2)."""
    nodes = np.arange(k * k).reshape(k, k)
    ends = np.concatenate((
        np.stack((nodes[:, :-1].ravel(), nodes[:, 1:].ravel()), axis=1),
        np.stack((nodes[:-1].ravel(), nodes[1:].ravel()), axis=1),
    ))  # fmt: skip
    arcs = np.concatenate((ends, ends[:, ::-1]))
    return sb.Routes(arcs.tolist(), 0, k * k - 1), -np.random.default_rng(0).uniform(1.0, 2.0, len(arcs))


GLPG: dict[str, Any] = {"method": "glpg"}
CLICKS: dict[str, Any] = {"law": "bernoulli"}
CASES = {
    "matchings-300": Case(matching, 300, 10),
    "sparse-3000": Case(sparse_matching, 3_000, 30),
    "sparse-10000": Case(sparse_matching, 10_000, 30),
    "grid-70": Case(grid, 70, 12),
    "grid-100": Case(grid, 100, 12),
    "layers-2000": Case(layered, 2_000, 10),
    "partitions-20000": Case(two_partitions, 20_000, 100),
    "m-sets-1000000": Case(m_sets, 1_000_000, 100),
    "streets-40": Case(streets, 40, 5),
    "clicks-grid-40": Case(grid, 40, 8, CLICKS),
    "clicks-matchings-60": Case(matching, 60, 8, CLICKS),
    "clicks-sparse-1000": Case(sparse_matching, 1_000, 20, CLICKS),
    "columns-matchings-30": Case(matching, 30, 5, {"method": "columns"}),
    "columns-grid-30": Case(grid, 30, 5, {"method": "columns"}),
    "glpg-grid-20": Case(grid, 20, 5, GLPG),
    "glpg-matchings-30": Case(matching, 30, 5, GLPG),
}


def measure(name: str, seconds: float, *, busy: bool) -> None:
    """Solve one case with this limit, in processor seconds if the machine is busy, and print the outcome as JSON."""
    case = CASES[name]
    warnings.simplefilter("ignore", sb.LongestPathWarning)
    if busy:
        tiers.perf_counter = time.process_time
    sb.graves_lai(*case.build(case.small), gap=0.05, time_limit=60.0, throw=False, **case.options)
    decision_set, theta = case.build(case.size)
    clock, processor = time.perf_counter(), time.process_time()
    result = sb.graves_lai(decision_set, theta, time_limit=seconds, throw=False, **case.options)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    print(json.dumps({"clock": clock, "processor": processor, "gap": result.gap, "status": str(result.status)}))


def main() -> None:
    """Print a row for each case and limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--seconds", nargs="+", type=float, default=[1.0, 3.0, 10.0, 30.0], help="the limits")
    parser.add_argument("--busy", action="store_true", help="limits in processor seconds, beside other work")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := sorted(set(options.cases) - set(CASES)):
        parser.error(f"CASE must be one of {', '.join(CASES)}, got {', '.join(unknown)}")
    if options.inside:
        measure(options.cases[0], options.seconds[0], busy=options.busy)
        return
    print(f"{'case':22s} {'limit':>5s} {'clock':>7s} {'proc.':>7s} {'gap':>8s} {'status':11s} {'MB':>6s}", flush=True)
    os.environ["SEMIBANDITS_TIER"] = "compiled"  # the small instances compile, or load, all that the large ones use
    for name in options.cases or CASES:
        for seconds in options.seconds:
            more = ["--busy"] * options.busy
            answer = run_command(sys.executable, __file__, name, "--inside", "--seconds", str(seconds), *more)
            if answer["exit_code"] != 0:
                print(f"{name:22s} {seconds:5g} exit code {answer['exit_code']}", flush=True)
                continue
            row = json.loads(answer["output"])
            print(
                f"{name:22s} {seconds:5g} {row['clock']:7.1f} {row['processor']:7.1f} {row['gap']:8.2%} {row['status']:11s} "
                f"{answer['peak_bytes'] / 1e6:6,.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
