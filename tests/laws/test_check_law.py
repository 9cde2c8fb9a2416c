"""The conformance suite for laws: laws of the library pass it, also at extreme means; incorrect ones fail."""

import numpy as np
import pytest

from semibandits.laws import Bernoulli, Gamma, Gaussian, Law, Mixed, Poisson
from semibandits.testing import check_law

THETA = [0.2, 1.0, 30.0]


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
        (Laplace(), THETA),  # a user's own
        (Mixed([Poisson(), Bernoulli(), Gaussian(3.0)]), [1.0, 0.5, -2.0]),
    ],
    ids=str,
)
def test_laws_of_the_library_and_of_a_user_pass(law, theta):
    check_law(law, theta)


def broken(law, **methods):
    """A law with other methods, which take what the right method returns and then its arguments."""
    own = {
        name: lambda self, *given, name=name, change=change: change(getattr(law, name)(self, *given), *given)
        for name, change in methods.items()
    }
    return type("Broken", (law,), own)()


def of_plain_logarithms(divergence, theta, rise):
    return np.log1p(rise / theta) - rise / (theta + rise)


WRONG, NOT_A_ROOT = "the divergence must agree with raise_at", "raise_at must increase with the slope from 0 on"
BROKEN = {
    "raises too large by a hundredth of a percent": (Gamma, WRONG, {"raise_at": lambda e, theta, slope: 1.0001 * e}),
    "small raises without digits": (Gamma, WRONG, {"divergence": of_plain_logarithms}),
    "tiny raises of divergence 0": (
        Laplace, "formulas that cancel for tiny raises need np.log1p",
        {"divergence": lambda d, theta, e: e + np.exp(-e) - 1.0 + 0.0 * theta},
    ),
    "slopes from 0.9 on do not occur": (Laplace, WRONG, {"raise_at": lambda e, theta, slope: np.where(slope < 0.9, e, np.inf)}),
    "three times the rounding of certificates": (Gamma, WRONG, {"divergence": lambda d, *_: d * (1.0 + 3e-12)}),
    "said to be convex everywhere": (
        Gamma, "the divergence must be convex up to convex_to", {"convex_to": lambda end, theta: end + np.inf},
    ),
    "a jump where raises are finite": (
        Gamma, "raise_at must be finite before and inf at the slopes jump_at",
        {"jump_at": lambda s, theta: np.full(np.shape(theta), 1e-3)},
    ),
    "one item only": (Gamma, "raise_at must return shape", {"raise_at": lambda e, theta, slope: e.ravel()[: len(theta)]}),
    "the other sign of the root": (Gamma, NOT_A_ROOT, {"raise_at": lambda e, theta, slope: -e}),
    "no logarithm of large raises": (
        Gamma, r"divergence must not be NaN, got NaN at the mean 0.2 and the raise or slope 0\.",
        {"divergence": lambda d, theta, e: np.where(e > 0.5 * Gamma().convex_to(theta), np.nan, d)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_laws_are_found(name):
    law, message, methods = BROKEN[name]
    with pytest.raises(AssertionError, match=message):
        check_law(broken(law, **methods), THETA)
