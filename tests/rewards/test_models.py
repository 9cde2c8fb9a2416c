"""Reward models: bits, moments, what policies receive, and pickling."""

from __future__ import annotations

import functools
import importlib
import json
import pickle
import pkgutil

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
import semibandits.rewards
from semibandits.kernels.rewards import draw

ROUNDS = 5_000
ROOT = np.array([[1.0, 0.0, 0.0], [0.8, 0.6, 0.0], [-0.5, 0.5, 2.0]])
COVARIANCE = ROOT @ ROOT.T
LOGS = [[0.0, 0.0, 1.0], [2.5, 2.5], [-1.0, 4.0, 4.0, 4.0, 7.0]]
TABLE = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 5.5], [2.0, 2.0, -3.0], [2.0, 7.0, 0.25]])


def laplace(items, rng):
    """Rewards around 0, 1 and 2, not Gaussian."""
    return items + rng.laplace(scale=0.5, size=len(items))


SPREADS = np.diag([0.01, 4.0, 900.0])
WITH_COVARIANCES = {
    "gaussian": (sb.GaussianRewards([1.0, -2.0, 0.0], variance=2.0), 2.0 * np.eye(3)),
    "gaussian, a variance an item": (
        sb.GaussianRewards([1.0, -2.0, 0.0], variance=[0.5, 1e-6, 9.0]), np.diag([0.5, 1e-6, 9.0]),
    ),
    "correlated": (sb.CorrelatedGaussianRewards([1.0, -2.0, 0.0], COVARIANCE), COVARIANCE),
    "bernoulli": (sb.BernoulliRewards([0.0, 0.3, 1.0]), np.diag([0.0, 0.21, 0.0])),
    "poisson": (sb.PoissonRewards([0.0, 3.5, 40.0]), np.diag([0.0, 3.5, 40.0])),
    "poisson, costs": (sb.PoissonRewards([-0.05, -9.99, -10.0], cost=True), np.diag([0.05, 9.99, 10.0])),
    "gamma": (sb.GammaRewards([0.1, 2.0, 30.0]), SPREADS),
    "gamma, concentrated costs": (sb.GammaRewards([-0.1, -2.0, -30.0], shape=9.0, cost=True), SPREADS / 9.0),
    "gamma, heavy": (sb.GammaRewards([0.1, 2.0, 30.0], shape=0.3), SPREADS / 0.3),
    "bounded": (sb.BoundedRewards([-1.0, 0.5, 3.0], low=-1.0, high=3.0), np.diag([0.0, 16 * (3 / 8) * (5 / 8) / 3, 0.0])),
    "bounded, concentrated": (sb.BoundedRewards([0.2, 0.5, 0.9], concentration=20.0), np.diag([0.16, 0.25, 0.09]) / 21),
    "bounded, almost a coin": (sb.BoundedRewards([0.2, 0.5, 0.9], concentration=0.05), np.diag([0.16, 0.25, 0.09]) / 1.05),
    "replayed items": (sb.ReplayedRewards(LOGS), np.diag([np.var(log) for log in LOGS])),
    "replayed rounds": (sb.ReplayedRewards(TABLE, variance=[1.0, 2.0, 3.0]), np.cov(TABLE.T, bias=True)),
    "sampled": (sb.SampledRewards([0.0, 1.0, 2.0], laplace, variance=1.0), 0.5 * np.eye(3)),
}  # fmt: skip
MODELS = {name: model for name, (model, _) in WITH_COVARIANCES.items()}
every_model = pytest.mark.parametrize("name", MODELS)


def drawn(model, seed=1, rounds=ROUNDS, items=(0, 1, 2)):
    rng, items = np.random.default_rng(seed), np.array(items)
    return np.array([model.draw(items, rng) for _ in range(rounds)])


@functools.cache
def many_draws(name):
    return drawn(MODELS[name])


