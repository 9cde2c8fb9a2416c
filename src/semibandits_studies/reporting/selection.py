"""The items that a report shows: all of them, or those that matter where there are thousands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits_studies.reporting.report_data import ReportData

MOST_ITEMS: Final = 1_500
"""Larger sets are shown in part: a page with more elements is slow, and a map of a city would be black."""


def shown_items(data: ReportData) -> IntArray:
    """Items that the report shows, ascending, shape (k,).

    Of more than `MOST_ITEMS` these are the items of the best decision, and the items that the plan or a policy plays most; if
    nothing was played, those of the largest mean rewards.
    """
    d = len(data.labels)
    if d <= MOST_ITEMS:
        return np.arange(d)
    best = np.zeros(d, dtype=np.bool_) if data.best is None else data.best
    weight = np.where(best, np.inf, 0.0)
    for plays in _plays(data):
        most = float(plays[~best].max(initial=0.0))
        if most > 0.0:
            weight = np.maximum(weight, plays / most)
    if not weight.any() and data.theta is not None:
        weight = data.theta - data.theta.min() + 1.0
    order = np.argsort(-weight, kind="stable")[:MOST_ITEMS]
    return np.sort(order[weight[order] > 0.0])


def _plays(data: ReportData) -> Iterator[FloatArray]:
    """Plays of each item in the plan, and by each policy."""
    if data.bound is not None and data.bound.rates is not None:
        yield data.bound.rates
    if data.simulation is not None:
        for policy in data.simulation.policies:
            yield data.simulation.item_plays(policy).mean
