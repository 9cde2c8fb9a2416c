"""Cost of GLADE with exact estimates, relative to the least possible cost: is it optimal without noise?

    python experiments/noise_free.py                  the star, and the half "tune" of the panel
    python experiments/noise_free.py --random 200     and 200 tiny instances of each family; the worst are shown

The rule is run with the true means in place of the estimates. Only counts and time change: a play of the best decision advances
time, any other play costs its gap. Counts are in the millions and grow by fractions, so that rounding to whole numbers does not
matter, and time goes far beyond what a computer can simulate, so that the start does not matter either.

Whenever the best decision is played, no other one is plausible: the counts n meet the constraint of every other decision,
``sum of 2 sigma_i^2 f_i / n_i <= gap^2`` with the current logarithm ``f_i = ln(t / h_i) - discount`` of each item. The
least cost of such counts is C(theta) with variances sigma_i^2 f_i. So the ratio of the total cost to this minimum is at least 1,
and the share of the start in it goes to 0 as t grows. The slope from one level to the next is
printed too: it does not depend on the start, but may be below 1 after too much exploration at lower levels.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import networkx as nx
import numpy as np
from numba import njit
from numpy.typing import NDArray
from panel import Instance, panel, star

import semibandits as sb
from semibandits.kernels.rules.actions import LINEAR_FIRST, PLAY
from semibandits.kernels.rules.glade import BEST_ROW, DISCOUNT, PLACES, RIVALS, glade
from semibandits.kernels.rules.levels import write_levels
from semibandits.kernels.rules.records import Request, RuleState
from semibandits.kernels.rules.statistics import COUNTS, MEANS, PLAYS, ROWS, SCALES
from semibandits.policies.glade import GLADE

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

MOST_DECISIONS: Final = 20_000
MULTIPLE: Final = 1e4
"""Factor of the variances, by which counts grow too."""
SHARE: Final = 0.005
"""Replaces the patience of the policy: a decision is played until the count of its rarest item has grown by this fraction."""
STEP: Final = 0.002
"""A play of the best decision multiplies ln t by about 1 + STEP."""
LEVELS: Final = (10.0, 30.0, 600.0)
"""Levels of information at which costs are measured: the least of gap^2 / sum 2 sigma_i^2 / n_i, about ln(t / n). A million
rounds reach 10, 64-bit rounds at most 30, and 600 is close to the limit."""
RULE: Final[Any] = glade
"""The level is declared for whole numbers of rounds, but accepts others."""


@dataclass(frozen=True)
class Spending:
    """Cost until the information, the least of gap^2 / sum 2 sigma_i^2 / n_i over suboptimal decisions, reached `level`.

    `cost` is the regret so far and `plays` are those of each decision, both over the multiple of the variances; `least` is the
    least cost of counts that satisfy all constraints at the current logarithms; `needs` is the used fraction of the constraint
    of each decision, 1 if it is just met and 0 for optimal decisions.
    """

    level: float
    cost: float
    least: float
    plays: Vector
    needs: Vector

    @property
    def ratio(self) -> float:
        """Cost over the least cost: at least 1, up to the precision of `least`."""
        return self.cost / self.least if self.least > 0 else 1.0


@dataclass(frozen=True)
class Problem:
    """Decisions, mean rewards and variances, as arrays."""

    decision_set: sb.DecisionSet
    theta: Vector
    variance: Vector
    rows: NDArray[np.bool_]
    gaps: Vector
    """0 for optimal decisions."""
    bound: sb.GravesLaiResult

    @classmethod
    def of(cls, decision_set: sb.DecisionSet, theta: Vector, variance: float | Vector) -> Problem:
        """Gaps below a billionth of the rewards are ties."""
        rows = decision_set.enumerate(limit=MOST_DECISIONS)
        rewards = rows @ theta
        gaps = rewards.max() - rewards
        gaps[gaps <= 1e-9 * np.abs(theta).sum()] = 0.0
        spread = np.broadcast_to(np.asarray(variance, dtype=np.float64), theta.shape).copy()
        bound = sb.graves_lai(decision_set, theta, spread, tie_tolerance=1e-9)
        return cls(decision_set, theta.copy(), spread, rows, gaps, bound)

    @property
    def entering(self) -> Matrix:
        """Items of each decision that are in no optimal one."""
        return np.asarray(self.rows & self.bound.suboptimal_items, dtype=np.float64)

    def least(self, logarithms: Vector) -> float:
        """Least cost of counts n with ``sum of 2 sigma_i^2 f_i / n_i <= gap^2`` for every decision."""
        factors = np.where(self.bound.suboptimal_items, np.maximum(logarithms, 1e-9), 1.0)
        return sb.graves_lai(self.decision_set, self.theta, self.variance * factors, tie_tolerance=1e-9).value


def spend(
    problem: Problem, policy: GLADE, levels: tuple[float, ...] = LEVELS, share: float = SHARE, step: float = STEP
) -> list[Spending]:
    """Play until the information has reached each level, at most 600: time is at most e^700.

    The patience of the policy is replaced; `share` and `step` are the step sizes of counts and time.
    """
    d, variance = len(problem.theta), MULTIPLE * problem.variance
    spread = 2.0 * variance
    params = replace(policy, patience=0.0).params(problem.decision_set.m, variance)
    stats = np.zeros((ROWS, d))
    stats[PLAYS], stats[COUNTS], stats[MEANS], stats[SCALES] = 1.0, 1.0, problem.theta, spread
    memory, marks, _ = policy.memory(d, problem.decision_set.m)
    kept = np.zeros((policy.kept, d), dtype=np.bool_)
    plays, t = np.zeros(len(problem.rows)), float(max(d, 3))
    decisions, entering, found = problem.rows.astype(np.float64), problem.entering, []
    relevant = (problem.gaps > 0.0) & entering.any(axis=1)
    constraints, squares = entering[relevant], problem.gaps[relevant] ** 2
    for level in levels:
        t = advance(
            t, level, params, share, step, spread, stats, memory, marks, kept, decisions, problem.gaps, plays,
            constraints, squares,
        )  # fmt: skip
        needs = np.zeros(len(plays))
        logarithms = np.zeros(d)
        write_levels(t, params[DISCOUNT], params[RIVALS], params[PLACES], stats, kept[BEST_ROW], logarithms)
        needs[relevant] = constraints @ (stats[SCALES] * np.maximum(logarithms, 0.0)) / squares
        if not needs.max() <= 1.0 + 1e-9:
            raise RuntimeError(f"the best decision was played while another one was plausible: {needs.max():.6g} > 1")
        information = np.min(squares / (constraints @ stats[SCALES]), initial=math.inf)
        cost = float(plays @ problem.gaps) / MULTIPLE
        found.append(Spending(float(information), cost, problem.least(logarithms), plays / MULTIPLE, needs))
    return found


@njit(error_model="numpy")  # not cached: a cache would not see that the rule has changed
def advance(
    t: float, level: float, params: Vector, share: float, step: float, spread: Vector, stats: Matrix, memory: Vector,
    marks: NDArray[np.int64], kept: NDArray[np.bool_], decisions: Matrix, gaps: Vector, plays: Vector,
    constraints: Matrix, squares: Vector,
) -> float:  # fmt: skip
    """Play until the best decision is played at this information; the time then. Counts and plays are changed in place."""
    d = decisions.shape[1]
    weights, bonuses, x = np.zeros(d), np.zeros(d), np.zeros(d, dtype=np.bool_)
    while True:
        k = decide(t, params, stats, memory, marks, kept, weights, bonuses, x, decisions)
        if gaps[k] > 0.0:
            fewest = math.inf
            for i in range(d):
                if x[i]:
                    fewest = min(fewest, stats[PLAYS, i])
            n = max(1.0, share * fewest) if fewest < math.inf else 1.0
            plays[k] += n
            t += n
            for i in range(d):
                if x[i]:
                    stats[PLAYS, i] += n
                    stats[COUNTS, i] = stats[PLAYS, i]
                    stats[SCALES, i] = spread[i] / stats[PLAYS, i]
            continue
        best = (x == kept[BEST_ROW]).all()
        if not best:
            t *= 1.0 + share
        for i in range(d):  # optimal decisions are played nearly always
            if x[i] and stats[PLAYS, i] < t:
                stats[PLAYS, i] = stats[COUNTS, i] = t
                stats[SCALES, i] = spread[i] / t
        if best:
            information = math.inf
            scales = constraints @ stats[SCALES]
            for c in range(len(squares)):
                information = min(information, squares[c] / scales[c])
            if information >= level or t > 1e304:
                return t
            t *= math.exp(step * max(information, 1.0))


@njit(error_model="numpy")  # not cached: a cache would not see that the rule has changed
def decide(
    t: float, params: Vector, stats: Matrix, memory: Vector, marks: NDArray[np.int64], kept: NDArray[np.bool_],
    weights: Vector, bonuses: Vector, x: NDArray[np.bool_], decisions: Matrix,
) -> int:  # fmt: skip
    """The decision of the rule, with oracles that use the list of decisions: returns its number and writes it to x."""
    while True:
        action = RULE(t, RuleState(params, stats, memory, marks, kept, bonuses), Request(weights, bonuses, x))
        if action == PLAY:
            for k in range(len(decisions)):
                same = True
                for i in range(len(x)):
                    if x[i] != (decisions[k, i] > 0.0):
                        same = False
                        break
                if same:
                    return k
        index = decisions @ weights
        if action != LINEAR_FIRST:
            index += np.sqrt(decisions @ bonuses)
        x[:] = decisions[np.argmax(index)] > 0.0


# -- tiny instances ----------------------------------------------------------------------------------------------------


def tiny(family: str, rng: np.random.Generator) -> tuple[sb.DecisionSet, Vector, Vector]:
    """A small set of the family, with means and variances of several kinds."""
    decision_set = _tiny_set(family, rng)
    d = decision_set.d
    theta = rng.normal(size=d) if rng.random() < 0.3 else rng.random(d) * rng.choice([-1.0, 1.0])
    variance = np.full(d, 0.5) if rng.random() < 0.5 else 10.0 ** rng.uniform(-2, 0, d)
    return decision_set, theta, variance


def _tiny_set(family: str, rng: np.random.Generator) -> sb.DecisionSet:
    if family == "msets":
        return sb.MSets(int(rng.integers(4, 8)), int(rng.integers(1, 4)))
    if family == "trees":
        return sb.SpanningTrees(nx.complete_graph(4))
    if family == "matroid":
        return sb.MatroidBases(sb.matroids.Partition(rng.integers(0, 3, 7).tolist(), int(rng.integers(1, 3))))
    if family == "paths":
        arcs = [pair for pair in itertools.combinations(range(5), 2) if pair[1] == pair[0] + 1 or rng.random() < 0.7]
        return sb.Paths(arcs, 0, 4)
    if family == "matchings":
        pairs = [(i, j) for i, j in itertools.product(range(4), range(3)) if i == j or rng.random() < 0.7]
        return sb.Matchings(pairs, "none" if rng.random() < 0.5 else "columns")
    if family == "intersection":
        first, second = (sb.matroids.Partition((rng.permutation(8) % int(rng.integers(3, 5))).tolist(), 1) for _ in range(2))
        return sb.MatroidIntersection(first, second)
    rows = rng.random((int(rng.integers(4, 9)), int(rng.integers(3, 8)))) < rng.uniform(0.25, 0.75)
    return sb.EnumeratedDecisions(np.unique(rows, axis=0))


FAMILIES: Final = ("msets", "trees", "matroid", "paths", "matchings", "intersection", "list")


def hub(k: int, variance: float, joint: float) -> tuple[sb.DecisionSet, Vector, Vector]:
    """The hub: each of k decisions of gap 1 has its own item a_i, and all share an item b; one further decision has all a_i.

    Each of them lacks an item of the optimal decision that all others contain; the gap of the last one is `joint`. The a_i have
    variance 1/2, b has `variance`; let r = 2 variance / k. With n plays of each of the k the count of b is k n, so n = 1 + r
    refutes them. In the dual solution b is paid for by k constraints: an a_i is worth 1 / (1 + r), and the joint decision is
    worth its gap only up to k / (1 + r). A rule that paid b only what its best constraint pays, instead of the sum, would pay the
    a_i the rest, 1 / (1 + r/k), and overrate the joint decision by the factor (1 + r) / (1 + r/k).
    """
    rows = np.ones((k + 2, 2 * k + 2), dtype=np.bool_)
    rows[:, k + 1 :] = False
    for i in range(k):
        rows[i + 1, [i, k + 1 + i, 2 * k + 1]] = False, True, True
    rows[k + 1, k], rows[k + 1, k + 1 : 2 * k + 1] = False, True
    theta = np.concatenate([np.ones(k), [joint], np.zeros(k + 1)])
    return sb.EnumeratedDecisions(rows), theta, np.concatenate([np.full(2 * k + 1, 0.5), [variance]])


# -- table -------------------------------------------------------------------------------------------------------------


def cells(problem: Problem, found: list[Spending]) -> str:
    """Ratio at each level, then slope and cost over C(theta) times level, both at the last level."""
    text = " ".join(f"{spending.ratio:7.4f}" for spending in found)
    last, before = found[-1], found[-2]
    slope = (last.cost - before.cost) / (last.least - before.least) if last.least > before.least else 1.0
    crude = last.cost / (problem.bound.value * last.level) if problem.bound.value > 0 else 1.0
    return f"{text}  {slope:7.4f}  {crude:7.4f}"


def header() -> str:
    """Two header lines of the table."""
    levels = " ".join(f"{level:>7g}" for level in LEVELS) + "    slope  cost/Cg"
    over = f"{'':48} {'GLADE: cost / least, at level':41} | GLADE(foresight=0)"
    return f"{over}\n{'instance':30} {'|X|':>6} {'C':>9}  {levels} | {levels}"


def listed_instances() -> Iterator[tuple[str, Problem]]:
    """The star, three hubs, and the instances of the half "tune" that can be listed."""
    for instance in [star(), *panel("tune")]:
        try:
            yield instance.name, problem_of(instance)
        except sb.TooManyDecisionsError:
            print(f"{instance.name:30} has more than {MOST_DECISIONS:,} decisions")
        if instance.name == "star":
            for k, variance, joint in HUBS:
                yield f"hub of {k}, {variance:g}, {joint:g}", Problem.of(*hub(k, variance, joint))


def problem_of(instance: Instance) -> Problem:
    """The arrays of an instance of the panel."""
    return Problem.of(instance.decision_set, instance.theta, instance.variance)


def show(problem: Problem, found: Spending) -> None:
    """Print decisions that are played, are in the optimal plan, or are nearly plausible, by decreasing cost."""
    plan = problem.bound.plan
    rates = {row.tobytes(): rate for row, rate in zip(plan.decisions, plan.rates, strict=True)}
    optimal = np.array([rates.get(row.tobytes(), 0.0) for row in problem.rows])
    shown = (found.plays > 1e-3 * found.plays.max()) | (optimal > 0) | (found.needs > 0.95)
    used = np.flatnonzero(problem.entering.any(axis=0))
    print("    variances", dict(zip(used.tolist(), problem.variance[used].round(4).tolist(), strict=True)))
    for k in np.argsort(problem.gaps):
        if shown[k]:
            print(
                f"    items {np.flatnonzero(problem.entering[k]).tolist()!s:18} gap {problem.gaps[k]:.4f}  played "
                f"{found.plays[k] / found.level:8.4f}  optimal {optimal[k]:8.4f}  constraint used {found.needs[k]:.3f}"
            )


def main() -> int:
    """Print the table, and the worst tiny instances."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", type=int, default=0, metavar="N", help="tiny instances of each family")
    parser.add_argument("--show", type=int, default=1, metavar="K", help="number of the worst instances of each family to show")
    options = parser.parse_args()
    print(header())
    if not options.random:
        for name, problem in listed_instances():
            both = [cells(problem, spend(problem, policy)) for policy in POLICIES]
            print(f"{name:30} {len(problem.rows):6} {problem.bound.value:9.4g}  {both[0]} | {both[1]}", flush=True)
        return 0
    for family in FAMILIES:
        compare_tiny(family, options.random, options.show)
    return 0


