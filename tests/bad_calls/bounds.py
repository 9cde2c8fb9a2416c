"""Bounds: arguments of `graves_lai`, `discretise` and GLPG, and damaged bounds as JSON."""

import numpy as np

import semibandits as sb
from semibandits.errors import TooManyDecisionsError, UnsupportedError
from semibandits.laws import Gaussian, Mixed, Poisson
from semibandits.regret_bound.certificates.lower import check_items
from semibandits.regret_bound.certificates.worst_cycle import worst_ratio
from semibandits.regret_bound.glpg.projection import projector
from semibandits.regret_bound.result import GravesLaiResult

ONE_OF_3, ONE_OF_2 = sb.MSets(3, 1), sb.MSets(2, 1)
WARM = "warm_start must be a result for the same decision set"
BERNOULLI = "variance must be left out for Bernoulli rewards"
LEFT_OUT = "variance and rewards must be left out if a law is given"
TOO_MANY, SOLVERS = "at most 20,000 decisions", ("columns", "glpg")


class Answers(sb.DecisionSet):
    """Gives always the same answer."""

    d, m = 3, 1

    def __init__(self, answer):
        self._answer = answer

    def maximize(self, weights):
        return self._answer


def bound(decision_set=ONE_OF_3, theta=(3.0, 2.0, 1.0), **options):
    return sb.graves_lai(decision_set, theta, **options)


def bernoulli(decision_set=ONE_OF_3, theta=(0.5, 0.2, 0.1), **options):
    return sb.graves_lai(decision_set, theta, rewards="bernoulli", **options)


def pairs(n):
    return sb.Matchings([(i, j) for i in range(n) for j in range(n)])


def too_many_to_list():
    return sb.EnumeratedDecisions((np.arange(20_001)[:, None] >> np.arange(15)) % 2)


def from_json(missing=None, **change):
    payload = sb.graves_lai(sb.MSets(4, 2), [0.8, 0.7, 0.4, 0.2]).to_json() | change
    return GravesLaiResult.from_json({key: value for key, value in payload.items() if key != missing})


def without(key):
    return lambda: from_json(key), f"must have the key '{key}'"


def theoretical(delta, decision_set=ONE_OF_2, theta=(0.0, 1.0)):
    return sb.GLPGParameters.theoretical(sb.ReducedProblem.of(decision_set, theta), delta)


def projection(lower, route="auto"):
    """On the cone of 2-sets, or, with six items, of a matroid intersection without a compact description."""
    matroids = sb.matroids.Transversal([[0], [0], [1], [1], [2], [2]]), sb.matroids.Partition([0, 1, 1, 2, 2, 0], 1)
    decision_set = sb.MSets(4, 2) if len(lower) == 4 else sb.MatroidIntersection(*matroids)
    return projector(sb.ReducedProblem.of(decision_set, np.arange(float(len(lower)))), lower, route=route)


def ratio(information):
    graph = sb.MSets(2, 1).exchange_graph(np.array([1.0, 0.0]))
    return worst_ratio(graph, np.array(information), at_least=1.0, max_labels=10)


