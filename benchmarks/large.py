"""Large instances, each in a process of its own: seconds, peak memory and bracket of C(theta).

    python benchmarks/large.py solve FAMILY SIZE [--gap 0.01] [--limit 300]        one instance, as one JSON object
    python benchmarks/large.py limits [CASE ...] [--seconds 1 3 10 30] [--busy]    cases that need longer than their limit

`limits` shows how late C(theta) is with a time limit, and how good its bracket is then. Each case runs once a limit, after a
small instance that loads all code. Columns: seconds of the clock and of the processor at the return, both from the call; relative
gap of the bracket; status; peak memory in MB. Without a limit most cases take much longer than the largest one.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import sysconfig
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import semibandits as sb
from instances import grid, grid_arcs, layered, m_sets, matching, sparse_matching, streets, two_partitions
from measured_command import run_command
from reporting import Report, digits
from scaling import growth
from semibandits.kernels.machine import tiers

FAMILIES: dict[str, Callable[[int], tuple[sb.DecisionSet, np.ndarray]]] = {
    "matchings": matching,
    "sparse": sparse_matching,
    "grids": grid,
    "layered": layered,
    "partitions": two_partitions,
    "m-sets": m_sets,
    "streets": streets,
}
GAP = 1e-2


def solve(options: argparse.Namespace) -> dict[str, Any]:
    """Outcome of one instance."""
    warnings.simplefilter("ignore", sb.LongestPathWarning)
    build, more = FAMILIES[options.family], {"method": options.method, "law": options.law, "throw": False}
    if options.busy:
        tiers.perf_counter = time.process_time
    if options.after:
        sb.graves_lai(*build(options.after), gap=0.05, time_limit=60.0, **more)
    decision_set, theta = build(options.size)
    start, processor = time.perf_counter(), time.process_time()
    result = sb.graves_lai(decision_set, theta, gap=options.gap, time_limit=options.limit, **more)
    return {
        "d": decision_set.d, "seconds": time.perf_counter() - start, "processor_seconds": time.process_time() - processor,
        "rounds": int(result.stats.get("rounds", 0)), "cycles": int(result.stats.get("cycles", 0)),
        "lower": result.lower, "value": result.value, "gap": result.gap, "status": str(result.status),
        "decisions": len(result.plan),
    }  # fmt: skip


def in_new_process(family: str, size: int, *words: str) -> dict[str, Any]:
    """Outcome of one instance, with peak memory and exit code; further words are options of `solve`."""
    answer = run_command(sys.executable, __file__, "solve", family, str(size), *words)
    row = {"family": family, "size": size, "peak_bytes": answer["peak_bytes"], "exit_code": answer["exit_code"]}
    return row | (json.loads(answer["output"]) if answer["exit_code"] == 0 else {})


# ---------------------------------------------------------------------- every family as it grows


@dataclass(frozen=True)
class Sizes:
    """Sizes of a family, and the seconds and bytes that the largest may take."""

    title: str
    sizes: tuple[int, ...]
    seconds: float
    peak: float = np.inf


SIZES = {
    "matchings": Sizes("perfect matchings n × n", (100, 150, 200, 300), 180.0, 3e9),
    "sparse": Sizes("perfect matchings, degree 5", (300, 1_000, 2_000, 3_000, 10_000), 300.0),
    "grids": Sizes("paths in k × k grids", (40, 50, 70, 100), 90.0),
    "layered": Sizes("paths through layers, degree 5", (100, 200, 400), 60.0),
    "partitions": Sizes("two partitions, 10 groups", (5_000, 10_000, 20_000), 60.0),
    "m-sets": Sizes("10 of n items", (10_000, 100_000, 1_000_000), 5.0),
}
COLUMNS = ("instance", "size", "d", "seconds", "rounds", "peak MB", "certified", "gap", "status", "target")


def run_sizes(report: Report) -> None:
    """All instances, from the smallest, with twice the target as time limit, and the growth of each family."""
    lines: list[list[str]] = []
    growths = []
    for name, family in SIZES.items():
        rows = []
        for size in family.sizes:
            report.doing(f"{name} {size}")
            rows.append(report.row("sizes", in_new_process(name, size, "--limit", str(2.0 * family.seconds))))
        lines += [[], *([_line(row, family, row is rows[-1]) for row in rows])]
        solved = [row for row in rows if row.get("status") == "optimal"]
        if len(solved) > 1:
            d, seconds = (np.array([row[key] for row in solved]) for key in ("d", "seconds"))
            growths.append(f"{name}: d^{growth(d, seconds):.2f}, the last two sizes d^{growth(d[-2:], seconds[-2:]):.2f}")
    report.done()
    report.table(f"Large instances, θ ~ U(0, 1), certified to {GAP:g}", COLUMNS, lines[1:])
    report.line("Growth of the time of instances that reach the gap", *growths, "")


def _line(row: dict[str, Any], family: Sizes, largest: bool) -> list[str]:
    if row["exit_code"] != 0:
        return [family.title, f"{row['size']:,}", *[""] * 6, f"exit code {row['exit_code']}", ""]
    target = f"{family.seconds:.0f} s" + (f", {family.peak / 1e9:.0f} GB" if np.isfinite(family.peak) else "")
    return [
        family.title, f"{row['size']:,}", f"{row['d']:,}", digits(row["seconds"]), str(row["rounds"]),
        f"{row['peak_bytes'] / 1e6:,.0f}", f"{digits(row['lower'], 5)}–{digits(row['value'], 5)}", f"{row['gap']:.1e}",
        row["status"], target if largest else "",
    ]  # fmt: skip


# ---------------------------------------------------------------------- a file on the command line

FILE_GRID, FILE_GAP, FILE_LIMIT, FILE_MEMORY = 59, 0.05, 600, 2e9


def run_file(report: Report, seeds: int) -> None:
    """The command on a file with a grid, one row per seed."""
    rows = []
    for seed in range(seeds):
        report.doing(f"file with a {FILE_GRID}² grid, seed {seed}")
        rows.append(report.row("large file", _file(seed)))
    report.done()
    report.table(
        f"semibandits bound FILE --family paths --gap {FILE_GAP:g} --time-limit {FILE_LIMIT} "
        f"(target: {FILE_LIMIT} s, {FILE_MEMORY / 1e9:.0f} GB)",
        ("seed", "arcs", "rounds", "cycles", "wall s", "peak MB", "certified", "gap", "status", "exit"),
        [
            [
                str(row["seed"]), f"{row['d']:,}", str(row["rounds"]), f"{row['cycles']:,}", digits(row["seconds"]),
                f"{row['peak_bytes'] / 1e6:,.0f}", f"{row['lower']:.1f}–{row['value']:.1f}", f"{row['gap']:.2%}",
                row["status"], str(row["exit_code"]),
            ]
            for row in rows
        ],
    )  # fmt: skip


def _file(seed: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grid.csv"
        arcs = _write_grid(path, FILE_GRID, seed)
        answer = run_command(
            str(Path(sysconfig.get_path("scripts")) / "semibandits"), "bound", str(path), "--family", "paths",
            "--source", _crossing(0, FILE_GRID), "--target", _crossing(FILE_GRID * FILE_GRID - 1, FILE_GRID),
            "--gap", str(FILE_GAP), "--time-limit", str(FILE_LIMIT), "--json",
        )  # fmt: skip
    bound = json.loads(answer.pop("output"))
    found = {key: bound[key] for key in ("lower", "value", "gap", "status")}
    found |= {key: int(bound["stats"][key]) for key in ("rounds", "cycles")}
    return {"seed": seed, "d": arcs, **answer, "solver_seconds": bound["stats"]["seconds"], **found}


def _write_grid(path: Path, k: int, seed: int) -> int:
    """Write a grid as a CSV file with named crossings; return the number of arcs."""
    arcs = grid_arcs(k)
    theta = np.random.default_rng(seed).random(len(arcs))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["tail", "head", "theta"])
        for (tail, head), reward in zip(arcs, theta.tolist(), strict=True):
            writer.writerow([_crossing(tail, k), _crossing(head, k), repr(reward)])
    return len(arcs)


def _crossing(node: int, k: int) -> str:
    return f"r{node // k}c{node % k}"


# ---------------------------------------------------------------------- time limits


@dataclass(frozen=True)
class Case:
    """A large instance that `limits` solves, after a small one of the same family."""

    family: str
    size: int
    small: int  # size of the small instance
    options: tuple[str, ...] = ()  # options of `solve`


CLICKS, COLUMN_GENERATION, GLPG = ("--law", "bernoulli"), ("--method", "columns"), ("--method", "glpg")
CASES = {
    "matchings-300": Case("matchings", 300, 10),
    "sparse-3000": Case("sparse", 3_000, 30),
    "sparse-10000": Case("sparse", 10_000, 30),
    "grid-70": Case("grids", 70, 12),
    "grid-100": Case("grids", 100, 12),
    "layers-2000": Case("layered", 2_000, 10),
    "partitions-20000": Case("partitions", 20_000, 100),
    "m-sets-1000000": Case("m-sets", 1_000_000, 100),
    "streets-40": Case("streets", 40, 5),
    "clicks-grid-40": Case("grids", 40, 8, CLICKS),
    "clicks-matchings-60": Case("matchings", 60, 8, CLICKS),
    "clicks-sparse-1000": Case("sparse", 1_000, 20, CLICKS),
    "columns-matchings-30": Case("matchings", 30, 5, COLUMN_GENERATION),
    "columns-grid-30": Case("grids", 30, 5, COLUMN_GENERATION),
    "glpg-grid-20": Case("grids", 20, 5, GLPG),
    "glpg-matchings-30": Case("matchings", 30, 5, GLPG),
}


def print_limits(names: list[str], limits: list[float], *, busy: bool) -> None:
    """Print a row for each case and limit, to a gap of 1e-4."""
    print(f"{'case':22s} {'limit':>5s} {'clock':>7s} {'proc.':>7s} {'gap':>8s} {'status':11s} {'MB':>6s}", flush=True)
    os.environ["SEMIBANDITS_TIER"] = "compiled"  # the small instances compile, or load, all that the large ones use
    for name in names or CASES:
        case = CASES[name]
        words = ("--gap", "1e-4", "--after", str(case.small), *case.options, *["--busy"] * busy)
        for limit in limits:
            row = in_new_process(case.family, case.size, "--limit", str(limit), *words)
            if row["exit_code"] != 0:
                print(f"{name:22s} {limit:5g} exit code {row['exit_code']}", flush=True)
                continue
            print(
                f"{name:22s} {limit:5g} {row['seconds']:7.1f} {row['processor_seconds']:7.1f} {row['gap']:8.2%} "
                f"{row['status']:11s} {row['peak_bytes'] / 1e6:6,.0f}",
                flush=True,
            )


def main() -> None:
    """Solve one instance, or print the table of limits."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("solve", help="one instance, as one JSON object")
    one.add_argument("family", choices=FAMILIES)
    one.add_argument("size", type=int)
    one.add_argument("--gap", type=float, default=GAP)
    one.add_argument("--limit", type=float, default=300.0, help="seconds (300)")
    one.add_argument("--method", default="auto")
    one.add_argument("--law")
    one.add_argument("--after", type=int, metavar="SIZE", help="solve an instance of this size before")
    limits = commands.add_parser("limits", help="cases that need longer than their limit")
    limits.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    limits.add_argument("--seconds", nargs="+", type=float, default=[1.0, 3.0, 10.0, 30.0], help="the limits")
    for command in (one, limits):
        command.add_argument("--busy", action="store_true", help="limits in processor seconds, beside other work")
    options = parser.parse_args()
    if options.command == "solve":
        print(json.dumps(solve(options)))
        return
    if unknown := sorted(set(options.cases) - set(CASES)):
        parser.error(f"CASE must be one of {', '.join(CASES)}, got {', '.join(unknown)}")
    print_limits(options.cases, options.seconds, busy=options.busy)


if __name__ == "__main__":
    main()