def test_every_model_is_here():
    for module in pkgutil.iter_modules(semibandits.rewards.__path__):
        importlib.import_module(f"semibandits.rewards.{module.name}")

    def below(kind):
        return {kind} | {c for child in kind.__subclasses__() for c in below(child)}

    ours = {k for k in below(sb.RewardModel) if k.__module__.startswith("semibandits.") and not k.__abstractmethods__}
    assert ours == {type(model) for model in MODELS.values()}


@every_model
def test_moments(name):
    """Means and covariances within five standard errors, estimated from the draws: 6e-7 a number, below 1e-4 in all."""
    model, expected = WITH_COVARIANCES[name]
    centred = many_draws(name) - model.theta
    products = np.einsum("ti,tj->tij", centred, centred)
    for sample, mean in ((centred, np.zeros(3)), (products, expected)):
        errors = sample.std(axis=0) / np.sqrt(ROUNDS)
        assert (np.abs(sample.mean(axis=0) - mean) <= 5 * errors + 1e-12).all()


@pytest.mark.parametrize("name", [name for name in MODELS if name != "sampled"])
def test_the_compiled_law_draws_the_same_bits_and_is_new_and_contiguous(name):
    model, law = MODELS[name], MODELS[name].compiled()
    for seed in (3, 4):
        rng, rng_of_kernel = np.random.default_rng(seed), np.random.default_rng(seed)
        noise, out = np.empty(3), np.empty(3)
        for items in ([0, 1, 2], [2, 0], [1], [], [2, 1, 0]) * 2:
            k = len(items)
            draw(law.kind, law.floats, law.ints, np.array(items, dtype=np.int64), k, rng_of_kernel, noise, out)
            assert model.draw(items, rng).tolist() == out[:k].tolist()
        assert rng.bit_generator.state == rng_of_kernel.bit_generator.state
        for array, kind in ((law.floats, np.float64), (law.ints, np.int64)):
            assert (array.dtype, array.ndim, array.flags.c_contiguous) == (kind, 1, True)
            array[:] = 0  # it is a copy
        law = model.compiled()


@every_model
def test_models_are_immutable_and_so_are_pickles_which_draw_the_same(name):
    model = MODELS[name]
    copy = pickle.loads(pickle.dumps(model))
    for each in (model, copy):
        for value in (each.theta, each.variance, getattr(each, "covariance", 0.0)):
            assert not isinstance(value, np.ndarray) or not value.flags.writeable
        for attribute in ("theta", "variance", "d"):
            with pytest.raises(AttributeError):
                setattr(each, attribute, 1.0)
    assert drawn(copy, rounds=20).tolist() == drawn(model, rounds=20).tolist() != drawn(model, seed=2, rounds=20).tolist()
    assert (copy.specification(), repr(copy)) == (model.specification(), repr(model))
    assert copy.is_independent_gaussian == model.is_independent_gaussian


@every_model
def test_specifications_are_plain_json_and_distinguish_models(name):
    specification = MODELS[name].specification()
    assert json.loads(json.dumps(specification, allow_nan=False)) == specification
    assert specification["name"] == type(MODELS[name]).__name__
    assert sum(model.specification() == specification for model in MODELS.values()) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (sb.GaussianRewards([1.0, 2.0]), sb.GaussianRewards([1.0, 2.0], variance=0.25)),
        (sb.GaussianRewards(np.zeros(500)), sb.GaussianRewards(np.zeros(501))),
        (sb.GaussianRewards(np.arange(500.0)), sb.GaussianRewards(np.arange(500.0)[::-1])),
        (sb.CorrelatedGaussianRewards([1, 2], np.eye(2)), sb.CorrelatedGaussianRewards([1, 2], [[1, 0.5], [0.5, 1]])),
        (sb.BoundedRewards([0.5]), sb.BoundedRewards([0.5], high=2.0)),
        (sb.BoundedRewards([0.5]), sb.BoundedRewards([0.5], concentration=3.0)),
        (sb.ReplayedRewards([[0, 1], [0, 1, 0]]), sb.ReplayedRewards([[0, 1, 0], [1, 0]])),
        (sb.ReplayedRewards([[0, 1], [0, 1]]), sb.ReplayedRewards(np.array([[0, 0], [1, 1]]))),
        (sb.ReplayedRewards([[0, 1]]), sb.ReplayedRewards([[0, 1]], variance=1.0)),
    ],
)
def test_specifications_differ_if_one_parameter_differs(one, other):
    assert one.specification() != other.specification()


