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
from semibandits.rewards.base import RewardModel
from semibandits.simulation.results import CALLS, SimulationResult, recorded
from semibandits.simulation.statistics import STOPPED, PolicySummary
from semibandits_studies.reporting.bound_payload import instance_head
from semibandits_studies.reporting.formatting import features_text, prior_text

COLUMNS: Final = (
    "policy", "horizon", "replications", "regret", "regret_lower", "regret_upper", "regret_ratio", "slope",
    "slope_lower", "slope_upper", "slope_ratio", "linear_calls", "index_calls", "plans", "undecided", "seconds", "bound_lower",
    "bound_upper", "within",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A finished simulation."""

    instance: Instance
    rewards: RewardModel
    policies: Mapping[str, Policy]
    result: SimulationResult
    seed: int
    seconds: Mapping[str, float]  # mean time of a replication, for the policies for which it is known
    elapsed: float | None  # in seconds, including compilation; None if the simulation was already finished
    folder: Path | None  # of the results


def simulation_payload(answer: Answer) -> dict[str, Any]:
    """A simulation without its single replications, and its instance."""
    instance, result = answer.instance, answer.result
    lower, value = result.lower_bound_interval or (None, None)
    return {
        **instance_head(instance),
        "rewards": answer.rewards.specification()["name"],
        "horizon": result.horizon,
        "replications": result.replications,
        "seed": answer.seed,
        **{key: value for key, value in recorded(result, "specification").items() if key in ("delay", "loss", "stop")},
        **({"features": features} if (features := features_text(recorded(result, "specification"))) else {}),
        **({"prior": prior} if (prior := prior_text(recorded(result, "specification"), instance.theta)) else {}),
        "lower": lower,
        "value": finite(value),
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
        **summary_payload(summary, answer.seconds),
        "curve": {
            "mean": band.mean.tolist(),
            "lower": [finite(end) for end in band.lower.tolist()],
            "upper": [finite(end) for end in band.upper.tolist()],
        },
    }


def summary_payload(summary: PolicySummary, seconds: Mapping[str, float]) -> dict[str, Any]:
    """Regret, slope, calls and mean seconds of one policy, and its stops, if replications stop."""
    return {
        "regret": summary.regret,
        "regret_interval": _pair(summary.regret_interval),
        "regret_ratio": finite(summary.regret_ratio),
        "slope": finite(summary.slope),
        "slope_interval": _pair(summary.slope_interval),
        "slope_ratio": finite(summary.slope_ratio),
        "calls": dict(zip(CALLS, summary.calls, strict=True)),
        "within": summary.within,
        "seconds": seconds.get(summary.policy),
    } | ({} if summary.stopped is None else {"stopped": {key: finite(x) for key, x in summary.stopped._asdict().items()}})


def summary_table(answer: Answer) -> str:
    """One line of CSV per policy; unknown values are empty."""
    result = answer.result
    lower, value = result.lower_bound_interval or (None, None)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = COLUMNS if result.stops is None else COLUMNS + STOPPED
    writer.writerow(columns)
    for row in result.summary():
        known = row.numbers() | {"seconds": answer.seconds.get(row.policy), "bound_lower": lower, "bound_upper": value}
        cells = ("" if number is None else repr(number) for number in (finite(known[name]) for name in columns[3:]))
        writer.writerow([row.policy, result.horizon, result.replications, *cells])
    return text.getvalue()


def finite(value: float | None) -> float | None:
    """The value, or None for nan and infinity, which JSON does not have."""
    return None if value is None or not math.isfinite(value) else float(value)


def _pair(ends: tuple[float, float]) -> list[float] | None:
    return list(ends) if all(map(math.isfinite, ends)) else None
