"""Confidence radii by name and by coefficients."""

import math

import pytest

from semibandits.errors import InvalidInputError
from semibandits.kernels.rules.statistics import exploration
from semibandits.policies import Radius
from semibandits.policies.radius import RADII, as_radius


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("log", lambda t, m: math.log(t)),
        ("log-loglog", lambda t, m: math.log(t) + 4 * m * math.log(math.log(t))),
        ("kveton", lambda t, m: 3 * math.log(t)),
        (
            Radius(log=0.5, loglog=2.0, loglog_per_item=3.0),
            lambda t, m: 0.5 * math.log(t) + (2 + 3 * m) * math.log(math.log(t)),
        ),
    ],
)
@pytest.mark.parametrize("m", [0, 1, 7])
@pytest.mark.parametrize("t", [3, 10, 10**6])
def test_values(name, value, m, t):
    assert exploration(t, *as_radius(name).coefficients(m)) == pytest.approx(value(t, m), rel=1e-13)


@pytest.mark.parametrize("name", RADII)
def test_before_the_third_round_only_the_logarithm_counts(name):
    log, loglog = as_radius(name).coefficients(5)
    assert exploration(1, log, loglog) == 0.0
    assert exploration(2, log, loglog) == pytest.approx(log * math.log(2), rel=1e-13)
    assert exploration(3, log, loglog) >= exploration(2, log, loglog)


def test_radii_pass_through():
    radius = Radius(log=2)
    assert as_radius(radius) is radius
    assert radius == Radius(log=2.0)
    assert isinstance(radius.log, float)


@pytest.mark.parametrize("value", ["", "LOG", "ln", None, 3.0, [1.0], {"log": 1.0}])
def test_unknown_names_are_refused(value):
    with pytest.raises(InvalidInputError, match="radius must be one of 'log', 'log-loglog', 'kveton' or a Radius, got"):
        as_radius(value)


@pytest.mark.parametrize("name", ["log", "loglog", "loglog_per_item"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-1e-9, "must lie between 0 and"),
        (1e7, "must lie between 0 and"),
        (math.nan, "must be a finite number"),
        (math.inf, "finite number"),
        ("1", "finite number"),
    ],
)
def test_malformed_coefficients_are_refused(name, value, message):
    with pytest.raises(InvalidInputError, match=f"{name} {message}" if "must" in message else message):
        Radius(**{name: value})
