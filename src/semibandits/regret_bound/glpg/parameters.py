"""Parameters of GLPG: those of the theorem, corrected, and those of a practical schedule."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from semibandits.errors import InvalidInputError
from semibandits.inputs.outcomes import whole_number
from semibandits.inputs.validation import check_kind, number_in
from semibandits.regret_bound.glpg.reduction import ReducedProblem

MOST_STEPS = 10_000_000


@dataclass(frozen=True)
class GLPGParameters:
    """Penalty, step sizes and number of steps.

    **As in the theorem** (``relative=False``): one stage of ``steps`` steps ``w <- proj(w - step * g)`` in the Euclidean norm,
    with the penalty ``penalty * max_x h_x(w)^+``. The average, times ``inflation``, is within ``accuracy`` of C(theta) / ratio.

    **Practical** (``relative=True``, the default): stages of ``steps`` steps each.

    - Norm: ``sum_i h_i w_i^2`` with ``h_i = delta_i^3 / v_i`` for items of I (the curvature of the Lagrangian at w_i = v_i /
      delta_i^2, delta_i the smallest gap of a decision with item i), a tenth of the smallest of these for other variables, on
      which no constraint depends.
    - Penalty: ``penalty * U * max_x (u(x) / gap_x^2 - 1)^+``, with U the cost of the best feasible rates so far. As costs are
      homogeneous, the multipliers of these constraints add up to C(theta), so any penalty above 1 is exact.
    - Step size: ``step * R / (sqrt(steps) |g|)``, with R the norm of the first iterate of the stage; norms are taken on I. After
      a stage that closes less than a fifth of the gap, ``step`` is multiplied by ``decay``.
    - Averaging window: the stage, weighted by step size. The next stage starts from the average, scaled to the boundary.
    - Stopping: when the requested gap is reached between the cost of the best average, scaled to feasibility, and the lower bound
      from the multipliers (theory T4); at the latest after ``stages`` stages. Multipliers are those of the stage, and their
      average over stages with weights that decrease by a fifth per stage into the past.

    Attributes
    ----------
    penalty, step : float
        See above, > 0.
    steps, stages : int
        Steps of a stage, and number of stages, >= 1.
    decay : float
        In (0, 1].
    inflation : float
        1 + delta_2, by which the average is multiplied.
    ratio : float
        epsilon in (0, 1], the approximation ratio of the budgeted problem.
    accuracy : float
        delta, the guaranteed absolute error; inf for the practical schedule, which has no guarantee but measures its gap.
    relative : bool
        Whether penalty and step are relative, as described.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range.

    Notes
    -----
    Cuvelier, Combes, Gourdin (ALT 2021), Step 2. `theoretical` computes the parameters of the theorem.

    Examples
    --------
    >>> sb.GLPGParameters(steps=100).relative  # the practical schedule, in stages of 100 steps
    True
    >>> problem = sb.ReducedProblem.of(sb.MSets(2, 1), [1, 0])
    >>> theorem = sb.GLPGParameters.theoretical(problem, delta=1.0)
    >>> theorem.relative, theorem.accuracy, f"{theorem.steps:.1e} steps"
    (False, 1.0, '9.3e+03 steps')
    >>> sb.GLPGParameters.theoretical(problem, delta=0.01)
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: T must be at most most_steps = 10,000,000, got T = 4.14e+11 for delta = 0.01: ...
    """

    penalty: float = 2.0
    step: float = 0.9
    steps: int = 200
    stages: int = 100
    decay: float = 0.7
    inflation: float = 1.0
    ratio: float = 1.0
    accuracy: float = math.inf
    relative: bool = True

    def __post_init__(self) -> None:
        default = "leave it out for the default"
        for name, value in {"penalty": self.penalty, "step": self.step, "accuracy": self.accuracy}.items():
            if (name, value) != ("accuracy", math.inf):
                number_in(value, name, 0.0, math.inf, default, ends="()")
        for name, value in {"decay": self.decay, "ratio": self.ratio}.items():
            number_in(value, name, 0.0, 1.0, "1 is always valid", ends="(]")
        for name, count in {"steps": self.steps, "stages": self.stages}.items():
            whole_number(count, name, least=1, remedy=default)
        number_in(self.inflation, "inflation", 1.0, math.inf, "1 is no inflation")

    @staticmethod
    def theoretical(problem: ReducedProblem, delta: float, ratio: float = 1.0, *, most_steps: int = MOST_STEPS) -> GLPGParameters:
        """Parameters with which the theorem guarantees a plan of cost at most ``C(theta) / ratio + delta``.

        With n variables, m the largest number of ones of a decision (including the item that counts plays), v and V the smallest
        and largest ``2 sigma_i^2``, and ``K = V m^2 n max(theta)``, a bound on C(theta)::

            delta_2 = delta ratio / (2 K),  delta_1 = delta / (2 (1 + delta_2)),  lambda = (delta_1 + K / ratio) / delta_2
            R = V m^(5/2) n max(theta) / ratio
            G^2 = 2 (|q|^2 + lambda^2 n (m max(theta))^8 / (ratio^2 v^2))
            T = R^2 G^2 / delta_1^2,  eta = R / (G sqrt(T))

        Parameters
        ----------
        problem : ReducedProblem
            Mean rewards must be non-negative integers.
        delta : float
            Absolute error of the cost, > 0.
        ratio : float
            epsilon in (0, 1], the approximation ratio of P_BLM.
        most_steps : int
            Limit on T.

        Raises
        ------
        InvalidInputError
            If mean rewards are not non-negative integers, an argument is out of range, or T is above `most_steps`. The message
            contains T.

        Notes
        -----
        Proposition "gradient descent" of Cuvelier, Combes, Gourdin (ALT 2021) with errata 2 to 5, and v = V = 1 there.
        """
        _check(problem, delta, ratio)
        n, m, v = problem.n, problem.decision_set.m + problem.counter, problem.twice_variance
        largest = float(problem.theta.max())
        total = float(v.max()) * m**2 * n * largest  # K
        norm = math.sqrt(n) * (m * largest) ** 4 / float(v.min())  # a bound on the norm of the gradient of h_x
        delta2 = delta * ratio / (2.0 * total)
        delta1 = delta / (2.0 * (1.0 + delta2))
        penalty = (delta1 + total / ratio) / delta2
        radius = total * math.sqrt(m) / ratio
        slope = math.sqrt(2.0 * (float(problem.cost @ problem.cost) + (penalty * norm / ratio) ** 2))
        needed = (radius * slope / delta1) ** 2
        if needed > most_steps:
            raise InvalidInputError(
                f"T must be at most most_steps = {most_steps:,}, got T = {needed:.3g} for delta = {delta:g}: "
                "raise delta, or use the practical schedule GLPGParameters() and its measured gap"
            )
        steps = math.ceil(needed)
        return GLPGParameters(
            penalty, radius / (slope * math.sqrt(steps)), steps, 1, 1.0, 1.0 + delta2, ratio, delta, relative=False
        )


def _check(problem: ReducedProblem, delta: float, ratio: float) -> None:
    check_kind(problem, ReducedProblem, "problem", "see ReducedProblem.of(decision_set, theta)")
    theta = problem.theta
    if (theta < 0).any() or (theta != np.rint(theta)).any():
        wrong = theta[(theta < 0) | (theta != np.rint(theta))][0]
        raise InvalidInputError(
            f"theta must hold non-negative integers for the theoretical parameters, got {wrong}: "
            "see discretise, and shift theta if all decisions have the same size"
        )
    number_in(delta, "delta", 1e-100, math.inf, "T is unbounded as it approaches 0", ends="()")
    number_in(ratio, "ratio", 0.0, 1.0, "T is unbounded as it approaches 0", ends="(]")
    if not len(problem.items):
        raise InvalidInputError("there must be items outside all optimal decisions, got none: C(theta) is 0")
