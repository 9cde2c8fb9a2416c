"""Slopes, intervals and bands: against NumPy's polyfit and SciPy's t intervals, and in cases with known answers."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from semibandits.simulation.checkpoints import log_spaced
from semibandits.simulation.statistics import in_last_decades, log_slopes, mean_band, slope_estimate, standard_error, summarise

samples_of = st.integers(2, 12).flatmap(
    lambda n: st.lists(st.floats(-1e6, 1e6).map(lambda v: round(v, 3)), min_size=n, max_size=n)
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(samples_of, st.floats(0.01, 0.999))
def test_intervals_are_those_of_the_t_distribution(samples, level):
    values = np.array(samples)[:, np.newaxis]
    mean, lower, upper = (end[0] for end in mean_band(values, level))
    scale = max(1.0, np.abs(values).max())
    assert mean == pytest.approx(np.mean(samples), abs=1e-12 * scale)
    if np.ptp(values) == 0:
        assert upper - lower <= 1e-9 * scale
        return
    expected = stats.t.interval(level, len(samples) - 1, loc=np.mean(samples), scale=stats.sem(samples))
    np.testing.assert_allclose([lower, upper], expected, rtol=1e-9, atol=1e-9 * scale)


def test_one_replication_has_no_interval():
    mean, lower, upper = mean_band(np.array([[1.0, 2.0]]), 0.95)
    np.testing.assert_array_equal(mean, [1.0, 2.0])
    assert np.isnan([lower, upper]).all()
    assert np.isnan(standard_error(np.array([[1.0, 2.0]]))).all()


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 10**7))
def test_slopes_are_those_of_polyfit(seed, n, horizon):
    rounds = log_spaced(horizon, 7)
    values = np.random.default_rng(seed).normal(size=(n, len(rounds))).cumsum(axis=1)
    expected = [np.polyfit(np.log(rounds), row, 1)[0] for row in values]
    np.testing.assert_allclose(log_slopes(rounds, values), expected, rtol=1e-9, atol=1e-9)


def test_the_slope_of_the_mean_is_the_mean_of_the_slopes():
    rounds = log_spaced(5000)
    regret = np.random.default_rng(1).random((9, len(rounds))).cumsum(axis=1)
    window = rounds >= 500
    slope = slope_estimate(rounds, regret, 1.0)
    expected = np.polyfit(np.log(rounds[window]), regret.mean(axis=0)[window], 1)[0]
    assert slope.value == pytest.approx(expected, rel=1e-10)
    each = [np.polyfit(np.log(rounds[window]), row[window], 1)[0] for row in regret]
    low, high = stats.t.interval(0.95, 8, loc=np.mean(each), scale=stats.sem(each))
    np.testing.assert_allclose([slope.lower, slope.upper], [low, high], rtol=1e-9)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(2, 10**5), st.integers(1, 10))
def test_the_window_holds_the_round_at_its_end_and_none_before(start, decades):
    rounds = np.array([start - 1, start, start * 10**decades])
    np.testing.assert_array_equal(in_last_decades(rounds, decades), [False, True, True])
    assert in_last_decades(rounds, 1e4).all()


def row_of(regret, bound, rounds=(1, 10, 100)):
    calls = np.arange(2 * len(rounds) * 4).reshape(2, len(rounds), 4)
    return summarise("CUCB", np.array(rounds), np.array(regret), calls, bound)


def test_a_summary_by_hand():
    logs = np.log([1, 10, 100])
    row = row_of([2 * logs, 4 * logs], 1.5)
    ln = math.log(100)
    assert (row.regret, row.standard_error) == pytest.approx((3 * ln, ln))
    quantile = math.tan(0.475 * math.pi)  # t with one degree of freedom is Cauchy
    np.testing.assert_allclose(row.regret_interval, [(3 - quantile) * ln, (3 + quantile) * ln])
    assert row.slope == pytest.approx(3.0)
    np.testing.assert_allclose(row.slope_interval, [3 - quantile, 3 + quantile])
    assert (row.slope_ratio, row.regret_ratio) == pytest.approx((2.0, 2.0))
    assert (row.policy, row.calls) == ("CUCB", (14.0, 15.0, 16.0, 17.0))


def test_ratios_and_slopes_that_do_not_exist():
    for bound in (None, 0.0):
        row = row_of([[0.0, 1.0, 2.0], [0.0, 2.0, 3.0]], bound)
        assert (row.slope_ratio, row.regret_ratio) == (None, None)
    row = row_of([[1.0], [2.0]], 3.0, rounds=(1,))
    assert (row.regret, row.regret_ratio) == (1.5, None)
    assert np.isnan([row.slope, row.slope_ratio, *row.slope_interval]).all()
    assert np.isnan(slope_estimate(np.array([1, 50, 1000]), np.ones((2, 3)), 1.0)).all()  # one checkpoint in the window