def test_large_parameters_are_replaced_by_digests():
    parameters = sb.GaussianRewards(np.arange(1000.0)).specification()["parameters"]
    assert (parameters["theta"]["shape"], len(parameters["theta"]["sha256"])) == ([1000], 64)
    with_minus_zero = np.arange(1000.0)
    with_minus_zero[0] = -0.0
    assert sb.GaussianRewards(with_minus_zero).specification()["parameters"] == parameters
    assert sb.BernoulliRewards([0.1, 0.2]).specification() == {"name": "BernoulliRewards", "parameters": {"theta": [0.1, 0.2]}}


def test_what_policies_receive():
    assert sb.GaussianRewards([1, 2]).variance == 0.5
    assert MODELS["gaussian, a variance an item"].variance.tolist() == [0.5, 1e-6, 9.0]
    np.testing.assert_allclose(MODELS["correlated"].variance, np.diag(COVARIANCE), rtol=1e-15)
    assert sb.BernoulliRewards([0.01, 0.99]).variance == 0.25
    assert sb.BoundedRewards([0.0, 1.0], low=-1, high=3).variance == 4.0
    assert sb.ReplayedRewards(LOGS).variance == 16.0  # the third log spans 8
    assert sb.ReplayedRewards(TABLE).variance == 8.5**2 / 4
    assert MODELS["replayed rounds"].variance.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.filterwarnings("ignore::semibandits.errors.SparseLogWarning")
@settings(max_examples=150)
@given(st.lists(st.lists(st.floats(-10, 10), min_size=1, max_size=6), min_size=1, max_size=4), st.floats(-5, 5))
def test_the_default_variance_of_replayed_rewards_is_a_sub_gaussian_proxy(logs, u):
    """E exp(u (x - mean)) <= exp(variance u^2 / 2) for the empirical law of every item."""
    if max(np.ptp(log) for log in logs) < 1e-150:
        return
    model = sb.ReplayedRewards(logs)
    for log, mean in zip(logs, model.theta, strict=True):
        assert np.log(np.mean(np.exp(u * (np.array(log) - mean)))) <= model.variance * u**2 / 2 + 1e-9


def test_which_models_are_independent_gaussian():
    theirs = {name for name, model in MODELS.items() if model.is_independent_gaussian}
    assert theirs == {"gaussian", "gaussian, a variance an item"}
    assert sb.CorrelatedGaussianRewards([1.0, 2.0], np.diag([1.0, 3.0])).is_independent_gaussian


def test_arrays_are_copied():
    theta, variance, covariance, table = np.array([1.0, 2.0]), np.array([1.0, 1.0]), np.eye(2), TABLE.copy()
    models = (
        sb.GaussianRewards(theta, variance=variance),
        sb.CorrelatedGaussianRewards(theta, covariance),
        sb.ReplayedRewards(table),
    )
    before = [drawn(model, rounds=3, items=(0, 1)).tolist() for model in models]
    for array in (theta, variance, covariance, table):
        array[:] = 77.0
    assert [drawn(model, rounds=3, items=(0, 1)).tolist() for model in models] == before


