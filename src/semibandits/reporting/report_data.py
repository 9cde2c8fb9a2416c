"""What a report is about: decisions, a bound, a simulation, checked against each other."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits._validation import check_entries
from semibandits.datasets.base import Dataset
from semibandits.decisions.base import LARGEST_NUMBER, DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.families.description import fingerprint
from semibandits.laws.plain import title
from semibandits.regret_bound.result import GravesLaiResult
from semibandits.rewards._digest import described
from semibandits.simulation.results import SimulationResult

TIES = 1e-12
"""Decisions whose rewards differ by at most this, times m max|theta|, are as good as each other."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Structure:
    """What may be decided, in the words of people.

    Attributes
    ----------
    family : str
        One of the keys of :data:`semibandits.families.registry.FAMILIES`.
    decision_set : DecisionSet
        The set X of decisions.
    labels : tuple of str, length d
        How each item is called.
    positions : mapping from node to (x, y), or None
        Where the nodes of a graph lie.
    geographic : bool
        Whether `positions` are longitude and latitude in degrees.
    description : mapping
        The JSON form of the instance, where the names of groups stand; empty if there is none.
    """

    family: str
    decision_set: DecisionSet
    labels: tuple[str, ...]
    positions: Mapping[Hashable, tuple[float, float]] | None = None
    geographic: bool = False
    description: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, kw_only=True)
class Bracket:
    """Bounds on C(theta), from a solver or from a simulation, which keeps only part of the result.

    Attributes
    ----------
    lower, value : float
        The bounds; `value` is infinite if no plan was found.
    suboptimal : ndarray of bool, shape (d,), or None
        Items that belong to some decision but to no optimal one.
    rates : ndarray of float, shape (d,), or None
        Exploration plays of each item per ln T.
    rewards : str
        What the law of the rewards is called for which it is the bound, see :func:`semibandits.laws.plain.title`.
    result : GravesLaiResult or None
        Full result of the solver, if available.
    """

    lower: float
    value: float
    suboptimal: BoolArray | None = None
    rates: FloatArray | None = None
    rewards: str = "gaussian"
    result: GravesLaiResult | None = None

    @property
    def gap(self) -> float:
        """Relative width; infinite without a plan."""
        if not math.isfinite(self.value):
            return math.inf
        return (self.value - self.lower) / self.value if self.value else 0.0

    @property
    def has_plan(self) -> bool:
        """Whether the decisions of the plan are known."""
        return self.result is not None and math.isfinite(self.value)

    @staticmethod
    def of(result: GravesLaiResult) -> Bracket:
        """What a solver found."""
        finite = math.isfinite(result.value)
        return Bracket(
            lower=result.lower,
            value=result.value,
            suboptimal=result.suboptimal_items if finite else None,
            rates=result.rates if finite else None,
            rewards=title(result.law),
            result=result,
        )


@dataclass(frozen=True, kw_only=True)
class About:
    """Where the numbers come from, ``""`` for what is not known."""

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
    """All that a report is made from; `checked` says whether the parts belong together.

    Attributes
    ----------
    title, unit, note : str
        What it is called, the unit of the rewards, and where the numbers come from.
    labels : tuple of str, length d
        How each item is called.
    structure : Structure or None
        What may be decided; None where only a simulation is known.
    theta, variance : ndarray of float, shape (d,), or None
        Mean rewards and their variances.
    bound : Bracket or None
        What is known of C(theta).
    simulation : SimulationResult or None
        What policies did.
    applies : bool
        Whether C(theta) ln T bounds the regret under the rewards that were played: it was computed for their law.
    seconds : mapping from policy to float
        Mean time of a replication, as far as it is known.
    about : About
        What is known of a dataset.
    study : str
        The study file that repeats the run, ``""`` if there is none.
    count : int or None
        Number of decisions; None where it is not known yet.
    missing : tuple of str
        What the report could not show, and why.
    """

    title: str
    unit: str
    note: str
    labels: tuple[str, ...]
    structure: Structure | None
    theta: FloatArray | None
    variance: FloatArray | None
    bound: Bracket | None
    simulation: SimulationResult | None
    applies: bool = True
    seconds: Mapping[str, float] = field(default_factory=dict)
    about: About = field(default_factory=About)
    study: str = ""
    count: int | None = None
    missing: tuple[str, ...] = ()

    @property
    def best(self) -> BoolArray | None:
        """The optimal decision, shape (d,); None where it cannot be known."""
        if self.bound is not None and self.bound.result is not None:
            return self.bound.result.optimal_decision
        if self.structure is None or self.theta is None:
            return None
        return self.structure.decision_set.maximize(self.theta)


