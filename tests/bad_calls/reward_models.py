"""Reward models that do not exist, and rewards that a sampler must not return."""

import re

import numpy as np

import semibandits as sb

PAIR, DRAWS = np.zeros(2), np.random.default_rng(0)


def zeros(items, rng):
    return np.zeros(len(items))


def gaussian(theta, **options):
    return sb.GaussianRewards(theta, **options)


def correlated(covariance, theta=(0.0, 1.0)):
    return sb.CorrelatedGaussianRewards(theta, covariance)


def bounded(theta=(0.5,), **options):
    return sb.BoundedRewards(theta, **options)


def replayed(outcomes, **options):
    return sb.ReplayedRewards(outcomes, **options)


def sampled(theta=(0.0, 1.0), sampler=zeros, variance=1.0):
    return sb.SampledRewards(theta, sampler, variance=variance)


def drawn_of(items, rng=DRAWS, model=gaussian):
    """Rewards of three items, by a model with a kernel or by one without."""
    return model([0.0, 1.0, 2.0]).draw(items, rng)


def returned(answer):
    """What a sampler returns for items 0 and 2."""
    return sampled([0.0, 1.0, 2.0], lambda items, rng: answer).draw(np.array([0, 2]), DRAWS)


class Huge(sb.RewardModel):
    theta, variance = np.zeros(2), 1.0

    def draw(self, items, rng):
        """The sums of more than one round overflow."""
        assert not hasattr(self, "drawn"), "refused at once"
        self.drawn = True
        return np.full(len(items), rng.choice([-1e308, 1e308]))


def in_another_order():
    """A covariance whose columns are in another order than its rows."""
    import pandas as pd

    return pd.DataFrame(np.diag([1.0, 2.0]), index=list("ab"), columns=list("ab"))[["b", "a"]]


