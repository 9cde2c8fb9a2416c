"""Logs of another system that a learner cannot start from."""

import numpy as np

from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.decisions.msets import MSets
from semibandits.learning import Learner

LETTERS = EnumeratedDecisions([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]], items="abcd")
DAYS = {"monday": {"a": 1.0, "b": 2.0}, "tuesday": {"a": 1.0, "b": 2.0, "c": 3.0}, "friday": dict.fromkeys("abcde", 1.0)}


class Twins(EnumeratedDecisions):
    """A user's own set, with a label of two items."""

    items = ("a", "b", "b", "d")


def history(items, rewards, policy=None, *, decision_set=LETTERS, **options):
    return Learner.from_history(decision_set, items, rewards, policy, **{"variance": 1.0, "seed": 0, **options})


def rounds(outcomes=None, *, decision_set=LETTERS, **options):
    return Learner.from_rounds(decision_set, outcomes, **{"variance": 1.0, "seed": 0, **options})


def by_day(**options):
    return rounds(decision_set=MSets(5, 2, items="abcde"), **options)


UNKNOWN = (
    r"items must be labels or indices of the decision set, such as 'a', got 2 unknown in 3 of 5 observations \(first: 'x' at "
    "index 1{}\\): correct them, or pass ignore_unknown=True to skip these observations"
)
TOO_LARGE = (  # grouped by day, 3 rounds of 2 items would count as one
    r"at most m = 2 items, .* but 2 of the rounds contain more \(first: 3 items in round 1\): pass one entry per "
    "decision that was carried out, not per day or file, or single observations to from_history"
)
OWN_LABELS = EnumeratedDecisions([[1, 0], [0, 1]], items=[1, 5])
TWICE = "an item at most once, got 'b' again at index 2 of round 1: merge"
CALLS = [
    *((lambda *, items=items, rewards=rewards: history(items, rewards), message) for items, rewards, message in (
        (["a", "b"], [1.0], r"rewards must have shape \(n,\) = \(2,\), got \(1,\): pass .* one reward per entry of items"),
        (["a"], [[1.0]], r"got \(1, 1\)"), ("ab", [1.0, 2.0], "items must be a sequence of labels or indices, got 'ab'"),
        (3, [1.0], "items must be a sequence"), ([{"a"}], [1.0], "items must be labels or indices, got something else"),
        (["a", "b"], [1.0, np.nan], r"1 of 2 are not \(first: nan for 'b' at index 1\): drop observations without"),
        (["a", "b"], [None, 1.0], "first: nan for 'a' at index 0"), (["a", "b"], [1.0, np.inf], "first: inf for 'b' at index 1"),
        (["a", "b"], [1.0, 1e101], r"first: 1e\+101 for 'b' at index 1\): scale them down"),
        (["a"], ["1"], "sequence of real numbers"),
    )),
    (lambda: history(["a", "a", "b"], [1.0] * 3, rounds=1), "integer from 2 to 2[*][*]53, got 1: these"),
    *((lambda *, name=name, value=value: history(["a"], [1.0], **{name: value}), message) for name, value, message in (
        ("rounds", 2.0, "rounds must be an integer from 1"), ("rounds", True, "rounds must be an integer from 1"),
        ("seed", -1, "seed must be"), ("variance", None, "variance must be given"),
    )),
    (lambda: history([1, 0, 0], [1.0] * 3, decision_set=OWN_LABELS), r"such as 1, got 1 unknown .* \(first: 0 at index 1\)"),
    (lambda: history(["a", "x", "b", "y", "x"], [1.0] * 5), f"^{UNKNOWN.format('')}$"),
    (lambda: history(["a", "b"], [1.0, 2.0], decision_set=Twins(LETTERS.enumerate())), r"of the items \[1, 2\]: pass indices"),
    (lambda: rounds([{"a": 1, "x": 9}, {"b": 2, "y": 9}, {"x": 9}]), f"^{UNKNOWN.format(' of round 0')}$"),
    (lambda: by_day(outcomes=DAYS), TOO_LARGE),
    (lambda: by_day(costs=DAYS), TOO_LARGE),
    (lambda: rounds(2.5), "rounds must be a sequence or a mapping, got 2.5: pass one entry per round"),
    (lambda: rounds([3]), "each round must be a mapping from items to rewards or a pair .*, got 3 as round 0: pass single"),
    (lambda: rounds([{"a": 1.0}, ("a", 1.0)]), "items of round 1 must be a sequence of labels or indices, got 'a'"),
    (lambda: rounds([(["a", "b"], [1.0])]), r"rewards of round 0 must have shape \(k,\) = \(2,\)"),
    (lambda: rounds([{"a": 1.0}, (["b", "a", "b"], [1, 2, 3])]), TWICE),
    (lambda: rounds([(["a", 0], [1, 2])]), "at most once, got 0 again at index 1 of round 0"),
    (lambda: rounds([{"a": 1.0}, {"b": 1.0, "c": np.nan}]), r"1 of 3 are not \(first: nan for 'c' at index 1 of round 1\)"),
    (lambda: history(["a", "a", "b"], [1.0, 2.0, 3.0], variance=None),
     "variance must be given, got None and 1 repeated outcomes of items, where 10 that differ would tell it"),
    (lambda: history(["a"] * 12, [1.0] * 12, variance=None), "got None and repeated outcomes that are all equal of items"),
    (lambda: rounds([{"a": 1.0}, {"a": 2.0}], variance=None), "got None and 1 repeated outcomes"),
]  # fmt: skip
