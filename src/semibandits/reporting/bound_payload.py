"""A result as one JSON object (docs/cli.md), and back."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from semibandits._fields import Fields, as_integers, as_numbers, kind_of, shown
from semibandits._typing import BoolArray, FloatArray
from semibandits._validation import check_entries
from semibandits._version import __version__
from semibandits.errors import InvalidInputError
from semibandits.instances import Instance
from semibandits.laws import Bernoulli, Gaussian, Law, law_from
from semibandits.laws.plain import plain, text
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult, Status
from semibandits.reporting.formatting import decision_text

HORIZONS: Final = (10_000, 100_000, 1_000_000)


def bound_payload(instance: Instance, result: GravesLaiResult, count: int | None) -> dict[str, Any]:
    """Everything about a Graves-Lai bound, with the instance it belongs to.

    Parameters
    ----------
    instance, result
        The problem and its solution.
    count : int or None
        Number of decisions, None if it is not known.
    """
    order = np.argsort(-result.plan.rates, kind="stable")
    return {
        **instance_head(instance),
        "decisions": count,
        "items": list(instance.labels),
        "value": _finite(result.value),
        "lower": _finite(result.lower),
        "gap": _finite(result.gap),
        "status": str(result.status),
        "method": result.method,
        "rewards": result.rewards,
        **_law(result),
        "optimal": _decision(instance, result.optimal_decision) | {"reward": reward_of(result)},
        "suboptimal_items": np.flatnonzero(result.suboptimal_items).tolist(),
        "rates": result.rates.tolist(),
        "plan": [
            _decision(instance, result.plan.decisions[k]) | {"gap": gap, "rate": float(result.plan.rates[k])}
            for k, gap in zip(order.tolist(), plan_gaps(result)[order].tolist(), strict=True)
        ],
        "regret": [{"horizon": T, "bound": result.lower * math.log(T)} for T in HORIZONS],
        "stats": {key: _finite(value) for key, value in result.stats.items()},
        "instance": dict(instance.description),
    }


def bound_in(payload: object, instance: Instance, name: str) -> GravesLaiResult:
    """The bound that `bound_payload` wrote, validated as far as that needs no solver.

    Parameters
    ----------
    payload : object
        What should be the JSON object.
    instance : Instance
        Its instance.
    name : str
        What the object is called in errors.

    Raises
    ------
    InvalidInputError, OverflowError
        If something is missing, invalid, or does not belong to the instance.
    """
    fields, d = Fields(payload, name), instance.decision_set.d
    value = fields.take("value")
    lower, upper = as_numbers([fields.take("lower"), math.inf if value is None else value], "lower and value")
    if not 0 <= lower <= upper or math.isinf(lower):
        raise InvalidInputError(f"lower must be from 0 to value = {upper}, got {lower}")
    status = fields.text("status")
    if status not in list(Status):
        raise InvalidInputError(f"status must be one of {', '.join(Status)}, got {shown(status)}")
    rates = np.array(as_numbers(fields.take("rates"), "rates"), dtype=np.float64)
    if rates.shape != (d,):
        raise InvalidInputError(f"rates must hold d = {d} numbers, got {len(rates)}")
    check_entries("rates", "finite and at least 0", rates, (rates >= 0) & (rates < math.inf))
    plan = _plan_in(fields.sequence("plan"), instance)
    return GravesLaiResult(
        value=float(upper),
        lower=float(lower),
        status=Status(status),
        method=fields.text("method"),
        plan=plan if math.isfinite(upper) else ExplorationPlan(np.empty((0, d), dtype=np.bool_), np.empty(0)),
        optimal_decision=_mask(Fields(fields.take("optimal"), "optimal").take("indices"), d, "optimal"),
        suboptimal_items=_mask(fields.take("suboptimal_items"), d, "suboptimal_items"),
        decision_set=instance.decision_set,
        theta=instance.theta,
        variance=instance.variance,
        stats=_stats_in(fields.take("stats", {})),
        law=_law_in(fields, instance),
    )


def _stats_in(stats: object) -> Mapping[str, float]:
    if not isinstance(stats, Mapping):
        raise InvalidInputError(f"stats must be an object, got {kind_of(stats)}")
    known = {str(key): value for key, value in stats.items() if value is not None}
    numbers = np.array(as_numbers(list(known.values()), "stats"), dtype=np.float64)
    check_entries("stats", "finite", numbers, np.isfinite(numbers))
    return known


def _law_in(fields: Fields, instance: Instance) -> Law:
    """The law of the bound, which must be one of the library and allow the means of the instance."""
    said = fields.take("law", None)
    rewards = fields.text("rewards", "gaussian")
    law = law_from(rewards if said is None else said)
    law = Gaussian(instance.variance) if said is None and isinstance(law, Gaussian) else law
    law.check(instance.theta)
    return law


def _plan_in(rows: list[object], instance: Instance) -> ExplorationPlan:
    d, decisions, rates = instance.decision_set.d, [], []
    for k, row in enumerate(rows):
        fields = Fields(row, f"plan[{k}]")
        decisions.append(_mask(fields.take("indices"), d, f"plan[{k}]"))
        rates += as_numbers([fields.take("rate")], f"plan[{k}] rate")
        if decisions[-1] not in instance.decision_set or not 0 < rates[-1] < math.inf:
            raise InvalidInputError(f"plan[{k}] must be a decision and a rate above 0, got something else")
    return ExplorationPlan(np.array(decisions, dtype=np.bool_).reshape(-1, d), np.array(rates, dtype=np.float64))


def _mask(indices: object, d: int, name: str) -> BoolArray:
    """Items by number as a read-only boolean array."""
    numbers = as_integers(indices, name)
    if any(not 0 <= i < d for i in numbers) or len(set(numbers)) < len(numbers):
        raise InvalidInputError(
            f"{name} must hold distinct item numbers from 0 to {d - 1}, got {reprlib.repr(numbers)}"
        )
    mask: BoolArray = np.zeros(d, dtype=np.bool_)
    mask[numbers] = True
    mask.setflags(write=False)
    return mask


def instance_head(instance: Instance) -> dict[str, Any]:
    """What every JSON object about an instance begins with."""
    return {
        "semibandits": __version__,
        "name": instance.name,
        "family": instance.family,
        "unit": instance.unit,
        "note": instance.note,
        "d": instance.decision_set.d,
        "m": instance.decision_set.m,
    }


def reward_of(result: GravesLaiResult) -> float:
    """Mean reward of the optimal decision."""
    return float(result.theta[result.optimal_decision].sum())


def plan_gaps(result: GravesLaiResult) -> FloatArray:
    """Gap of each decision of the plan: what one play of it costs."""
    return gaps_below(result.optimal_decision, result.plan.decisions, result.theta)


def _law(result: GravesLaiResult) -> dict[str, Any]:
    """The law in full where its name and the variances do not say it."""
    law = result.law
    return {} if law.is_quadratic or law == Bernoulli() else {"law": plain(law) or {"name": text(law)}}


def _decision(instance: Instance, decision: BoolArray) -> dict[str, Any]:
    chosen = np.flatnonzero(decision).tolist()
    return {"text": decision_text(instance, decision), "items": [instance.labels[i] for i in chosen], "indices": chosen}


def _finite(value: float) -> float | None:
    """JSON has no infinity."""
    return value if math.isfinite(value) else None
