"""Result of `graves_lai`: the bracket, the plan, and how they were found."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.lists import Decisions
from semibandits.decisions.ties import TIE_TOLERANCE, decisions_that_tie
from semibandits.inputs.costs import negated
from semibandits.inputs.pandas_objects import new_frame
from semibandits.laws import Gaussian, Law
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.summary import (
    TOP,
    PlanProblem,
    Wording,
    bound_columns,
    plan_columns,
    plan_html,
    plan_words,
    result_html,
    result_repr,
    summary_text,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame
    from scipy.sparse import csr_array

    from semibandits.regret_bound.cycles.warm_start import DecisionMemory, Memory


Rewards = Literal["gaussian", "bernoulli"]


class Status(StrEnum):
    """How a Graves-Lai solve ended. In every case ``lower <= C(theta) <= value`` holds."""

    OPTIMAL = "optimal"
    """The certified gap is at most the requested one."""
    TIME_LIMIT = "time_limit"
    """The time limit was reached."""
    STALLED = "stalled"
    """The gap was not reached because of numerical precision, or because the schedule of GLPG ended."""

    @staticmethod
    def of(*, reached: bool, late: bool) -> Status:
        """Status of a solve from whether it reached the gap, and whether it exceeded the time limit."""
        return Status.OPTIMAL if reached else Status.TIME_LIMIT if late else Status.STALLED


@dataclass(frozen=True, eq=False, init=False)
class ExplorationPlan:
    """Suboptimal decisions to play and their rates, in order of decreasing rate.

    Parameters
    ----------
    items : ndarray of bool, shape (k, d), or Decisions
        Distinct suboptimal decisions.
    rates : ndarray of float, shape (k,)
        Plays of each decision per ln T, > 0.

    Attributes
    ----------
    items : Decisions
        The decisions, as a sequence of k arrays of item numbers, ascending. They are stored as changes to the best decision.
    rates : ndarray of float, shape (k,)
        Plays of each decision per ln T, > 0.

    Examples
    --------
    >>> plan = sb.graves_lai(sb.MSets(4, 2), [0.9, 0.8, 0.5, 0.3]).plan
    >>> for items, rate in zip(plan.items, plan.rates, strict=True):
    ...     print(f"play {items.tolist()} {rate:.2f} times per ln T")
    play [0, 2] 11.11 times per ln T
    play [0, 3] 4.00 times per ln T
    >>> plan.decisions.astype(int).tolist()  # the same as a table, one row a decision
    [[1, 0, 1, 0], [1, 0, 0, 1]]
    >>> plan.item_rates.round(2).tolist()
    [15.11, 0.0, 11.11, 4.0]
    """

    items: Decisions
    rates: FloatArray
    _problem: PlanProblem | None = field(default=None, repr=False)
    """The problem that it belongs to, for names and gaps."""

    def __init__(self, items: BoolArray | Decisions, rates: FloatArray, *, _problem: PlanProblem | None = None) -> None:
        items = items if isinstance(items, Decisions) else Decisions.of_rows(items)
        rates.setflags(write=False)
        for name, value in (("items", items), ("rates", rates), ("_problem", _problem)):
            object.__setattr__(self, name, value)

    @cached_property
    def decisions(self) -> BoolArray:
        """The decisions as a table, shape (k, d), read-only.

        Raises
        ------
        TooManyDecisionsError
            If it would take more than 1 GB. `items`, `to_csr` and `rates` need no table.
        """
        table = self.items.dense(remedy="use plan.items or plan.to_csr() instead of plan.decisions")
        table.setflags(write=False)
        return table

    def to_csr(self) -> csr_array:
        """The decisions as a sparse table, shape (k, d).

        Returns
        -------
        scipy.sparse.csr_array
            True where a decision (row) contains an item (column).

        Raises
        ------
        TooManyDecisionsError
            If the items of all decisions together take more than 1 GB.
        """
        return self.items.to_csr()

    def __len__(self) -> int:
        return len(self.rates)

    def __repr__(self) -> str:
        return f"ExplorationPlan({plan_words(self)}, d={self.items.d})"

    def _repr_html_(self) -> str:
        """The top of the plan as a table, for notebooks."""
        return plan_html(self)

    def to_frame(self, labels: Sequence[str] | None = None) -> DataFrame:
        """The plan as a pandas frame.

        Parameters
        ----------
        labels : sequence of str, length d, optional
            Names of the items; by default those of the decision set.

        Returns
        -------
        DataFrame
            One row a decision, most played first: rate (plays per ln T), gap (expected loss of one play), share of C(theta),
            items (a tuple of labels), and text, the changes to the best decision. A plan that was not made by `graves_lai`
            has the rates and the numbers of the items only.

        Raises
        ------
        SemibanditsError
            If pandas is not installed.
        InvalidInputError
            If the number of labels is not d.
        TooManyDecisionsError
            If the items of all decisions, listed, take more than 1 GB.
        """
        return new_frame(plan_columns(self, labels))

    @property
    def item_rates(self) -> FloatArray:
        """Plays of each item per ln T, shape (d,)."""
        return self.items.totals(self.rates)


@dataclass(frozen=True, eq=False)
class GravesLaiResult:
    """Certified solution of the Graves-Lai problem: ``lower <= C(theta) <= value``.

    Attributes
    ----------
    value : float
        Cost of the feasible plan `plan`, an upper bound on C(theta), in regret per ln T.
    lower : float
        Certified lower bound on C(theta).
    status : Status
        Reason why the solver stopped.
    method : str
        ``"closed-form"``, ``"cycles"``, ``"columns"``, ``"glpg"`` or ``"enumeration"``.
    plan : ExplorationPlan
        Suboptimal decisions to play and their rates; empty if all decisions are optimal.
    optimal_decision : ndarray of bool, shape (d,)
        The optimal decision x*.
    suboptimal_items : ndarray of bool, shape (d,)
        The set I: items that are in some decision and in no optimal one. Empty where it is not known, if `value` is infinite.
    decision_set : DecisionSet
        X.
    theta, variance : ndarray of float, shape (d,)
        Mean rewards, and variances of the rewards. With Bernoulli rewards the variances are not used; they are 1/4, the value
        passed to policies.
    stats : mapping
        Rounds, cycles, seconds. For information only.
    law : Law
        The law of the rewards, independent across items.
    tie_tolerance : float
        Tolerance at which decisions tie, see :func:`graves_lai`.
    features : ndarray of float, shape (d, k), or None
        Columns that the means are known to be linear in: of ones, and of the features, centred and scaled. None without.

    Notes
    -----
    Returned by :func:`graves_lai`, whose notes contain the sources.

    Examples
    --------
    >>> bound = sb.graves_lai(sb.MSets(4, 2), [0.9, 0.8, 0.5, 0.3])  # two of four articles
    >>> bound.lower <= bound.value, round(bound.value, 3), str(bound.status), bound.method
    (True, 5.333, 'optimal', 'closed-form')
    >>> bound.optimal_decision.tolist()
    [True, True, False, False]
    >>> bound.rates.round(2).tolist()  # exploration plays of each article per ln T
    [15.11, 0.0, 11.11, 4.0]
    >>> print(bound.summary(labels=["news", "sport", "weather", "chess"], unit="clicks"))
    Best set    news, sport
    Its reward  1.7 clicks
    C(θ)        5.33333 clicks per ln T
    Certified   C(θ) = 5.33333
    Plan        2 sets to explore, 15.11 plays per ln T in all
      11.11 plays per ln T, gap 0.3 clicks, 62.5% of C(θ): + weather  − sport
          4 plays per ln T, gap 0.5 clicks, 37.5% of C(θ): + chess  − sport
    >>> sb.GravesLaiResult.from_json(bound.to_json()).value == bound.value
    True
    """

    value: float
    lower: float
    status: Status
    method: str
    plan: ExplorationPlan
    optimal_decision: BoolArray
    suboptimal_items: BoolArray
    decision_set: DecisionSet
    theta: FloatArray
    variance: FloatArray
    stats: Mapping[str, float]
    law: Law = field(default=Gaussian(), kw_only=True)
    tie_tolerance: float = field(default=TIE_TOLERANCE, kw_only=True)
    features: FloatArray | None = field(default=None, kw_only=True)
    _memory: Memory | DecisionMemory | None = field(default=None, repr=False, kw_only=True)
    """Data for a warm start of a later solve."""

    def __post_init__(self) -> None:
        problem = PlanProblem(self.decision_set, self.optimal_decision, self.theta, self.value)
        items = self.plan.items.on(self.optimal_decision)
        object.__setattr__(self, "plan", ExplorationPlan(items, self.plan.rates, _problem=problem))

    def __repr__(self) -> str:
        return result_repr(self)

    def _repr_html_(self) -> str:
        """The bound and the top of its plan as tables, for notebooks."""
        return result_html(self)

    def summary(self, labels: Sequence[str] | None = None, *, unit: str = "", top: int = TOP) -> str:
        """The best decision, C(theta) with its certificate, and the top of the plan, as a text of a few lines.

        Parameters
        ----------
        labels : sequence of str, length d, optional
            Names of the items; by default those of the decision set.
        unit : str
            Unit of the rewards, such as "minutes".
        top : int
            Number of decisions of the plan to show, as changes to the best decision, most played first.

        Returns
        -------
        str
            The reward of the best decision is shown as a cost, a positive number, if no mean reward is positive.

        Raises
        ------
        InvalidInputError
            If the number of labels is not d.
        """
        return summary_text(self, Wording.of(self, labels, unit), top)

    def to_frame(self, labels: Sequence[str] | None = None) -> DataFrame:
        """The items as a pandas frame; ``plan.to_frame()`` has the decisions of the plan.

        Parameters
        ----------
        labels : sequence of str, length d, optional
            Names of the items; by default those of the decision set.

        Returns
        -------
        DataFrame
            One row an item: label, theta, variance, rate (plays per ln T), optimal (whether it is in the best decision), and
            suboptimal (whether it is in some decision and in no optimal one).

        Raises
        ------
        SemibanditsError
            If pandas is not installed.
        InvalidInputError
            If the number of labels is not d.
        """
        return new_frame(bound_columns(self, labels))

    @property
    def costs(self) -> FloatArray:
        """Mean cost of each item, shape (d,): minus `theta`."""
        return negated(self.theta)

    @cached_property
    def ties(self) -> BoolArray:
        """Decisions that tie with the optimal one, as far as they lack one of its items and are the best ones without it.

        Bool, shape (k, d); empty if the optimal decision is unique or has more than 200 items.
        """
        return decisions_that_tie(self.decision_set, self.theta, self.optimal_decision, self.tie_tolerance)

    @property
    def gap(self) -> float:
        """Relative width of the bracket, ``(value - lower) / value``; 0 if value is 0, 1 if it is infinite."""
        if not math.isfinite(self.value):
            return 1.0
        return (self.value - self.lower) / self.value if self.value else 0.0

    @property
    def rewards(self) -> str:
        """Name of the law: "gaussian", "bernoulli", "poisson", ..."""
        return self.law.name

    @property
    def rates(self) -> FloatArray:
        """Exploration plays of each item per ln T, shape (d,): ``plan.rates @ plan.decisions``."""
        return self.plan.item_rates

    @property
    def plan_gaps(self) -> FloatArray:
        """Gap of each decision in the plan, shape (k,): the expected loss of playing it once."""
        return gaps_below(self.optimal_decision, self.plan.items, self.theta)

    def to_json(self) -> dict[str, Any]:
        """Convert the bound and its problem to plain JSON, which :meth:`from_json` reads.

        Returns
        -------
        dict
            For :func:`json.dumps`: ``decision_set``, ``theta``, ``variance``, ``lower``, ``value`` (null if infinite),
            ``status``, ``method``, the law, ``optimal`` and ``suboptimal_items`` by number, and the ``plan`` with the items, gap
            and rate of each decision, most played first.

        Raises
        ------
        UnsupportedError
            If the decision set is user-defined or has labels that cannot be converted.
        TooManyDecisionsError
            If the items of all decisions of the plan, listed, take more than 1 GB.
        """
        from semibandits.regret_bound.json_form import result_to_json

        return result_to_json(self)

    @staticmethod
    def from_json(payload: object, decision_set: DecisionSet | None = None) -> GravesLaiResult:
        """Restore a bound from the output of :meth:`to_json`.

        Parameters
        ----------
        payload : mapping
            The JSON object.
        decision_set : DecisionSet, optional
            The decision set to use; by default it is rebuilt from the payload.

        Returns
        -------
        GravesLaiResult
            Identical to the original, except that it does not speed up a later solve as `warm_start`.

        Raises
        ------
        InvalidInputError
            If the payload is incomplete or inconsistent, or its law is your own. The bracket itself is not verified again.
        """
        from semibandits.regret_bound.json_form import result_from_json

        return result_from_json(payload, decision_set)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        labels: Sequence[str] | Mapping[Hashable, str] | None = None,
        positions: Mapping[Hashable, tuple[float, float]] | None = None,
        geographic: bool = False,
        unit: str = "",
        title: str | None = None,
    ) -> Axes:
        """Draw the plan; see :func:`semibandits.plotting.plot_plan` for the parameters."""
        from semibandits.plotting import plot_plan

        return plot_plan(self, ax=ax, labels=labels, positions=positions, geographic=geographic, unit=unit, title=title)


@dataclass(frozen=True)
class Progress:
    """Current bracket of a running solve: ``lower <= C(theta) <= value`` (the upper bound is verified at the end)."""

    round: int
    cycles: int
    lower: float
    value: float
    seconds: float

    @property
    def gap(self) -> float:
        """Relative width of the bracket."""
        return (self.value - self.lower) / self.value if self.value and np.isfinite(self.value) else 1.0
