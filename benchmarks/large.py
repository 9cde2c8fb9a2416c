"""Thousands of items: a grid to four digits, and a file with ten thousand arcs on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Any

import semibandits as sb
from instances import crossing, grid, write_grid
from reporting import Report, digits

GRID, GRID_GAP, GRID_WANTED = 40, 1e-4, 60.0
FILE_GRID, FILE_GAP, FILE_LIMIT, FILE_MEMORY = 59, 0.05, 600, 2e9


def run_large(report: Report, seeds: int) -> None:
    """Both parts, one row per seed."""
    _grids(report, seeds)
    _files(report, seeds)


def _grids(report: Report, seeds: int) -> None:
    rows = []
    for seed in range(seeds):
        report.doing(f"grid {GRID}², seed {seed}")
        rows.append(report.row("large grid", _grid(seed)))
    report.done()
    report.table(
        f"Paths in a {GRID} × {GRID} grid with diagonals to a gap of {GRID_GAP:g} (target: {GRID_WANTED:.0f} s)",
        ("seed", "d", "rounds", "cycles", "total s", "separ. s", "verify s", "certified", "gap", "status"),
        [
            [
                str(row["seed"]), f"{row['d']:,}", str(row["rounds"]), f"{row['cycles']:,}", digits(row["seconds"]),
                digits(row["separation_seconds"]), digits(row["verification_seconds"]),
                f"{row['lower']:.2f}–{row['value']:.2f}", f"{row['gap']:.1e}", row["status"],
            ]
            for row in rows
        ],
    )  # fmt: skip


def _grid(seed: int) -> dict[str, Any]:
    decision_set, theta = grid(GRID, seed)
    start = time.perf_counter()
    result = sb.graves_lai(decision_set, theta, gap=GRID_GAP, throw=False)
    seconds = time.perf_counter() - start
    return {
        "seed": seed,
        "d": decision_set.d,
        "seconds": seconds,
        "separation_seconds": result.stats["separation_seconds"],
        "verification_seconds": result.stats["plan_and_verification_seconds"],
        **_outcome(result.stats, result.lower, result.value, result.gap, str(result.status)),
    }


def _files(report: Report, seeds: int) -> None:
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
    last = FILE_GRID * FILE_GRID - 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grid.csv"
        arcs = write_grid(path, FILE_GRID, seed)
        answer = run_command(
            str(Path(sysconfig.get_path("scripts")) / "semibandits"), "bound", str(path), "--family", "paths",
            "--source", crossing(0, FILE_GRID), "--target", crossing(last, FILE_GRID),
            "--gap", str(FILE_GAP), "--time-limit", str(FILE_LIMIT), "--json",
        )  # fmt: skip
    bound = json.loads(answer["output"])
    return {
        "seed": seed,
        "d": arcs,
        "seconds": answer["seconds"],
        "peak_bytes": answer["peak_bytes"],
        "exit_code": answer["exit_code"],
        "solver_seconds": bound["stats"]["seconds"],
        **_outcome(bound["stats"], bound["lower"], bound["value"], bound["gap"], bound["status"]),
    }


def run_command(*command: str) -> dict[str, Any]:
    """Seconds, peak_bytes, exit_code and output of a command in a separate process."""
    measure = Path(__file__).with_name("measured_command.py")
    finished = subprocess.run([sys.executable, str(measure), *command], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(finished.stdout)


def _outcome(stats: Any, lower: float, value: float, gap: float, status: str) -> dict[str, Any]:
    return {
        "rounds": int(stats["rounds"]),
        "cycles": int(stats["cycles"]),
        "lower": lower,
        "value": value,
        "gap": gap,
        "status": status,
    }
