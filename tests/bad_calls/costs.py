"""Costs in the place of rewards: errors are about the costs as they were written."""

import numpy as np

import semibandits as sb
from semibandits.laws import Poisson

EDGES = [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d"), ("a", "d"), ("b", "c")]
COSTS = np.array([9.0, 6.0, 7.0, 9.5, 17.0, 0.25])
PATHS, ROUTES = sb.Paths(EDGES, "a", "d"), sb.Routes(EDGES, "a", "d", [2.0, 2.0, 1.0, 3.0, 4.0, 0.0])
SEED = {"variance": 1.0, "seed": 0}
NAN, FROM_1_5 = [np.nan] * 6, [1.5, 6, 7, 9.5, 17, 1]


def prior(decision_set=PATHS, **options):
    return sb.Learner(decision_set, **SEED, **options)


def history(*arguments, **options):
    return sb.Learner.from_history(PATHS, *arguments, **SEED, **options)


def tell(**told):
    learner = sb.Learner(sb.EnumeratedDecisions([[1, 1]], items=["reward", "x"]), sb.CUCB(), **SEED)
    learner.tell(learner.ask().id, **told)


NEITHER, BOTH = "theta or costs must be given, got neither", "theta or costs must be given, got both"
LEAST = r"costs must be at least 2 for item 0 \(\('a', 'b'\)\), got 1.5: no cost is below its least one"
CALLS = [
    (lambda: sb.graves_lai(PATHS), NEITHER),
    (lambda: sb.graves_lai(PATHS, -COSTS, costs=COSTS), BOTH),
    (lambda: sb.smallest_gap(PATHS), NEITHER),
    (lambda: sb.GaussianRewards(), NEITHER),
    (lambda: sb.GaussianRewards([1.0], costs=[1.0]), BOTH),
    (lambda: sb.ReplayedRewards(), "outcomes or costs must be given, got neither"),
    (lambda: sb.graves_lai(PATHS, costs=[9, 6, np.nan, 1, 1, 1]), "costs must be finite, got nan at index 2"),
    (lambda: sb.graves_lai(PATHS, costs=[9, 6]), r"costs must have shape \(d,\) = \(6,\), got \(2,\)"),
    (lambda: sb.smallest_gap(PATHS, costs="many"), "costs must be an array of numbers"),
    (lambda: sb.GaussianRewards(costs=[1.0, np.inf]), "costs must be finite, got inf at index 1"),
    (lambda: sb.GaussianRewards(costs=[[1.0]]), "costs must have shape .* pass the mean cost of each item"),
    (lambda: sb.GaussianRewards(costs=[1e101]), r"costs must be at most 1e\+100 in absolute value, got 1e\+101"),
    (lambda: sb.GaussianRewards(costs=[3.0, -2.0], upper=0.0), "costs must be allowed .* got -2 to 3 for Gaussian"),
    (lambda: sb.PoissonRewards(costs=[3.0, -2.0]), "costs must be allowed .* got -2 to 3 for Poisson: check their sign"),
    (lambda: sb.BoundedRewards(costs=[0.5, 1.5]), r"costs must be in \[low, high\] = \[0, 1\], got 1.5 for item 1"),
    (lambda: sb.CorrelatedGaussianRewards(costs=[1.0]), "covariance must be given, got None"),
    (lambda: sb.ReplayedRewards(costs=[[1.0], [np.nan]]), r"costs\[1\] must be finite, got nan"),
    (lambda: sb.graves_lai(PATHS, costs=COSTS, law=Poisson()), r"got 0.25 to 17 for Poisson: pass Poisson\(cost=True\)"),
    (lambda: sb.graves_lai(ROUTES, costs=FROM_1_5), LEAST),
    (lambda: prior(ROUTES, prior_costs=[1.5] * 6, prior_plays=1), "costs must be at least 2 for item 0 .*, got 1.5"),
    (lambda: prior(prior_costs=NAN, prior_plays=1), "prior_costs must be finite, got nan at index 0"),
    (lambda: prior(prior_costs=COSTS), "prior_costs and prior_plays must be given together, got no prior_plays"),
    (lambda: prior(prior_costs=COSTS, prior_means=-COSTS, prior_plays=1), "prior_means or prior_costs .*, got both"),
    *((lambda *, costs=costs: history(EDGES, costs=costs), message) for costs, message in (
        (NAN, "^costs must be finite"), ([1.0], "^costs must have shape"), (None, "rewards or costs must be given, got neither"),
    )),
    *((lambda *, told=told: tell(**told), message) for told, message in (
        ({}, "rewards or costs must be given, got neither"),
        ({"rewards": [-1.0, -1.0], "costs": [1.0, 1.0]}, "rewards or costs must be given, got both"),
        ({"costs": [1.0, np.nan]}, "^costs .*finite.* got nan at index 1"),
        ({"costs": [1.0]}, r"^costs of round 0 must have shape .* got \(1,\): pass one cost per item"),
        ({"costs": [1.0, 2e100]}, r"^costs .* at most 1e\+100 in size, got 2e\+100"),
        ({"costs": [1.0, "2"]}, "^costs must be a sequence of"),
        ({"costs": {"reward": 1.0, "x": 2.0, "y": 1.0}}, "^costs of round 0 must have labels .*'reward'.*first: 'y'"),
    )),
    (lambda: sb.Learner.from_rounds(PATHS, **SEED), "outcomes or costs must be given, got neither"),
    (lambda: prior().tell_many(), "outcomes or costs must be given, got neither"),
    (lambda: prior().tell_many(costs=3), "costs must be a mapping from round ids to costs or pairs of them, got int"),
]  # fmt: skip
