"""A cold P_IM in units of one P_LM, with the statistics of a running bandit.

    python benchmarks/index.py [--draws 100] [--json FILE]

Paths through germany50 are timed kernel to kernel, perfect matchings as calls from Python.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numba import njit

import semibandits as sb
from instances import matching
from reporting import Report, digits
from semibandits import datasets
from semibandits.compilation import compile_kernels
from semibandits.kernels.graphs.dag import longest_path
from semibandits.kernels.search.labels import best_path

WANTED = 50.0
"""Target for the median time of a cold P_IM, in units of one longest path."""
CALLS, REPEATS = 100, 5
PLENTY = 10_000_000
MATCHINGS = (10, 20)


@njit
def _longest_paths(weights, in_ptr, in_tails, in_items):
    total = 0.0
    for k in range(len(weights)):
        total += longest_path(weights[k], in_ptr, in_tails, in_items)[1][-1]
    return total


@njit
def _index_paths(rewards, bonuses, in_ptr, in_tails, in_items, out_ptr, out_heads, out_items):
    most = 0
    for k in range(len(rewards)):
        _, labels = best_path(
            rewards[k], bonuses[k], 0.0, True, in_ptr, in_tails, in_items, out_ptr, out_heads, out_items, 1.0, 1.0, 1.0, PLENTY
        )
        most = max(most, labels)
    return most


def bonus_scales(m: int) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    """Factors of 1/n_i in the bonus of item i at time t: rewards of variance 1/2, and two confidence levels of ESCB."""
    return {
        "(ln t) / (2 n)": lambda t: np.log(t) / 2,
        "(ln t) / n": lambda t: np.log(t),
        "(ln t + 4 m ln ln t) / (2 n)": lambda t: (np.log(t) + 4 * m * np.log(np.log(t))) / 2,
    }


def run_paths(report: Report, draws: int) -> None:
    """One row per kind of bonus and range of counts: medians over random statistics of a bandit.

    Each draw is timed alone in many consecutive calls, and again with all draws in turn, so that the branch prediction of the
    processor cannot adapt to one draw.
    """
    instance = datasets.network("germany50").delay_dag("Saarbruecken", "Greifswald")
    paths = instance.decision_set
    assert isinstance(paths, sb.Paths)
    listed = paths.enumerate().astype(np.float64)
    rows = []
    for most in (1e0, 1e2, 1e4):
        for name, scale in bonus_scales(paths.m).items():
            rng = np.random.default_rng(0)
            n = np.floor(np.exp(rng.uniform(0.0, np.log(most), (draws, paths.d))))
            estimates = instance.theta + rng.standard_normal(n.shape) * np.sqrt(0.5 / n)
            bonuses = scale(n.sum(axis=1, keepdims=True)) / n
            assert all(_is_best(paths, listed, a, c) for a, c in zip(estimates, bonuses, strict=True))
            linear, index = _seconds(paths, estimates, bonuses)
            alone = [
                _seconds(paths, np.tile(a, (CALLS, 1)), np.tile(c, (CALLS, 1))) for a, c in zip(estimates, bonuses, strict=True)
            ]
            ratios = [ours / theirs for theirs, ours in alone]
            median, high, worst = (float(q) for q in np.quantile(ratios, [0.5, 0.9, 1.0]))
            row = {"counts": most, "bonuses": name, "linear_us": linear * 1e6, "index_us": index * 1e6}
            row |= {"ratio": median, "ratio_90": high, "ratio_max": worst, "in_turn": index / linear}
            row |= {"labels": int(_index_paths(estimates, bonuses, *paths._into, *paths._out_of))}
            rows.append(report.row("index paths", row))
    report.table(
        f"Cold P_IM on germany50 (d = {paths.d}) over one P_LM, kernel to kernel, {draws} draws (target: median < {WANTED:.0f})",
        ("bonuses", "counts to", "ratio", "90 %", "max", "in turn", "P_LM µs", "P_IM µs", "labels max"),
        [
            [row["bonuses"], f"{row['counts']:,.0f}"]
            + [digits(row[key]) for key in ("ratio", "ratio_90", "ratio_max", "in_turn", "linear_us", "index_us")]
            + [str(row["labels"])]
            for row in rows
        ],
    )


def _is_best(paths: sb.Paths, listed: np.ndarray, rewards: np.ndarray, bonuses: np.ndarray) -> bool:
    x = paths.maximize_index(rewards, bonuses)
    best = (listed @ rewards + np.sqrt(listed @ bonuses)).max()
    return bool(abs(rewards @ x + np.sqrt(bonuses @ x) - best) < 1e-10)


def _seconds(paths: sb.Paths, rewards: np.ndarray, bonuses: np.ndarray) -> tuple[float, float]:
    """Mean seconds of one longest path and of one P_IM over the rows."""
    optimistic = rewards + np.sqrt(bonuses)
    linear = _shortest(lambda: _longest_paths(optimistic, *paths._into))
    index = _shortest(lambda: _index_paths(rewards, bonuses, *paths._into, *paths._out_of))
    return linear / len(rewards), index / len(rewards)


def run_matchings(report: Report, draws: int) -> None:
    """The same in Python, with counts log-uniform in 1 .. 1e4, bonuses (ln t) / n, and t the total of counts over the size."""
    lines = []
    for n in MATCHINGS:
        matchings, rng = matching(n)[0], np.random.default_rng(1)
        timed = []
        for draw in range(draws):
            report.doing(f"matchings {n} × {n}, draw {draw}")
            theta, counts = rng.random(n * n), np.exp(rng.uniform(0.0, np.log(1e4), n * n))
            rewards = theta + rng.normal(size=n * n) * np.sqrt(0.5 / counts)
            timed.append(_calls(matchings, rewards, np.log(counts.sum() / n) / counts))
        index, linear = np.array(timed).T
        ratio, high, worst = (float(q) for q in np.quantile(index / linear, [0.5, 0.9, 1.0]))
        row = {"n": n, "ratio": ratio, "ratio_90": high, "ratio_max": worst}
        row |= {"linear_us": float(np.median(linear)) * 1e6, "index_us": float(np.median(index)) * 1e6}
        report.row("index matchings", row)
        lines.append([f"{n} × {n}", *(digits(row[key]) for key in ("ratio", "ratio_90", "ratio_max", "linear_us", "index_us"))])
    report.done()
    report.table(
        f"Cold P_IM of perfect matchings over one P_LM, calls from Python, {draws} draws",
        ("matchings", "ratio", "90 %", "max", "P_LM µs", "P_IM µs"),
        lines,
    )


def _calls(matchings: sb.Matchings, rewards: np.ndarray, bonuses: np.ndarray) -> tuple[float, float]:
    """Mean seconds of a P_IM with its index, and of a P_LM."""

    def index() -> None:
        for _ in range(10):
            matchings.index_of(rewards, bonuses, matchings.maximize_index(rewards, bonuses))

    def linear() -> None:
        for _ in range(50):
            matchings.maximize(rewards)

    return _shortest(index) / 10, _shortest(linear) / 50


def _shortest(call: Callable[[], object]) -> float:
    """Seconds of the fastest of several runs, which is the least disturbed."""
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report = Report(arguments.json)
    report.machine()
    compile_kernels()
    run_paths(report, arguments.draws)
    run_matchings(report, arguments.draws)


if __name__ == "__main__":
    main()
