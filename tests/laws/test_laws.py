"""Every law against definitions: integrals of its slope, numerical inverses, conjugates over grids, and limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from semibandits.laws import Bernoulli, Gamma, Gaussian, Law, Mixed, Poisson

# Law, range of means, and variance of the reward at a mean: the divergence of a raise e has the slope e / variance(theta + e).
LAWS = {
    "gaussian": (Gaussian(0.7), (-2.0, 2.0), lambda mean: 0.7),
    "gaussian, known bound": (Gaussian(0.7, upper=3.0), (-2.0, 2.0), lambda mean: 0.7),
    "bernoulli": (Bernoulli(), (0.02, 0.98), lambda mean: mean * (1.0 - mean)),
    "poisson": (Poisson(), (0.01, 20.0), lambda mean: mean),
    "poisson cost": (Poisson(cost=True), (-20.0, -0.01), lambda mean: -mean),
    "gamma": (Gamma(2.5), (0.01, 20.0), lambda mean: mean**2 / 2.5),
    "gamma cost": (Gamma(2.5, cost=True), (-20.0, -0.01), lambda mean: mean**2 / 2.5),
    "exponential cost": (Gamma(cost=True), (-20.0, -0.01), lambda mean: mean**2),
}
named = pytest.mark.parametrize("name", LAWS)
shares = st.floats(1e-6, 1.0)


def drawn(name, share, part):
    """The law, a mean, and a raise within its reach and convex part."""
    law, (low, high), variance = LAWS[name]
    theta = np.array([low + share * (high - low)])
    furthest = min(float(law.reach(theta)[0]), float(law.convex_to(theta)[0]), 10.0 * abs(high - low))
    return law, theta, np.array([part * 0.999 * furthest]), variance


@named
@given(share=shares, part=shares)
def test_the_divergence_is_the_integral_of_its_slope(name, share, part):
    law, theta, rise, variance = drawn(name, share, part)
    expected, _ = quad(lambda e: e / variance(theta[0] + e), 0.0, rise[0], epsabs=0.0, epsrel=1e-11, limit=200)
    assert law.divergence(theta, rise)[0] == pytest.approx(expected, rel=1e-9)


@named
@given(share=shares, part=shares)
def test_the_divergence_of_a_smaller_mean_is_the_integral_of_its_slope(name, share, part):
    law, (low, high), variance = LAWS[name]
    theta = np.array([low + share * (high - low)])
    fall = np.array([part * 0.999 * min(float((theta - law.least(theta))[0]), 10.0 * abs(high - low))])
    expected, _ = quad(lambda e: e / variance(theta[0] - e), 0.0, fall[0], epsabs=0.0, epsrel=1e-11, limit=200)
    assert law.divergence_below(theta, fall)[0] == pytest.approx(expected, rel=1e-9)
    if part < 0.8:  # closer to the end of the range the variance falls to 0, where quadrature loses digits
        falls, means = Law.mirrored(law, theta)
        assert falls.divergence(means, fall)[0] == pytest.approx(expected, rel=1e-6)
    assert (law.divergence_below(theta, np.zeros((2, 1))) == 0.0).all()


@named
def test_raises_do_not_jump_within_the_range_of_means(name):
    law, (low, high), _ = LAWS[name]
    assert (law.jump_at(np.array([low, high])) == np.inf).all()


def test_raises_of_counts_of_mean_0_jump():
    theta, slopes = np.array([0.0, 2.0, 0.0, 0.0]), np.array([1.0, np.inf, 1.0, np.inf])
    law = Mixed([Poisson(), Poisson(), Poisson(), Poisson(cost=True)])
    np.testing.assert_array_equal(law.jump_at(theta), slopes)
    np.testing.assert_array_equal(law.raise_at(theta, np.full(4, 1.0)), [np.inf, np.inf, np.inf, 0.0])
    np.testing.assert_array_equal(law.raise_at(theta, np.full(4, np.nextafter(1.0, 0.0)))[[0, 2]], [0.0, 0.0])


@named
@given(share=shares, part=shares)
def test_the_raise_has_the_slope(name, share, part):
    law, theta, rise, variance = drawn(name, share, part)
    slope = rise / variance(theta[0] + rise[0])
    there = law.raise_at(theta, slope)
    assert there[0] / variance(theta[0] + there[0]) == pytest.approx(slope[0], rel=1e-9)
    if name != "gamma" or part < 0.9:  # at the end of the convex part the slope hardly changes
        assert there[0] == pytest.approx(rise[0], rel=1e-7)


@named
@given(share=shares, part=st.floats(1e-3, 0.95))
def test_the_derivative_of_the_raise_is_that_of_the_raise(name, share, part):
    law, theta, rise, variance = drawn(name, share, part)
    slope = rise / variance(theta[0] + rise[0])
    _, derivative, divergence = law.tilt(theta, slope)
    mean, step = theta[0] + rise[0], 1e-3 * abs(rise[0])
    spread = variance(mean)
    change = (variance(mean + step) - variance(mean - step)) / (2.0 * step)  # of polynomials of degree 2: exact
    assert derivative[0] == pytest.approx(1.0 / (1.0 / spread - rise[0] * change / spread**2), rel=1e-6)
    assert divergence[0] == pytest.approx(law.divergence(theta, law.raise_at(theta, slope))[0], rel=1e-9)
    plain = Law.raise_derivative(law, theta, slope)[0]
    assert plain == pytest.approx(derivative[0], rel=0.1 if name in ("gamma", "poisson") else 1e-3)


@named
@given(share=shares, part=st.floats(1e-3, 0.9))
def test_the_conjugate_is_the_maximum_over_raises(name, share, part):
    law, theta, rise, variance = drawn(name, share, part)
    slope = rise / variance(theta[0] + rise[0])
    furthest = min(float(law.reach(theta)[0]), float(law.convex_to(theta)[0]), 50.0 * rise[0])
    raises = np.linspace(0.0, furthest, 20_001)[:-1]
    most = (slope * raises - law.divergence(np.full(len(raises), theta[0]), raises)).max()
    found = law.conjugate(theta, slope)[0]
    assert found == pytest.approx(most, rel=1e-4)
    assert found >= most * (1.0 - 1e-12)


@named
def test_the_reach_is_the_largest_raise(name):
    law, theta, _, _ = drawn(name, 0.4, 0.5)
    reach = law.reach(theta)
    if np.isfinite(reach[0]):
        assert law.raise_at(theta, np.array([1e12]))[0] == pytest.approx(reach[0], rel=1e-6)
        assert law.raise_at(theta, np.array([np.inf]))[0] == reach[0]


def test_a_mean_of_zero_counts():
    theta, rise = np.zeros(1), np.array([0.3])
    assert Poisson().divergence(theta, rise)[0] == 0.3
    assert Poisson(cost=True).reach(theta)[0] == 0.0
    assert Bernoulli().divergence(theta, rise)[0] == pytest.approx(-np.log(0.7), rel=1e-14)


@pytest.mark.parametrize("theta", [1e-300, 1e-20, 1e-9, 0.5, 1.0 - 1e-9, 1.0 - 1e-15])
def test_bernoulli_laws_next_to_0_and_1(theta):
    law, means = Bernoulli(), np.array([theta])
    for share in (1e-9, 0.1, 0.5, 0.999, 1.0 - 1e-12):
        rise = share * (1.0 - means)
        expected = law.divergence(means, rise)[0]
        slope = rise / ((means + rise) * (1.0 - means - rise)) if share < 0.9 else None
        if slope is not None and theta < 0.9:
            assert law.tilt(means, slope)[2][0] == pytest.approx(expected, rel=1e-6)
        assert expected >= 0.0


def test_a_mix_is_each_of_its_laws():
    laws = [Gaussian(0.5), Poisson(), Bernoulli(), Gamma(2.0, cost=True), Poisson()]
    theta = np.array([0.3, 2.0, 0.4, -1.5, 0.7])
    rise, slope = np.array([0.1, 0.5, 0.2, 0.3, 0.9]), np.full((3, 5), 0.2)
    mix = Mixed(laws)
    assert mix.take(np.array([3, 1])) == Mixed([laws[3], laws[1]])
    for k, law in enumerate(laws):
        one = theta[k : k + 1]
        assert mix.reach(theta)[k] == law.reach(one)[0]
        assert mix.margin(theta)[k] == law.margin(one)[0]
        assert mix.convex_to(theta)[k] == law.convex_to(one)[0]
        assert mix.divergence(theta, rise)[k] == law.divergence(one, rise[k : k + 1])[0]
        assert (mix.raise_at(theta, slope)[:, k] == law.raise_at(one, slope[:, k : k + 1])[:, 0]).all()
        for part, own in zip(mix.tilt(theta, slope[0]), law.tilt(one, slope[0, k : k + 1]), strict=True):
            assert part[k] == own[0]


def test_variances_and_bounds_may_differ_between_items():
    law = Gaussian([0.5, 1.0], upper=[1.0, np.inf])
    theta = np.array([0.5, 0.5])
    assert law.reach(theta).tolist() == [0.5, np.inf]
    assert law.raise_at(theta, np.array([4.0, 4.0])).tolist() == [0.5, 4.0]
    assert law.take(np.array([1])) == Gaussian([1.0], upper=[np.inf])
    assert hash(law) == hash(Gaussian((0.5, 1.0), upper=(1.0, np.inf)))
