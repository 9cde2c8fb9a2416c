"""Arguments of `simulate`, of its checkpoints, delays and bounds, and of its statistics."""

import math
import threading

import numpy as np
from scipy.stats import norm

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


HORIZON, CHECKPOINTS = "horizon must be an integer", "checkpoints must be increasing"
CALLS = [
    (lambda: sb.simulate(sb.MSets(3, 1), sb.GaussianRewards([1.0, 2.0, 3.0]), sb.CUCB(), 5, 1).to_frame("plots"),
     "of must be one of 'rounds', 'bands', 'plays', 'summary', got 'plots'"),
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
    *((lambda *, horizon=horizon: run(horizon=horizon), f"{HORIZON} >= 1, got") for horizon in (0, 10.5, math.inf, True)),
    *((lambda *, n=n: run(replications=n), "replications must be an integer") for n in (True, math.nan, "2")),
    (lambda: run(seed=-1), "seed must be an integer >= 0"),
    *((lambda *, n=n: run(n_jobs=n), "n_jobs must be an integer >= 1") for n in (0, 1.5)),
    *((lambda *, rounds=rounds: run(checkpoints=rounds), CHECKPOINTS)
      for rounds in ([3, 2, 10], [1, 5], np.array([5, 3, 10], dtype=np.uint64))),
    *((lambda *, rounds=rounds: run(checkpoints=rounds), "checkpoints must") for rounds in ([1.5, 10.0], [1.0, math.nan, 10.0])),
    (lambda: run(resume=True), "resume needs the folder"),
    (lambda: run(extend=True), "extend needs the folder of the earlier run, got folder=None"),
    (lambda: run(scheduler=7), "scheduler must be an address"),
    (lambda: run(rewards=unpicklable(), n_jobs=2, replications=2), "must be picklable"),
    (lambda: run(rewards=sb.GaussianRewards(THETA), bound=sb.graves_lai(PAIRS, THETA, variance=0.25)), "bound must belong"),
    (lambda: run(bound=sb.graves_lai(sb.MSets(6, 3), THETA)), "belong to the decision set"),
    *((lambda *, delay=delay: run(delay=delay), "delay")
      for delay in (-1, 0.5, True, None, 2**60, [], [1, -1], [0.5], [[1]], "soon", "geometric:0", "geometric:x", norm())),
    *((lambda *, loss=loss: run(loss=loss), r"loss must lie in \[0, 1\)") for loss in (-0.1, 1.0, True)),
    *((lambda *, stop=stop: run(stop_at=stop), "stop_at must") for stop in (0.0, 1.0, math.nan, "0.95", 95)),
    *((lambda *, loss=loss: run(loss=loss), "loss must be a finite number") for loss in ("0.1", math.nan)),
    (lambda: sampled("poison"), "the law must be one of .*, got 'poison'"),
    (lambda: sampled(Poisson(cost=True)), "means must be <= 0"),
    (lambda: run(rewards=sb.SampledRewards(THETA, lambda i, rng: 1.0, variance=1.0)), "rewards of the sampler must have shape"),
    (lambda: run(policies=Wrong(), prior_means=THETA, prior_plays=1), "does not support prior plays", sb.UnsupportedError),
    *((lambda *, horizon=horizon: log_spaced(horizon), HORIZON)
      for horizon in (0, 1.5, math.nan, "10", True, LONGEST_HORIZON + 1)),
    *((lambda *, n=n: log_spaced(100, n), "per_decade must be an integer") for n in (0, 2.5)),
    *((lambda *, n=n: in_last_decades(np.array([1, 10]), n), "decades must be") for n in (0, math.inf, "1")),
    *((lambda *, level=level: mean_band(np.ones((2, 2)), level), r"level must lie in \(0, 1\)") for level in (0, 1)),
    *((lambda *, level=level: mean_band(np.ones((2, 2)), level), "level must be a finite") for level in (math.nan, "0.95")),
]  # fmt: skip