LOG, SHAPE = "must have shape (n,) with n >= 1, got", "be a scalar or have shape (d,) = (2,), got"
OUTCOMES = " must be a sequence of d arrays or an array of shape (n, d), got"
CONSTANT = " must vary for some item if variance is left out, got 0 as the largest range:"
INDICES, RANGE = "of items with shape (k,), got", "in 0 .. d - 1 = 2, got"
STATE = np.random.RandomState(0)
EXACT = [
    *((lambda *, theta=theta: gaussian(theta), f"theta must {message}") for theta, message in (
        ([], "have shape (d,) with d >= 1, got (0,): pass the mean reward of each item"),
        (0.5, "have shape (d,) with d >= 1, got (): pass"), ([[0.5, 0.5]], "have shape (d,) with d >= 1, got (1, 2): pass"),
        ([0.5, -np.inf], "be finite, got -inf at index 1: replace"), ("half", "be an array of numbers, got str: "),
        ([0.5, 1j], "be an array of numbers, got list: "),
        (np.array([1j]), "hold real numbers, got complex128 ones: pass their real parts"),
        ([0.5, 2e300], "be at most 1e+100 in absolute value, got 2e+300: give rewards in a larger unit"),
    )),
    *((lambda *, model=model: model([0.5, np.nan]), "theta must be finite, got nan at index 1: replace")
      for model in (gaussian, sb.BernoulliRewards, bounded, sampled, lambda theta: correlated(np.eye(2), theta))),
    *((lambda *, variance=variance: gaussian(PAIR, variance=variance), f"variance must {message}") for variance, message in (
        (0.0, "be positive, got 0.0 for item 0: "), ([1.0, -1.0], "be positive, got -1.0 for item 1: "),
        ([1.0], f"{SHAPE} (1,): pass one number for all items, or one per item"), (np.ones((2, 1)), f"{SHAPE} (2, 1): "),
        (np.nan, "be finite, got nan at index 0: "), (1e101, "be at most 1e+100 in absolute value, got 1e+101: "),
        ("1/2", "be an array of numbers, got str: "),
    )),
    (lambda: sampled(variance=0.0), "variance must be positive, got 0.0 for item 0: "),
    (lambda: replayed([[0, 1], [2, 2]], variance=0.0), "variance must be positive, got 0.0 for item 0: "),
    (lambda: replayed(np.eye(2), variance=[1.0]), f"variance must {SHAPE} (1,): "),
    *((lambda *, given=given: correlated(given), f"covariance must {message}") for given, message in (
        (np.eye(3), "have shape (d, d) = (2, 2), got (3, 3): pass one row"),
        (1.0, "have shape (d, d) = (2, 2), got (): "), ([1.0, 1.0], "have shape (d, d) = (2, 2), got (2,): "),
        ([[1.0, 0.25], [0.5, 1.0]],
         "be symmetric, got 0.25 for items (0, 1) and 0.5 for (1, 0): pass ("),
        ([[1.0, 1.0 + 1e-11], [1.0, 1.0]], "be symmetric, got"),
        ([[1.0, 2.0], [2.0, 1.0]], "be positive semidefinite, got the eigenvalue -1: "),
        ([[1.0, 1.0 + 1e-11], [1.0 + 1e-11, 1.0]], "be positive semidefinite"),
        ([[1.0, 0.0], [0.0, 0.0]], "have a positive diagonal, got 0.0 for item 1: "),
        ([[1.0, 0.0], [0.0, -1.0]], "have a positive diagonal, got -1.0 for item 1: "),
        ([[1.0, np.nan], [0.0, 1.0]], "be finite, got nan at index 1: "),
        ([[1e101, 0.0], [0.0, 1.0]], "be at most 1e+100 in absolute value, got 1e+101: "),
    )),
    (lambda: correlated(in_another_order()), "rows and columns in the same order"),
    (lambda: sb.BernoulliRewards([0.5, -0.1]), "theta must be in [0, 1], got -0.1 for item 1: pass probabilities"),
    (lambda: sb.BernoulliRewards([1.5, 0.5]), "theta must be in [0, 1], got 1.5 for item 0: pass probabilities"),
    *((lambda *, options=options: bounded(**options), message) for options, message in (
        ({"low": 1.0}, "below high, got low = 1 and high = 1: pass"),
        ({"low": 0.0, "high": 1e-200}, "below high, got low = 0 and high = 1e-200: "),
        ({"low": np.nan}, "low must be a finite number, got nan"), ({"high": np.inf}, "high must be a finite number, got inf"),
        ({"high": "1"}, "high must be a finite number, got '1'"),
        ({"high": 1e101}, "at most 1e+100 in absolute value, got 0 and 1e+101: "),
        ({"high": 0.25}, "in [low, high] = [0, 0.25], got 0.5 for item 0: widen"),
        ({"concentration": 0.0}, "in [0.001, 1e+09], got 0: use BernoulliRewards"),
        ({"concentration": 1e10}, "in [0.001, 1e+09], got 1e+10: "),
        ({"concentration": np.nan}, "concentration must be a finite number"),
    )),
    *((lambda *, logs=logs: replayed(logs), f"outcomes{message}") for logs, message in (
        ([], " must hold one log per item, got none: pass at least one"), (5.0, f"{OUTCOMES} float: pass one log per item"),
        ("abc", f"{OUTCOMES} str: "), ({0: [1.0]}, f"{OUTCOMES} dict: "), (np.array(5.0), f"{OUTCOMES} ndarray: "),
        (np.zeros(3), f"[0] {LOG} (): pass the outcomes of item 0, or an array"), (np.zeros((2, 2, 2)), f"[0] {LOG} (2, 2): "),
        ([[1.0], []], f"[1] {LOG} (0,): pass the outcomes of item 1"),
        ([[1.0], [np.nan]], "[1] must be finite, got nan at index 0: "),
        ([[1.0], ["x"]], "[1] must be an array of numbers, got list: "),
        ([[1.0], [1e101]], "[1] must be at most 1e+100 in absolute value, got 1e+101: "),
        (np.zeros((0, 3)), " must have shape (n, d) with n >= 1 and d >= 1, got (0, 3): pass one row per round"),
        (np.zeros((3, 0)), " must have shape (n, d) with n >= 1 and d >= 1, got (3, 0): "),
        (np.array([[0.0, np.inf]]), " must be finite, got inf at index 1: "),
        ([[1.0, 1.0], [2.0, 2.0]], f"{CONSTANT} pass the variance"), (np.array([[1.0, 2.0]]), CONSTANT),
    )),
    (lambda: sampled(sampler=3), "sampler must be a function of items and rng, got int: pass one that draws"),
    *((lambda *, answer=answer: returned(answer), f"rewards of the sampler must {message}") for answer, message in (
        (np.zeros(3), "have shape (k,) = (2,), got (3,): return one reward per item"),
        (np.zeros((2, 1)), "have shape (k,) = (2,), got (2, 1): "), (None, ""), ("ab", "be an array of numbers, got str: "),
        ([0.0, np.nan], "be finite, got nan at index 1: return"), (np.array([1j, 0.0]), "hold real numbers, got complex128 ones"),
        (np.ma.array([7.0, 2.0], mask=[False, True]), "hold a number for each item, got a masked entry at index 1: fill it in"),
        ([np.ma.masked, 2.0], "hold a number for each item, got a masked entry at index 0: "),
        ([0.0, -1e308], "be at most 1e+100 in absolute value, got -1e+308 at index 1: return rewards in a larger"),
    )),
    (lambda: sb.simulate(sb.MSets(2, 1), Huge(), [sb.CUCB()], horizon=1000, replications=1),
     "rewards of draw must be at most 1e+100 in absolute value"),
    *((lambda *, model=model, items=items: drawn_of(items, model=model), f"items must be indices {message}")
      for model, items, message in (
          (gaussian, [0, 3], f"{RANGE} 3: pass items"), (gaussian, [-1], f"{RANGE} -1: "),
          (gaussian, np.array([2**64 - 1], dtype=np.uint64), f"{RANGE} 18446744073709551615: "),
          (gaussian, [0.0, 1.0], f"{INDICES} float64 with shape (2,): pass numpy.flatnonzero"),
          (gaussian, [True, False, True], f"{INDICES} bool with shape (3,): pass numpy.flatnonzero"),
          (gaussian, [[0, 1]], f"{INDICES} int64 with shape (1, 2): "), (sampled, [0, 3], f"{RANGE} 3: pass items"),
          (sampled, [0.0, 1.0], f"{INDICES} float64 with shape (2,): pass numpy.flatnonzero"),
      )),
    *((lambda *, rng=rng, model=model: drawn_of([0], rng, model), f"Generator, got {kind}: pass numpy.random.default_rng(seed)")
      for rng, model, kind in ((0, gaussian, "int"), (STATE, gaussian, "RandomState"), (STATE, sampled, "RandomState"))),
]  # fmt: skip
CALLS = [(call, re.escape(message)) for call, message in EXACT] + [
    (lambda: sb.GaussianRewards([0.0], 1.0), "positional", TypeError),
    (lambda: sb.BoundedRewards([0.0], 0.0), "positional", TypeError),
    (lambda: sb.ReplayedRewards([[0, 1]], 1.0), "positional", TypeError),
]
