"""Draws against a plain Python twin with the same generator, bit for bit, and Beta draws against their distribution."""

import functools
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from semibandits.kernels import rewards as kernels

KINDS = [getattr(kernels, kind) for kind in ("GAUSSIAN", "CORRELATED", "BERNOULLI", "BETA", "REPLAY_ITEMS", "REPLAY_ROUNDS")]


def twin(kind, floats, ints, items, rng):
    """Rewards of the items, from the description of the kinds."""
    floats, ints, items = floats.tolist(), ints.tolist(), items.tolist()
    d = ints[0]
    if kind == kernels.GAUSSIAN:
        return [floats[i] + floats[d + i] * rng.standard_normal() for i in items]
    if kind == kernels.BERNOULLI:
        return [float(rng.random() < floats[i]) for i in items]
    if kind == kernels.CORRELATED:
        z = [rng.standard_normal() for _ in range(d)]
        rows = np.array(floats[d:]).reshape(d, d).tolist()
        deviations = [functools.reduce(lambda total, c, i=i: total + rows[i][c] * z[c], range(i + 1), 0.0) for i in items]
        return [floats[i] + deviation for i, deviation in zip(items, deviations, strict=True)]
    if kind == kernels.BETA:
        low, high = floats[:2]
        shares = [twin_beta(floats[2 + i], floats[2 + d + i], rng) for i in items]
        return [high if share == 1 else min(low + (high - low) * share, high) for share in shares]
    if kind == kernels.REPLAY_ITEMS:
        logs = [floats[a:b] for a, b in itertools.pairwise(ints)]
        return [logs[i][math.floor(rng.random() * len(logs[i]))] for i in items]
    table = np.array(floats).reshape(ints[1], d)
    row = table[math.floor(rng.random() * ints[1])]
    return [float(row[i]) for i in items]


def twin_beta(a, b, rng):
    """Cheng's algorithm BA as printed, without care for what overflows."""
    if a == 0 or b == 0:
        return float(b == 0)
    alpha = a + b
    beta = max(1 / a, 1 / b) if min(a, b) <= 1 else math.sqrt((alpha - 2) / (2 * a * b - alpha))
    gamma = a + 1 / beta
    while True:
        u1, u2 = rng.random(), 1 - rng.random()
        v = beta * math.log(u1 / (1 - u1))
        w = a * math.exp(v)
        if alpha * math.log(alpha / (b + w)) + gamma * v - math.log(4) >= math.log(u1 * u1 * u2):
            return w / (b + w)


@st.composite
def laws(draw):
    """A kind with its arrays: ties, zeros, negative and tiny numbers among them."""
    kind, d = draw(st.sampled_from(KINDS)), draw(st.integers(1, 6))
    number = st.sampled_from([0.0, 1.0, -1.0, 1e-300, 1e-9, 0.3, -7.5]) | st.floats(-100, 100)

    def numbers(n, element=number):
        return draw(st.lists(element, min_size=n, max_size=n))

    ints = [d]
    if kind == kernels.GAUSSIAN:
        floats = numbers(d) + [abs(x) for x in numbers(d)]
    elif kind == kernels.CORRELATED:
        floats = numbers(d) + np.tril(np.array(numbers(d * d)).reshape(d, d)).ravel().tolist()
    elif kind == kernels.BERNOULLI:
        floats = numbers(d, st.sampled_from([0.0, 1.0, 0.5, 1e-300]) | st.floats(0, 1))
    elif kind == kernels.BETA:
        shapes = numbers(2 * d, st.sampled_from([0.0, 0.5, 1.0, 2.0]) | st.floats(0.05, 100))
        ones = [max(s, 0.1) if i % 2 else s for i, s in enumerate(shapes[:d])]
        floats = [-2.0, 1.0, *ones, *(s or 1.0 for s in shapes[d:])]
    elif kind == kernels.REPLAY_ITEMS:
        ints = np.cumsum([0, *numbers(d, st.integers(1, 4))]).tolist()
        floats = numbers(ints[-1])
    else:
        ints = [d, draw(st.integers(1, 5))]
        floats = numbers(d * ints[1])
    items = draw(st.permutations(range(d)))[: draw(st.integers(0, d))]
    return kind, np.array(floats), np.array(ints, dtype=np.int64), np.array(items, dtype=np.int64), d


@settings(max_examples=150)
@given(laws(), st.integers(0, 2**32))
def test_draws_are_those_of_the_twin(law, seed):
    kind, floats, ints, items, d = law
    rng, rng_of_twin = (np.random.default_rng(seed) for _ in range(2))
    out, before = np.full(d + 1, 99.0), floats.copy()
    for _ in range(5):
        kernels.draw(kind, floats, ints, items, len(items), rng, np.empty(d), out)
        expected = twin(kind, floats, ints, items, rng_of_twin)
        if kind == kernels.BETA:  # logarithms may differ in the last bit from one library to another
            np.testing.assert_allclose(out[: len(items)], expected, rtol=1e-9, atol=1e-9)
        else:
            assert out[: len(items)].tolist() == expected
        assert (out[len(items) :] == 99.0).all()
    assert rng.bit_generator.state == rng_of_twin.bit_generator.state
    assert (floats == before).all()


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.Philox])
def test_any_bit_generator_serves(bits):
    out, numbers = np.empty(2), np.array([1.0, 2.0, 3.0, 4.0])
    kernels.draw(kernels.GAUSSIAN, numbers, np.array([2]), np.array([1, 0]), 2, np.random.Generator(bits(3)), np.empty(2), out)
    z = np.random.Generator(bits(3)).standard_normal(2)
    assert out.tolist() == [2.0 + 4.0 * z[0], 1.0 + 3.0 * z[1]]


