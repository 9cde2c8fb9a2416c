"""Conversion of bounds to and from plain JSON."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits._version import __version__
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.lists import Decisions
from semibandits.decisions.ties import TIE_TOLERANCE
from semibandits.errors import InvalidInputError
from semibandits.families.description import describe, rebuild
from semibandits.inputs.fields import Fields, as_integers, as_list, as_numbers, kind_of
from semibandits.inputs.validation import check_choice, check_entries, check_shape, item_vector, variance_vector
from semibandits.laws import Bernoulli, Gaussian, Law, law_from
from semibandits.laws.plain import plain, text
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult, Status


def result_to_json(result: GravesLaiResult) -> dict[str, Any]:
    """Convert a bound and its problem; see :meth:`GravesLaiResult.to_json`."""
    return {
        "semibandits": __version__,
        "decision_set": describe(result.decision_set),
        "theta": result.theta.tolist(),
        "variance": result.variance.tolist(),
        **solution_to_json(result),
    }


def result_from_json(payload: object, decision_set: DecisionSet | None = None) -> GravesLaiResult:
    """Inverse of :func:`result_to_json`; see :meth:`GravesLaiResult.from_json`."""
    fields = Fields(payload, "the bound")
    theta = as_numbers(fields.take("theta"), "theta")
    if decision_set is None:
        description = fields.take("decision_set")
        if not isinstance(description, Mapping):
            raise InvalidInputError(f"decision_set must be an object, got {kind_of(description)}: pass it unchanged")
        decision_set = rebuild(description, len(theta))
    variance = variance_vector(as_numbers(fields.take("variance"), "variance"), decision_set)
    return solution_from_json(payload, decision_set, item_vector(theta, decision_set, "theta"), variance, "the bound")


def solution_to_json(result: GravesLaiResult) -> dict[str, Any]:
    """Convert the bracket, the plan, the law and the features, but not the decision set and the means."""
    plan, gaps = result.plan, result.plan_gaps
    plan.items.check_listing()
    return {
        "value": finite_or_none(result.value),
        "lower": finite_or_none(result.lower),
        "gap": finite_or_none(result.gap),
        "status": str(result.status),
        "method": result.method,
        **law_to_json(result.law),
        **({} if result.features is None else {"features": result.features.tolist()}),
        **({} if result.tie_tolerance == TIE_TOLERANCE else {"tie_tolerance": result.tie_tolerance}),
        "optimal": {"indices": np.flatnonzero(result.optimal_decision).tolist()},
        "suboptimal_items": np.flatnonzero(result.suboptimal_items).tolist(),
        "rates": result.rates.tolist(),
        "plan": [
            {"indices": plan.items[k].tolist(), "gap": float(gaps[k]), "rate": float(plan.rates[k])} for k in range(len(plan))
        ],
        "stats": {key: finite_or_none(value) for key, value in result.stats.items()},
    }


def law_to_json(law: Law) -> dict[str, Any]:
    """The name of a law, and the law in full unless its name and the variances determine it."""
    named = law.is_quadratic or law == Bernoulli()
    return {"rewards": law.name, **({} if named else {"law": plain(law) or {"name": text(law)}})}


def solution_from_json(
    payload: object, decision_set: DecisionSet, theta: FloatArray, variance: FloatArray, name: str
) -> GravesLaiResult:
    """Inverse of :func:`solution_to_json`, with all validation that needs no solver. `name` is that of the object in error
    messages. `InvalidInputError` or `OverflowError` if something is missing, invalid, or inconsistent with the problem.
    """
    fields, d = Fields(payload, name), decision_set.d
    value = fields.take("value")
    lower, upper = as_numbers([fields.take("lower"), math.inf if value is None else value], "lower and value")
    if not 0 <= lower <= upper or math.isinf(lower):
        raise InvalidInputError(f"lower must be from 0 to value = {upper}, got {lower}")
    status = fields.text("status")
    check_choice(status, list(Status), "status", "pass it unchanged")
    rates = np.array(as_numbers(fields.take("rates"), "rates"), dtype=np.float64)
    check_shape(rates, (d,), "(d,)", "rates", "pass one number per item")
    check_entries("rates", "finite and at least 0", rates, (rates >= 0) & (rates < math.inf))
    optimal = _mask(Fields(fields.take("optimal"), "optimal").take("indices"), d, "optimal")
    plan = _plan(fields.sequence("plan"), decision_set, optimal)
    return GravesLaiResult(
        value=float(upper),
        lower=float(lower),
        status=Status(status),
        method=fields.text("method"),
        plan=plan if math.isfinite(upper) else ExplorationPlan(Decisions.empty(d), np.empty(0)),
        optimal_decision=optimal,
        suboptimal_items=_mask(fields.take("suboptimal_items"), d, "suboptimal_items"),
        decision_set=decision_set,
        theta=theta,
        variance=variance,
        stats=_stats(fields.take("stats", {})),
        law=_law_of(fields, theta, variance),
        tie_tolerance=as_numbers([fields.take("tie_tolerance", TIE_TOLERANCE)], "tie_tolerance")[0],
        features=_features(fields, d),
    )


def finite_or_none(value: float) -> float | None:
    """Replace non-finite values by None, since JSON has no infinity."""
    return value if math.isfinite(value) else None


def _law_of(fields: Fields, theta: FloatArray, variance: FloatArray) -> Law:
    """Read the law, which must be built-in and allow the means."""
    description = fields.take("law", None)
    rewards = fields.text("rewards", "gaussian")
    law = law_from(rewards if description is None else description)
    law = Gaussian(variance) if description is None and isinstance(law, Gaussian) else law
    law.check(theta)
    return law


def _features(fields: Fields, d: int) -> FloatArray | None:
    """Read the features, one row an item, if there are any."""
    given = fields.take("features", None)
    if given is None:
        return None
    rows = [as_numbers(row, "features") for row in as_list(given, "features")]
    widths = {len(row) for row in rows}
    if len(rows) != d or len(widths) != 1:
        raise InvalidInputError(
            f"features must have {d} rows of one length, got {len(rows)} of {sorted(widths)}: pass them unchanged"
        )
    return np.array(rows, dtype=np.float64)


def _stats(stats: object) -> Mapping[str, float]:
    if not isinstance(stats, Mapping):
        raise InvalidInputError(f"stats must be an object, got {kind_of(stats)}")
    known = {str(key): value for key, value in stats.items() if value is not None}
    numbers = np.array(as_numbers(list(known.values()), "stats"), dtype=np.float64)
    check_entries("stats", "finite", numbers, np.isfinite(numbers))
    return known


def _plan(rows: list[object], decision_set: DecisionSet, optimal: BoolArray) -> ExplorationPlan:
    d, decisions, rates = decision_set.d, [], []
    for k, row in enumerate(rows):
        fields = Fields(row, f"plan[{k}]")
        mask = _mask(fields.take("indices"), d, f"plan[{k}]")
        decisions.append(np.flatnonzero(mask))
        rates += as_numbers([fields.take("rate")], f"plan[{k}] rate")
        if mask not in decision_set or not 0 < rates[-1] < math.inf:
            raise InvalidInputError(f"plan[{k}] must be a decision with a rate above 0, got another set or rate")
    return ExplorationPlan(Decisions.of_lists(d, decisions, optimal), np.array(rates, dtype=np.float64))


def _mask(indices: object, d: int, name: str) -> BoolArray:
    """Convert item numbers to a read-only boolean array."""
    numbers = as_integers(indices, name)
    if any(not 0 <= i < d for i in numbers) or len(set(numbers)) < len(numbers):
        raise InvalidInputError(f"{name} must hold distinct item numbers from 0 to {d - 1}, got {reprlib.repr(numbers)}")
    mask: BoolArray = np.zeros(d, dtype=np.bool_)
    mask[numbers] = True
    mask.setflags(write=False)
    return mask
