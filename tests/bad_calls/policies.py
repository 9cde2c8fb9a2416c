"""Parameters of policies, and of their radii, laws and priors."""

import math

import numpy as np

import semibandits as sb
from semibandits.laws import Mixed, Poisson
from semibandits.policies import Radius
from semibandits.policies.registry import policy_from
from semibandits.studies.policies import named_policies

TRIPLE = sb.MSets(3, 1)
NAMES, VARIANCE = "rewards must be one of 'auto', 'gaussian', 'bernoulli', got", "variance must be positive, got"
RADIUS, LENGTH = "radius must be one of 'log', 'log-loglog', 'kveton' or a Radius, got", r"variance .* shape \(d,\) = \(3,\)"


def play(policy):
    return sb.simulate(TRIPLE, sb.GaussianRewards([1.0, 0.5, 0.2]), policy, horizon=10, replications=1)


def learner(policy=None, **options):
    return sb.Learner(TRIPLE, policy, seed=1, **options)


def known(means=None, plays=None):
    routes = sb.Routes([(0, 1), (1, 2), (2, 0), (0, 2), (1, 0)], 0, 2)
    return sb.Learner(routes, variance=1.0, seed=0, prior_means=means, prior_plays=plays)


CALLS = [
    (lambda: sb.AESCB(ratio=0.0), r"ratio must lie in \[1e-06, 1\], got 0"),
    (lambda: sb.AESCB(ratio=1.5), r"ratio must lie in \[1e-06, 1\], got 1.5"),
    (lambda: sb.AESCB(ratio=None), "ratio must be a finite number, got None"),
    (lambda: sb.AESCB(additive=-1.0), r"additive must lie in \[1e-09, 1e\+09\], got -1"),
    (lambda: sb.AESCB(additive=math.inf), "additive must be a finite number, got inf"),
    (lambda: sb.AESCB(levels=0), r"levels must lie in \[1, 1.1259e\+15\], got 0"),
    (lambda: sb.AESCB(levels="many"), "levels must be a finite number, got 'many'"),
    (lambda: sb.AESCB(variance=0), VARIANCE),
    (lambda: sb.CUCB(variance=[1.0, -1.0]), f"{VARIANCE} -1.0 for item 1"),
    (lambda: sb.CUCB(variance=np.nan), "variance must be finite, got nan"),
    (lambda: sb.CUCB(variance=[[1.0, 2.0]]), "variance must be a scalar or have shape"),
    (lambda: sb.CUCB(variance=[]), "variance must be a scalar or have shape"),
    (lambda: sb.CUCB(variance="large"), "variance must be an array of numbers"),
    (lambda: sb.CUCB(variance=(1.0, 2.0)).start(TRIPLE, 0.5), LENGTH),
    (lambda: sb.CUCB().start(TRIPLE, np.ones(4)), LENGTH),
    (lambda: sb.CUCB().start(TRIPLE, 0.0), "variance must be positive"),
    (lambda: play(sb.ESCB(variance=1e101)), "variance must lie between"),
    (lambda: play(sb.CUCB(variance=1e-101)), "variance must lie between"),
    (lambda: sb.AESCB(radius="kvetton"), f"{RADIUS} 'kvetton'"),
    (lambda: sb.CUCB(radius=3.0), f"{RADIUS} 3.0"),
    (lambda: sb.ESCB(radius="LOG"), f"{RADIUS} 'LOG'"),
    (lambda: sb.ESCB(radius=None), f"{RADIUS} None"),
    (lambda: Radius(log=-1e-9), "log must lie between 0 and"),
    (lambda: Radius(log="1"), "log must be a finite number"),
    (lambda: Radius(loglog=1e7), "loglog must lie between 0 and"),
    (lambda: Radius(loglog=math.inf), "loglog must be a finite number"),
    (lambda: Radius(loglog_per_item=-1.0), "loglog_per_item must lie between 0 and"),
    (lambda: Radius(loglog_per_item=math.nan), "loglog_per_item must be a finite number"),
    (lambda: sb.ThompsonSampling(scale=0.0), "scale must be positive, got 0"),
    (lambda: sb.ThompsonSampling(scale=math.nan), "scale must be a finite number, got nan"),
    (lambda: sb.ThompsonSampling(scale="1"), "scale must be a finite number, got '1'"),
    (lambda: sb.ThompsonSampling(variance=[0.5, 0.0]), f"{VARIANCE} 0.0 for item 1"),
    (lambda: sb.GLADE(discount=-1.0), "discount must be >= 0, got -1: 1 is the default"),
    (lambda: sb.GLADE(rivals=1.5), r"rivals must lie in \[0, 1\], got 1.5: 0 is the default"),
    (lambda: sb.GLADE(patience=1.0), r"patience must lie in \[0, 1\), got 1: "),
    (lambda: sb.GLADE(foresight=math.nan), "foresight must be a finite number, got nan"),
    (lambda: sb.GLADE(saving=-0.5), "saving must be >= 0, got -0.5"),
    (lambda: sb.GLADE(remembered=0), "remembered must be a whole number from 1 to 10,000, got 0"),
    (lambda: sb.GLADE(remembered=1.5), "remembered must be a whole number from 1 to 10,000, got 1.5"),
    (lambda: sb.GLADE(variance=-1.0), f"{VARIANCE} -1.0"),
    (lambda: sb.GLADE(rewards="poisson"), f"{NAMES} 'poisson'"),
    (lambda: sb.OSSB(gamma=-0.1), "gamma"),
    (lambda: sb.OSSB(gamma=math.nan), "gamma"),
    (lambda: sb.OSSB(epsilon=-0.1), "epsilon"),
    (lambda: sb.OSSB(epsilon=1.0), "epsilon"),
    (lambda: sb.OSSB(gap=0.0), "gap"),
    (lambda: sb.OSSB(gap=1.0), "gap"),
    (lambda: sb.OSSB(rewards="Bernoulli"), f"{NAMES} 'Bernoulli'"),
    (lambda: sb.OSSB(rewards=None), f"{NAMES} None"),
    (lambda: named_policies(["OSSB:rewards=beta"]), f"{NAMES} 'beta'"),
    (lambda: policy_from("OSSB", {"rewards": {"log": 1.0}}), "rewards must be one of"),
    (lambda: sb.GLADE(law="cauchy"), "the law must be one of"),
    (lambda: sb.OSSB(law="cauchy"), "the law must be one of"),
    (lambda: sb.ThompsonSampling(law="cauchy"), "the law must be one of"),
    (lambda: sb.GLADE(law=Mixed([Poisson()] * 2)).start(TRIPLE, 1.0), "law must have numbers for d = 3 items, got 2"),
    (lambda: learner(sb.CUCB(), law="poisson"), "variance must be given, .*; CUCB does not use the law"),
    (lambda: learner(law="poisson", rewards="bernoulli"), "rewards must be left out where a law is given"),
    (lambda: known(means=-np.ones(5)), "must be given together, got no prior_plays"),
    (lambda: known(plays=1), "must be given together, got no prior_means"),
    (lambda: known(-np.ones(4), 1), r"prior_means must have shape \(d,\)"),
    (lambda: known(-np.ones(5), np.ones(4)), "prior_plays must be a number or have shape"),
    (lambda: known(-np.ones(5), 0.5), "whole numbers from 0"),
    (lambda: known(-np.ones(5), -1), "whole numbers from 0"),
    (lambda: known(np.ones(5), 1), "mean rewards must be at most"),
    (lambda: known(np.full(5, np.nan), 1), "prior_means must be finite"),
]  # fmt: skip
