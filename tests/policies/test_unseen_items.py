"""Rounds that must try items without an observation: as many of these as possible, with the best of what is known.

Ground truth is the list of all decisions, in exact arithmetic.
"""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from small_sets import listed as rows_of

import example_sets
import semibandits as sb
from example_sets import OnlyMaximizes
from semibandits.kernels import rounds
from semibandits.policies.prior import Prior

POLICIES = (sb.GLADE(), sb.ThompsonSampling(), sb.CUCB(), sb.ESCB(), sb.AESCB(), sb.OSSB())
named = pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)


def ten_and_one(policy):
    """Two good items, two fair ones, seven bad ones, and one that was never shown; four are shown in a round."""
    return sb.Learner(
        sb.MSets(12, 4), policy, law="bernoulli", seed=0,
        prior_means=[0.9] * 2 + [0.5] * 2 + [0.05] * 7 + [0.0], prior_plays=[500] * 11 + [0],
    )  # fmt: skip


def is_best_with(labels, new, others=(2, 3)):
    return {0, 1, new} < set(labels) and len(labels) == 4 and len(set(labels) & set(others)) == 1


@named
def test_a_new_item_is_tried_in_the_best_company(policy):
    learner = ten_and_one(policy)
    assert all(is_best_with(asked.labels, 11) for asked in learner.ask_many(3))  # it is still the only one
    assert set(learner.ask(available=[1, 3, 6, 7, 11]).labels) > {1, 3, 11}
    assert 11 not in learner.ask(available=range(11)).labels
    for same in (learner, sb.Learner.from_state(learner.state())):
        assert is_best_with(same.ask().labels, 11)
        assert set(same.ask(available=[1, 3, 6, 7, 11]).labels) > {1, 3, 11}
    learner.tell(learner.open_rounds[0].id, [1, 1, 1, 0])
    wider, _ = learner.replace(sb.MSets(13, 4))
    assert is_best_with(wider.ask().labels, 12)


@pytest.mark.parametrize("policy", POLICIES[:-1], ids=lambda policy: policy.name)  # OSSB has no half-life
@pytest.mark.parametrize(("half_life", "company"), [(None, 0), (2.0, 2)])
def test_with_a_half_life_estimates_are_the_weighted_ones(policy, half_life, company):
    learner = sb.Learner(
        sb.MSets(4, 2), policy, variance=1.0, seed=0, half_life=half_life,
        prior_means=[0.9, 0.1, 0.5, 0.0], prior_plays=[4, 4, 4, 0],
    )  # fmt: skip
    asked = learner.ask()
    assert asked.labels == (0, 3)
    learner.tell(asked.id, {0: -1.0}, partial=True)  # the mean of item 0 is now 0.52, or 0.40 by weight
    assert learner.ask().labels == (company, 3)


@named
def test_items_in_the_fewest_open_rounds_come_first(policy):
    means = [0.3, 0.2, 0.1, *[0.0] * 4]
    learner = sb.Learner(sb.MSets(7, 3), policy, variance=1.0, seed=0, prior_means=means, prior_plays=[9] * 3 + [0] * 4)
    first, second, third = (set(asked.labels) for asked in learner.ask_many(3))
    assert first < {3, 4, 5, 6}
    assert second == {3, 4, 5, 6} - first | {0, 1}  # the outcomes of the others are pending
    assert third < {3, 4, 5, 6}
    lost = learner.open_rounds[0]
    learner.forget(lost.id)
    again = set(learner.ask().labels)
    assert again >= first - third  # in no open round now


SMALL = example_sets.FAMILIES | {"own": lambda rng: OnlyMaximizes(example_sets.random_list(rng))}
LARGER = {
    "msets": lambda rng: sb.MSets(15, int(rng.integers(4, 7))),
    "trees": lambda rng: sb.SpanningTrees(nx.complete_graph(6)),
    "paths": lambda rng: example_sets.grid(4),
    "matchings": lambda rng: example_sets.matching(5, 6, saturate="rows"),
    "intersection": lambda rng: example_sets.partitions(20, 5, rng=rng),
}


def drawn_means(rng, d):
    """Means with ties, zeros, negative and tiny ones, and perhaps one that is out of all proportion."""
    kinds = [rng.integers(-2, 3, d) / 2.0, rng.normal(size=d), rng.random(d), rng.normal(size=d) * 1e-9]
    theta = kinds[rng.integers(4)]
    theta[rng.random(d) < 0.2] = 0.0
    if rng.random() < 0.4:
        theta[rng.integers(d)] = rng.choice([-1e12, 1e12])
    return theta


def exact(values):
    """Multiples of 2^-200, as integers; all floats here are."""
    found = [Fraction(value) * 2**200 for value in values]
    assert all(value.denominator == 1 for value in found)
    return np.array([int(value) for value in found], dtype=object)


def check_round(x, rows, agent):
    """x has the most items in the fewest open rounds, then the fewest other unseen ones, then the largest mean."""
    unseen = rows.any(axis=0) & (agent.plays == 0)
    fresh = unseen & (agent.pending == agent.pending[unseen].min())
    left = rows
    for wanted, best in ((fresh, max), (unseen & ~fresh, min)):
        counts = (left & wanted).sum(axis=1)
        assert (x & wanted).sum() == best(counts)
        left = left[counts == best(counts)]
    means = exact(np.where(agent.plays > 0, agent.means, 0.0))
    for lead in left.astype(object) - x.astype(object):
        assert lead @ means <= Fraction(1, 10**12) * (np.abs(lead) @ np.abs(means))


