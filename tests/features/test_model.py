"""Items that share effects: posteriors against a dense Gaussian computation, spreads against a grid, draws against their law."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from semibandits.features.design import Design
from semibandits.features.items import Counts, Items
from semibandits.features.model import Seen, Spreads, effects_of, learnt, surprise
from semibandits.features.rows import Rows

SEEDS = st.integers(0, 2**32 - 1)


class Drawn:
    """Items with features of all kinds, and rewards of single rounds: late, lost, repeated, with other features now and then."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        d, k = int(rng.integers(1, 12)), int(rng.integers(1, 15))
        self.phi = np.hstack((np.ones((d, 1)), rng.normal(size=(d, k - 1))))
        if k > 2 and rng.random() < 0.4:
            self.phi[:, 2] = 2.0 * self.phi[:, 1]  # collinear columns
        if k > 1 and rng.random() < 0.2:
            self.phi[:, 1] = 0.0  # zero variance
        self.variance = 10.0 ** rng.uniform(-1, 1, d)
        self.spreads = Spreads(*(10.0 ** rng.uniform(-2, 1, 2)), 10.0)
        self.at = rng.integers(0, d, int(rng.integers(0, 40)))  # item of each reward
        self.rewards = rng.normal(size=len(self.at))
        self.rows = self.phi[self.at].copy()
        changes = (rng.random(len(self.at)) < rng.choice([0.0, 0.5])) & (k > 1)
        self.rows[changes, 1:] = rng.normal(size=(int(changes.sum()), k - 1))
        self.now = np.hstack((np.ones((d, 1)), rng.normal(size=(d, k - 1)))) if rng.random() < 0.5 else self.phi

    def told(self):
        """The items of an agent after these rewards, and their counts."""
        names = tuple(f"f{j}" for j in range(self.phi.shape[1]))
        design = Design(None, (), (), self.phi[:, 1:], names, np.ones(len(names)), self.phi)
        items, counts = Items(Rows(design), None, self.variance), Counts(*np.zeros((2, len(self.phi))))
        for i, reward, row in zip(self.at, self.rewards, self.rows, strict=True):
            one = np.array([i])
            items.observe(counts, one, np.array([reward]), None if np.array_equal(row, self.phi[i]) else row[None])
            counts.plays[i] += 1.0
            counts.sums[i] += reward
        items.rows.next = None if self.now is self.phi else self.now
        return items, counts

    def dense(self, spreads=None):
        """Means and covariance of effects and rests by conditioning one normal law, and the log density of the rewards."""
        spreads = self.spreads if spreads is None else spreads
        d, k = self.phi.shape
        priors = np.concatenate(([spreads.mean], np.full(k - 1, spreads.effects), np.full(d, spreads.residual)))
        maps = np.hstack((self.rows, np.eye(d)[self.at]))
        noisy = (maps * priors) @ maps.T + np.diag(self.variance[self.at])
        gain = np.linalg.solve(noisy, maps * priors).T
        covariance = np.diag(priors) - gain @ (maps * priors)
        size = np.linalg.slogdet(noisy)[1] + self.rewards @ np.linalg.solve(noisy, self.rewards)
        return gain @ self.rewards, covariance, -0.5 * size


@settings(max_examples=500)
@given(SEEDS)
def test_posteriors_are_those_of_a_dense_computation(seed):
    drawn = Drawn(seed)
    items, counts = drawn.told()
    _, seen = items.seen(counts, drawn.spreads)
    effects, residual = effects_of(seen, drawn.spreads), drawn.spreads.residual
    means, covariance, _ = drawn.dense()
    k = drawn.phi.shape[1]
    np.testing.assert_allclose(effects.mean, means[:k], rtol=1e-9, atol=1e-9)
    found = items.posterior(counts, effects, residual)
    maps = np.hstack((drawn.now, np.eye(len(drawn.phi))))
    np.testing.assert_allclose(found.means, maps @ means, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.variances, np.einsum("ij,jk,ik->i", maps, covariance, maps), rtol=1e-9, atol=1e-9)


