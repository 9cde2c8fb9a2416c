"""The time of a test, as a JSON object and its plan as a table (docs/cli.md)."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from semibandits.identification import IdentificationTime
from semibandits.identification.evidence import PROVED
from semibandits.instances import Instance
from semibandits.regret_bound.json_form import law_to_json
from semibandits_studies.reporting.bound_payload import instance_head, named_decision
from semibandits_studies.reporting.formatting import decision_text
from semibandits_studies.reporting.simulation_payload import finite

About: TypeAlias = Mapping[str, float]
"""Rounds of a test by threshold."""


def identification_payload(instance: Instance, time: IdentificationTime, about: About, count: int | None) -> dict[str, Any]:
    """The time, its plan, and the instance; `count` is the number of decisions, None if unknown."""
    time.plan.items.check_listing(2)  # numbers and names
    best = time.optimal_decision
    return {
        **instance_head(instance),
        "decisions": count,
        "items": list(instance.labels),
        "value": finite(time.value),
        "lower": finite(time.lower),
        "gap": finite(time.gap),
        "status": str(time.status),
        **law_to_json(time.law),
        "confidence": time.confidence,
        "within": time.within,
        "least_rounds": finite(time.least_rounds),
        "about_rounds": {name: finite(rounds) for name, rounds in about.items()},
        "optimal": {**named_decision(instance, best), "indices": np.flatnonzero(best).tolist()},
        "plan": [
            {**named_decision(instance, x), "indices": np.flatnonzero(x).tolist(), "share": share}
            for x, share in zip(time.plan.items.masks(), time.plan.shares.tolist(), strict=True)
        ],
        "instance": dict(instance.description),
    }


def plan_table(instance: Instance, time: IdentificationTime, about: About) -> str:
    """The plan as CSV: one line per decision, most played first."""
    text, rounds = io.StringIO(), about[PROVED]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("share", "rounds", "decision"))
    for x, share in zip(time.plan.items.masks(), time.plan.shares.tolist(), strict=True):
        writer.writerow((repr(share), round(share * rounds), decision_text(instance, x)))
    return text.getvalue()
