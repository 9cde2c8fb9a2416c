"""Offline evaluation: malformed logs, choices and options."""

import numpy as np

import semibandits as sb

LOG = {"round": [0, 0, 1, 1], "item": list("abab"), "reward": [1.0, 0.0, 0.0, 1.0], "probability": [0.5, 1.0, 0.5, 1.0]}
PAIR = sb.MSets(2, 1, items=["a", "b"])


def evaluate(policy=("a",), log=LOG, without=(), *, options=None, **columns):
    return sb.evaluate({name: values for name, values in (log | columns).items() if name not in without}, policy, **options or {})


CALLS = [
    (lambda: sb.evaluate([1, 2], ["a"]), "logs must be a frame or a mapping of columns, .*, got list: read a CSV file"),
    (lambda: evaluate(without=["reward"]), "logs must have a column for reward, got no 'reward', only 'round', 'item', 'prob"),
    (lambda: evaluate(options={"probability": "p"}), "a column for probability, got no 'p', only .*: did you mean 'probability'"),
    (lambda: evaluate(options={"position": "place"}), "logs must have a column for position, got no 'place'"),
    (lambda: evaluate(item=["a", None, "a", "b"]),
     "each row of the logs must have its item, got None: fill it in, or drop the row"),
    (lambda: evaluate(item=[[1], "b", "a", "b"]), "the column of item must hold labels, got something else"),
    (lambda: evaluate(item=[1e17, 1.0, 2.0, 3.0]), "labels with all of their digits"),
    (lambda: evaluate(reward=["x", 0, 0, 1]), "the column 'reward' must hold numbers, got others"),
    (lambda: evaluate(reward=[np.inf, 0, 0, 1]), "rewards of the logs must be finite"),
    (lambda: evaluate(reward=[np.nan, 0, 0, 1]), "logs must have at least 2 rounds with all outcomes, got 1 of 2"),
    (lambda: evaluate(log={name: [] for name in LOG}), "logs must have a row for each item that was shown, got none"),
    (lambda: evaluate(item=list("aaab")), "a round must show an item at most once, got 'a' again in round 0: merge the rows"),
    (lambda: evaluate(probability=[0.0, 1, 1, 1]), "numbers from 0 to 1 without 0, .*1 of 4 are not .first: 0 of 'a'"),
    (lambda: evaluate(probability=[0.5, 1, 1, 50]), "the column 'probability' must hold numbers from 0 to 1"),
    (lambda: evaluate(options={"confidence": 95}), r"confidence must lie in \(0, 1\), got 95: 0.95 is usual"),
    (lambda: evaluate("a"),
     "policy must be labels of items, probabilities, a function of the round, a Policy or a Learner, got 'a'"),
    (lambda: evaluate([True, False]), "policy must be labels of items, .*, and for a mask also decision_set"),
    (lambda: evaluate({"a": 2.0}), "probabilities of a policy must be from 0 to 1, one for each of 1 items"),
    (lambda: evaluate(np.array([0.5])), "probabilities of a policy must be from 0 to 1, one for each of 2 items"),
    (lambda: evaluate(["a", "b"], options={"decision_set": PAIR}),
     r"policy must be a decision of MSets.*, got the items \['a', 'b'\]"),
    (lambda: evaluate(["c"], options={"decision_set": PAIR}), "policy must hold labels of items, such as 'a', got 1 unknown"),
    (lambda: evaluate(["a"], options={"decision_set": [1]}), "decision_set must be a DecisionSet"),
    (lambda: evaluate(sb.CUCB()), "decision_set must be given for a policy that is replayed"),
    (lambda: evaluate(sb.CUCB(), place=[0] * 4, options={"decision_set": PAIR, "position": "place"}),
     "position cannot be used with"),
    (lambda: evaluate(sb.CUCB(), options={"decision_set": PAIR, "law": "bernoulli", "horizon": 1}),
     "horizon must be an integer >= 2"),
    (lambda: evaluate(sb.CUCB(), item=list("cdcd"), options={"decision_set": PAIR, "law": "bernoulli"}),
     "logs must show the items of a decision, got others"),
    (lambda: evaluate(options={"examination": {0: 1.0}}), "examination must be given with position"),
    (lambda: evaluate(place=[0, 1, 0, 1], options={"position": "place", "examination": {0: 1.0}}),
     "examination must have a number"),
    (lambda: evaluate(place=[0, 1, 0, 1], options={"position": "place", "examination": {0: 1.0, 1: 0.0}}),
     "must be positive, got 0"),
    (lambda: sb.Learner(PAIR, variance=1.0, seed=0, probability_draws=0),
     "probability_draws must be an integer from 1 to 1,000,000"),
    (lambda: sb.Learner(PAIR, variance=1.0, seed=0, probability_draws=0.5), "probability_draws must be an integer from 1"),
]  # fmt: skip