@settings(max_examples=100)
@given(
    st.lists(st.floats(-1e3, 1e3) | st.sampled_from([0.0, 1e-200, -1.0]), min_size=1, max_size=6),
    st.floats(1e-6, 1e6), st.integers(-60, 60), st.integers(0, 2**32),
)  # fmt: skip
def test_gaussian_draws_scale_by_powers_of_two(theta, variance, power, seed):
    """From theta and sigma to c theta and c sigma, every draw is multiplied by c, bit for bit."""
    scale, d = 2.0**power, len(theta)
    theta = np.array(theta)
    factor = np.tril(np.random.default_rng(seed).standard_normal((d, d))) + 3 * np.eye(d)
    covariance = variance * (factor @ factor.T)
    covariance = (covariance + covariance.T) / 2
    pairs = (
        (sb.GaussianRewards(theta, variance=variance), sb.GaussianRewards(scale * theta, variance=scale**2 * variance)),
        (sb.CorrelatedGaussianRewards(theta, covariance), sb.CorrelatedGaussianRewards(scale * theta, scale**2 * covariance)),
    )
    for one, scaled in pairs:
        items = tuple(range(d))
        ours, theirs = drawn(one, seed, 4, items), drawn(scaled, seed, 4, items)
        assert (scale * ours).tolist() == theirs.tolist()


@pytest.mark.parametrize("rank", [1, 2, 4])
def test_singular_covariances(rank):
    """The factor L of a covariance of low rank has L L^T equal to it, and rewards stay in its range."""
    root = np.random.default_rng(rank).standard_normal((5, rank))
    covariance = root @ root.T
    model = sb.CorrelatedGaussianRewards(np.zeros(5), covariance)
    factor = model.compiled().floats[5:].reshape(5, 5)
    assert (np.triu(factor, 1) == 0).all()
    assert (np.diag(factor) >= 0).all()
    np.testing.assert_allclose(factor @ factor.T, covariance, rtol=0, atol=1e-13 * np.abs(covariance).max())
    rewards = drawn(model, rounds=50, items=range(5))
    outside = rewards @ (np.eye(5) - root @ np.linalg.pinv(root))
    assert np.abs(outside).max() <= 1e-6


class Frame:
    ndim = 2

    def __array__(self, dtype=None, copy=None):
        return np.array(TABLE, dtype=dtype)


def test_tables_and_logs_are_distinguished():
    table, logs = sb.ReplayedRewards(TABLE), sb.ReplayedRewards(TABLE.tolist())
    assert (table.is_joint, table.d, logs.is_joint, logs.d) == (True, 3, False, 4)
    np.testing.assert_allclose(table.theta, TABLE.mean(axis=0), rtol=1e-15)
    np.testing.assert_allclose(logs.theta, TABLE.mean(axis=1), rtol=1e-15)
    for same in (Frame(), np.asfortranarray(TABLE)):
        assert sb.ReplayedRewards(same).specification() == table.specification()


def test_tiny_means_of_bounded_rewards_are_constants():
    """A shape below 1e-100 would overflow in the sampler, which would never return."""
    model = sb.BoundedRewards([5e-324, 1e-300, 1e-90])
    assert model.compiled().floats.tolist()[2:5] == [0.0, 0.0, 2e-90]
    assert drawn(model, rounds=20).tolist() == np.zeros((20, 3)).tolist()


@settings(max_examples=150)
@given(
    st.floats(-1e6, 1e6), st.floats(1e-9, 1e6), st.sampled_from([0.0, 1.0, 1e-300, 1e-12]) | st.floats(0, 1),
    st.sampled_from([1e-3, 2.0, 1e9]) | st.floats(1e-3, 1e9),
)  # fmt: skip
def test_bounded_rewards_at_any_interval(low, width, share, concentration):
    high = low + width
    if not high > low:
        return
    theta = min(max(low + share * (high - low), low), high)
    model = sb.BoundedRewards([theta], low=low, high=high, concentration=concentration)
    rewards = drawn(model, rounds=5, items=(0,))
    assert ((rewards >= low) & (rewards <= high)).all()


def test_representations_show_shapes():
    assert repr(sb.GaussianRewards([1, 2, 3])) == "GaussianRewards(theta of shape (3,), variance=0.5)"
    assert repr(MODELS["correlated"]) == "CorrelatedGaussianRewards(theta of shape (3,), variance of shape (3,))"
    assert repr(sb.ReplayedRewards(TABLE)).endswith(", 4 joint rounds)")
    assert repr(sb.ReplayedRewards(LOGS)) == "ReplayedRewards(theta of shape (3,), variance=16, 10 outcomes of single items)"


