"""Step 2 of GLPG: projected subgradient descent on the penalised problem, stepwise or as a whole."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.lists import Decisions
from semibandits.errors import InvalidInputError
from semibandits.formats.text import brief
from semibandits.inputs.validation import check_kind
from semibandits.kernels.machine import tiers
from semibandits.kernels.solver.orthant import Constraints, descend_orthant
from semibandits.laws import Gaussian
from semibandits.regret_bound.certificates.upper import least_information
from semibandits.regret_bound.glpg.decomposition import exploration_plan
from semibandits.regret_bound.glpg.dual import DualBound
from semibandits.regret_bound.glpg.parameters import GLPGParameters
from semibandits.regret_bound.glpg.projection import OrthantProjector, Projector, Route, projector
from semibandits.regret_bound.glpg.reduction import ReducedProblem, reduced
from semibandits.regret_bound.glpg.worst import worst_decision
from semibandits.regret_bound.plan import cost_of
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.problem import Bracket, Problem
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult, Progress

FREE_WEIGHT = 0.1
"""Weight of variables without constraints in the norm of the practical schedule, relative to the smallest one on I."""
FLOOR = 0.25
"""Lower bounds of the practical schedule, relative to valid ones: multipliers cannot be learnt where lower bounds bind."""
PROGRESS = 0.2
"""Steps become shorter after a stage that closes less than this share of the gap."""
MEMORY = 0.8
"""Weight of the past in the average of multipliers over stages."""
BATCH = 100_000


@dataclass(frozen=True, eq=False)
class GLPGStep:
    """Report of one step."""

    stage: int
    number: int  # number of the step within its stage, from 1
    iterate: FloatArray  # (n,): w^t, after the projection
    decision: BoolArray  # (d,): x^t, chosen for the previous iterate
    # Violation of the constraint of x^t there: h_x, or u(x)/gap^2 - 1 in the practical schedule; positive if violated.
    violation: float
    average: FloatArray  # (n,): running average of the stage
    penalty: float  # lambda
    step: float  # the step size used

    def __repr__(self) -> str:
        return brief(self)


class GLPG:
    """Graves-Lai projected gradient (GLPG), one step at a time.

    Parameters
    ----------
    problem : ReducedProblem
        From ``ReducedProblem.of(decision_set, theta, variance)``: Steps 0 and 1.
    parameters : GLPGParameters, optional
        Parameters; the practical schedule by default.
    route : {"auto", "orthant", "msets", "compact", "columns"}
        Projection method, see `semibandits.regret_bound.glpg.projection.projector`.
    deadline : float
        Value of `tiers.seconds` after which the first lower bound is not improved.

    Attributes
    ----------
    problem : ReducedProblem
        The argument.
    parameters : GLPGParameters
        The argument, or the practical schedule.
    iterate : ndarray of float, shape (n,)
        The current w.
    stage, number : int
        Number of completed stages, and of steps in the current one.
    value, lower : float
        Cost of the best average, scaled to feasibility according to x^t (`run` provides a plan and its proof), and the best lower
        bound proved so far. Both are updated at the end of each stage.

    Raises
    ------
    InvalidInputError
        If `problem` is not a ReducedProblem, or `route` is unknown.
    UnsupportedError
        If the projection method does not support the decision set.

    Notes
    -----
    Cuvelier, Combes, Gourdin (ALT 2021), Step 2, with errata: the first iterate is the projection (erratum 6) of the lower
    bounds on I and 0 elsewhere, so that it is no farther from the optimum than the origin; x^t by erratum 7; lower bounds
    ``2 sigma_i^2 / (m max|theta|)^2``. The practical schedule starts from the best decision with each item of I at rate
    ``2 sigma_i^2 / delta_i^2`` instead, scaled to the boundary (theory T5), with a quarter of these rates as lower bounds.

    Examples
    --------
    >>> problem = sb.ReducedProblem.of(sb.MSets(4, 2), [0.9, 0.8, 0.5, 0.3])
    >>> glpg = sb.GLPG(problem)
    >>> step = glpg.step()
    >>> step.iterate.shape, step.decision.tolist()  # w after one step, and the decision x^t whose constraint it used
    ((4,), [True, False, True, False])
    >>> bound = glpg.run(gap=0.05)
    >>> bound.gap <= 0.05, bound.lower <= 16 / 3 <= bound.value  # C(theta) is 1/0.3 + 1/0.5 = 16/3
    (True, True)
    """

    def __init__(
        self, problem: ReducedProblem, parameters: GLPGParameters | None = None, *, route: Route = "auto",
        deadline: float = math.inf,
    ) -> None:  # fmt: skip
        check_kind(problem, ReducedProblem, "problem", "see ReducedProblem.of(decision_set, theta)")
        self.problem = problem
        self.parameters = GLPGParameters() if parameters is None else parameters
        self._v, self._items = problem.twice_variance, problem.items
        self._oracle = worst_decision(problem, self.parameters.ratio, self.parameters.relative)
        self._oracle.deadline = deadline
        self._bound = DualBound(problem, deadline)
        self._memory: dict[bytes, list[Any]] = {}
        self.value, self.stage, self._relative_step = math.inf, 0, self.parameters.step
        lower, weights = self._geometry()
        self._projector: Projector = projector(problem, lower, weights, route)
        if self.parameters.relative and len(self._items):
            self.iterate = (self._v / problem.best.gaps**2) @ problem.lifted(problem.best.decisions)
        else:
            self.iterate = self._projector.project(lower)
        self.number, self._best = 0, self.iterate
        self._sum, self._weight, self._penalty, self._radius = np.zeros(problem.n), 0.0, 0.0, 0.0
        self._counts: dict[bytes, tuple[BoolArray, float]] = {}
        self._measure(self.iterate)
        if len(self._items):
            gaps = problem.best.gaps  # these multipliers are optimal for matroids, where constraints split into swaps
            self._bound.update(problem.best.decisions, gaps, self._v / gaps**3)
        self._open_stage(self.iterate)

    @property
    def lower(self) -> float:
        """The best lower bound on C(theta) proved so far."""
        return self._bound.best

    @property
    def average(self) -> FloatArray:
        """Average of the iterates of the current stage, weighted by step size. Before the first step, the iterate."""
        return self._sum / self._weight if self._weight else self.iterate

    def step(self) -> GLPGStep:
        """Take one step: choose x^t, move along the subgradient, project. The last step of a stage updates the bounds.

        Returns
        -------
        GLPGStep
            `stage` and `number` of the step; `iterate` and `average` of shape (n,); `decision`, x^t of shape (d,), and
            `violation` of its constraint before the step; `penalty`, and `step`, the step size.

        Raises
        ------
        InvalidInputError
            If all items are in optimal decisions. Then C(theta) is 0, and there is no step to take.
        """
        if not len(self._items):
            raise InvalidInputError(
                "there must be items outside all optimal decisions, got none: C(theta) is 0, call `run` for the result"
            )
        # x^t, its violation at ratio * w, and the gradient q + lambda ratio grad h_x(ratio w) where violated, else q.
        w, ratio = self.iterate, self.parameters.ratio
        u = self._information(w)
        decision, gap = self._oracle.find(u)
        scale = gap**2 if self.parameters.relative else 1.0
        violation = (float(u @ decision) / ratio - gap**2) / scale
        gradient = self.problem.cost.copy()
        if violation > 0:
            held = self._items[decision[self._items]]
            gradient[held] -= self._penalty / (ratio * scale) * u[held] / w[held]
        weights = self._projector.weights
        step = self.parameters.step
        if self.parameters.relative:
            squares = gradient**2 / weights
            whole, on_items = float(squares.sum()), float(squares[self._items].sum())
            # If the gradient is 0 on I (no costs, no violation), only the other variables move.
            length = math.sqrt(on_items if on_items > 1e-12 * whole else whole)
            step = self._relative_step * self._radius / (math.sqrt(self.parameters.steps) * length)
        if violation > 0:
            self._count(decision, step)
        self.iterate = self._projector.project(w - step * gradient / weights)
        # The theorem averages w^1 .. w^T. Averages of the iterates after the step match the multipliers slightly better.
        self._sum = self._sum + step * self.iterate
        self._weight += step
        self.number += 1
        report = GLPGStep(self.stage, self.number, self.iterate, decision, violation, self.average, self._penalty, step)
        if self.number == self.parameters.steps:
            self._close_stage()
        return report

    def run(
        self, *, gap: float = 0.01, deadline: float = math.inf, progress: Callable[[Progress], None] | None = None
    ) -> GravesLaiResult:
        """Step until the measured gap is reached, the schedule ends, or time is up. Then do Step 3.

        Parameters
        ----------
        gap : float
            Relative gap to reach. With the parameters of the theorem, all steps are taken whatever the gap.
        deadline : float
            Value of `tiers.seconds` at which to stop.
        progress : callable, optional
            Called after each stage.

        Returns
        -------
        GravesLaiResult
            With both bounds proved. Its status is OPTIMAL if the gap was reached.
        """
        start = tiers.seconds()
        last = deadline - 0.25 * (deadline - start) if math.isfinite(deadline) else deadline  # the rest is for the plan
        self._bound.deadline = self._oracle.deadline = last
        while self.stage < self.parameters.stages and len(self._items) and tiers.seconds() < last:
            if self.parameters.relative and self.value - self.lower <= 0.95 * gap * self.value:
                break
            before = self.stage
            if isinstance(self._projector, OrthantProjector) and not self.parameters.relative:
                self._sprint()
            else:
                self.step()
            if progress is not None and self.stage > before:
                progress(Progress(self.stage, len(self._bound), self.lower, self.value, tiers.seconds() - start))
        late = tiers.seconds() > last
        given = self.problem
        problem = Problem(
            given.decision_set, given.theta, Gaussian(given.variance), given.tie_tolerance, gap, deadline - tiers.seconds(),
        )  # fmt: skip
        plan, value = self._plan(problem)
        stats = {"stages": self.stage, "steps": self.steps, "seconds": tiers.seconds() - start}
        bracket = Bracket(value, self.lower, plan)
        late = late or tiers.seconds() > deadline
        return problem.result("glpg", bracket, given.optimal_decision, given.suboptimal_items, stats, late=late)

    @property
    def steps(self) -> int:
        """Total number of steps taken."""
        return self.stage * self.parameters.steps + self.number

    # ------------------------------------------------------------------ set-up

    def _geometry(self) -> tuple[FloatArray, FloatArray]:
        """Lower bounds and the weights of the norm."""
        problem = self.problem
        lower, weights = np.zeros(problem.n), np.ones(problem.n)
        if not len(self._items):
            return lower, weights
        if not self.parameters.relative:
            largest = problem.decision_set.m * float(np.abs(problem.theta).max())
            lower[self._items] = self._v / largest**2
            return lower, weights
        gaps = problem.best.gaps
        curvature = gaps**3 / self._v
        weights[:] = FREE_WEIGHT * float(curvature.min())
        weights[self._items] = curvature
        lower[self._items] = FLOOR * self._v / gaps**2
        return lower, weights

    # ------------------------------------------------------------------ one step

    def _information(self, w: FloatArray) -> FloatArray:
        u = np.zeros(self.problem.decision_set.d)
        u[self._items] = self._v / w[self._items]
        return u

    def _count(self, decision: BoolArray, amount: float) -> None:
        key = np.packbits(decision).tobytes()
        known = self._counts.get(key)
        self._counts[key] = (decision, amount + (known[1] if known else 0.0))

    # ------------------------------------------------------------------ stages

    def _open_stage(self, start: FloatArray) -> None:
        relative = self.parameters.relative
        self.iterate, self.number = start, 0
        self._sum, self._weight = np.zeros(self.problem.n), 0.0
        self._counts = {}
        self._penalty = self.parameters.penalty * (self.value if relative else 1.0)
        weights, items = self._projector.weights, self._items
        self._radius = math.sqrt(float(weights[items] @ start[items] ** 2))

    def _close_stage(self) -> None:
        before = self.value
        scaled = self._measure(self.parameters.inflation * self.average)
        self._update_bound()
        self.stage += 1
        if before - self.value < PROGRESS * (before - self.lower):
            self._relative_step *= self.parameters.decay
        self._open_stage(scaled)

    def _update_bound(self) -> None:
        """Lower bounds from the multipliers of the stage, and from their average over stages, which includes rare decisions."""
        for entry in self._memory.values():
            entry[1] *= MEMORY
        if self._counts:
            # The penalty of x is divided by its squared gap in the practical schedule.
            decisions = np.array([x for x, _ in self._counts.values()])
            gaps = gaps_below(self.problem.optimal_decision, decisions, self.problem.theta)
            amounts = np.array([amount for _, amount in self._counts.values()]) / self._weight
            multipliers = amounts / (gaps**2 if self.parameters.relative else 1.0)
            self._bound.update(decisions, gaps, multipliers)
            for x, gap, mu in zip(decisions, gaps, multipliers, strict=True):
                self._memory.setdefault(x.tobytes(), [x, 0.0, gap])[1] += mu
        if self.stage and self._memory:
            xs, mus, all_gaps = zip(*self._memory.values(), strict=True)
            self._bound.update(np.array(xs), np.array(all_gaps), np.array(mus))

    def _measure(self, rates: FloatArray) -> FloatArray:
        """Scale the rates to the boundary according to x^t, and keep them if they are the best so far."""
        if not len(self._items):
            self.value = 0.0
            return rates
        u = self._information(rates)
        x, gap = self._oracle.find(u)
        ratio = float(u @ x) / gap**2
        if self.parameters.relative:
            ratio /= self.parameters.ratio
            rates = ratio * rates
        elif ratio > 1.0:
            rates = ratio * rates
        value = float(self.problem.cost @ rates)
        if value < self.value or not self.parameters.relative:
            self.value, self._best = value, rates
        return rates

    def _sprint(self) -> None:
        """Take many steps in one compiled call, where the decisions are the single items."""
        steps = min(BATCH, self.parameters.steps - self.number)
        constraints = Constraints(self._items, self._v, self.problem.best.gaps**2)
        self.iterate, total, counts = descend_orthant(
            self.iterate, self._projector.lower, self.problem.cost, constraints, self._penalty,
            self.parameters.step, self.parameters.ratio, steps,
        )  # fmt: skip
        self._sum = self._sum + self.parameters.step * total
        self._weight += self.parameters.step * steps
        for row in np.flatnonzero(counts):
            self._count(self.problem.best.decisions[row], self.parameters.step * float(counts[row]))
        self.number += steps
        if self.number == self.parameters.steps:
            self._close_stage()

    # ------------------------------------------------------------------ the result

    def _plan(self, whole: Problem) -> tuple[ExplorationPlan, float]:
        """Step 3: the plan, scaled to proved feasibility, and its cost."""
        problem = self.problem
        if not len(self._items):
            return ExplorationPlan(Decisions.empty(problem.decision_set.d), np.empty(0)), 0.0
        plan = exploration_plan(problem, self._best, whole.deadline)
        least = least_information(whole, plan)
        if least <= 0.0:
            return plan, math.inf
        if self.parameters.relative or least < 1.0:
            plan = ExplorationPlan(plan.items, plan.rates / least)
        return plan, cost_of(plan, problem.optimal_decision, problem.theta)


def solve_glpg(problem: Problem) -> GravesLaiResult:
    """GLPG with its practical schedule, until the certified gap, the end of the schedule, or the deadline."""
    given = reduced(problem.decision_set, problem.theta, problem.variance, problem.tie_tolerance, problem.set_up_by)
    glpg = GLPG(given, deadline=problem.deadline)
    return glpg.run(gap=problem.gap, deadline=problem.deadline, progress=problem.progress)