CALLS = [
    (lambda: bound([[0, 1], [1, 0]], [1, 2]), "decision_set must be a DecisionSet, got list"),
    *((lambda *, name=name: bound(**{name: "a"}), f"{name} must be a finite number, got 'a'")
      for name in ("gap", "time_limit", "tie_tolerance")),
    (lambda: bound(theta=(1e-310, 0, 0)), "theta and variance must be of a size at which"),
    (lambda: bound(pairs(2), np.array([1, 2, 3, 5]) * 1e160), "theta and variance must be of a size at which"),
    *((lambda *, answer=answer: bound(Answers(answer)), "maximize must return a 0/1 vector")
      for answer in ([True, False], [0.5, 0, 0], None, [True, True, False])),
    (lambda: bound(sb.Routes([(0, 1), (0, 1)], 0, 1, least=1.0), [-0.5, -2.0]), "least"),
    (lambda: bound(warm_start="cold"), "warm_start must be a GravesLaiResult or None"),
    (lambda: bound(warm_start=bound(sb.MSets(3, 1))), WARM),
    (lambda: bound(warm_start=bound(sb.MSets(4, 1), np.arange(4.0))), WARM),
    (lambda: bound(pairs(2), np.arange(4.0), warm_start=bound(pairs(2), np.arange(4.0))), WARM),
    (lambda: bernoulli(theta=[0.5, 1.2, 0.1]), r"theta must lie in \[0, 1\] for Bernoulli rewards, got 1.2 for item 1"),
    (lambda: bernoulli(theta=[1e-200, 0, 0]), "must be 0 or contain a mean of 1e-100 or more .*, got at most 1e-200: pass 0"),
    (lambda: bernoulli(variance=0.25), BERNOULLI),
    (lambda: bernoulli(variance=None), "must be left out for Bernoulli rewards, got None: it is theta"),
    (lambda: bernoulli(variance=[0.5, 0.5, 0.5]), BERNOULLI),
    (lambda: bound(rewards="poisson"), "rewards must be one of 'gaussian', 'bernoulli', got 'poisson'"),
    *((lambda *, method=method: bernoulli(method=method), "is for Gaussian rewards", UnsupportedError) for method in SOLVERS),
    (lambda: bernoulli(sb.EnumeratedDecisions(np.eye(3, dtype=int)), method="cycles"),
     "needs an exchange graph, got EnumeratedDecisions.*use method='enumeration'", UnsupportedError),
    (lambda: bernoulli(pairs(9), np.linspace(0.1, 0.9, 81), method="enumeration"), f"{TOO_MANY}.*use method='cycles' or 'auto'",
     TooManyDecisionsError),
    (lambda: bernoulli(too_many_to_list(), np.linspace(0.1, 0.9, 15)), f"{TOO_MANY}.*rewards='gaussian' with variance=0.25",
     TooManyDecisionsError),
    (lambda: bernoulli(pairs(2), np.full(4, 0.1), method="closed-form"), "closed form holds for matroid bases", UnsupportedError),
    (lambda: bound(law=Poisson), r"law must be a Law, got the class Poisson: pass an instance, such as Poisson\(\)"),
    (lambda: bound(law="poison"), "the law must be one of .*, got 'poison'"),
    (lambda: bound(law=3), "a law must be a name, a mapping with a name, or a Law, got 3"),
    (lambda: bound(law="poisson", variance=0.1), LEFT_OUT),
    (lambda: bound(law=Poisson(), rewards="bernoulli"), LEFT_OUT),
    (lambda: bound(law=Poisson(cost=True)), "means must be <= 0 .* got 3.0 for item 0: leave out cost=True"),
    (lambda: bound(law=Gaussian(0.5, upper=2.5)), "means must be at most upper, got 3.0 for item 0"),
    (lambda: bound(law=Mixed([Poisson()])), "laws must be one an item, got 1 for 3 items"),
    *((lambda *, method=method: bound(law=Poisson(), method=method),
       "is for Gaussian rewards without a known bound, got Poisson", UnsupportedError) for method in SOLVERS),
    *((lambda *, key=key, value=value: from_json(**{key: value}), message) for key, value, message in (
        ("lower", None, "lower and value"), ("lower", 1e9, "lower must be from 0 to value"),
        ("status", "done", "status must be one of"), ("rates", [1.0], r"rates must have shape \(d,\) = \(4,\), got \(1,\)"),
        ("plan", [{"indices": [0], "rate": 1.0}], r"plan\[0\] must be a decision"),
        ("plan", [{"indices": [0, 9], "rate": 1.0}], r"plan\[0\] must hold distinct item numbers from 0 to 3"),
        ("theta", [1.0, 2.0], "d must be the number of items, 2, got 4"), ("variance", [0.0] * 4, "variance must be positive"),
        ("decision_set", 7, "decision_set must be an object, got a number"), ("rewards", "cauchy", "cauchy"),
    )),
    *[without(key) for key in ("lower", "status", "rates", "plan", "theta", "variance", "decision_set")],
    (lambda: bound(Answers([1, 0, 0]), method="columns").to_json(), "Answers cannot be described", UnsupportedError),
    *((lambda *, epsilon=epsilon: sb.discretise(sb.MSets(3, 2), [0.1, 0.5, 0.3], epsilon), r"gap / \(4 m\) = 0\.0250*")
      for epsilon in (-1.0, 0.0375)),
    (lambda: sb.discretise(ONE_OF_3, [0.0, 0.5, 1.0], np.nan), "epsilon must be"),
    *((lambda *, epsilon=epsilon: sb.discretise(ONE_OF_3, np.ones(3), epsilon), "epsilon must be") for epsilon in (0.0, "fine")),
    *((lambda *, theta=theta: theoretical(1.0, theta=theta), "non-negative integers") for theta in ([-3.0, 3.0], [0.0, 0.5])),
    *((lambda *, delta=delta: theoretical(delta), "delta must be") for delta in (0.0, np.nan, "small", 1e-300)),
    (lambda: sb.GLPG(ONE_OF_2), "must be a ReducedProblem, got MSets"),
    (lambda: sb.GLPGParameters.theoretical(ONE_OF_2, 0.5), "must be a ReducedProblem, got MSets"),
    (lambda: sb.GLPG(sb.ReducedProblem.of(ONE_OF_2, [1.0, 1.0])).step(), r"C\(theta\) is 0"),
    *((lambda *, name=name, value=value: sb.GLPGParameters(**{name: value}), f"{name} must .*, got {value}")
      for name, value in (("step", 0), ("step", np.inf), ("ratio", 1.5), ("steps", 0), ("steps", 1.5), ("decay", 0),
                          ("penalty", None), ("penalty", np.nan), ("inflation", 0.5), ("accuracy", np.nan))),
    *((lambda *, name=name: sb.GLPGParameters(**{name: "half"}), f"{name} must .*, got 'half'") for name in ("ratio", "stages")),
    (lambda: projection(np.zeros(4), "magic"), "route"),
    (lambda: projection(np.zeros(4), "orthant"), "one item", UnsupportedError),
    (lambda: projection(np.zeros(6), "msets"), "m-sets", UnsupportedError),
    (lambda: projection(np.zeros(6), "compact"), "compact", UnsupportedError),
    *((lambda *, information=information: ratio(information), "information must be >= 0")
      for information in ((0.0, -1.0), (0.0, np.nan))),
    (lambda: check_items(np.array([0, 0])), "got 2 arcs for item 0"),
]  # fmt: skip
