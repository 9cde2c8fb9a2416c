"""Datasets made from logs of observed outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from semibandits._typing import FloatArray
from semibandits.instances import instance_from_description
from semibandits_studies.datasets.base import Dataset


def measured_dataset(
    name: str, question: str, description: Mapping[str, object], outcomes: Sequence[FloatArray], *, provenance: str, licence: str,
    features: Mapping[str, Sequence[Any]] | None = None,
) -> Dataset:  # fmt: skip
    """A dataset whose theta is the mean of the observed outcomes of each item, at least two for each.

    `description` is the JSON form of the instance without ``theta``; ``variance`` is that of the sample unless it is given.
    """
    measured = {"theta": [float(log.mean()) for log in outcomes], "variance": [float(log.var(ddof=1)) for log in outcomes]}
    return Dataset(
        name=name,
        question=question,
        instance=replace(instance_from_description({**measured, **description}), features=features),
        origin="measured",
        provenance=provenance,
        licence=licence,
        outcomes=tuple(outcomes),
    )
