"""Items that share effects: posteriors against a dense Gaussian computation, spreads against a grid, draws against their law."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from semibandits.features import model
from semibandits.features.model import Seen, Spreads, effects_of, learnt, posterior, surprise

SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed):
    """Features with constant and collinear columns, sometimes more of them than items, and items that were never observed."""
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(1, 12)), int(rng.integers(1, 15))
    phi = np.hstack((np.ones((d, 1)), rng.normal(size=(d, k - 1))))
    if k > 2 and rng.random() < 0.4:
        phi[:, 2] = 2.0 * phi[:, 1]
    if k > 1 and rng.random() < 0.2:
        phi[:, 1] = 0.0
    plays = rng.integers(0, 4, d) * 10.0 ** rng.integers(0, 3, d)
    variance = 10.0 ** rng.uniform(-1, 1, d)
    means = np.where(plays > 0, rng.normal(size=d), 0.0)
    spreads = Spreads(*(10.0 ** rng.uniform(-2, 1, 2)))
    return phi, plays, means, variance, spreads, float(10.0 ** rng.uniform(-1, 0.5))


def dense(phi, plays, means, variance, spreads, unit):
    """The law of all means by conditioning a normal law of d numbers, and the logarithm of the density of the observed means."""
    priors = np.full(phi.shape[1], spreads.effects)
    priors[0] = model.FREE * unit
    before = (phi * priors) @ phi.T + spreads.residual * np.eye(len(phi))
    at = np.flatnonzero(plays > 0)
    noisy = before[np.ix_(at, at)] + np.diag(variance[at] / plays[at])
    gain = np.linalg.solve(noisy, before[at]).T
    size = np.linalg.slogdet(noisy)[1] + means[at] @ np.linalg.solve(noisy, means[at])
    return gain @ means[at], np.diag(before - gain @ before[at]), -0.5 * size


def seen_of(phi, plays, means, variance):
    at = np.flatnonzero(plays > 0)
    return Seen(phi[at], means[at], variance[at] / plays[at])


@settings(max_examples=500)
@given(SEEDS)
def test_posteriors_are_those_of_a_dense_computation(seed):
    phi, plays, means, variance, spreads, unit = drawn(seed)
    noise = np.where(plays > 0, variance / np.maximum(plays, 1.0), np.inf)
    for free in (10.0, 1e6):  # with a variance of 1e6 of the mean of all, the dense computation loses six digits
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(model, "FREE", free)
            effects = effects_of(seen_of(phi, plays, means, variance), spreads, unit)
            found = posterior(phi, means, noise, effects, spreads)
            expected, variances, _ = dense(phi, plays, means, variance, spreads, unit)
        np.testing.assert_allclose(found.means, expected, rtol=1e-10 * free, atol=1e-10 * free)
        np.testing.assert_allclose(found.variances, variances, rtol=1e-10 * free, atol=1e-10 * free)


@settings(max_examples=100)
@given(SEEDS)
def test_the_likelihood_of_spreads_is_that_of_a_dense_computation(seed):
    phi, plays, means, variance, spreads, unit = drawn(seed)
    seen, other = seen_of(phi, plays, means, variance), Spreads(spreads.residual * 3.0, spreads.effects / 2.0)
    if not len(seen.means):
        return

    def prior(square):
        return 0.5 * math.log(square) - 1.5 * math.log1p(square / unit)

    change = surprise(seen, other, unit) - surprise(seen, spreads, unit)
    densities = [dense(phi, plays, means, variance, one, unit)[2] + sum(map(prior, one)) for one in (other, spreads)]
    assert change == pytest.approx(densities[1] - densities[0], rel=1e-6, abs=1e-5)


@settings(max_examples=20)
@given(SEEDS)
def test_spreads_are_as_likely_as_those_of_another_search(seed):
    rng = np.random.default_rng(seed)
    d, k = 60, 4
    phi = np.hstack((np.ones((d, 1)), rng.normal(size=(d, k - 1))))
    truth = phi @ rng.normal(size=k) * rng.uniform(0.05, 1.0) + rng.uniform(0.01, 1.0) * rng.normal(size=d)
    noise = 1.0 / rng.integers(1, 50, d)
    seen = Seen(phi, truth + np.sqrt(noise) * rng.normal(size=d), noise)
    found = learnt(seen, Spreads(0.5, 0.5), 1.0)
    best = minimize(lambda z: surprise(seen, Spreads(*np.exp(z)), 1.0), np.log([0.5, 0.5]), method="Nelder-Mead").fun
    assert surprise(seen, found, 1.0) <= best + 0.1  # nats


def test_spreads_come_near_the_true_ones():
    rng = np.random.default_rng(0)
    d = 2_000
    phi = np.hstack((np.ones((d, 1)), rng.normal(size=(d, 8))))
    truth = phi[:, 1:] @ rng.normal(0.0, 0.5, 8) + 0.2 * rng.normal(size=d) - 3.0
    noise = np.full(d, 0.1)
    seen = Seen(phi, truth + np.sqrt(noise) * rng.normal(size=d), noise)
    found = learnt(seen, Spreads(0.5, 0.5), 1.0)
    assert math.sqrt(found.residual) == pytest.approx(0.2, rel=0.1)
    assert math.sqrt(found.effects) == pytest.approx(0.5, rel=0.5)


def test_draws_of_effects_have_their_law():
    rng = np.random.default_rng(1)
    seen = Seen(np.hstack((np.ones((9, 1)), rng.normal(size=(9, 2)))), rng.normal(size=9), np.full(9, 0.5))
    effects = effects_of(seen, Spreads(0.1, 1.0), 1.0)
    draws = np.array([effects.drawn(rng.standard_normal(3)) for _ in range(20_000)])
    phi = rng.normal(size=(4, 3))
    np.testing.assert_allclose(draws.mean(axis=0), effects.mean, atol=0.03)
    np.testing.assert_allclose((draws @ phi.T).var(axis=0), effects.variances(phi), rtol=0.05)
