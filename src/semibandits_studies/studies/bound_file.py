"""The file ``bound.json`` in the folder of a study: the bound is solved once and then read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeGuard

import numpy as np

from semibandits.errors import InvalidInputError
from semibandits.formats.files import read_json
from semibandits.inputs.options import written
from semibandits.inputs.validation import variance_vector
from semibandits.instances import Instance
from semibandits.regret_bound.certificates.recheck import check_kept
from semibandits.regret_bound.result import GravesLaiResult
from semibandits.rewards.base import RewardModel
from semibandits.simulation.growth import OTHER_FOLDER
from semibandits.simulation.run import BOUND_SECONDS
from semibandits_studies.reporting.bound_payload import bound_in, bound_payload
from semibandits_studies.reporting.formatting import count_decisions
from semibandits_studies.studies.study import Study

REMEDY: Final = "remove it, or choose another folder"


def gaussian_twin(instance: Instance, rewards: RewardModel) -> Instance:
    """The instance with its means, and the variances that policies receive."""
    variance = variance_vector(rewards.variance, instance.decision_set).copy()
    if np.array_equal(variance, instance.variance):
        return instance
    return replace(instance, variance=variance, description={**instance.description, "variance": variance.tolist()})


def options_of(study: Study) -> dict[str, Any]:
    """Options of the bound as plain JSON."""
    return written(study.bound) | {"time_limit": study.bound_seconds}


def kept_bound(study: Study, twin: Instance, result: GravesLaiResult, *, applies: bool) -> dict[str, Any]:
    """Content of ``bound.json``: that of ``semibandits bound --save``, whether the bound applies, and its options."""
    payload = bound_payload(twin, result, count_decisions(twin.decision_set).exact)
    return payload | {"applies": applies, "asked": options_of(study)}


def read_bound(path: Path, study: Study, twin: Instance) -> dict[str, Any] | None:
    """Content of the file `path`, None if it was not written by a study; the bound of another study is refused."""
    payload = read_json(path, remedy=REMEDY)
    if not _is_of_study(payload):
        return None
    own = {**options_of(study), "instance": json.loads(json.dumps(twin.description))}
    other = {**payload["asked"], "instance": payload.get("instance")}
    different = [key for key in {**own, **other} if own.get(key) != other.get(key)]
    if different:
        raise InvalidInputError(
            f"{path} must contain the bound of this study, got another {', '.join(different)}: ", *OTHER_FOLDER
        )
    return payload


def is_of_study(path: Path) -> bool:
    """Whether the file exists and was written by any study."""
    try:
        return _is_of_study(read_json(path, remedy=REMEDY))
    except InvalidInputError:
        return False


def _is_of_study(payload: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(payload, dict) and isinstance(payload.get("asked"), dict)


def as_result(payload: Mapping[str, Any], study: Study, twin: Instance, path: Path) -> GravesLaiResult:
    """The bound as :func:`semibandits.graves_lai` returned it, without the state that a later solve could use.

    It is checked without a solver: see :func:`semibandits.regret_bound.certificates.recheck.check_kept`.
    """
    try:
        result = bound_in(payload, twin, path.name)
        limit = study.bound_seconds
        seconds = math.inf if limit is None else max(limit, BOUND_SECONDS)
        check_kept(result, tie_tolerance=study.bound.tie_tolerance, time_limit=seconds)
    except (InvalidInputError, OverflowError) as error:
        raise InvalidInputError(
            f"{path} must contain a bound as it was written, got a damaged one ({error}): {REMEDY}"
        ) from error
    return result