def law(simulation: SimulationResult) -> str | None:
    """What the law of the rewards that were played is called, if C(theta) is known for it."""
    known = simulation.law
    if known is not None:
        return title(known)
    told = _mapping(simulation.provenance.get("law"))
    return None if simulation.lower_bound is None else str(told.get("name", "gaussian"))


def recorded_rewards(simulation: SimulationResult) -> Mapping[str, Any]:
    """What a simulation says of its rewards: ``name`` and ``parameters``; empty if it says nothing."""
    return _mapping(specification(simulation).get("rewards"))


def specification(simulation: SimulationResult) -> Mapping[str, Any]:
    """What a simulation says of itself, empty if it says nothing."""
    return _mapping(simulation.provenance.get("specification"))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def check_simulation(simulation: SimulationResult, structure: Structure) -> None:
    """Raise an error if a simulation has other decisions.

    Raises
    ------
    InvalidInputError
        If it has other items, or says that its decision set is another.
    """
    decisions = structure.decision_set
    remedy = "pass results of the same problem"
    if len(simulation.items) != decisions.d:
        raise InvalidInputError(
            f"the simulation must be one of these decisions over d = {decisions.d} items, got one over "
            f"{len(simulation.items)}: {remedy}"
        )
    told = _mapping(specification(simulation).get("decision_set")).get("fingerprint")
    if told is not None and told != fingerprint(decisions):
        raise InvalidInputError(
            f"the simulation must be one of these decisions, got one of other {structure.family}: {remedy}"
        )


def check_means(simulation: SimulationResult, theta: FloatArray | None, variance: FloatArray | None) -> None:
    """Raise an error if a simulation says that its rewards have other means, or if Gaussian, other variances.

    Raises
    ------
    InvalidInputError
        If so.
    """
    rewards = recorded_rewards(simulation)
    told = _mapping(rewards.get("parameters"))
    if theta is not None and "theta" in told and told["theta"] != described(theta):
        raise InvalidInputError(
            "the simulation must have the mean rewards of the instance and the bound, but they differ: "
            "pass results of the same problem"
        )
    if variance is None or rewards.get("name") != "GaussianRewards" or "variance" not in told:
        return
    if not _agrees(told["variance"], variance):
        raise InvalidInputError(
            "the simulation must have the variances of the instance and the bound, but they differ: "
            "pass results of the same problem"
        )


def _agrees(told: object, variance: FloatArray) -> bool:
    """Whether a scalar, list or digest stands for these variances."""
    return bool((variance == told).all()) if _is_number(told) else told == described(variance)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def recorded_means(simulation: SimulationResult) -> FloatArray | None:
    """Mean rewards as far as a simulation keeps them; it has a digest of long lists."""
    told = _mapping(recorded_rewards(simulation).get("parameters")).get("theta")
    if not isinstance(told, list) or len(told) != len(simulation.items) or not all(map(_is_number, told)):
        return None
    return np.array(told, dtype=np.float64)


def same_problem(
    first: tuple[DecisionSet, FloatArray, FloatArray], second: tuple[DecisionSet, FloatArray, FloatArray]
) -> str:
    """What two problems differ in, ``""`` if in nothing: decisions, mean rewards or variances."""
    if first[0] is not second[0] and (first[0].d != second[0].d or fingerprint(first[0]) != fingerprint(second[0])):
        return "decisions"
    if not np.array_equal(first[1], second[1]):
        return "mean rewards"
    return "" if np.array_equal(first[2], second[2]) else "variances"