def beta_draws(a, b, n, seed):
    rng, out, shares = np.random.default_rng(seed), np.empty(1), np.empty(n)
    floats, ints, items = np.array([0.0, 1.0, a, b]), np.array([1]), np.array([0])
    for t in range(n):
        kernels.draw(kernels.BETA, floats, ints, items, 1, rng, np.empty(1), out)
        shares[t] = out[0]
    return shares


@settings(max_examples=150)
@given(st.floats(-1e100, 1e100), st.floats(-1e100, 1e100), st.sampled_from([0.0, 1e-3, 1.0, 1e9]), st.integers(0, 2**32))
def test_beta_rewards_end_exactly_at_the_ends(one, other, shape, seed):
    """By rounding, low + (high - low) is often not high, and at times above it."""
    low, high = min(one, other), max(one, other)
    floats, ints, out = np.array([low, high, 1.0, 0.0, 1e9, 0.0, 1.0, shape]), np.array([3]), np.empty(3)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        kernels.draw(kernels.BETA, floats, ints, np.arange(3), 3, rng, np.empty(3), out)
        assert out[:2].tolist() == [high, low]
        assert low <= out[2] <= high


SHAPES = [(0.5, 0.5), (1, 1), (2, 2), (0.05, 3), (3, 0.05), (0.01, 0.02), (1, 7), (30, 70), (1.5, 1e6), (5e8, 5e8)]


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_beta_draws_follow_their_distribution(a, b):
    """Shares of draws below thresholds, within five standard errors: a right sampler fails with probability 6e-7 a threshold.

    Not by Kolmogorov and Smirnov: where the second shape is small, draws round to 1.
    """
    n, law = 5000, stats.beta(a, b)
    shares = beta_draws(a, b, n, seed=11)
    assert ((shares >= 0) & (shares <= 1)).all()
    quantiles = law.ppf([0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98])
    thresholds = np.unique([t for t in (1e-30, 1e-3, 0.5, 0.999, 1 - 1e-9, *quantiles) if t <= 1 - 1e-9])
    for threshold in thresholds:
        p = float(law.cdf(threshold))
        assert abs(np.mean(shares <= threshold) - p) <= 5 * math.sqrt(p * (1 - p) / n) + 1e-9, threshold


def test_extreme_shapes_end_at_an_end():
    for a, b in ((1e-100, 1e-3), (1e-100, 1e9), (0.0, 1.0)):
        assert (beta_draws(a, b, 200, seed=5) == 0.0).all()
        assert (beta_draws(b, a, 200, seed=5) == 1.0).all()


@pytest.mark.parametrize("a", [1.0 + 2.0**-52, 1.0 + 2.0**-51, math.nextafter(1.0, 0.0)])
@pytest.mark.parametrize("b", [1.0, 1.0 + 2.0**-52, 1e9, 1e-3])
def test_shapes_a_rounding_error_above_one(a, b):
    """At a = 1 the mean is 1 / (1 + b): five standard errors, which a right sampler leaves with probability 6e-7 a case."""
    shares = beta_draws(a, b, 4000, seed=6)
    law = stats.beta(1.0, b)
    assert abs(shares.mean() - law.mean()) <= 5 * law.std() / math.sqrt(4000)


def uniforms_that_start_with_zero(count):
    """A generator whose first uniforms are exactly 0: a Mersenne twister gives 0 for words that are 0."""
    bits = np.random.MT19937(1)
    state = bits.state
    state["state"]["key"][: 2 * count] = 0
    state["state"]["pos"] = 0
    bits.state = state
    return np.random.Generator(bits)


def test_a_uniform_of_zero():
    """Probability 0 never happens, the first outcome is the one drawn, and the sampler of Beta draws tries again."""
    out, noise, one = np.full(1, 99.0), np.empty(1), np.array([0])
    assert uniforms_that_start_with_zero(2).random(3).tolist()[:2] == [0.0, 0.0]
    for kind, floats, ints, expected in (
        (kernels.BERNOULLI, [0.0], [1], 0.0),
        (kernels.BERNOULLI, [1e-300], [1], 1.0),
        (kernels.REPLAY_ITEMS, [5.0, 6.0], [0, 2], 5.0),
        (kernels.REPLAY_ROUNDS, [5.0, 6.0], [1, 2], 5.0),
    ):
        rng = uniforms_that_start_with_zero(1)
        kernels.draw(kind, np.array(floats), np.array(ints), one, 1, rng, noise, out)
        assert out[0] == expected
    rng = uniforms_that_start_with_zero(1)
    kernels.draw(kernels.BETA, np.array([0.0, 1.0, 2.0, 2.0]), one + 1, one, 1, rng, noise, out)
    later = uniforms_that_start_with_zero(1)
    later.random(2)
    assert out[0] == pytest.approx(twin_beta(2.0, 2.0, later), rel=1e-12)
