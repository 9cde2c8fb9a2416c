"""Laws of kernels against `semibandits.laws`, and radii and quotients against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

import semibandits as sb
from semibandits.kernels import laws as kernels

LAWS = {
    "gaussian": (sb.laws.Gaussian(0.7), (-3.0, 3.0)),
    "known bound": (sb.laws.Gaussian(2.0, upper=1.0), (-3.0, 1.0)),
    "bernoulli": (sb.laws.Bernoulli(), (0.0, 1.0)),
    "poisson": (sb.laws.Poisson(), (0.0, 30.0)),
    "poisson costs": (sb.laws.Poisson(cost=True), (-30.0, -1e-3)),
    "gamma": (sb.laws.Gamma(2.0), (1e-3, 30.0)),
    "gamma costs": (sb.laws.Gamma(0.5, cost=True), (-30.0, -1e-3)),
}
every_law = pytest.mark.parametrize("name", LAWS)
shares = st.floats(0.0, 1.0)


def drawn(name, at):
    law, (low, high) = LAWS[name]
    theta = low + at * (high - low)
    return law, np.array([theta]), law.compiled(1)


@every_law
@given(at=shares, share=st.floats(1e-6, 2.0))
def test_points_are_those_of_the_law(name, at, share):
    law, theta, codes = drawn(name, at)
    mean = float(theta[0])
    assert kernels.inside(codes, 0, mean) == mean
    assert kernels.room(codes, 0, mean) == law.reach(theta)[0]
    assert kernels.variance(codes, 0, mean) == pytest.approx(law.variance_at(theta)[0], rel=1e-9)
    rise = share * min(float(law.reach(theta)[0]), 3.0 * max(abs(mean), 1.0))
    expected = law.divergence(theta, np.array([rise]))[0]
    assert kernels.divergence(codes, 0, mean, rise) == pytest.approx(expected, rel=1e-11)
    price = share / max(abs(mean), 0.1)
    found, information = kernels.tilt(codes, 0, mean, price)
    raised, _, divergence = law.tilt(theta, np.array([price]))
    limit = law.convex_to(theta)[0]
    if raised[0] < limit:
        assert (found, information) == pytest.approx((raised[0], divergence[0]), rel=1e-9)
        worth = law.conjugate(theta, np.array([price]))[0]
        assert kernels.conjugate(codes, 0, mean, 3.0, 3.0 * price) == pytest.approx(3.0 * worth, rel=1e-6, abs=1e-12)
    else:
        assert found == math.inf or math.isinf(limit)


@every_law
@given(at=shares, information=st.floats(1e-6, 20.0))
def test_the_radius_is_the_raise_of_this_divergence(name, at, information):
    law, theta, codes = drawn(name, at)
    mean, most = float(theta[0]), float(law.reach(theta)[0])
    found = kernels.radius(codes, 0, mean, information)

    def excess(rise):
        return float(law.divergence(theta, np.array([rise]))[0]) - information

    if most <= 0.0:
        assert found == 0.0
        return
    high = most * (1.0 - 1e-12) if math.isfinite(most) else 1.0 + abs(mean)
    while math.isinf(most) and excess(high) <= 0.0:
        high *= 2.0
    if excess(high) <= 0.0:
        assert found == pytest.approx(most, rel=1e-9)
        return
    assert found == pytest.approx(brentq(excess, 0.0, high, xtol=1e-300, rtol=1e-12), rel=1e-6)


@every_law
@given(at=shares, information=st.floats(1e-4, 20.0))
def test_the_widest_raise_is_the_largest_quotient(name, at, information):
    law, theta, codes = drawn(name, at)
    mean = float(theta[0])
    radius, found = kernels.radius(codes, 0, mean, information), kernels.widest(codes, 0, mean, information)
    if radius == 0.0:
        assert found == 0.0 or mean == 0.0
        return
    raises = np.concatenate((np.geomspace(1e-6, 1.0, 400), np.linspace(1e-3, 1.0, 400))) * radius
    divergences = law.divergence(np.full(len(raises), mean), raises)
    largest = float(np.max(raises**2 / divergences)) * information
    assert largest * (1.0 - 1e-6) <= found <= largest * 1.012 + 1e-12


class Other(sb.laws.Law):
    """A law without a kernel."""

    check = reach = divergence = raise_at = None


def test_items_of_a_mix_have_their_own_laws():
    laws = [law for law, _ in LAWS.values()]
    mix = sb.laws.Mixed(laws)
    codes = mix.compiled(len(laws))
    for k, (law, (low, high)) in enumerate(LAWS.values()):
        mean = 0.5 * (low + high)
        for rise in (0.1, 0.3):
            assert kernels.divergence(codes, k, mean, rise) == kernels.divergence(law.compiled(1), 0, mean, rise)
    assert sb.laws.Mixed([Other(), sb.laws.Poisson()]).compiled(2) is None
