"""A simulation as one JSON object and as a table of numbers (docs/cli.md)."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from semibandits.instances import Instance
from semibandits.policies.base import Policy
from semibandits.reporting.bound_payload import instance_head
from semibandits.reporting.report_data import specification
from semibandits.rewards.base import RewardModel
from semibandits.simulation.results import CALLS, SimulationResult
from semibandits.simulation.statistics import PolicySummary

COLUMNS: Final = (
    "policy", "horizon", "replications", "regret", "regret_lower", "regret_upper", "regret_ratio", "slope",
    "slope_lower", "slope_upper", "slope_ratio", "linear_calls", "index_calls", "plans", "undecided", "seconds", "bound_lower",
    "bound_upper",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A finished simulation.

    Attributes
    ----------
    instance, rewards, policies
        What was simulated.
    result : SimulationResult
        What came of it.
    seed : int
        Its seed.
    seconds : mapping from policy to float
        Mean time of a replication, where it is known.
    elapsed : float or None
        Seconds that it took, compilation included; None if it was finished before.
    folder : Path or None
        Where it is kept.
    """

    instance: Instance
    rewards: RewardModel
    policies: Mapping[str, Policy]
    result: SimulationResult
    seed: int
    seconds: Mapping[str, float]
    elapsed: float | None
    folder: Path | None


def simulation_payload(answer: Answer) -> dict[str, Any]:
    """Everything about a simulation but the single replications, with the instance it belongs to."""
    instance, result = answer.instance, answer.result
    lower, value = result.lower_bound_interval or (None, None)
    return {
        **instance_head(instance),
        "rewards": answer.rewards.specification()["name"],
        "horizon": result.horizon,
        "replications": result.replications,
        "seed": answer.seed,
        **{key: value for key, value in specification(result).items() if key in ("delay", "loss")},
        "lower": lower,
        "value": _number(value),
        "checkpoints": result.checkpoints.tolist(),
        "policies": [_policy(answer, summary) for summary in result.summary()],
        "elapsed": answer.elapsed,
        "folder": None if answer.folder is None else str(answer.folder),
        "instance": dict(instance.description),
    }


def _policy(answer: Answer, summary: PolicySummary) -> dict[str, Any]:
    band = answer.result.bands(summary.policy)
    return {
        "name": summary.policy,
        "specification": answer.policies[summary.policy].specification(),
        "regret": summary.regret,
        "regret_interval": _pair(summary.regret_interval),
        "regret_ratio": summary.regret_ratio,
        "slope": _number(summary.slope),
        "slope_interval": _pair(summary.slope_interval),
        "slope_ratio": _number(summary.slope_ratio),
        "calls": dict(zip(CALLS, summary.calls, strict=True)),
        "seconds": answer.seconds.get(summary.policy),
        "curve": {
            "mean": band.mean.tolist(),
            "lower": [_number(end) for end in band.lower.tolist()],
            "upper": [_number(end) for end in band.upper.tolist()],
        },
    }


def summary_table(answer: Answer) -> str:
    """One line a policy in CSV; what is not known is left empty."""
    result = answer.result
    lower, value = result.lower_bound_interval or (None, None)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in result.summary():
        numbers = (
            row.regret, *row.regret_interval, row.regret_ratio, row.slope, *row.slope_interval, row.slope_ratio,
            *row.calls, answer.seconds.get(row.policy), lower, value,
        )  # fmt: skip
        writer.writerow([row.policy, result.horizon, result.replications, *map(_cell, numbers)])
    return text.getvalue()


def _cell(value: float | None) -> str:
    return "" if value is None or not math.isfinite(value) else repr(float(value))


def _number(value: float | None) -> float | None:
    """JSON has neither nan nor infinity."""
    return None if value is None or not math.isfinite(value) else value


def _pair(ends: tuple[float, float]) -> list[float] | None:
    return list(ends) if all(map(math.isfinite, ends)) else None
