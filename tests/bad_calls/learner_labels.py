"""Numbers, masks and outcomes by label, with labels that are not those of the items."""

import numpy as np
import pandas as pd

import semibandits as sb

LETTERS, NUMBERS = sb.MSets(3, 1, items="abc"), sb.MSets(3, 1, items=[2, 0, 1])
FRAME = pd.DataFrame({"item": list("abcd"), "mean": [1.0, 4.0, 2.0, 3.0]}, index=[9, 3, 5, 1])
LOG = pd.DataFrame({"item": ["b", "a", "b", "c"], "minutes": [2.0, 1.0, 4.0, 9.0]}, index=[10, 12, 11, 13])
STREETS = sb.Paths([("s", "a"), ("s", "b"), ("a", "t"), ("b", "t")], "s", "t")
ROUNDED = float(2**53 + 1)
LARGE = sb.MSets(3, 1, items=[2**53, 2**53 + 1, 7])


def best(weights, *, decision_set=NUMBERS):
    return decision_set.maximize(weights)


def of_frame(weights, **columns):
    return sb.MSets.from_frame(FRAME.assign(**columns), 1).maximize(weights)


def history(items, decision_set=LETTERS, **outcomes):
    return sb.Learner.from_history(decision_set, items, **outcomes, variance=1.0, seed=0)


def ask(available, decision_set=sb.MSets(5, 1)):  # noqa: B008 (never changed)
    return sb.Learner(decision_set, variance=1.0, seed=0).ask(available)


def tell(outcome):
    learner = sb.Learner(LARGE, variance=1.0, seed=0)
    learner.tell(learner.ask([2**53]).id, outcome)


INDEX = "must have the index of the items.*pass two columns of one frame"
MASK = r"as a mask must have shape \(d,\) = \(5,\)"
DIGITS = "labels with all of their digits, got the float 900719925474099"
BY_DICT, BY_SERIES = {"a": 1.0, "b": 2.0}, pd.Series([1.0, 2.0], index=["a", "b"])
CALLS = [
    (lambda: best(pd.Series([1.0, 2.0, 3.0])), "got 0 to 2, which can be both.*a dictionary by label"),
    (lambda: of_frame(FRAME["mean"].sort_index()), "4 unknown of 4"),
    (lambda: of_frame(FRAME["mean"], item=[1, 3, 5, 9]), "got 9 to 1, which can be both"),
    *((lambda *, make=make, values=values: make(values), r"in the order of the items, got a \w+ with labels.*decision_set\.items")
      for make, values in ((sb.GaussianRewards, BY_DICT), (sb.BernoulliRewards, BY_DICT), (sb.laws.Gaussian, BY_SERIES))),
    (lambda: history(LOG["item"], costs=LOG["minutes"].set_axis([1, 2, 3, 4])), INDEX),
    (lambda: history(LOG["item"].tolist(), costs=LOG["minutes"]), INDEX),
    (lambda: history(["d"], costs=[1.0]), "first: 'd' at index 0"),
    (lambda: ask(np.ones((2, 2), dtype=bool)), r"as a mask must have shape .*, got \(2, 2\)"),
    (lambda: ask([("s", "b"), "bus", "tram"], STREETS), "such as .*got 'bus', which is no pair: pass pairs, or a function"),
    (lambda: ask("s", STREETS), "must be a mask, a collection of labels or a function"),
    *((lambda *, items=items: ask(items), message) for items, message in (
        ([0, 0, 1, 0], MASK), (np.array([1, 1], np.int8), MASK), ({0: True}, "got none for 4"), (3, "got 3"),
        ([{}], "got something else: unhashable"),
        (pd.Series([0, 1, 0]), "got none for 2"), (dict.fromkeys(range(5), "yes"), "True or False for each label"),
        (pd.Series([True] * 5, index=[4, 1, 2, 3, 9]), "first: 9"), ([0.0, 9.0], "1 unknown of 2"),
    )),
    (lambda: sb.MSets(1, 1, items=[ROUNDED]), DIGITS),
    (lambda: sb.Paths([(ROUNDED, 1), (1, 2)], 1, 2), DIGITS),
    (lambda: best({ROUNDED: 1.0, 2**53 + 1: 2.0, 7: 3.0}, decision_set=LARGE), DIGITS),
    (lambda: ask([ROUNDED], LARGE), DIGITS),
    (lambda: tell({ROUNDED: 1.0}), DIGITS),
    (lambda: history(pd.Series([ROUNDED, 7.0]), LARGE, rewards=[1.0, 2.0]), DIGITS),
    (lambda: sb.Learner.from_rounds(LARGE, [{ROUNDED: 1.0}], variance=1.0, seed=0), DIGITS),
]  # fmt: skip
