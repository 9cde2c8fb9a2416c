"""P_IM and P_BLM on perfect matchings: a cold index maximisation in units of P_LM, and exact P_BLM compared with HiGHS.

    python benchmarks/index_matchings.py [--draws 100] [--seed 1]

Index: the (theta_hat, 1/n) of a running bandit: theta ~ U(0, 1), counts n log-uniform in 1 .. 1e4 for each item,
theta_hat = theta + N(0, 1/(2n)), bonuses ln(t) / n (ESCB with variance 1/2 and constant 1) with t = total plays / matching
size. Best of 5 repetitions, compiled before.

Budget: rewards and budgets U(0, 1); "middle" is halfway between the least and the largest budget of a matching, "binding"
halfway between the budget of the matching of largest reward and the largest. HiGHS through scipy.optimize.milp, gap 0.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

import semibandits as sb

REPETITIONS = 5


class Complete:
    """Perfect matchings of the complete bipartite graph."""

    def __init__(self, n: int) -> None:
        self._matchings = sb.Matchings(list(itertools.product(range(n), range(n))))
        rows, columns = self._matchings.row_index, self._matchings.column_index
        self.ends = np.vstack([rows == k for k in range(n)] + [columns == k for k in range(n)]).astype(float)

    def linear(self, weights: np.ndarray) -> np.ndarray:
        return self._matchings.maximize(weights)

    def index(self, rewards: np.ndarray, bonuses: np.ndarray) -> float:
        return self._matchings.index_of(rewards, bonuses, self._matchings.maximize_index(rewards, bonuses))

    def budgeted(self, rewards: np.ndarray, budgets: np.ndarray, at_least: float) -> float:
        return rewards @ self._matchings.maximize_budgeted(rewards, budgets, at_least)

    def budgeted_by_highs(self, rewards: np.ndarray, budgets: np.ndarray, at_least: float) -> float:
        constraints = [LinearConstraint(self.ends, 1, 1), LinearConstraint(budgets[np.newaxis], at_least, np.inf)]
        options = {"mip_rel_gap": 0.0}
        ones = np.ones(len(rewards))
        solved = milp(-rewards, constraints=constraints, integrality=ones, bounds=Bounds(0, 1), options=options)
        return -solved.fun


def seconds(call: Callable[[], object], calls: int, repetitions: int = REPETITIONS) -> float:
    best = np.inf
    for _ in range(repetitions):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - start) / calls)
    return best


def bandit(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Estimates and squared bonuses in the middle of a run."""
    theta = rng.random(n * n)
    counts = np.exp(rng.uniform(0.0, np.log(1e4), n * n))
    return theta + rng.normal(size=n * n) * np.sqrt(0.5 / counts), np.log(counts.sum() / n) / counts


def index_line(n: int, draws: int, rng: np.random.Generator) -> str:
    graph = Complete(n)
    ratios, micro = [], []
    for _ in range(draws):
        rewards, bonuses = bandit(rng, n)
        cold = seconds(partial(graph.index, rewards, bonuses), 10)
        linear = seconds(partial(graph.linear, rewards), 50)
        ratios.append(cold / linear)
        micro.append((1e6 * cold, 1e6 * linear))
    p_im, p_lm = np.median(micro, axis=0)
    return (
        f"P_IM {n} x {n}: {statistics.median(ratios):.1f} P_LM calls (90 %: {np.quantile(ratios, 0.9):.1f}, "
        f"worst {max(ratios):.1f}); {p_im:.1f} and {p_lm:.1f} microseconds"
    )


def budget_line(n: int, draws: int, kind: str, rng: np.random.Generator) -> str:
    graph = Complete(n)
    ours, theirs = [], []
    for _ in range(draws):
        rewards, budgets = rng.random((2, n * n))
        top = budgets[graph.linear(budgets)].sum()
        low = budgets[graph.linear(-budgets if kind == "middle" else rewards)].sum()
        at_least = 0.5 * (low + top)
        start = time.perf_counter()
        highs = graph.budgeted_by_highs(rewards, budgets, at_least)
        theirs.append(time.perf_counter() - start)
        ours.append(seconds(partial(graph.budgeted, rewards, budgets, at_least), 1, 2))
        if abs(highs - graph.budgeted(rewards, budgets, at_least)) > 1e-5:
            raise RuntimeError("the two exact results differ")
    ratios = [theirs[k] / ours[k] for k in range(draws)]
    return (
        f"P_BLM {n} x {n}, {kind} budget: {1e3 * statistics.median(ours):.3f} ms (worst {1e3 * max(ours):.2f}), HiGHS "
        f"{1e3 * statistics.median(theirs):.1f} ms; HiGHS takes {statistics.median(ratios):.0f} times as long "
        f"in the median, {min(ratios):.1f} at least"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=100, help="random draws of each kind")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for n in (10, 20):
        print(index_line(n, arguments.draws, np.random.default_rng(arguments.seed)), flush=True)
    for n in (10, 20):
        for kind in ("middle", "binding"):
            print(budget_line(n, arguments.draws, kind, np.random.default_rng(arguments.seed)), flush=True)


if __name__ == "__main__":
    main()