@settings(max_examples=500)
@given(SEEDS)
def test_draws_have_the_law_of_a_dense_computation(seed):
    """Given drawn effects, means are independent with these means and variances; and effects have the law of the posterior."""
    drawn = Drawn(seed)
    items, counts = drawn.told()
    _, seen = items.seen(counts, drawn.spreads)
    means, covariance, _ = drawn.dense()
    k, rng = drawn.phi.shape[1], np.random.default_rng(seed)
    effects, normals = effects_of(seen, drawn.spreads), rng.standard_normal(drawn.phi.shape[1])
    beta = effects.drawn(normals)
    maps = np.linalg.inv(effects.factor).T
    np.testing.assert_allclose(maps @ maps.T, covariance[:k, :k], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(beta, means[:k] + maps @ normals, rtol=1e-9, atol=1e-9)
    given_beta = covariance[k:, :k] @ np.linalg.inv(covariance[:k, :k])
    rests = means[k:] + given_beta @ (beta - means[:k])
    _, total, found = items.given(counts, beta, drawn.spreads.residual)
    np.testing.assert_allclose(found, drawn.now @ beta + rests, rtol=1e-7, atol=1e-7)
    expected = np.diag(covariance[k:, k:] - given_beta @ covariance[:k, k:])
    np.testing.assert_allclose(drawn.variance / total, expected, rtol=1e-7, atol=1e-8)


@settings(max_examples=100)
@given(SEEDS)
def test_the_likelihood_of_spreads_is_that_of_a_dense_computation(seed):
    drawn = Drawn(seed)
    items, counts = drawn.told()
    if not len(drawn.at):
        return
    _, seen = items.seen(counts, drawn.spreads)
    other, unit = drawn.spreads._replace(residual=drawn.spreads.residual * 3.0, effects=drawn.spreads.effects / 2.0), 0.7

    def density(spreads):
        prior = 0.5 * math.log(spreads.effects) - sum(math.log1p(square / unit) for square in spreads[:2])
        return drawn.dense(spreads)[2] + prior

    change = surprise(seen, other, unit) - surprise(seen, drawn.spreads, unit)
    assert change == pytest.approx(density(drawn.spreads) - density(other), rel=1e-7, abs=1e-7)


@settings(max_examples=20)
@given(SEEDS)
def test_spreads_are_as_likely_as_those_of_another_search(seed):
    rng = np.random.default_rng(seed)
    d, k = 60, 4
    phi = np.hstack((np.ones((d, 1)), rng.normal(size=(d, k - 1))))
    truth = phi @ rng.normal(size=k) * rng.uniform(0.05, 1.0) + rng.uniform(0.01, 1.0) * rng.normal(size=d)
    noise = 1.0 / rng.integers(1, 50, d)
    seen = Seen(phi, truth + np.sqrt(noise) * rng.normal(size=d), noise)
    found = learnt(seen, Spreads(0.5, 0.5, 1e6), 1.0)
    best = minimize(lambda z: surprise(seen, Spreads(*np.exp(z), 1e6), 1.0), np.log([0.5, 0.5]), method="Nelder-Mead").fun
    assert surprise(seen, found, 1.0) <= best + 0.1  # nats


def test_a_few_items_that_are_alike_do_not_prove_that_features_say_nothing():
    phi = np.hstack((np.ones((2, 1)), np.random.default_rng(0).normal(size=(2, 5))))
    found = learnt(Seen(phi, np.full(2, 0.1), np.full(2, 0.02)), Spreads(0.25, 0.25, 5e5), 0.5)
    assert math.sqrt(found.effects) > 0.2


def test_spreads_come_near_the_true_ones():
    rng = np.random.default_rng(0)
    d = 2_000
    phi = np.hstack((np.ones((d, 1)), rng.normal(size=(d, 8))))
    truth = phi[:, 1:] @ rng.normal(0.0, 0.5, 8) + 0.2 * rng.normal(size=d) - 3.0
    noise = np.full(d, 0.1)
    seen = Seen(phi, truth + np.sqrt(noise) * rng.normal(size=d), noise)
    found = learnt(seen, Spreads(0.5, 0.5, 1e6), 1.0)
    assert math.sqrt(found.residual) == pytest.approx(0.2, rel=0.1)
    assert math.sqrt(found.effects) == pytest.approx(0.5, rel=0.5)


def test_draws_of_effects_have_their_law():
    rng = np.random.default_rng(1)
    seen = Seen(np.hstack((np.ones((9, 1)), rng.normal(size=(9, 2)))), rng.normal(size=9), np.full(9, 0.5))
    effects = effects_of(seen, Spreads(0.1, 1.0, 1e6))
    draws = np.array([effects.drawn(rng.standard_normal(3)) for _ in range(20_000)])
    phi = rng.normal(size=(4, 3))
    np.testing.assert_allclose(draws.mean(axis=0), effects.mean, atol=0.03)
    np.testing.assert_allclose((draws @ phi.T).var(axis=0), effects.variances(phi), rtol=0.05)
