"""The conformance suite for laws: laws of the library pass it, also at extreme means; incorrect ones fail."""

import numpy as np
import pytest

from semibandits.laws import Bernoulli, Gamma, Gaussian, Law, Mixed, Poisson
from semibandits.testing import check_law


@pytest.mark.parametrize(
    ("law", "theta"),
    [
        (Gaussian(0.7), [-2.0, 0.0, 1e6]),
        (Gaussian(0.7, upper=3.0), [-2.0, 0.0, 2.999]),
        (Bernoulli(), [1e-6, 0.3, 0.999]),
        (Poisson(), [1e-6, 0.1, 300.0]),
        (Poisson(cost=True), [-1e-6, -3.0, -1e5]),
        (Gamma(2.5), [1e-3, 1.0, 1e5]),
        (Gamma(1e-3), [1e-3, 1.0, 1e5]),
        (Gamma(2.5, cost=True), [-1e-5, -1.0, -1e5]),
        (Mixed([Poisson(), Bernoulli(), Gaussian(3.0)]), [1.0, 0.5, -2.0]),
    ],
    ids=str,
)
def test_laws_of_the_library_pass(law, theta):
    check_law(law, theta)


class NegativeBinomial(Law):
    """Counts with the variance mean + mean^2 / 2, whose divergence is convex up to sqrt(mean (2 + mean))."""

    def check(self, theta):
        assert (theta > 0.0).all()

    def reach(self, theta):
        return np.full(np.shape(theta), np.inf)

    def convex_to(self, theta):
        return np.sqrt(theta * (2.0 + theta))

    def divergence(self, theta, rise):
        mean = theta + rise
        with np.errstate(divide="ignore", invalid="ignore"):
            exact = (2.0 + theta) * np.log1p(rise / (2.0 + theta)) - theta * np.log1p(rise / theta)
            small = rise**2 / (2.0 * (theta + theta**2 / 2.0)) * self._series(theta, rise)
        return np.where(rise < 0.05 * np.minimum(theta, 1.0), small, np.where(mean > 0, exact, np.inf))

    def _series(self, theta, rise):
        """2 / e^2 * v * (sum over k >= 2 of (-1)^k e^k / k * (theta^(1-k) - (2 + theta)^(1-k)))."""
        total = np.zeros(np.broadcast_shapes(np.shape(theta), np.shape(rise)))
        for k in range(2, 16):
            total += (-1.0) ** k * rise ** (k - 2) / k * (theta ** (1.0 - k) - (2.0 + theta) ** (1.0 - k))
        return 2.0 * (theta + theta**2 / 2.0) * total

    def raise_at(self, theta, slope):
        """e = s V(theta + e): a quadratic in e, whose smaller root is taken where it is real."""
        b = 1.0 - slope * (1.0 + theta)
        c = slope * (theta + theta**2 / 2.0)
        room = b * b - 2.0 * slope * c
        with np.errstate(divide="ignore", invalid="ignore"):
            root = 2.0 * c / (b + np.sqrt(np.maximum(room, 0.0)))
        end = self.convex_to(theta)
        return np.where((room > 0.0) & (b > 0.0), np.minimum(root, end), end)


class Laplace(Law):
    """A Laplace law of scale 1, whose slopes approach 1: large raises differ by less than the last digit of a slope."""

    rounding = 1e-9

    def check(self, theta): ...

    def reach(self, theta):
        return np.full(np.shape(theta), np.inf)

    def divergence(self, theta, rise):
        small = rise**2 / 2 - rise**3 / 6 + rise**4 / 24 - rise**5 / 120
        return np.where(rise < 1e-3, small, rise + np.expm1(-rise)) + 0.0 * theta

    def raise_at(self, theta, slope):
        with np.errstate(divide="ignore"):
            return np.where(slope < 1.0, -np.log1p(-np.minimum(slope, 1.0)), np.inf) + 0.0 * theta


class EndsTooEarly(Laplace):
    """Slopes from 0.9 on are said not to occur."""

    def raise_at(self, theta, slope):
        return np.where(slope < 0.9, super().raise_at(theta, slope), np.inf)


class CancelsToNothing(Laplace):
    """Tiny raises have the divergence 0."""

    def divergence(self, theta, rise):
        return rise + np.exp(-rise) - 1.0 + 0.0 * theta


class SteeperThanItSays(NegativeBinomial):
    """Its raises are a hundredth of a percent too large."""

    def raise_at(self, theta, slope):
        return 1.0001 * super().raise_at(theta, slope)


class Cancelling(NegativeBinomial):
    """The plain difference of two logarithms, which loses the digits of small raises."""

    def divergence(self, theta, rise):
        return (2.0 + theta) * np.log1p(rise / (2.0 + theta)) - theta * np.log1p(rise / theta)


class SlightlyWrong(NegativeBinomial):
    """Wrong by three times the rounding that certificates allow for."""

    def divergence(self, theta, rise):
        return super().divergence(theta, rise) * (1.0 + 3e-12)


class NeverConvexEnough(NegativeBinomial):
    """Claims to be convex everywhere, which `graves_lai` would rely on."""

    def convex_to(self, theta):
        return np.full(np.shape(theta), np.inf)


class OneItemOnly(NegativeBinomial):
    """Ignores the leading axes of slopes."""

    def raise_at(self, theta, slope):
        return super().raise_at(theta, slope).ravel()[: len(theta)]


class JumpsTooLate(NegativeBinomial):
    """States a jump where raises are finite."""

    def jump_at(self, theta):
        return np.full(np.shape(theta), 1e-3)


class BackwardsAtFirst(NegativeBinomial):
    """The other sign of the root, so that small slopes give negative raises."""

    def raise_at(self, theta, slope):
        return -super().raise_at(theta, slope)


class NoNumberFarOut(NegativeBinomial):
    """The logarithm of large raises fails."""

    def divergence(self, theta, rise):
        return np.where(rise > 0.5 * self.convex_to(theta), np.nan, super().divergence(theta, rise))


THETA = [0.2, 1.0, 30.0]


def test_a_user_defined_law_passes():
    check_law(NegativeBinomial(), THETA)
    check_law(Laplace(), THETA)


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (SteeperThanItSays(), "the divergence must agree with raise_at"),
        (Cancelling(), "the divergence must agree with raise_at"),
        (CancelsToNothing(), "formulas that cancel for tiny raises need np.log1p"),
        (EndsTooEarly(), "the divergence must agree with raise_at"),
        (SlightlyWrong(), "the divergence must agree with raise_at"),
        (NeverConvexEnough(), "the divergence must be convex up to convex_to"),
        (JumpsTooLate(), "raise_at must be finite before and inf at the slopes jump_at"),
        (OneItemOnly(), "raise_at must return shape"),
        (BackwardsAtFirst(), "raise_at must increase with the slope from 0 on"),
        (NoNumberFarOut(), r"divergence must not be NaN, got NaN at the mean 0.2 and the raise or slope 0\.3"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Law) else "",
)
def test_broken_laws_are_found(law, message):
    with pytest.raises(AssertionError, match=message):
        check_law(law, THETA)
