"""Names and parameters of policies, and of their radii, laws and priors."""

import math

import numpy as np

import semibandits as sb
from semibandits.laws import Mixed, Poisson
from semibandits.policies import Radius
from semibandits.policies.cucb import CUCB
from semibandits.policies.registry import build, policy_from
from semibandits_studies.studies.policies import named_policies

TRIPLE = sb.MSets(3, 1)
NAMES, VARIANCE = "rewards must be one of 'auto', 'gaussian', 'bernoulli', got", "variance must be positive, got"
LENGTH = r"variance .* shape \(d,\) = \(3,\)"


def play(policy):
    return sb.simulate(TRIPLE, sb.GaussianRewards([1.0, 0.5, 0.2]), policy, horizon=10, replications=1)


def learner(policy=None, **options):
    return sb.Learner(TRIPLE, policy, seed=1, **options)


def known(means, plays):
    routes = sb.Routes([(0, 1), (1, 2), (2, 0), (0, 2), (1, 0)], 0, 2)
    return sb.Learner(routes, variance=1.0, seed=0, prior_means=means, prior_plays=plays)


def specified(**others):
    return build({**CUCB().specification(), **others})


CALLS = [
    (lambda: sb.Baseline(["a"], name=" "), "name must be a text, got ' '"),
    *((lambda *, choice=choice: sb.Baseline(choice).start(sb.MSets(3, 2, items=list("abc")), 1.0), message)
      for choice, message in (
          (["a"], r"choice must be a decision of MSets.*, got the items \[0\]: pass the items that are chosen together"),
          ([["a", "b"], ["c"]], r"choice must be a decision of MSets.*, got the items \[2\]"),
          ([], r"choice must be a decision of MSets.*, got the items \[\]"),
          (["a", "x"], "choice must hold labels of items, such as 'a', got 1 unknown of 2 .first: 'x'"),
          ("ab", "choice must be a mask, a collection of labels or a function"),
          (np.zeros((0, 3), dtype=bool), "choice must hold a decision, got none"),
      )),
    (lambda: sb.simulate(sb.MSets(3, 2), sb.GaussianRewards([1.0, 2.0, 3.0]), sb.Baseline(lambda number: [0]), 10, 1),
     "the choice in round 0 must be a decision of MSets"),
    *((lambda *, name=name, value=value: sb.AESCB(**{name: value}), message) for name, value, message in (
        ("ratio", 0.0, r"ratio must lie in \[1e-06, 1\], got 0"), ("ratio", 1.5, r"ratio must lie in \[1e-06, 1\], got 1.5"),
        ("ratio", None, "ratio must be a finite number"), ("additive", -1.0, r"must lie in \[1e-09, 1e\+09\], got -1"),
        ("additive", math.inf, "additive must be a finite number"), ("levels", 0, r"must lie in \[1, 1.1259e\+15\]"),
        ("levels", "many", "levels must be a finite number"), ("variance", 0, VARIANCE),
    )),
    *((lambda *, variance=variance: sb.CUCB(variance=variance), message) for variance, message in (
        ([1.0, -1.0], f"{VARIANCE} -1.0 for item 1"), (np.nan, "variance must be finite, got nan"),
        ([[1.0, 2.0]], "variance must be a scalar or have shape"), ([], "variance must be a scalar or have shape"),
        ("large", "variance must be an array of numbers"),
    )),
    (lambda: sb.CUCB(variance=(1.0, 2.0)).start(TRIPLE, 0.5), LENGTH),
    (lambda: sb.CUCB().start(TRIPLE, np.ones(4)), LENGTH),
    (lambda: sb.CUCB().start(TRIPLE, 0.0), "variance must be positive"),
    (lambda: play(sb.ESCB(variance=1e101)), "variance must lie between"),
    (lambda: play(sb.CUCB(variance=1e-101)), "variance must lie between"),
    *((lambda *, policy=policy, radius=radius: policy(radius=radius),
       f"radius must be one of 'log', 'log-loglog', 'kveton' or a Radius, got {radius!r}")
      for policy, radius in ((sb.AESCB, "kvetton"), (sb.CUCB, 3.0), (sb.ESCB, "LOG"), (sb.ESCB, None))),
    *((lambda *, name=name, value=value: Radius(**{name: value}), f"{name} must {rule}") for name, value, rule in (
        ("log", -1e-9, r"lie in \[0, 1e\+06\]"), ("log", "1", "be a finite number"),
        ("loglog", 1e7, r"lie in \[0, 1e\+06\]"), ("loglog", math.inf, "be a finite number"),
        ("loglog_per_item", -1.0, r"lie in \[0, 1e\+06\]"), ("loglog_per_item", math.nan, "be a finite number"),
    )),
    *((lambda *, scale=scale: sb.ThompsonSampling(scale=scale), f"scale must be {rule}, got {scale!r}") for scale, rule in (
        (0, "positive"), (math.nan, "a finite number"), ("1", "a finite number"),
    )),
    (lambda: sb.ThompsonSampling(variance=[0.5, 0.0]), f"{VARIANCE} 0.0 for item 1"),
    *((lambda *, name=name, value=value: sb.GLADE(**{name: value}), message) for name, value, message in (
        ("discount", -1.0, "discount must be >= 0, got -1"), ("rivals", 1.5, r"rivals must lie in \[0, 1\], got 1.5: 0 is"),
        ("patience", 1.0, r"patience must lie in \[0, 1\), got 1: "),
        ("foresight", math.nan, "foresight must be a finite number"), ("saving", -0.5, "saving must be >= 0, got -0.5"),
        ("remembered", 0, "integer from 1 to 10,000, got 0"), ("remembered", 1.5, "integer from 1 to 10,000, got 1.5"),
        ("variance", -1.0, f"{VARIANCE} -1.0"), ("rewards", "poisson", f"{NAMES} 'poisson'"),
        *(("horizon", value, f"horizon must be an integer from 1 to .*, got {value!r}: pass a number of rounds, or 'simulation'")
          for value in (0, -5, math.nan, math.inf, 2.5, True, "ever", "10", 2**60)),
    )),
    (lambda: sb.GLADE(horizon="simulation").start(TRIPLE, 1.0), "rounds outside simulations, got 'simulation': pass the"),
    (lambda: policy_from("GLADE", {"horizon": "ever"}), "horizon must be an integer .*, got 'ever'"),
    (lambda: policy_from("GLADE", {"horizon": "2.5"}), "horizon must be an integer .*, got 2.5"),
    *((lambda *, name=name, value=value: sb.OSSB(**{name: value}), name) for name, *values in (
        ("gamma", -0.1, math.nan), ("epsilon", -0.1, 1.0), ("gap", 0.0, 1.0),
    ) for value in values),
    *((lambda *, rewards=rewards: sb.OSSB(rewards=rewards), f"{NAMES} {rewards!r}") for rewards in ("Bernoulli", None)),
    (lambda: named_policies(["OSSB:rewards=beta"]), f"{NAMES} 'beta'"),
    (lambda: policy_from("OSSB", {"rewards": {"log": 1.0}}), "rewards must be one of"),
    *((lambda *, kind=kind: kind(law="cauchy"), "the law must be one of") for kind in (sb.GLADE, sb.OSSB, sb.ThompsonSampling)),
    (lambda: sb.GLADE(law=Mixed([Poisson()] * 2)).start(TRIPLE, 1.0), "law must have numbers for d = 3 items, got 2"),
    (lambda: learner(sb.CUCB(), law="poisson"), "variance must be given, .*; CUCB does not use the law"),
    (lambda: learner(law="poisson", rewards="bernoulli"), "rewards must be left out where a law is given"),
    *((lambda *, means=means, plays=plays: known(means, plays), message) for means, plays, message in (
        (-np.ones(5), None, "must be given together, got no prior_plays"),
        (None, 1, "must be given together, got no prior_means"), (-np.ones(4), 1, r"prior_means must have shape \(d,\)"),
        (-np.ones(5), np.ones(4), "prior_plays must be a number or have shape"),
        (-np.ones(5), 0.5, "whole numbers from 0"), (-np.ones(5), -1, "whole numbers from 0"),
        (np.ones(5), 1, "mean rewards must be at most"), (np.full(5, np.nan), 1, "prior_means must be finite"),
    )),
    *((lambda *, name=name, options=options: policy_from(name, options), message) for name, options, message in (
        ("escb", {}, "did you mean 'ESCB'"), ("thompson", {}, "did you mean 'ThompsonSampling'"),
        ("OSB", {}, "did you mean 'OSSB'"), ("qqqq", {}, "pass one of these"), (None, {}, "must be one of AESCB, CUCB"),
        ("OSSB", {"gama": 1}, "did you mean 'gamma'"), ("CUCB", {"zzz": 1}, "pass one of these"),
        ("OSSB", {"gamma": "much"}, "gamma must be a number"), ("OSSB", {"gamma": "nan"}, "gamma must be a finite number"),
        ("CUCB", {"radius": "loglog"}, "radius must be one of"), ("CUCB", {"radius": {"lg": 1.0}}, "did you mean 'log'"),
        ("CUCB", {"variance": "x"}, "variance must be a number"), ("CUCB", {"variance": "-1"}, "variance must be positive"),
        ("ThompsonSampling", {"scale": None}, "scale must be a finite number"),
    )),
    *((lambda *, given=given: build(given), message) for given, message in (
        ({}, "must be a mapping with its name, got {}"), ([], r"must be a mapping with its name, got \[\]"),
        ({"name": 3}, "must be a mapping with its name, got {'name': 3}"),
    )),
    (lambda: build({"name": "CUCB"}), "must give all its parameters"),
    (lambda: specified(scale=1.0), "must be among law, radius, variance, features, got 'scale'"),
    (lambda: specified(radius="log"), "must give all its parameters"),
]  # fmt: skip
