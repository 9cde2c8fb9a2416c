"""Helpers for tests of OSSB: decision sets, single rounds, and a solver that fails."""

import networkx as nx
import numpy as np

import semibandits as sb
from example_sets import OnlyMaximizes, grid, largest_matchings, matching
from semibandits.errors import SolverError
from semibandits.policies import exploration


def pairs(d):
    """Pairs of adjacent items on a circle, known by `maximize` alone: nothing can list them."""
    return OnlyMaximizes(sb.EnumeratedDecisions(np.unique(np.eye(d) + np.eye(d, k=1) + np.eye(d, k=1 - d), axis=0)))


SETS = {
    "msets": lambda: sb.MSets(5, 2),
    "trees": lambda: sb.SpanningTrees(nx.complete_graph(4)),
    "bases": lambda: sb.MatroidBases(sb.matroids.Partition([0, 0, 0, 1, 1, 2], 1)),
    "matchings": lambda: matching(3),
    "all matchings": lambda: matching(2, 3, saturate="none"),
    "largest matchings": lambda: largest_matchings(),
    "paths": lambda: grid(3),
    "intersection": lambda: sb.MatroidIntersection(
        sb.matroids.Partition([0, 0, 1, 1, 2, 2], 1), sb.matroids.Partition([0, 1, 2, 0, 1, 2], 1)
    ),
    "list": lambda: sb.EnumeratedDecisions([[1, 1, 0, 0], [0, 1, 1, 1], [0, 0, 0, 1], [1, 0, 1, 0]]),
    "own": lambda: pairs(5),
}


def listed(decision_set):
    """All decisions, also of a set that cannot list them."""
    return getattr(decision_set, "_inner", decision_set).enumerate()


def break_solver(monkeypatch):
    """From now on no plan can be computed."""

    def fails(*_args, **_options):
        raise SolverError("none found")

    monkeypatch.setattr(exploration, "solve_bound", fails)


def listed_from(plan, rows):
    """The decisions with the best one of the plan first: with ties, which one it is is the family's choice."""
    assert all(any((x == row).all() for row in rows) for x in plan.decisions)
    assert plan.decisions[:, plan.rates > 0].any(axis=0).all()
    return rows[np.argsort(~(rows == plan.optimal).all(axis=1), kind="stable")]


def regrets_of(decision_set, rewards, horizon, replications, policy, **options):
    """Regret of OSSB at the horizon in each replication, and the result."""
    given = {"checkpoints": [horizon], **options}
    result = sb.simulate(decision_set, rewards, {"OSSB": policy}, horizon, replications, **given)
    return result.regret["OSSB"][:, -1], result


def run(decision_set, rewards, rounds, seed=0, policy=None, agent=None):
    """Play rounds one at a time; the agent and the decisions."""
    agent = (policy or sb.OSSB()).start(decision_set, rewards.variance) if agent is None else agent
    own, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    decisions = []
    for _ in range(rounds):
        x = agent.choose(own)
        items = np.flatnonzero(x)
        agent.observe(items, rewards.draw(items, noise))
        decisions.append(x)
    return agent, np.array(decisions)
