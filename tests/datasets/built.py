"""Datasets that tests only read, and their bounds, each made once; distances and histograms by a second method."""

import math
from functools import cache

import numpy as np

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


def great_circle(a, b):
    """By the angle of two unit vectors, unlike the script that made the table; Earth's mean radius is 6,371 km."""
    vectors = [
        np.array([math.cos(y) * math.cos(x), math.cos(y) * math.sin(x), math.sin(y)]) for x, y in (np.radians(a), np.radians(b))
    ]
    return 6371.0 * math.atan2(np.linalg.norm(np.cross(*vectors)), vectors[0] @ vectors[1])


def histogram(smallest, counts):
    """Minute -> flights, read word by word."""
    result, minute = {}, smallest
    for word in counts.split():
        if word.startswith("-"):
            minute += int(word[1:])
        else:
            result[minute] = int(word)
            minute += 1
    return result
