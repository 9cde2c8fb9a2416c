"""Log-spaced checkpoints: properties for all horizons, and small cases."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.simulation.checkpoints import LONGEST_HORIZON, log_spaced

horizons = st.one_of(st.integers(1, 300), st.integers(1, LONGEST_HORIZON), st.integers(0, 15).map(lambda k: 10**k))
"""If memory grew with the horizon, it would be exceeded."""


@settings(max_examples=150, deadline=None, derandomize=True)
@given(horizons, st.integers(1, 60))
def test_increasing_from_one_to_the_horizon_with_powers_of_ten_and_bounded_steps(horizon, per_decade):
    rounds = log_spaced(horizon, per_decade)
    assert (rounds.dtype, rounds[0], rounds[-1]) == (np.int64, 1, horizon)
    assert (np.diff(rounds) > 0).all()
    assert len(rounds) <= per_decade * math.log10(horizon) + 2
    assert {10**k for k in range(17) if 10**k <= horizon} <= set(rounds.tolist())
    # Rounding moves each end by at most a half, and checkpoints that round to the same integer are merged.
    assert (rounds[1:] <= rounds[:-1] * 10 ** (1 / per_decade) * (1 + 1e-9) + 2).all()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(horizons, horizons, st.integers(1, 40))
def test_longer_simulations_record_the_same_early_rounds(one, two, per_decade):
    short, long = sorted((one, two))
    early, late = log_spaced(short, per_decade), log_spaced(long, per_decade)
    np.testing.assert_array_equal(early[:-1], late[late < short])


def test_small_cases():
    assert log_spaced(1).tolist() == [1]
    assert log_spaced(2).tolist() == [1, 2]
    assert log_spaced(1000, 1).tolist() == [1, 10, 100, 1000]
    assert log_spaced(1001, 1).tolist() == [1, 10, 100, 1000, 1001]
    assert log_spaced(100, 3).tolist() == [1, 2, 5, 10, 22, 46, 100]
    assert log_spaced(10, 1000).tolist() == list(range(1, 11))
    np.testing.assert_array_equal(log_spaced(np.int32(500), np.int64(7)), log_spaced(500, 7))
