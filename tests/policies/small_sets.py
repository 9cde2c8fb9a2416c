"""Helpers for tests of OSSB: decision sets, and single rounds."""

import networkx as nx
import numpy as np

import semibandits as sb
from example_sets import grid
from semibandits.decisions.base import DecisionSet


class Pairs(DecisionSet):
    """Pairs of adjacent items on a circle, known by `maximize` alone: nothing can list them."""

    def __init__(self, d):
        self.rows = (np.eye(d) + np.eye(d, k=1) + np.eye(d, k=1 - d)).astype(bool)

    @property
    def d(self):
        return self.rows.shape[1]

    @property
    def m(self):
        return 2

    def maximize(self, weights):
        return self.rows[np.argmax(self.rows @ np.asarray(weights))].copy()

    def __repr__(self):
        return f"Pairs({self.d})"


SETS = {
    "msets": lambda: sb.MSets(5, 2),
    "trees": lambda: sb.SpanningTrees(nx.complete_graph(4)),
    "bases": lambda: sb.MatroidBases(sb.matroids.Partition([0, 0, 0, 1, 1, 2], 1)),
    "matchings": lambda: sb.Matchings([(i, j) for i in range(3) for j in range(3)]),
    "all matchings": lambda: sb.Matchings([(i, j) for i in range(2) for j in range(3)], saturate="none"),
    "paths": lambda: grid(3),
    "intersection": lambda: sb.MatroidIntersection(
        sb.matroids.Partition([0, 0, 1, 1, 2, 2], 1), sb.matroids.Partition([0, 1, 2, 0, 1, 2], 1)
    ),
    "list": lambda: sb.EnumeratedDecisions([[1, 1, 0, 0], [0, 1, 1, 1], [0, 0, 0, 1], [1, 0, 1, 0]]),
    "own": lambda: Pairs(5),
}


def listed(decision_set):
    return decision_set.rows if isinstance(decision_set, Pairs) else decision_set.enumerate()


def draw(rewards, x, rng):
    items = np.flatnonzero(x)
    return items, rewards.draw(items, rng)


def run(decision_set, rewards, rounds, seed=0, policy=None, agent=None, variance=None):
    """Play rounds one at a time; the agent and the decisions."""
    policy = sb.OSSB() if policy is None else policy
    agent = policy.start(decision_set, rewards.variance if variance is None else variance) if agent is None else agent
    own, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    decisions = []
    for _ in range(rounds):
        x = agent.choose(own)
        agent.observe(*draw(rewards, x, noise))
        decisions.append(x)
    return agent, np.array(decisions)
