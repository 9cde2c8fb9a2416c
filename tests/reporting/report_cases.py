"""One small instance of each family, with real results, for the tests of the report."""

import shlex
from functools import cache

import numpy as np
import pytest

import semibandits as sb
from semibandits.matroids import Graphic, Laminar, Partition
from semibandits_studies.cli import main

ARCS = [("r", "a"), ("r", "b"), ("a", "b"), ("b", "a"), ("b", "c")]
DECISIONS = {
    "paths": lambda: sb.Paths([("a", "b"), ("b", "d"), ("a", "c"), ("c", "d"), ("a", "d"), ("a", "d")], "a", "d"),
    "routes": lambda: sb.Routes([("a", "b"), ("b", "a"), ("b", "d"), ("a", "c"), ("c", "d"), ("c", "b"), ("b", "c")], "a", "d"),
    "trees": lambda: sb.SpanningTrees([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "c")]),
    "msets": lambda: sb.MSets(6, 2),
    "matchings": lambda: sb.Matchings([(r, c) for r in range(3) for c in "xyz"]),
    "matchings of rows": lambda: sb.Matchings([(r, c) for r in "uv" for c in "xyz"], saturate="rows"),
    "any matchings": lambda: sb.Matchings([(r, c) for r in "uv" for c in "xyz"], saturate="none"),
    "parallel matchings": lambda: sb.Matchings([(1, "a"), (1, "a"), (2, "b"), (1, "b"), (2, "a")]),
    "partition": lambda: sb.MatroidBases(Partition(["x", "x", "x", "y", "y", "z"], {"x": 2, "y": 1, "z": 1})),
    "laminar": lambda: sb.MatroidBases(Laminar([[0, 1], [0, 1, 2, 3]], [1, 2], d=5)),
    "forests": lambda: sb.MatroidBases(Graphic([("a", "b"), ("b", "c"), ("a", "c"), ("x", "y"), ("x", "y")])),
    "intersection": lambda: sb.MatroidIntersection(Partition([0, 0, 1, 1, 2, 2], 1), Partition([0, 1, 0, 1, 0, 1], 2)),
    "rooted trees": lambda: sb.MatroidIntersection(Graphic(ARCS), Partition([head for _, head in ARCS], 1)),
    "enumerated": lambda: sb.EnumeratedDecisions([[1, 0, 1], [0, 1, 1], [1, 1, 0]]),
}
"""All families, and for some of them variants that are drawn or described differently."""
POLICIES = {"CUCB": sb.CUCB(), "OSSB(gamma=0.1)": sb.OSSB(gamma=0.1), "ThompsonSampling": sb.ThompsonSampling()}


@cache
def case(name):
    """A family with its rewards and the results of its bound and of three policies."""
    decisions = DECISIONS[name]()
    rng = np.random.default_rng(len(name))
    theta = rng.permutation(np.linspace(0.2, 0.9, decisions.d))
    rewards = sb.GaussianRewards(theta if decisions.upper is None else -theta, variance=0.25)
    bound = sb.graves_lai(decisions, rewards.theta, 0.25)
    return decisions, rewards, bound, sb.simulate(decisions, rewards, POLICIES, horizon=200, replications=2, seed=5, bound=bound)


def command(text):
    """A call of the program that succeeds."""
    with pytest.raises(SystemExit) as leave:
        main(shlex.split(text)[1:])
    assert leave.value.code == 0