def bound_of_simulation(simulation: SimulationResult) -> Bracket | None:
    """The bound that a simulation brings along."""
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
    structure: Structure | None,
    theta: FloatArray | None,
    variance: FloatArray | None,
    bound: Bracket | None,
    simulation: SimulationResult | None,
    applies: bool = True,
    **rest: Any,
) -> ReportData:
    """ReportData whose parts belong together.

    Parameters
    ----------
    structure, theta, variance, bound, simulation
        As in :class:`ReportData`; at least one of structure and simulation is there.
    applies : bool
        Whether the bound is said to hold for the rewards that were played; it does not where these are seen to be others.
    **rest
        The other fields of :class:`ReportData`; labels and title are found if they are not among them.

    Raises
    ------
    InvalidInputError
        If two parts contradict each other.
    """
    _check_sizes(theta, variance, bound, simulation)
    is_other = False
    if simulation is not None:
        if structure is not None:
            check_simulation(simulation, structure)
        is_other = bound is not None and bound.rewards != law(simulation)
        applies = applies and law(simulation) is not None and not is_other
        check_means(simulation, theta, variance if applies else None)
        theta = recorded_means(simulation) if theta is None else theta
    if bound is not None:
        assert structure is not None
        _check_bound(bound, structure.decision_set, theta, simulation if applies else None)
    own = None if simulation is None else bound_of_simulation(simulation)
    if is_other and bound is not None and (own is not None or bound.rewards != "gaussian"):
        bound = None  # of no interest beside the own one, nor for rewards of another law
    if bound is None and simulation is not None:
        bound, applies = own, law(simulation) is not None
    labels = structure.labels if structure is not None else simulation.items if simulation is not None else ()
    return ReportData(
        **{"title": "Simulation", "unit": "", "note": "", "labels": tuple(labels)} | rest,
        structure=structure,
        theta=theta,
        variance=variance,
        bound=bound,
        simulation=simulation,
        applies=applies,
    )


def _check_sizes(
    theta: FloatArray | None, variance: FloatArray | None, bound: Bracket | None, simulation: SimulationResult | None
) -> None:
    """Reject numbers whose sums and products might overflow."""
    arrays: dict[str, Any] = {"mean rewards": theta, "variances": variance}
    if bound is not None:
        arrays |= {"C(theta)": [bound.lower, bound.value if math.isfinite(bound.value) else 0.0], "rates": bound.rates}
        arrays["rates of the plan"] = None if bound.result is None else bound.result.plan.rates
    for policy in () if simulation is None else simulation.policies:
        assert simulation is not None
        arrays[f"regret of {policy}"] = simulation.regret[policy]
    for name, values in arrays.items():
        if values is not None:
            numbers = np.asarray(values, dtype=np.float64)
            check_entries(name, f"at most {LARGEST_NUMBER:g} in size", numbers, np.abs(numbers) <= LARGEST_NUMBER)


def _check_bound(
    bound: Bracket, decisions: DecisionSet, theta: FloatArray | None, simulation: SimulationResult | None
) -> None:
    """Reject a bound whose optimal decision is not the best one, or which contradicts that of the simulation."""
    if bound.result is not None and theta is not None:
        optimal = bound.result.optimal_decision
        best = float(theta[decisions.maximize(theta)].sum())
        forgiven = 1e-9 * decisions.m * float(np.abs(theta).max())
        if optimal not in decisions or float(theta[optimal].sum()) < best - forgiven:
            raise InvalidInputError(
                "the optimal decision of the bound must be a best one, got another: compute the bound again"
            )
    other = None if simulation is None else simulation.lower_bound_interval
    if other is not None and (bound.lower > other[1] * (1 + 1e-9) or other[0] > bound.value * (1 + 1e-9)):
        raise InvalidInputError(
            f"the bound must agree with that of the simulation, from {other[0]:g} to {other[1]:g}, got one from "
            f"{bound.lower:g} to {bound.value:g}: pass results of the same problem"
        )