def try_all(decision_set, policy, rng, theta, *, is_late):
    """Play rounds without noise until all items are seen; the decisions, and the unseen items before each."""
    rows, d = rows_of(decision_set), decision_set.d
    n_unseen = int(rng.integers(1, max(d // 3, 1) + 1))
    plays = np.full(d, 3.0)
    plays[rng.choice(d, n_unseen, replace=False)] = 0.0
    agent = policy.start(decision_set, 1.0)
    agent.assume(Prior(np.where(plays > 0, theta, 0.0), plays))
    played, waiting = [], []
    while (rows.any(axis=0) & (agent.plays == 0)).any():
        unseen = agent.plays == 0
        x = agent.choose(np.random.default_rng(0))
        agent.forget(np.flatnonzero(x))
        check_round(x, rows, agent)
        agent.reopen(np.flatnonzero(x))
        played.append((x, unseen))
        waiting.append(np.flatnonzero(x))
        while len(waiting) > (2 if is_late else 0):
            items = waiting.pop(int(rng.integers(len(waiting))))
            agent.observe(items, theta[items])
    assert agent.calls[0] == 0
    return played, n_unseen


def check_price(rows, theta, played):
    """No decisions with the same new items would have cost less."""
    rows, values = rows.astype(object), exact(theta)
    rewards, spent, least = rows @ values, 0, 0
    for x, unseen in played:
        tried = x & unseen
        same = (rows[:, tried] == 1).all(axis=1)
        spent += rewards.max() - x.astype(object) @ values
        least += rewards.max() - rewards[same].max()
    assert spent <= Fraction(105, 100) * least + Fraction(2**200, 10**9)


@pytest.mark.parametrize("kind", SMALL)
def test_small_sets(kind):
    for seed in range(20):
        rng = np.random.default_rng([seed, len(kind)])
        decision_set = SMALL[kind](rng)
        theta = drawn_means(rng, decision_set.d)
        played, n_unseen = try_all(decision_set, POLICIES[seed % 6], rng, theta, is_late=False)
        assert len(played) <= n_unseen
        check_price(rows_of(decision_set), theta, played)
        if seed < 6:
            try_all(decision_set, POLICIES[seed], rng, theta, is_late=True)


@pytest.mark.parametrize("kind", LARGER)
@pytest.mark.parametrize("seed", range(4))
def test_larger_sets(kind, seed):
    rng = np.random.default_rng([seed, len(kind), 2])
    decision_set = LARGER[kind](rng)
    theta = drawn_means(rng, decision_set.d)
    played, _ = try_all(decision_set, POLICIES[seed], rng, theta, is_late=False)
    check_price(rows_of(decision_set), theta, played)


DEAD_ENDS = {
    "paths": lambda: sb.Paths([(0, 1), (0, 2), (1, 3), (2, 3), (0, 3), (1, 4), (3, 5)], 0, 3),
    "matchings": lambda: sb.Matchings([(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 1), (0, 2)]),
    "own": lambda: OnlyMaximizes(sb.EnumeratedDecisions([[1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [1, 0, 0, 1, 0]])),
}


@named
@pytest.mark.parametrize("kind", DEAD_ENDS)
def test_items_in_no_decision_are_left_alone_and_a_restart_changes_nothing(policy, kind):
    decision_set = DEAD_ENDS[kind]()
    dead = ~rows_of(decision_set).any(axis=0)
    assert dead.any()
    agent, rng = policy.start(decision_set, 1.0), np.random.default_rng(1)
    waiting = []
    for t in range(25):
        restored = policy.start(decision_set, 1.0)
        restored.restore(agent.state())
        assert restored.state() == agent.state()
        x = agent.choose(np.random.default_rng(t))
        assert np.array_equal(restored.choose(np.random.default_rng(t)), x)
        assert restored.state() == agent.state()
        waiting.append(np.flatnonzero(x))
        if rng.random() < 0.7:
            items = waiting.pop(int(rng.integers(len(waiting))))
            agent.forget(items) if rng.random() < 0.2 else agent.observe(items, rng.normal(size=len(items)))
    assert not agent.plays[dead].any()
    assert agent.calls != (0, 0, 0)  # the rule was played


def covered(agent, counts, otherwise):
    """The decision of the action COVER with these counts in the bonuses."""
    oracle, work = agent.oracle, agent._work
    work.bonuses[:], work.x[:] = counts, otherwise
    oracle_data = rounds.Oracle(oracle.data, oracle.m)
    assert rounds.covered(oracle.family.linear, oracle_data, agent.player, work) == rounds.DONE
    return work.x.copy()


def test_forced_exploration_of_an_item_plays_the_best_decision_with_it():
    agent = sb.OSSB().start(sb.MSets(6, 3), 1.0)
    agent.assume(Prior(np.array([0.1, 0.9, 0.2, 0.8, 0.0, -1.0]), np.full(6, 5.0)))
    counts = np.array([np.inf, np.inf, 4.0, np.inf, 3.0, np.inf])
    for counts[2], expected in ((4.0, [1, 3, 4]), (3.0, [1, 2, 4])):
        assert np.flatnonzero(covered(agent, counts, np.zeros(6))).tolist() == expected


def test_forced_exploration_passes_over_items_in_no_decision():
    paths = DEAD_ENDS["paths"]()
    agent = sb.OSSB().start(paths, 1.0)
    agent.assume(Prior(np.array([0.1, 0.2, 0.1, 0.2, 0.5, 0.0, 0.0]), np.full(7, 5.0)))
    counts = np.array([np.inf, 3.0, np.inf, np.inf, np.inf, 1.0, 2.0])
    planned = np.array([0, 0, 0, 0, 1, 0, 0], dtype=bool)
    assert np.flatnonzero(covered(agent, counts, planned)).tolist() == [1, 3]
    counts[1] = np.inf
    assert np.array_equal(covered(agent, counts, planned), planned)
