"""A validated problem, its result, and the units in which its rewards are about 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.lists import Decisions
from semibandits.decisions.ties import Ties
from semibandits.errors import InvalidInputError
from semibandits.inputs.validation import number_in
from semibandits.kernels.machine import tiers
from semibandits.laws import Gaussian, Law
from semibandits.regret_bound.cycles.warm_start import DecisionMemory, Memory
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult, Progress, Status
from semibandits.regret_bound.timing import SETUP

TINY = float(np.finfo(np.float64).tiny)


def check_precision(gap: float, time_limit: float | None, tie_tolerance: float) -> None:
    """Refuse a relative gap, a time limit in seconds or a tolerance of ties that no solver can meet."""
    number_in(gap, "gap", 0.0, 1.0, "1e-4 gives four digits", ends="()")
    if time_limit not in (None, math.inf):
        number_in(time_limit, "time_limit", 0.0, math.inf, "these are seconds, leave it out for no limit", ends="()")
    number_in(tie_tolerance, "tie_tolerance", 0.0, 1e-3, "it is relative to m times the means of items", ends="[)")


@dataclass(frozen=True, eq=False)
class Bracket:
    """A feasible plan, its cost, which is an upper bound on C(theta), and a lower bound."""

    value: float
    lower: float
    plan: ExplorationPlan


@dataclass(frozen=True, eq=False)
class Problem:
    """A validated problem, the gap to reach and the time limit."""

    decision_set: DecisionSet
    theta: FloatArray  # (d,)
    law: Law
    # Two decisions tie iff their rewards differ by at most tie_tolerance * m times the largest |theta_i| of an item in which they
    # differ or that is in the best one, see `Ties`.
    tie_tolerance: float
    gap: float  # relative gap to reach
    limit: float = math.inf  # seconds from `start`, a value of `tiers.seconds`; may be infinite
    progress: Callable[[Progress], None] | None = None  # called after each round of the method
    memory: Memory | DecisionMemory | None = None  # data of an earlier solve over the same decision set
    start: float = field(default_factory=tiers.seconds)
    features: FloatArray | None = None  # (d, k): columns that the means are linear in; None for means of any kind

    @property
    def deadline(self) -> float:
        """Value of `tiers.seconds` at which the time limit is reached."""
        return self.start + self.limit

    @property
    def set_up_by(self) -> float:
        """Value of the clock by which the problem must be set up: the deadline, or `SETUP` seconds after the start."""
        return self.start + max(self.limit, SETUP)

    @cached_property
    def ties(self) -> Ties:
        """When decisions tie."""
        best = self.decision_set.maximize(self.theta.copy())
        return Ties.of(self.theta, best, self.decision_set.m, self.tie_tolerance)

    @property
    def variance(self) -> FloatArray:
        """Variances that are passed to policies, shape (d,)."""
        return self.law.variance_proxy(self.theta)

    @property
    def has_graph(self) -> bool:
        """Whether the family has an exchange graph."""
        return type(self.decision_set).exchange_graph is not DecisionSet.exchange_graph

    def unsolved(self, method: str) -> GravesLaiResult:
        """The bracket from 0 to infinity, with an empty plan, if time is up before the problem is set up. I is not known."""
        best, nothing = self.decision_set.maximize(self.theta), np.zeros(len(self.theta), dtype=np.bool_)
        bracket = Bracket(math.inf, 0.0, ExplorationPlan(Decisions.empty(len(best)), np.empty(0)))
        return self.result(method, bracket, best, nothing, {"seconds": tiers.seconds() - self.start}, late=True)

    def result(
        self, method: str, bracket: Bracket, optimal_decision: BoolArray, suboptimal_items: BoolArray,
        stats: Mapping[str, float], *, late: bool | None = None, memory: Memory | DecisionMemory | None = None,
    ) -> GravesLaiResult:  # fmt: skip
        """The result of a method, with its status. `late` defaults to whether the deadline has passed."""
        value, lower = bracket.value, min(bracket.lower, bracket.value)
        reached = value - lower <= self.gap * value < math.inf
        return GravesLaiResult(
            value=value,
            lower=lower,
            status=Status.of(reached=reached, late=tiers.seconds() > self.deadline if late is None else late),
            method=method,
            plan=bracket.plan,
            optimal_decision=optimal_decision,
            suboptimal_items=suboptimal_items,
            decision_set=self.decision_set,
            theta=self.theta,
            variance=self.variance,
            stats=stats,
            law=self.law,
            tie_tolerance=self.tie_tolerance,
            features=self.features,
            _memory=memory,
        )


@dataclass(frozen=True)
class Units:
    """Units that are powers of two, so that scaling is exact: 2^reward for rewards, 2^variance for variances.

    For Gaussian rewards without a known bound. Scaling avoids overflow in any unit of the user. C(theta) is proportional to
    variance / reward, and rates are proportional to variance / reward^2.
    """

    reward: int
    variance: int

    @staticmethod
    def of(problem: Problem) -> Units:
        """Units in which the largest reward and the largest variance lie between 1/2 and 1."""
        largest, widest = np.abs(problem.theta).max(initial=0.0), problem.variance.max(initial=0.0)
        return Units(int(np.frexp(largest)[1]), int(np.frexp(widest)[1]))

    def scaled(self, problem: Problem) -> Problem:
        """The problem in these units. Progress is still reported in the units of the user."""
        report = problem.progress
        return replace(
            problem,
            theta=np.ldexp(problem.theta, -self.reward),
            law=Gaussian(np.ldexp(problem.variance, -self.variance)),
            progress=report and (lambda now: report(replace(now, lower=self._value(now.lower), value=self._value(now.value)))),
        )

    def unscaled(self, result: GravesLaiResult, problem: Problem) -> GravesLaiResult:
        """The result in the units of `problem`, the unscaled one; refused if the value or a rate is too large or too small for a
        floating-point number.
        """
        theta, variance = problem.theta, problem.variance
        with np.errstate(over="ignore", under="ignore"):
            value, lower = self._value(result.value), self._value(result.lower)
            rates = np.ldexp(result.plan.rates, self.variance - 2 * self.reward)
        is_open = result.value == np.inf  # no plan was found in time
        if not is_open and not (
            np.isfinite(value) and np.isfinite(rates).all() and (rates >= TINY).all() and (value > 0) == (len(rates) > 0)
        ):
            raise InvalidInputError(
                "theta and variance must be of a size at which rates 2 * variance / gap^2 are floating-point numbers, got "
                f"rewards up to {np.abs(theta).max():g} and variances up to {variance.max():g}: choose another unit"
            )
        plan = ExplorationPlan(result.plan.items, rates)
        return replace(result, value=value, lower=lower, plan=plan, theta=theta, variance=variance, law=Gaussian(variance))

    def _value(self, value: float) -> float:
        return float(np.ldexp(value, self.variance - self.reward))
