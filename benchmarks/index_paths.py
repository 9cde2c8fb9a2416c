"""Time of P_IM on germany50 in units of one longest path, and of P_BLM on grids compared with HiGHS.

python benchmarks/index_paths.py [--draws 100] [--seeds 5] [--json FILE]
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numba import njit
from scipy import optimize, sparse

import semibandits as sb
from instances import grid
from reporting import Report, digits
from semibandits import datasets
from semibandits.kernels.graphs.dag import longest_path
from semibandits.kernels.search.labels import best_path

WANTED = 50.0
"""Target for the median time of a cold P_IM, in units of one longest path."""
CALLS, REPEATS = 100, 5
PLENTY = 10_000_000
GRIDS = (10, 20, 30, 40)


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


def run_index(report: Report, draws: int) -> None:
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


def _shortest(call: Callable[[], object]) -> float:
    """Seconds of the fastest of several runs, which is the least disturbed."""
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def run_budgeted(report: Report, seeds: int) -> None:
    """P_BLM on grids, rewards uniform on (0, 1), the budget half-way between that of the best path and the largest one.

    Budgets are uniform on (0, 1) too, or opposed to the rewards: 1 - reward + uniform noise on (0, 0.1), which makes
    many paths nearly as good as the best.
    """
    rows = []
    for opposed, k, seed in itertools.product((False, True), GRIDS, range(seeds)):
        report.doing(f"grid {k}², seed {seed}")
        rows.append(report.row("budgeted paths", _budgeted(k, seed, opposed)))
    report.done()
    report.table(
        "P_BLM on k × k grids with diagonals: labels compared with HiGHS (scipy.optimize.milp)",
        ("k", "seed", "budgets", "d", "labels ms", "HiGHS ms", "times faster", "rewards differ by"),
        [
            [
                str(row["k"]),
                str(row["seed"]),
                "opposed" if row["opposed"] else "uniform",
                f"{row['d']:,}",
                digits(row["seconds"] * 1e3),
                digits(row["highs_seconds"] * 1e3),
                digits(row["highs_seconds"] / row["seconds"]),
                f"{row['difference']:.1e}",
            ]
            for row in rows
        ],
    )


def _budgeted(k: int, seed: int, opposed: bool) -> dict[str, float]:
    paths, rewards = grid(k, seed)
    noise = np.random.default_rng(seed + 1000).random(paths.d)
    budgets = 1.0 - rewards + 0.1 * noise if opposed else noise
    at_least = 0.5 * float(budgets @ paths.maximize(rewards) + budgets @ paths.maximize(budgets))
    x = paths.maximize_budgeted(rewards, budgets, at_least)
    seconds = _shortest(lambda: paths.maximize_budgeted(rewards, budgets, at_least))
    items = np.arange(paths.d)
    entries = np.concatenate((np.ones(paths.d), -np.ones(paths.d)))
    ends = np.concatenate((paths.tails, paths.heads)), np.concatenate((items, items))
    balance = np.zeros(len(paths.nodes))
    balance[[paths.nodes.index(paths.source), paths.nodes.index(paths.target)]] = 1.0, -1.0
    flow = optimize.LinearConstraint(sparse.csr_array((entries, ends), shape=(len(balance), paths.d)), balance, balance)
    budget = optimize.LinearConstraint(budgets[None], at_least, np.inf)
    start = time.perf_counter()
    solved = optimize.milp(
        -rewards, constraints=[flow, budget], integrality=np.ones(paths.d), bounds=optimize.Bounds(0, 1),
        options={"mip_rel_gap": 0.0},
    )  # fmt: skip
    highs_seconds = time.perf_counter() - start
    return {
        "k": k, "seed": seed, "opposed": opposed, "d": paths.d, "seconds": seconds, "highs_seconds": highs_seconds,
        "difference": float(rewards @ x + solved.fun),
    }  # fmt: skip


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report = Report(arguments.json)
    report.machine()
    run_index(report, arguments.draws)
    run_budgeted(report, arguments.seeds)


if __name__ == "__main__":
    main()
