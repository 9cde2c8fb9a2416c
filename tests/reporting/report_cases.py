"""One small instance of each family, with real results, for the tests of the report."""

from functools import cache
from typing import NamedTuple

import numpy as np

from semibandits.decisions.base import DecisionSet
from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.msets import MSets
from semibandits.decisions.paths import Paths
from semibandits.decisions.routes import Routes
from semibandits.decisions.spanning_trees import SpanningTrees
from semibandits.matroids import Graphic, Laminar, Partition
from semibandits.policies.cucb import CUCB
from semibandits.policies.ossb import OSSB
from semibandits.policies.thompson import ThompsonSampling
from semibandits.regret_bound import GravesLaiResult, graves_lai
from semibandits.rewards.gaussian import GaussianRewards
from semibandits.simulation.results import SimulationResult
from semibandits.simulation.run import simulate

ARCS = [("r", "a"), ("r", "b"), ("a", "b"), ("b", "a"), ("b", "c")]
DECISIONS = {
    "paths": lambda: Paths([("a", "b"), ("b", "d"), ("a", "c"), ("c", "d"), ("a", "d"), ("a", "d")], "a", "d"),
    "routes": lambda: Routes([("a", "b"), ("b", "a"), ("b", "d"), ("a", "c"), ("c", "d"), ("c", "b"), ("b", "c")], "a", "d"),
    "trees": lambda: SpanningTrees([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "c")]),
    "msets": lambda: MSets(6, 2),
    "matchings": lambda: Matchings([(r, c) for r in range(3) for c in "xyz"]),
    "matchings of rows": lambda: Matchings([(r, c) for r in "uv" for c in "xyz"], saturate="rows"),
    "any matchings": lambda: Matchings([(r, c) for r in "uv" for c in "xyz"], saturate="none"),
    "parallel matchings": lambda: Matchings([(1, "a"), (1, "a"), (2, "b"), (1, "b"), (2, "a")]),
    "partition": lambda: MatroidBases(Partition(["x", "x", "x", "y", "y", "z"], {"x": 2, "y": 1, "z": 1})),
    "laminar": lambda: MatroidBases(Laminar([[0, 1], [0, 1, 2, 3]], [1, 2], d=5)),
    "forests": lambda: MatroidBases(Graphic([("a", "b"), ("b", "c"), ("a", "c"), ("x", "y"), ("x", "y")])),
    "intersection": lambda: MatroidIntersection(Partition([0, 0, 1, 1, 2, 2], 1), Partition([0, 1, 0, 1, 0, 1], 2)),
    "rooted trees": lambda: MatroidIntersection(Graphic(ARCS), Partition([head for _, head in ARCS], 1)),
    "enumerated": lambda: EnumeratedDecisions([[1, 0, 1], [0, 1, 1], [1, 1, 0]]),
}
"""All families, and for some of them variants that are drawn or described differently."""
POLICIES = {"CUCB": CUCB(), "OSSB(gamma=0.1)": OSSB(gamma=0.1), "ThompsonSampling": ThompsonSampling()}


class Case(NamedTuple):
    decisions: DecisionSet
    rewards: GaussianRewards
    bound: GravesLaiResult
    simulation: SimulationResult


@cache
def case(name: str) -> Case:
    """A family with the results of its bound and of three policies."""
    decisions = DECISIONS[name]()
    rng = np.random.default_rng(len(name))
    theta = rng.permutation(np.linspace(0.2, 0.9, decisions.d))
    rewards = GaussianRewards(theta if decisions.upper is None else -theta, variance=0.25)
    bound = graves_lai(decisions, rewards.theta, 0.25)
    result = simulate(decisions, rewards, POLICIES, horizon=200, replications=2, seed=5, bound=bound)
    return Case(decisions, rewards, bound, result)
