"""The bound of a study as it is kept in its folder: found once, read from then on."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from semibandits._json import strict_json
from semibandits._validation import variance_vector
from semibandits.errors import InvalidInputError, Option
from semibandits.instances import Instance
from semibandits.regret_bound.recheck import check_kept
from semibandits.regret_bound.result import GravesLaiResult
from semibandits.reporting.bound_payload import bound_in, bound_payload
from semibandits.reporting.formatting import count_decisions
from semibandits.rewards.base import RewardModel
from semibandits.simulation.run import BOUND_SECONDS
from semibandits.studies.study import Study


def gaussian_twin(instance: Instance, rewards: RewardModel) -> Instance:
    """The instance whose rewards are Gaussian, with its means and the variances that policies are told."""
    variance = variance_vector(rewards.variance, instance.decision_set.d).copy()
    if np.array_equal(variance, instance.variance):
        return instance
    return replace(instance, variance=variance, description={**instance.description, "variance": variance.tolist()})


def asked_of(study: Study) -> dict[str, Any]:
    """How the bound is computed, as plain JSON."""
    bound = study.bound
    limits = {"time_limit": study.bound_seconds, "tie_tolerance": float(bound.tie_tolerance)}
    law = {} if bound.law is None else {"law": bound.law}
    return {**law, "method": bound.method, "gap": float(bound.gap), **limits}


def kept_bound(study: Study, twin: Instance, result: GravesLaiResult, *, applies: bool) -> dict[str, Any]:
    """What ``bound.json`` holds: all that ``semibandits bound --save`` writes, whether it applies, and what was asked for."""
    payload = bound_payload(twin, result, count_decisions(twin.decision_set).exact)
    return payload | {"applies": applies, "asked": asked_of(study)}


def read_bound(path: Path, study: Study, twin: Instance) -> dict[str, Any] | None:
    """The bound of this study from its folder; None if the file there was not written by a study.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, or holds the bound of another study.
    """
    try:
        payload: Any = strict_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"{path} must be readable JSON, got {error}: remove it, or choose another folder"
        ) from error
    if not isinstance(payload, dict) or not isinstance(payload.get("asked"), dict):
        return None
    own = {**asked_of(study), "instance": _plain(twin.description)}
    other = {**payload["asked"], "instance": payload.get("instance")}
    different = [key for key, value in own.items() if other.get(key) != value]
    if different:
        raise InvalidInputError(
            f"{path} must hold the bound of this study, got another {', '.join(different)}: choose another folder (",
            Option("folder"),
            "), or go on as the study began",
        )
    return payload


def is_of_study(path: Path) -> bool:
    """Whether there is a file that a study has written, whichever."""
    try:
        payload: Any = strict_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(payload, dict) and isinstance(payload.get("asked"), dict)


def as_result(payload: Mapping[str, Any], study: Study, twin: Instance, path: Path) -> GravesLaiResult:
    """The bound as :func:`semibandits.graves_lai` returned it, but for what only helps a later solve.

    It is checked as far as that needs no solver: see :func:`semibandits.regret_bound.recheck.check_kept`.

    Raises
    ------
    InvalidInputError
        If something is missing in the payload, does not fit the instance, or cannot be right.
    """
    try:
        result = bound_in(payload, twin, path.name)
        limit = study.bound_seconds
        seconds = math.inf if limit is None else max(limit, BOUND_SECONDS)
        check_kept(result, tie_tolerance=study.bound.tie_tolerance, time_limit=seconds)
    except (InvalidInputError, OverflowError) as error:
        raise InvalidInputError(
            f"{path} must hold a bound as it was written, got a damaged one ({error}): remove it, or choose another folder"
        ) from error
    return result


def _plain(description: Mapping[str, object]) -> Any:
    return json.loads(json.dumps(description))