class Coin(sb.RewardModel):
    """A minimal user's model."""

    theta, variance = np.array([0.5, 0.5]), 0.25

    def draw(self, items, rng):
        return rng.integers(0, 2, size=len(items)).astype(float)


def test_a_users_model_needs_three_members():
    model = Coin()
    assert (model.d, model.compiled(), model.is_independent_gaussian) == (2, None, False)
    specification = json.loads(json.dumps(model.specification()))
    assert specification["name"].endswith(".Coin")
    assert specification["parameters"] == {"theta": [0.5, 0.5], "variance": 0.25}


class Clipped(sb.GaussianRewards):
    def draw(self, items, rng):
        return np.zeros(len(items))


class Mixin:
    """Comes before a model among the bases."""

    draw = Clipped.draw


class MixedCorrelated(Mixin, sb.CorrelatedGaussianRewards):
    pass


class Renamed(sb.GaussianRewards):
    name = property(lambda self: "mine")


def test_an_overridden_draw_replaces_the_law():
    """The kernel would draw other rewards, and C(theta) bounds Gaussian rewards only."""
    for model in (Clipped([1.0, 2.0]), MixedCorrelated([1.0, 2.0], np.eye(2))):
        assert (model.compiled(), model.is_independent_gaussian) == (None, False)
    result = sb.simulate(sb.MSets(2, 1), Clipped([1.0, 2.0]), [sb.CUCB()], horizon=20, replications=2)
    assert not result.reward["CUCB"].any()
    assert result.lower_bound is None
    assert Renamed([1.0, 2.0]).compiled() is not None
    assert Renamed([1.0, 2.0]).is_independent_gaussian


class Callable:
    __call__ = Clipped.draw


def test_sampled_rewards_name_their_sampler():
    assert MODELS["sampled"].specification()["parameters"]["sampler"].endswith(".laplace")
    named = sb.SampledRewards([0.0], Callable(), variance=1.0).specification()["parameters"]["sampler"]
    assert named.endswith(".Callable")


def test_a_sampler_cannot_change_the_items_of_the_caller():
    def spoil(items, rng):
        items[:] = 0
        return np.ma.array([1e100, -1e100], mask=[False, False])  # as large as allowed, and nothing is masked

    items = np.array([1, 2])
    answer = sb.SampledRewards([0.0, 0.0, 0.0], spoil, variance=1.0).draw(items, np.random.default_rng(0))
    assert answer.tolist() == [1e100, -1e100]
    assert items.tolist() == [1, 2]


def test_a_covariance_may_have_rounding_errors_or_be_a_frame():
    """By 1e-13; `bad_calls` refuses errors of 1e-11."""
    for below in (1.0, 1.0 + 1e-13):
        sb.CorrelatedGaussianRewards([0.0, 0.0], [[1.0, 1.0 + 1e-13], [below, 1.0]])
    frame = pd.DataFrame(np.diag([1.0, 2.0]), index=list("ab"), columns=list("ab"))
    assert sb.CorrelatedGaussianRewards([0.0, 1.0], frame).covariance.tolist() == [[1.0, 0.0], [0.0, 2.0]]


def test_constant_logs_with_a_variance():
    model = sb.ReplayedRewards([[1.0, 1.0], [2.0, 2.0]], variance=0.1)
    assert model.draw([1, 0], np.random.default_rng(0)).tolist() == [2.0, 1.0]


@pytest.mark.parametrize(("logs", "found"), [([[1.0], [0.0, 1.0]], 1), ([[1.0, 0.0], [0.0], [1.0]], 2)])
def test_single_outcomes_among_others_are_pointed_out(logs, found):
    """One click of one view is a mean of 1; a table, and logs of one outcome each, have no others."""
    with pytest.warns(sb.SparseLogWarning, match=f"{found} of {len(logs)} items have a single outcome"):
        sb.ReplayedRewards(logs)
    sb.ReplayedRewards([[1.0], [0.5]], variance=1.0)
