"""The data of a report: decisions, a bound and a simulation, checked against each other."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import LARGEST_NUMBER, DecisionSet
from semibandits.decisions.ties import Ties
from semibandits.errors import InvalidInputError
from semibandits.families.description import fingerprint
from semibandits.inputs.validation import check_entries
from semibandits.instances import Instance
from semibandits.laws.plain import title
from semibandits.regret_bound.result import GravesLaiResult
from semibandits.rewards._digest import described
from semibandits.simulation._checks import is_number
from semibandits.simulation.results import SimulationResult, recorded, summaries
from semibandits.simulation.statistics import PolicySummary
from semibandits_studies.datasets.base import Dataset


@dataclass(frozen=True, eq=False, kw_only=True)
class Structure:
    """A decision set with its names."""

    family: str  # one of the keys of `semibandits.families.registry.FAMILIES`
    decision_set: DecisionSet
    labels: tuple[str, ...]  # names of the items, length d
    positions: Mapping[Hashable, tuple[float, float]] | None = None  # of the nodes of a graph
    geographic: bool = False  # whether `positions` are longitude and latitude in degrees
    # The JSON form of the instance, with the names of groups; empty if unknown.
    description: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, kw_only=True)
class Bracket:
    """A bracket of C(theta), from a solver or from a simulation, which keeps only part of the result."""

    lower: float
    value: float  # infinite if no plan was found
    suboptimal: BoolArray | None = None  # (d,): items that belong to some decision but to no optimal one
    rates: FloatArray | None = None  # (d,): exploration plays of each item per ln T
    rewards: str = "gaussian"  # name of the law of the rewards that it bounds, see `semibandits.laws.plain.title`
    result: GravesLaiResult | None = None  # full result of the solver, if available

    @property
    def gap(self) -> float:
        """Relative width; infinite without a plan."""
        if not math.isfinite(self.value):
            return math.inf
        return (self.value - self.lower) / self.value if self.value else 0.0

    @property
    def has_plan(self) -> bool:
        """Whether the plan is known."""
        return self.result is not None and math.isfinite(self.value)

    @staticmethod
    def of(result: GravesLaiResult) -> Bracket:
        """The bracket of a solver."""
        finite = math.isfinite(result.value)
        return Bracket(
            lower=result.lower,
            value=result.value,
            suboptimal=result.suboptimal_items if finite else None,
            rates=result.rates if finite else None,
            rewards=title(result.law),
            result=result,
        )


OTHER_LAW: Final = "The simulated rewards follow another law, for which it bounds nothing."


@dataclass(frozen=True, kw_only=True)
class About:
    """Origin of the numbers; unknown fields are ``""``."""

    title: str = ""
    question: str = ""
    origin: str = ""
    provenance: str = ""
    licence: str = ""

    @staticmethod
    def of(dataset: Dataset) -> About:
        """Information about a dataset."""
        return About(
            title=dataset.instance.name,
            question=dataset.question,
            origin=dataset.origin,
            provenance=dataset.provenance,
            licence=dataset.licence,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ReportData:
    """Everything that a report shows. Use `assembled` to check that the parts belong to the same problem."""

    title: str
    unit: str  # of the rewards
    note: str  # on the numbers
    labels: tuple[str, ...]  # names of the items, length d
    structure: Structure | None  # None if only a simulation is known
    theta: FloatArray | None  # (d,): mean rewards
    variance: FloatArray | None  # (d,): variances of the rewards
    bound: Bracket | None
    simulation: SimulationResult | None
    # Whether C(theta) ln T bounds the regret under the simulated rewards, that is, was computed for their law.
    applies: bool = True
    # Mean time of a replication, for the policies for which it is known.
    seconds: Mapping[str, float] = field(default_factory=dict)
    about: About = field(default_factory=About)
    study: str = ""  # the study file that repeats the run, or ""
    count: int | None = None  # number of decisions; None if not yet known
    missing: tuple[str, ...] = ()  # parts that the report cannot show, with the reasons

    @property
    def best(self) -> BoolArray | None:
        """The optimal decision, shape (d,), or None if unknown."""
        if self.bound is not None and self.bound.result is not None:
            return self.bound.result.optimal_decision
        if self.structure is None or self.theta is None:
            return None
        return self.structure.decision_set.maximize(self.theta)

    @property
    def in_costs(self) -> bool:
        """Whether the rewards are minus costs: they were given as costs, or no mean reward is positive and some are negative."""
        if self.structure is not None and "costs" in self.structure.description:
            return True
        return self.theta is not None and bool((self.theta <= 0.0).all() and (self.theta < 0.0).any())

    @property
    def exception(self) -> str:
        """Why the bound is none for what was played, in a sentence; "" if it is one."""
        if self.applies:
            return ""
        if self.simulation is not None and law(self.simulation) == "gaussian" and "no_bound" in self.simulation.provenance:
            return f"Policies with features may lose less: {self.simulation.provenance['no_bound']}."
        return OTHER_LAW

    @property
    def summaries(self) -> list[PolicySummary]:
        """Regret, slope and calls of each policy, with ratios only to a bound that applies."""
        lower = self.bound.lower if self.bound is not None and self.applies else None
        return [] if self.simulation is None else summaries(self.simulation, lower)


def law(simulation: SimulationResult) -> str | None:
    """Name of the law of the simulated rewards, or None if C(theta) is not known for it."""
    if simulation.law is not None:
        return title(simulation.law)
    return None if simulation.lower_bound is None else str(recorded(simulation, "law").get("name", "gaussian"))


def _check_simulation(simulation: SimulationResult, structure: Structure) -> None:
    """Reject a simulation over another number of items, or of another recorded decision set."""
    decisions = structure.decision_set
    wrong = f"over {len(simulation.items)}" if len(simulation.items) != decisions.d else ""
    known = recorded(simulation, "specification", "decision_set").get("fingerprint")
    if not wrong and known is not None and known != fingerprint(decisions):
        wrong = f"of other {structure.family}"
    if wrong:
        raise InvalidInputError(
            f"the simulation must have the given decisions over d = {decisions.d} items, got one {wrong}: "
            "pass results of the same problem"
        )


def _check_means(simulation: SimulationResult, theta: FloatArray | None, variance: FloatArray | None) -> None:
    """Reject other recorded means of the rewards of a simulation and, if they are Gaussian, other variances."""
    known = recorded(simulation, "specification", "rewards", "parameters")
    is_gaussian = recorded(simulation, "specification", "rewards").get("name") == "GaussianRewards"
    wrong = ""
    if theta is not None and "theta" in known and known["theta"] != described(theta):
        wrong = "mean rewards"
    elif variance is not None and is_gaussian and "variance" in known:
        one = known["variance"]  # a scalar, a list or a digest
        wrong = "" if ((variance == one).all() if is_number(one) else one == described(variance)) else "variances"
    if wrong:
        raise InvalidInputError(
            f"the simulation must have the {wrong} of the instance and the bound, but they differ: "
            "pass results of the same problem"
        )


def _recorded_means(simulation: SimulationResult) -> FloatArray | None:
    """Recorded mean rewards of a simulation; None if not recorded, or only as the digest of a long list."""
    means = recorded(simulation, "specification", "rewards", "parameters").get("theta")
    if not isinstance(means, list) or len(means) != len(simulation.items) or not all(map(is_number, means)):
        return None
    return np.array(means, dtype=np.float64)


def same_problem(first: Instance, second: Instance | GravesLaiResult, *, may_vary: bool) -> str:
    """The first difference of two problems: decisions, means or, unless they may vary, variances; ``""`` if there is none."""
    one, other = first.decision_set, second.decision_set
    if one is not other and (one.d != other.d or fingerprint(one) != fingerprint(other)):
        return "decisions"
    if not np.array_equal(first.theta, second.theta):
        return "mean rewards"
    return "" if may_vary or np.array_equal(first.variance, second.variance) else "variances"


def bound_of_simulation(simulation: SimulationResult) -> Bracket | None:
    """The bound that is stored in a simulation."""
    if simulation.lower_bound_interval is None:
        return None
    lower, value = simulation.lower_bound_interval
    return Bracket(
        lower=lower,
        value=value,
        suboptimal=simulation.suboptimal_items,
        rates=simulation.rates,
        rewards=law(simulation) or "gaussian",
    )


def assembled(
    *,
    structure: Structure | None = None,
    theta: FloatArray | None = None,
    variance: FloatArray | None = None,
    bound: GravesLaiResult | None = None,
    simulation: SimulationResult | None = None,
    applies: bool = True,
    **rest: Any,
) -> ReportData:
    """Check that the parts belong to the same problem, and combine them; a structure or a simulation must be given.

    `applies`: whether the bound is meant for the simulated rewards; it is not used for rewards that turn out to differ. `rest`
    are the other fields of :class:`ReportData`; labels and title have defaults.
    """
    known = None if bound is None else Bracket.of(bound)
    _check_sizes(theta, variance, known, simulation)
    is_foreign = False
    if simulation is not None:
        if structure is not None:
            _check_simulation(simulation, structure)
        is_foreign = known is not None and known.rewards != law(simulation)
        applies = applies and law(simulation) is not None and not is_foreign
        _check_means(simulation, theta, variance if applies else None)
        theta = _recorded_means(simulation) if theta is None else theta
    if known is not None:
        assert structure is not None
        _check_bound(known, structure.decision_set, theta, simulation if applies else None)
    own = None if simulation is None else bound_of_simulation(simulation)
    if is_foreign and known is not None and (own is not None or known.rewards != "gaussian"):
        known = None  # useless beside the bound of the simulation, or for rewards of another law
    if known is None and simulation is not None:
        known, applies = own, law(simulation) is not None
    labels = structure.labels if structure is not None else simulation.items if simulation is not None else ()
    return ReportData(
        **{"title": "Simulation", "unit": "", "note": "", "labels": tuple(labels)} | rest,
        structure=structure,
        theta=theta,
        variance=variance,
        bound=known,
        simulation=simulation,
        applies=applies,
    )


def _check_sizes(
    theta: FloatArray | None, variance: FloatArray | None, bound: Bracket | None, simulation: SimulationResult | None
) -> None:
    """Reject numbers whose sums and products may overflow."""
    arrays: dict[str, Any] = {"mean rewards": theta, "variances": variance}
    if bound is not None:
        arrays |= {"C(theta)": [bound.lower, bound.value if math.isfinite(bound.value) else 0.0], "rates": bound.rates}
        arrays["rates of the plan"] = bound.result and bound.result.plan.rates
    if simulation is not None:
        arrays |= {f"regret of {policy}": regret for policy, regret in simulation.regret.items()}
    for name, values in arrays.items():
        if values is not None:
            numbers = np.asarray(values, dtype=np.float64)
            check_entries(name, f"at most {LARGEST_NUMBER:g} in size", numbers, np.abs(numbers) <= LARGEST_NUMBER)


def _check_bound(bound: Bracket, decisions: DecisionSet, theta: FloatArray | None, simulation: SimulationResult | None) -> None:
    """Reject a bound whose optimal decision is not optimal, or which contradicts that of the simulation."""
    if bound.result is not None and theta is not None:
        optimal = bound.result.optimal_decision
        best = decisions.maximize(theta)
        gap = np.array([math.fsum([*theta[best & ~optimal], *-theta[optimal & ~best]])])
        if optimal not in decisions or not Ties.of(theta, best, decisions.m, 1e-9).with_best(best, optimal[None], gap)[0]:
            raise InvalidInputError(
                "the optimal decision of the bound must be optimal, got a worse one or an invalid one: compute the bound again"
            )
    other = None if simulation is None else simulation.lower_bound_interval
    if other is not None and (bound.lower > other[1] * (1 + 1e-9) or other[0] > bound.value * (1 + 1e-9)):
        raise InvalidInputError(
            f"the bound must agree with that of the simulation, from {other[0]:g} to {other[1]:g}, got one from "
            f"{bound.lower:g} to {bound.value:g}: pass results of the same problem"
        )
