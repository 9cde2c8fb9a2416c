"""Agents with random histories, and plain statistics of these histories for published indices."""

from dataclasses import dataclass, field

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from semibandits import matroids
from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.msets import MSets
from semibandits.decisions.paths import Paths
from semibandits.decisions.spanning_trees import SpanningTrees
from semibandits.families.registry import FAMILIES
from semibandits.kernels.rules.records import Request, RuleState

SETS = {
    "paths": Paths([("s", "a"), ("s", "a"), ("a", "t"), ("s", "b"), ("b", "t"), ("a", "b"), ("s", "t"), ("a", "x")], "s", "t"),
    "trees": SpanningTrees(nx.complete_graph(4)),
    "msets": MSets(6, 3),
    "matchings": Matchings([(0, 0), (0, 1), (1, 1), (2, 1), (2, 2)], saturate="none"),
    "matroid": MatroidBases(matroids.Laminar([{0, 1, 2, 3, 4}, {0, 1}, {2, 3}], [3, 1, 2], d=6)),
    "intersection": MatroidIntersection(matroids.Partition("aaabbbccc", 1), matroids.Partition("xyz" * 3, 1)),
    "enumerated": EnumeratedDecisions([[1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 1, 0], [1, 1, 1, 0], [0, 1, 0, 0]]),
}
assert set(SETS) == set(FAMILIES) - {"routes"}  # whose indices are clipped: test_policies_on_routes.py
REWARDS = {
    "normal": lambda rng, d: rng.normal(size=d),
    "with ties": lambda rng, d: rng.integers(-1, 2, d).astype(float),
    "zero": lambda rng, d: np.zeros(d),
    "negative": lambda rng, d: -rng.random(d),
    "tiny": lambda rng, d: 1e-9 * rng.normal(size=d),
    "large": lambda rng, d: 1e6 * rng.normal(size=d),
}


@dataclass
class Account:
    """Every observed round, in lists."""

    d: int
    variance: np.ndarray
    seen: list = field(default_factory=list)

    def add(self, items, rewards):
        self.seen += zip(items.tolist(), rewards.tolist(), strict=True)

    @property
    def plays(self):
        return np.array([sum(1 for i, _ in self.seen if i == item) for item in range(self.d)], dtype=float)

    @property
    def means(self):
        rewards = [[reward for i, reward in self.seen if i == item] for item in range(self.d)]
        return np.array([sum(r) / len(r) if r else 0.0 for r in rewards])

    def bonuses(self, f):
        """2 sigma^2 f / n; for items that no decision has, what does not matter."""
        return 2.0 * self.variance * f / np.maximum(self.plays, 1.0)


def situations():
    """Family, kind of rewards, seed, and whether variances are equal."""
    return st.tuples(st.sampled_from(sorted(SETS)), st.sampled_from(sorted(REWARDS)), st.integers(0, 2**32 - 1), st.booleans())


def play(policy, situation, rounds=14):
    """Yield (t, decision, account, decisions, z) for the rounds in which all items have been seen.

    Rounds that the agent counts as undecided are left out: the search for the largest index spent its linear maximisations
    before a proof, and the best decision found was played. On these small sets they are rare.

    The account is what was known before the decision; z are d normal numbers from where the agent's generator stood. Half
    of the outcomes are those of another decision than the chosen one, so that counts are all kinds.
    """
    family, kind, seed, equal = situation
    decision_set, rng = SETS[family], np.random.default_rng(seed)
    d, rows = decision_set.d, decision_set.enumerate()
    size = {"tiny": 1e-9, "large": 1e6}.get(kind, 1.0)
    variance = size**2 * (np.full(d, 0.5) if equal else 10.0 ** rng.uniform(-2, 1, d))
    agent, own = policy.start(decision_set, variance), np.random.default_rng(seed + 1)
    account, coverable = Account(d, variance), rows.any(axis=0)
    for t in range(1, rounds + d + 1):
        known = (account.plays > 0)[coverable].all()
        copy = np.random.default_rng()
        copy.bit_generator.state = own.bit_generator.state
        undecided = agent.undecided
        x = agent.choose(own)
        assert x in decision_set
        if known and agent.undecided == undecided:
            yield t, x, account, rows, copy.standard_normal(d)
        elif not known:
            assert (account.plays[x] == 0).any()
        if known and rng.random() < 0.5:
            agent.forget(np.flatnonzero(x))
            x = rows[rng.integers(len(rows))]
        items = np.flatnonzero(x)
        rewards = REWARDS[kind](rng, d)[items]
        agent.observe(items, rewards)
        account.add(items, rewards)
    assert agent.undecided <= rounds // 2
    assert np.array_equal(agent.plays, account.plays)
    assert np.allclose(agent.means, account.means, rtol=1e-12, atol=1e-12 * size)


def assert_best(x, values, rows, scale):
    """Decision x has the largest of the `values` of all decisions up to rounding; it is the one if no other comes near."""
    value = values[(rows == x).all(axis=1)]
    tolerance = 1e-9 * scale
    assert value.shape == (1,)
    assert value[0] >= values.max() - tolerance
    if (values >= values.max() - tolerance).sum() == 1:
        assert np.array_equal(x, rows[values.argmax()])


def random_statistics(seed, d=7):
    """Statistics as the rules read them, with plays (told and open), means and variances; one item was never seen."""
    rng = np.random.default_rng(seed)
    plays, means = rng.integers(1, 50, d).astype(float), np.round(rng.normal(size=d), 1)
    plays[0] = means[0] = 0.0
    variance = rng.random(d) + 0.1
    scales = 2.0 * variance / np.maximum(plays, 1.0)
    told = plays // 2.0  # the others are open: rules look at both together
    return np.array([told, told * means, means, scales, np.sqrt(scales), plays]), plays, means, variance


def empty_request(d):
    """A request with zeros in all arrays."""
    return Request(np.zeros(d), np.zeros(d), np.zeros(d, dtype=bool))


def asked(rule, t, params, stats, z=None):
    """The action of the rule, with its weights and bonuses."""
    d = stats.shape[1]
    rows, normals = np.zeros((0, d), dtype=bool), np.zeros(0) if z is None else z
    state = RuleState(np.array(params), stats, np.zeros(0), np.zeros(0, dtype=np.int64), rows, normals)
    request = empty_request(d)
    return rule(t, state, request), request.weights, request.bonuses
