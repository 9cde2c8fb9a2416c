"""A result as one JSON object (docs/cli.md)."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits._version import __version__
from semibandits.instances import Instance
from semibandits.laws import Bernoulli
from semibandits.laws.plain import plain, text
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.result import GravesLaiResult
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
