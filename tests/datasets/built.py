"""Datasets that tests only read, and their bounds, each made once."""

from functools import cache

import semibandits as sb
from semibandits import datasets

built = cache(datasets.load)


@cache
def solved(name):
    """The bound of a dataset."""
    dataset = built(name)
    result = sb.graves_lai(dataset.decision_set, dataset.theta, variance=dataset.variance, gap=1e-4)
    assert result.status == "optimal"
    return result
