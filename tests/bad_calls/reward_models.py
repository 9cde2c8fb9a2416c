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


THETA, VARIANCE, LOG = "theta must have shape (d,) with d >= 1, got", "variance must", "must have shape (n,) with n >= 1, got"
SHAPE, SQUARE = f"{VARIANCE} be a scalar or have shape (d,) = (2,), got", "covariance must have shape (d, d) = (2, 2), got"
DIAGONAL, SYMMETRIC = "covariance must have a positive diagonal, got", "covariance must be symmetric, got"
OUTCOMES = "outcomes must be a sequence of d arrays or an array of shape (n, d), got"
TABLE = "outcomes must have shape (n, d) with n >= 1 and d >= 1, got"
CONSTANT = "outcomes must vary for some item if variance is left out, got 0 as the largest range:"
BETWEEN, STRENGTH = "low must be below high, got low =", "concentration must be in [0.001, 1e+09], got"
REWARDS, REWARD = "rewards of the sampler must", "rewards of the sampler must have shape (k,) = (2,), got"
INDICES, RANGE = "items must be indices of items with shape (k,), got", "items must be indices in 0 .. d - 1 = 2, got"
GENERATOR, REMEDY = "rng must be a numpy.random.Generator, got", "pass numpy.random.default_rng(seed)"
EXACT = [
    (lambda: gaussian([]), f"{THETA} (0,): pass the mean reward of each item"),
    (lambda: gaussian(0.5), f"{THETA} (): pass"),
    (lambda: gaussian([[0.5, 0.5]]), f"{THETA} (1, 2): pass"),
    (lambda: gaussian([0.5, np.nan]), "theta must be finite, got nan at index 1: replace"),
    (lambda: gaussian([0.5, -np.inf]), "theta must be finite, got -inf at index 1: replace"),
    (lambda: gaussian("half"), "theta must be an array of numbers, got str: "),
    (lambda: gaussian([0.5, 1j]), "theta must be an array of numbers, got list: "),
    (lambda: gaussian(np.array([1j])), "theta must hold real numbers, got complex128 ones: pass their real parts"),
    (lambda: gaussian([0.5, 2e300]), "theta must be at most 1e+100 in absolute value, got 2e+300: give rewards in a larger unit"),
    (lambda: correlated(np.eye(2), [0.5, np.nan]), "theta must be finite, got nan at index 1: replace"),
    (lambda: sb.BernoulliRewards([0.5, np.nan]), "theta must be finite, got nan at index 1: replace"),
    (lambda: bounded([0.5, np.nan]), "theta must be finite, got nan at index 1: replace"),
    (lambda: sampled([0.5, np.nan]), "theta must be finite, got nan at index 1: replace"),
    (lambda: gaussian(PAIR, variance=0.0), f"{VARIANCE} be positive, got 0.0 for item 0: "),
    (lambda: gaussian(PAIR, variance=[1.0, -1.0]), f"{VARIANCE} be positive, got -1.0 for item 1: "),
    (lambda: gaussian(PAIR, variance=[1.0]), f"{SHAPE} (1,): pass one number for all items, or one per item"),
    (lambda: gaussian(PAIR, variance=np.ones((2, 1))), f"{SHAPE} (2, 1): "),
    (lambda: gaussian(PAIR, variance=np.nan), f"{VARIANCE} be finite, got nan at index 0: "),
    (lambda: gaussian(PAIR, variance=1e101), f"{VARIANCE} be at most 1e+100 in absolute value, got 1e+101: "),
    (lambda: gaussian(PAIR, variance="1/2"), f"{VARIANCE} be an array of numbers, got str: "),
    (lambda: sampled(variance=0.0), f"{VARIANCE} be positive, got 0.0 for item 0: "),
    (lambda: replayed([[0, 1], [2]], variance=0.0), f"{VARIANCE} be positive, got 0.0 for item 0: "),
    (lambda: replayed(np.eye(2), variance=[1.0]), f"{SHAPE} (1,): "),
    (lambda: correlated(np.eye(3)), f"{SQUARE} (3, 3): pass one row and one column per item of theta"),
    (lambda: correlated(1.0), f"{SQUARE} (): "),
    (lambda: correlated([1.0, 1.0]), f"{SQUARE} (2,): "),
    (lambda: correlated([[1.0, 0.25], [0.5, 1.0]]),
     f"{SYMMETRIC} 0.25 for items (0, 1) and 0.5 for (1, 0): pass (covariance + covariance.T) / 2"),
    (lambda: correlated([[1.0, 1.0 + 1e-11], [1.0, 1.0]]), SYMMETRIC),
    (lambda: correlated([[1.0, 2.0], [2.0, 1.0]]),
     "covariance must be positive semidefinite, got the eigenvalue -1: estimate it from joint rounds"),
    (lambda: correlated([[1.0, 1.0 + 1e-11], [1.0 + 1e-11, 1.0]]), "covariance must be positive semidefinite"),
    (lambda: correlated([[1.0, 0.0], [0.0, 0.0]]), f"{DIAGONAL} 0.0 for item 1: pass a tiny variance"),
    (lambda: correlated([[1.0, 0.0], [0.0, -1.0]]), f"{DIAGONAL} -1.0 for item 1: "),
    (lambda: correlated([[1.0, np.nan], [0.0, 1.0]]), "covariance must be finite, got nan at index 1: "),
    (lambda: correlated([[1e101, 0.0], [0.0, 1.0]]), "covariance must be at most 1e+100 in absolute value, got 1e+101: "),
    (lambda: correlated(in_another_order()), "rows and columns in the same order"),
    (lambda: sb.BernoulliRewards([0.5, -0.1]), "theta must be in [0, 1], got -0.1 for item 1: pass probabilities"),
    (lambda: sb.BernoulliRewards([1.5, 0.5]), "theta must be in [0, 1], got 1.5 for item 0: pass probabilities"),
    (lambda: bounded(low=1.0), f"{BETWEEN} 1 and high = 1: pass the interval that holds every reward"),
    (lambda: bounded(low=0.0, high=1e-200), f"{BETWEEN} 0 and high = 1e-200: "),
    (lambda: bounded(low=np.nan), "low must be a finite number, got nan: pass one"),
    (lambda: bounded(high=np.inf), "high must be a finite number, got inf: pass one"),
    (lambda: bounded(high="1"), "high must be a finite number, got '1': pass one"),
    (lambda: bounded(high=1e101), "low and high must be at most 1e+100 in absolute value, got 0 and 1e+101: "),
    (lambda: bounded(high=0.25), "theta must be in [low, high] = [0, 0.25], got 0.5 for item 0: widen the interval"),
    (lambda: bounded(concentration=0.0), f"{STRENGTH} 0: use BernoulliRewards"),
    (lambda: bounded(concentration=1e10), f"{STRENGTH} 1e+10: "),
    (lambda: bounded(concentration=np.nan), "concentration must be a finite number, got nan: pass one"),
    (lambda: replayed([]), "outcomes must hold one log per item, got none: pass at least one"),
    (lambda: replayed(5.0), f"{OUTCOMES} float: pass one log per item"),
    (lambda: replayed("abc"), f"{OUTCOMES} str: "),
    (lambda: replayed({0: [1.0]}), f"{OUTCOMES} dict: "),
    (lambda: replayed(np.array(5.0)), f"{OUTCOMES} ndarray: "),
    (lambda: replayed(np.zeros(3)), f"outcomes[0] {LOG} (): pass the outcomes of item 0, or an array"),
    (lambda: replayed(np.zeros((2, 2, 2))), f"outcomes[0] {LOG} (2, 2): "),
    (lambda: replayed([[1.0], []]), f"outcomes[1] {LOG} (0,): pass the outcomes of item 1"),
    (lambda: replayed([[1.0], [np.nan]]), "outcomes[1] must be finite, got nan at index 0: "),
    (lambda: replayed([[1.0], ["x"]]), "outcomes[1] must be an array of numbers, got list: "),
    (lambda: replayed([[1.0], [1e101]]), "outcomes[1] must be at most 1e+100 in absolute value, got 1e+101: "),
    (lambda: replayed(np.zeros((0, 3))), f"{TABLE} (0, 3): pass one row per round"),
    (lambda: replayed(np.zeros((3, 0))), f"{TABLE} (3, 0): "),
    (lambda: replayed(np.array([[0.0, np.inf]])), "outcomes must be finite, got inf at index 1: "),
    (lambda: replayed([[1.0, 1.0], [2.0]]), f"{CONSTANT} pass the variance"),
    (lambda: replayed(np.array([[1.0, 2.0]])), CONSTANT),
    (lambda: sampled(sampler=3), "sampler must be a function of items and rng, got int: pass one that draws"),
    (lambda: returned(np.zeros(3)), f"{REWARD} (3,): return one reward per item"),
    (lambda: returned(np.zeros((2, 1))), f"{REWARD} (2, 1): "),
    (lambda: returned([0.0, np.nan]), f"{REWARDS} be finite, got nan at index 1: return finite rewards"),
    (lambda: returned(None), REWARDS),
    (lambda: returned(np.array([1j, 0.0])), f"{REWARDS} hold real numbers, got complex128 ones: return their real parts"),
    (lambda: returned("ab"), f"{REWARDS} be an array of numbers, got str: "),
    (lambda: returned(np.ma.array([7.0, 2.0], mask=[False, True])),
     f"{REWARDS} hold a number for each item, got a masked entry at index 1: fill it in"),
    (lambda: returned([np.ma.masked, 2.0]), f"{REWARDS} hold a number for each item, got a masked entry at index 0: "),
    (lambda: returned([0.0, -1e308]),
     f"{REWARDS} be at most 1e+100 in absolute value, got -1e+308 at index 1: return rewards in a larger"),
    (lambda: sb.simulate(sb.MSets(2, 1), Huge(), [sb.CUCB()], horizon=1000, replications=1),
     "rewards of draw must be at most 1e+100 in absolute value"),
    (lambda: drawn_of([0, 3]), f"{RANGE} 3: pass items of this reward model"),
    (lambda: drawn_of([-1]), f"{RANGE} -1: "),
    (lambda: drawn_of(np.array([2**64 - 1], dtype=np.uint64)), f"{RANGE} 18446744073709551615: "),
    (lambda: drawn_of([0.0, 1.0]), f"{INDICES} float64 with shape (2,): pass numpy.flatnonzero(decision)"),
    (lambda: drawn_of([True, False, True]), f"{INDICES} bool with shape (3,): pass numpy.flatnonzero"),
    (lambda: drawn_of([[0, 1]]), f"{INDICES} int64 with shape (1, 2): "),
    (lambda: drawn_of([0, 3], model=sampled), f"{RANGE} 3: pass items of this reward model"),
    (lambda: drawn_of([0.0, 1.0], model=sampled), f"{INDICES} float64 with shape (2,): pass numpy.flatnonzero(decision)"),
    (lambda: drawn_of([0], 0), f"{GENERATOR} int: {REMEDY}"),
    (lambda: drawn_of([0], np.random.RandomState(0)), f"{GENERATOR} RandomState: {REMEDY}"),
    (lambda: drawn_of([0], np.random.RandomState(0), sampled), f"{GENERATOR} RandomState: {REMEDY}"),
]  # fmt: skip
CALLS = [(call, re.escape(message)) for call, message in EXACT] + [
    (lambda: sb.GaussianRewards([0.0], 1.0), "positional", TypeError),
    (lambda: sb.BoundedRewards([0.0], 0.0), "positional", TypeError),
    (lambda: sb.ReplayedRewards([[0, 1]], 1.0), "positional", TypeError),
]
