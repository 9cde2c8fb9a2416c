"""Large instances of each family, each in a process of its own, with its time, peak memory and bracket.

python benchmarks/sizes.py FAMILY SIZE [--gap 0.01] [--limit 300]     one instance, as one JSON object
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import semibandits as sb
from instances import grid, layered, m_sets, matching, sparse_matching, two_partitions
from large import run_command
from reporting import Report, digits
from scaling import growth

GAP = 1e-2


@dataclass(frozen=True)
class Sizes:
    """A family, its sizes, and the seconds and bytes that the largest may take."""

    title: str
    build: Callable[[int], tuple[sb.DecisionSet, np.ndarray]]
    sizes: tuple[int, ...]
    seconds: float
    peak: float = np.inf


SIZES = {
    "matchings": Sizes("perfect matchings n × n", matching, (100, 150, 200, 300), 180.0, 3e9),
    "sparse": Sizes("perfect matchings, degree 5", sparse_matching, (300, 1_000, 2_000, 3_000, 10_000), 300.0),
    "grids": Sizes("paths in k × k grids", grid, (40, 50, 70, 100), 90.0),
    "layered": Sizes("paths through layers, degree 5", layered, (100, 200, 400), 60.0),
    "partitions": Sizes("two partitions, 10 groups", two_partitions, (5_000, 10_000, 20_000), 60.0),
    "m-sets": Sizes("10 of n items", m_sets, (10_000, 100_000, 1_000_000), 5.0),
}
COLUMNS = ("instance", "size", "d", "seconds", "rounds", "peak MB", "certified", "gap", "status", "target")  # fmt: skip


def run_sizes(report: Report) -> None:
    """All instances, from the smallest, and the growth of each family."""
    lines: list[list[str]] = []
    growths = []
    for name, family in SIZES.items():
        rows = []
        for size in family.sizes:
            report.doing(f"{name} {size}")
            rows.append(report.row("sizes", one_process(name, size, family.seconds)))
        lines += [[], *([_line(row, family, row is rows[-1]) for row in rows])]
        solved = [row for row in rows if row.get("status") == "optimal"]
        if len(solved) > 1:
            d, seconds = (np.array([row[key] for row in solved]) for key in ("d", "seconds"))
            growths.append(f"{name}: d^{growth(d, seconds):.2f}, the last two sizes d^{growth(d[-2:], seconds[-2:]):.2f}")
    report.done()
    report.table(f"Large instances, θ ~ U(0, 1), certified to {GAP:g}", COLUMNS, lines[1:])
    report.line("Growth of the time of instances that reach the gap", *growths, "")


def one_process(name: str, size: int, limit: float) -> dict[str, Any]:
    """Outcome of one instance, solved in a new process with twice its target as time limit."""
    answer = run_command(sys.executable, __file__, name, str(size), "--limit", str(2.0 * limit))
    row = {"family": name, "size": size, "peak_bytes": answer["peak_bytes"], "exit_code": answer["exit_code"]}
    return row | (json.loads(answer["output"]) if answer["exit_code"] == 0 else {})


def _line(row: dict[str, Any], family: Sizes, largest: bool) -> list[str]:
    if row["exit_code"] != 0:
        return [family.title, f"{row['size']:,}", *[""] * 6, f"exit code {row['exit_code']}", ""]
    target = f"{family.seconds:.0f} s" + (f", {family.peak / 1e9:.0f} GB" if np.isfinite(family.peak) else "")
    return [
        family.title, f"{row['size']:,}", f"{row['d']:,}", digits(row["seconds"]), str(row["rounds"]),
        f"{row['peak_bytes'] / 1e6:,.0f}", f"{digits(row['lower'], 5)}–{digits(row['value'], 5)}", f"{row['gap']:.1e}",
        row["status"], target if largest else "",
    ]  # fmt: skip


def main() -> None:
    """Solve one instance and print its outcome."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=SIZES)
    parser.add_argument("size", type=int)
    parser.add_argument("--gap", type=float, default=GAP)
    parser.add_argument("--limit", type=float, default=300.0)
    options = parser.parse_args()
    warnings.simplefilter("ignore", sb.LongestPathWarning)
    decision_set, theta = SIZES[options.family].build(options.size)
    start, processor = time.perf_counter(), time.process_time()
    result = sb.graves_lai(decision_set, theta, gap=options.gap, time_limit=options.limit, throw=False)
    answer = {
        "d": decision_set.d,
        "seconds": time.perf_counter() - start,
        "processor_seconds": time.process_time() - processor,
        "rounds": int(result.stats.get("rounds", 0)),
        "cycles": int(result.stats.get("cycles", 0)),
        "lower": result.lower,
        "value": result.value,
        "gap": result.gap,
        "status": str(result.status),
        "decisions": len(result.plan),
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
