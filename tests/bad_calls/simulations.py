"""Arguments of `simulate`, of its checkpoints, delays and bounds, and of its statistics."""

import math
import threading

import numpy as np
import scipy.stats

import semibandits as sb
from semibandits.laws import Poisson
from semibandits.simulation.checkpoints import LONGEST_HORIZON, log_spaced
from semibandits.simulation.statistics import in_last_decades, mean_band

THETA = np.array([0.9, 0.8, 0.5, 0.4, 0.3, 0.1])
PAIRS, REWARDS = sb.MSets(6, 2), sb.GaussianRewards(THETA, variance=0.5)


class Odd(sb.Policy):
    """Its description is not JSON."""

    def specification(self):
        return {"name": "Odd", "weights": np.zeros(3)}

    def start(self, decision_set, variance):
        raise AssertionError("played")


class Wrong(sb.Policy):
    """Plays all items, which is no decision."""

    def start(self, decision_set, variance):
        return type("Agent", (sb.Agent,), {"choose": lambda *_: np.ones(6, dtype=bool), "observe": lambda *_: None})()


def run(**changes):
    arguments = {"decision_set": PAIRS, "rewards": REWARDS, "policies": sb.CUCB(), "horizon": 10, "replications": 1}
    return sb.simulate(**(arguments | changes))


def sampled(law):
    return sb.SampledRewards(THETA, lambda items, rng: THETA[items], variance=3.0, law=law)


def unpicklable():
    lock = threading.Lock()
    return sb.SampledRewards(THETA, lambda items, rng: THETA[items] + 0 * lock.locked(), variance=1.0)


DELAY, LOSS = "delay", r"loss must be a number in \[0, 1\)"
HORIZON, CHECKPOINTS = "horizon must be an integer", "checkpoints must be increasing"
CALLS = [
    (lambda: run(decision_set=3), "decision_set must be a DecisionSet"),
    (lambda: run(rewards=THETA), "rewards must be a reward model"),
    (lambda: run(rewards=sb.GaussianRewards(np.ones(5))), "one mean per item, d = 6, got 5"),
    (lambda: run(policies=[]), "at least one policy"),
    (lambda: run(policies="CUCB"), "policies must be policies"),
    (lambda: run(policies=[sb.CUCB]), "must hold Policy objects"),
    (lambda: run(policies=[sb.CUCB(), sb.CUCB()]), "different names, got 'CUCB' twice"),
    (lambda: run(policies={"": sb.CUCB()}), "non-empty strings"),
    (lambda: run(policies=Odd()), "plain JSON"),
    (lambda: run(policies=Wrong()), "in round 1"),
    (lambda: run(horizon=0), f"{HORIZON} >= 1, got 0"),
    (lambda: run(horizon=10.5), HORIZON),
    (lambda: run(replications=True), "replications must be an integer"),
    (lambda: run(seed=-1), "seed must be an integer >= 0"),
    (lambda: run(n_jobs=0), "n_jobs must be"),
    (lambda: run(checkpoints=[3, 2, 10]), CHECKPOINTS),
    (lambda: run(checkpoints=[1, 5]), CHECKPOINTS),
    (lambda: run(checkpoints=np.array([5, 3, 10], dtype=np.uint64)), CHECKPOINTS),
    (lambda: run(resume=True), "resume needs the folder"),
    (lambda: run(extend=True), "extend needs the folder of the earlier run, got folder=None"),
    (lambda: run(scheduler=7), "scheduler must be an address"),
    (lambda: run(rewards=unpicklable(), n_jobs=2, replications=2), "must be picklable"),
    (lambda: run(rewards=sb.GaussianRewards(THETA), bound=sb.graves_lai(PAIRS, THETA, variance=0.25)), "bound must belong"),
    (lambda: run(bound=sb.graves_lai(sb.MSets(6, 3), THETA)), "belong to the decision set"),
    (lambda: run(delay=-1), DELAY),
    (lambda: run(delay=0.5), DELAY),
    (lambda: run(delay=True), DELAY),
    (lambda: run(delay=None), DELAY),
    (lambda: run(delay=2**60), DELAY),
    (lambda: run(delay=[]), DELAY),
    (lambda: run(delay=[1, -1]), DELAY),
    (lambda: run(delay=[0.5]), DELAY),
    (lambda: run(delay=[[1]]), DELAY),
    (lambda: run(delay="soon"), DELAY),
    (lambda: run(delay="geometric:0"), DELAY),
    (lambda: run(delay="geometric:x"), DELAY),
    (lambda: run(delay=scipy.stats.norm()), DELAY),
    (lambda: run(loss=-0.1), LOSS),
    (lambda: run(loss=1.0), LOSS),
    (lambda: run(loss=True), LOSS),
    (lambda: run(loss="0.1"), LOSS),
    (lambda: run(loss=math.nan), LOSS),
    (lambda: sampled("poison"), "the law must be one of .*, got 'poison'"),
    (lambda: sampled(Poisson(cost=True)), "means must be <= 0"),
    (lambda: run(rewards=sb.SampledRewards(THETA, lambda i, rng: 1.0, variance=1.0)), "rewards of the sampler must have shape"),
    (lambda: run(policies=Wrong(), prior_means=THETA, prior_plays=1), "does not support prior plays", sb.UnsupportedError),
    (lambda: log_spaced(0), HORIZON),
    (lambda: log_spaced(1.5), HORIZON),
    (lambda: log_spaced(math.nan), HORIZON),
    (lambda: log_spaced("10"), HORIZON),
    (lambda: log_spaced(True), HORIZON),
    (lambda: log_spaced(LONGEST_HORIZON + 1), HORIZON),
    (lambda: log_spaced(100, 0), "per_decade must be an integer"),
    (lambda: log_spaced(100, 2.5), "per_decade must be an integer"),
    (lambda: in_last_decades(np.array([1, 10]), 0), "decades must be"),
    (lambda: in_last_decades(np.array([1, 10]), math.inf), "decades must be"),
    (lambda: in_last_decades(np.array([1, 10]), "1"), "decades must be"),
    (lambda: mean_band(np.ones((2, 2)), 0), "level must be"),
    (lambda: mean_band(np.ones((2, 2)), 1), "level must be"),
    (lambda: mean_band(np.ones((2, 2)), math.nan), "level must be"),
    (lambda: mean_band(np.ones((2, 2)), "0.95"), "level must be"),
]  # fmt: skip
