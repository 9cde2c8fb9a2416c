"""Calls of linear oracles as Python and from compiled code."""

import numba
import numpy as np

from semibandits.kernels.oracles.status import ANSWERED


@numba.njit
def relay(linear, data, weights, x):
    return linear(data, weights, x)


def answer(linear, data, weights, expected=ANSWERED, befores=()):
    """The oracle's decision, the same in both ways and whatever x contains before."""
    answers = []
    for before in (np.zeros(len(weights), dtype=np.bool_), np.ones(len(weights), dtype=np.bool_), *befores):
        for call in (linear, lambda *arguments: relay(linear, *arguments)):
            x = before.copy()
            assert call(data, weights.copy(), x) == expected
            answers.append(x)
    assert all(np.array_equal(x, answers[0]) for x in answers)
    return answers[0]
