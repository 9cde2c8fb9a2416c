"""Bounds as JSON objects with the labels of their instance (docs/cli.md)."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from semibandits._typing import BoolArray
from semibandits._version import __version__
from semibandits.instances import Instance
from semibandits.regret_bound.json_form import solution_from_json, solution_to_json
from semibandits.regret_bound.result import GravesLaiResult
from semibandits_studies.reporting.formatting import decision_text

HORIZONS: Final = (10_000, 100_000, 1_000_000)


def bound_payload(instance: Instance, result: GravesLaiResult, count: int | None) -> dict[str, Any]:
    """A Graves-Lai bound and its instance; `count` is the number of decisions, None if unknown."""
    result.plan.items.check_listing(2)  # numbers and names
    solution = solution_to_json(result)
    best = named_decision(instance, result.optimal_decision) | solution["optimal"]
    reward = reward_of(result)
    plan = [named_decision(instance, x) | row for x, row in zip(result.plan.items.masks(), solution["plan"], strict=True)]
    return {
        **instance_head(instance),
        "decisions": count,
        "items": list(instance.labels),
        **solution,
        "optimal": best | {"reward": reward, "cost": 0.0 - reward if instance.in_costs else None},
        "ties": [named_decision(instance, x) for x in result.ties],
        "plan": plan,
        "regret": [{"horizon": T, "bound": result.lower * math.log(T)} for T in HORIZONS],
        "instance": dict(instance.description),
    }


def bound_in(payload: object, instance: Instance, name: str) -> GravesLaiResult:
    """Inverse of `bound_payload`; see :func:`semibandits.regret_bound.json_form.solution_from_json` for errors."""
    return solution_from_json(payload, instance.decision_set, instance.theta, instance.variance, name)


def instance_head(instance: Instance) -> dict[str, Any]:
    """The first keys of every JSON object about an instance."""
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


def named_decision(instance: Instance, decision: BoolArray) -> dict[str, Any]:
    """A decision in words, and the labels of its items."""
    chosen = np.flatnonzero(decision).tolist()
    return {"text": decision_text(instance, decision), "items": [instance.labels[i] for i in chosen]}
