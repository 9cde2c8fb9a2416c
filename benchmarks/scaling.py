"""Time of `sb.graves_lai` as instances grow, compared with one cold conic solve of the final cycles."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import semibandits as sb
from cold_solve import yardstick
from instances import grid, matching
from reporting import Report, digits, grouped

GAP = 1e-4
REPETITIONS = ((0.1, 15), (1.0, 5), (np.inf, 3))
"""Number of runs of an instance, by the seconds of its first run."""


@dataclass(frozen=True)
class Family:
    """A family of instances of growing size."""

    name: str
    title: str
    build: Callable[[int, int], tuple[sb.DecisionSet, np.ndarray]]
    sizes: Sequence[int]
    wanted_ratio: float


FAMILIES = (
    Family("matchings", "Perfect matchings, n × n", matching, (10, 20, 40, 60), 5.0),
    Family("grids", "Paths in k × k grids with diagonals", grid, (10, 20, 30), 2.0),
)


def run_family(report: Report, family: Family, seeds: int, repetitions: int | None) -> None:
    """Time all instances of a family, and print the table and the growth."""
    rows = []
    for size in family.sizes:
        for seed in range(seeds):
            report.doing(f"{family.name} {size}², seed {seed}")
            rows.append(report.row(family.name, measure(family, size, seed, repetitions)))
    report.done()
    _print_rows(report, family, rows, seeds)
    _print_summary(report, family, rows)


def measure(family: Family, size: int, seed: int, repetitions: int | None) -> dict[str, Any]:
    """Medians of alternating runs of the solver and of the reference."""
    decision_set, theta = family.build(size, seed)
    program = yardstick(decision_set, theta, GAP)
    total, separation, verification, cold = [], [], [], []
    wanted = repetitions or 1
    while len(total) < wanted:
        gc.collect()
        start = time.perf_counter()
        result = sb.graves_lai(decision_set, theta, gap=GAP, throw=False)
        total.append(time.perf_counter() - start)
        separation.append(result.stats["separation_seconds"])
        verification.append(result.stats["plan_and_verification_seconds"])
        solve = program.program.solve()
        cold.append(solve.seconds)
        if repetitions is None:
            wanted = next(runs for limit, runs in REPETITIONS if total[0] < limit)
    ratios = np.array(total) / np.array(cold)
    return {
        "size": size,
        "seed": seed,
        "d": decision_set.d,
        "rounds": int(result.stats["rounds"]),
        "cycles": int(result.stats["cycles"]),
        "total_seconds": float(np.median(total)),
        "separation_seconds": float(np.median(separation)),
        "verification_seconds": float(np.median(verification)),
        "lower": result.lower,
        "value": result.value,
        "gap": result.gap,
        "status": str(result.status),
        "binding_cycles": program.binding,
        "cold_seconds": float(np.median(cold)),
        "cold_value": solve.value,
        "cold_solved": solve.solved,
        "ratio": float(np.median(ratios)),
        "ratio_min": float(ratios.min()),
        "ratio_max": float(ratios.max()),
        "repetitions": len(total),
    }


COLUMNS = (
    "n", "d", "seed", "rounds", "cycles", "total s", "separ. s", "gap", "binding", "cold s", "total/cold", "min–max",
)  # fmt: skip


def _print_rows(report: Report, family: Family, rows: list[dict[str, Any]], seeds: int) -> None:
    report.table(f"{family.title}, θ ~ U(0, 1), certified to {GAP:g}", COLUMNS, grouped([_line(row) for row in rows], seeds))


def _line(row: dict[str, Any]) -> list[str]:
    return [
        f"{row['size']}²", f"{row['d']:,}", str(row["seed"]), str(row["rounds"]), f"{row['cycles']:,}",
        digits(row["total_seconds"]), digits(row["separation_seconds"]),
        f"{row['gap']:.1e}" if row["status"] == "optimal" else f"{row['gap']:.1e} {row['status']}",
        f"{row['binding_cycles']:,}", digits(row["cold_seconds"]), f"{row['ratio']:.2f}",
        f"{row['ratio_min']:.2f}–{row['ratio_max']:.2f}",
    ]  # fmt: skip


def _print_summary(report: Report, family: Family, rows: list[dict[str, Any]]) -> None:
    d = np.array([row["d"] for row in rows])
    ratios = np.array([row["ratio"] for row in rows])
    largest = np.isin([row["size"] for row in rows], family.sizes[-2:])
    seconds = {key: np.array([row[f"{key}_seconds"] for row in rows]) for key in ("total", "cold")}
    summary = {
        "exponent": growth(d, seconds["total"]),
        "exponent_largest_two": growth(d[largest], seconds["total"][largest]),
        "exponent_cold": growth(d, seconds["cold"]),
        "ratio_median": float(np.median(ratios)),
        "ratio_largest": float(ratios.max()),
        "ratio_wanted": family.wanted_ratio,
        "within": int((ratios <= family.wanted_ratio).sum()),
        "cold_off": max(_off(row) for row in rows),
    }
    report.row(f"{family.name} summary", summary)
    first, last = family.sizes[0], family.sizes[-1]
    before = family.sizes[-2]
    report.line(
        f"Growth      total ~ d^{summary['exponent']:.2f} from {first}² to {last}², d^{summary['exponent_largest_two']:.2f} "
        f"from {before}² to {last}²; cold ~ d^{summary['exponent_cold']:.2f}",
        f"Ratio       median {summary['ratio_median']:.2f}, largest {summary['ratio_largest']:.2f}; "
        f"{summary['within']} of {len(rows)} at most {family.wanted_ratio:g}, the target",
        f"Reference   the value of the cold solve is in the certified bracket up to {summary['cold_off']:.0e}",
        "",
    )


def growth(d: np.ndarray, seconds: np.ndarray) -> float:
    """Least-squares slope of log seconds on log d."""
    return float(np.polyfit(np.log(d), np.log(seconds), 1)[0])


def _off(row: dict[str, Any]) -> float:
    """Relative distance of the cold solve's value from the certified bracket."""
    return max(0.0, row["cold_value"] / row["value"] - 1.0, 1.0 - row["cold_value"] / row["lower"])
