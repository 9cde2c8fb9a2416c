"""Confidence and uncounted arrays; `policies/histories.py` checks statistics, `policies/test_unseen_items.py` first rounds."""

import math

import numpy as np
import pytest

import semibandits as sb
from semibandits.kernels import rounds
from semibandits.kernels.machine.uncounted import uncounted
from semibandits.kernels.rules.statistics import exploration


@pytest.mark.parametrize("t", [1, 2, 3, 10, 10**6])
def test_confidence_grows_as_stated(t):
    assert exploration(t, 1.0, 0.0) == math.log(t)
    expected = 2.0 * math.log(t) + (3.0 * math.log(math.log(t)) if t > 2 else 0.0)
    assert exploration(t, 2.0, 3.0) == pytest.approx(expected, rel=1e-15)


def test_uncounted_arrays_are_the_same_memory():
    array = np.arange(6.0).reshape(2, 3)
    assert uncounted(array) is array
    player = sb.CUCB().start(sb.MSets(4, 2), 0.5).player
    uncounted_arrays = rounds.uncounted_player(player)
    for mine, theirs in zip(player, uncounted_arrays, strict=True):
        assert np.array_equal(mine, theirs)
        assert mine.dtype == theirs.dtype
