"""The items that a report shows: all of them, or those that matter where there are thousands."""

from __future__ import annotations

from typing import Final

import numpy as np

from semibandits._typing import IntArray
from semibandits_studies.reporting.drawings import is_matrix
from semibandits_studies.reporting.report_data import ReportData

MOST_ITEMS: Final = 1_500
"""Larger sets are shown in part: a page with more elements is slow, and a map of a city would be black."""


def shown_items(data: ReportData) -> IntArray:
    """Items that the report shows, ascending, shape (k,).

    All pairs of a matrix are shown. Of more than `MOST_ITEMS` others these are the items of the best decision, and the items that
    the plan or a policy plays most; if nothing was played, those of the largest mean rewards.
    """
    d = len(data.labels)
    if d <= MOST_ITEMS or (data.structure is not None and is_matrix(data.structure.decision_set)):
        return np.arange(d)
    best = np.zeros(d, dtype=np.bool_) if data.best is None else data.best
    weight = np.where(best, np.inf, 0.0)
    everywhere = [] if data.bound is None or data.bound.rates is None else [data.bound.rates]
    if data.simulation is not None:
        everywhere += [data.simulation.item_plays(policy).mean for policy in data.simulation.policies]
    for plays in everywhere:
        most = float(plays[~best].max(initial=0.0))
        if most > 0.0:
            weight = np.maximum(weight, plays / most)
    if not weight.any() and data.theta is not None:
        weight = data.theta - data.theta.min() + 1.0
    order = np.argsort(-weight, kind="stable")[:MOST_ITEMS]
    return np.sort(order[weight[order] > 0.0])
