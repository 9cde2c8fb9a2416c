"""Confidence radii by name and by coefficients."""

import math

import pytest

from semibandits.kernels.rules.statistics import exploration
from semibandits.policies import Radius
from semibandits.policies.radius import as_radius

VALUES = {
    "log": lambda t, m, loglog: math.log(t),
    "log-loglog": lambda t, m, loglog: math.log(t) + 4 * m * loglog,
    "kveton": lambda t, m, loglog: 3 * math.log(t),
    Radius(log=0.5, loglog=2.0, loglog_per_item=3.0): lambda t, m, loglog: 0.5 * math.log(t) + (2 + 3 * m) * loglog,
}


@pytest.mark.parametrize("radius", VALUES, ids=str)
@pytest.mark.parametrize("t", [1, 2, 3, 10, 10**6])
def test_values(radius, t):
    loglog = math.log(math.log(t)) if t >= 3 else 0.0
    for m in (0, 1, 7):
        found = exploration(t, *as_radius(radius).coefficients(m))
        assert found == pytest.approx(VALUES[radius](t, m, loglog), rel=1e-13)


def test_radii_pass_through():
    radius = Radius(log=2)
    assert as_radius(radius) is radius
    assert radius == Radius(log=2.0)
    assert isinstance(radius.log, float)