def compare_tiny(family: str, n: int, shown: int) -> None:
    """Print median and worst of n instances, and those with the largest cost in the limit."""
    problems = [Problem.of(*tiny(family, np.random.default_rng([SEED, FAMILIES.index(family), k]))) for k in range(n)]
    problems = [problem for problem in problems if problem.bound.value > 0]
    found = [[spend(problem, policy) for policy in POLICIES] for problem in problems]
    ratios = np.array([[[spending.ratio for spending in each] for each in both] for both in found])
    for word, values in (("median", np.median(ratios, axis=0)), ("worst", ratios.max(axis=0))):
        row = [" ".join(f"{value:7.4f}" for value in of_policy) for of_policy in values]
        print(f"{f'{family}, {word} of {len(found)}':48} {row[0]:41} | {row[1]}", flush=True)
    for k in np.argsort(-ratios[:, 0, -1])[:shown]:
        print(f"  {len(problems[k].rows)} decisions: " + ", ".join(f"{ratio:.4f}" for ratio in ratios[k, 0]))
        show(problems[k], found[k][0][-1])


POLICIES: Final = (GLADE(), GLADE(foresight=0))
SEED: Final = 20_261_124
HUBS: Final = ((2, 0.5, 1.4), (3, 0.5, 2.1), (9, 4.5, 4.7))


if __name__ == "__main__":
    sys.exit(main())
