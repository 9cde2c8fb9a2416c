"""Rounds, statistics and uncounted arrays against plain Python."""

import math

import numpy as np
import pytest

import semibandits as sb
from semibandits.kernels import rounds
from semibandits.kernels.rules.statistics import MEANS, PLAYS, ROOTS, SCALES, SUMS, exploration, fresh_statistics, observe
from semibandits.kernels.uncounted import uncounted


@pytest.mark.parametrize("seed", range(20))
def test_observations_add_up(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 8))
    variance = rng.uniform(0.1, 2.0, d)
    stats = fresh_statistics(variance)
    assert (stats[SCALES] == 2.0 * variance).all()
    history: list[list[float]] = [[] for _ in range(d)]
    for _ in range(15):
        items = np.flatnonzero(rng.random(d) < 0.5)
        outcomes = rng.normal(size=d)
        new = sum(not history[i] for i in items)
        assert observe(stats, 2.0 * variance, items, len(items), outcomes) == new
        for i, outcome in zip(items, outcomes, strict=False):
            history[i].append(outcome)
    for i, seen in enumerate(history):
        total = 0.0
        for outcome in seen:
            total += outcome
        n = len(seen)
        assert stats[PLAYS, i] == n
        assert stats[SUMS, i] == total
        assert stats[MEANS, i] == (total / n if n else 0.0)
        assert stats[SCALES, i] == 2.0 * variance[i] / max(n, 1)
        assert stats[ROOTS, i] == math.sqrt(stats[SCALES, i])


@pytest.mark.parametrize("t", [1, 2, 3, 10, 10**6])
def test_confidence_grows_as_stated(t):
    assert exploration(t, 1.0, 0.0) == math.log(t)
    expected = 2.0 * math.log(t) + (3.0 * math.log(math.log(t)) if t > 2 else 0.0)
    assert exploration(t, 2.0, 3.0) == pytest.approx(expected, rel=1e-15)


def test_uncounted_arrays_are_the_same_memory():
    array = np.arange(6.0).reshape(2, 3)
    assert uncounted(array) is array
    player = sb.CUCB().start(sb.MSets(4, 2), 0.5).player
    lent = rounds.lend_player(player)
    for mine, theirs in zip(player, lent, strict=True):
        assert np.array_equal(mine, theirs)
        assert mine.dtype == theirs.dtype


def agent_of(decision_set: sb.DecisionSet) -> sb.Agent:
    return sb.CUCB().start(decision_set, 0.5)


def test_unseen_items_come_first_and_those_of_open_rounds_do_not_count():
    agent = agent_of(sb.MSets(5, 2))
    rng = np.random.default_rng(0)
    chosen = [agent.choose(rng) for _ in range(3)]
    assert np.logical_or.reduce(chosen).all()
    assert agent.calls == (0, 0, 0)
    opened = np.sum(chosen, axis=0)
    again = agent.choose(rng)
    assert (opened[again] == 1).all()  # nothing is known: those in the fewest open rounds again
    assert agent.calls == (0, 0, 0)
    agent.forget(np.flatnonzero(again))
    agent.forget(np.flatnonzero(chosen[2]))
    again = agent.choose(rng)
    lost = (opened == 1) & chosen[2]  # in no open round
    assert lost.any()
    assert again[lost].all()
    for x in chosen:
        items = np.flatnonzero(x)
        agent.observe(items, np.zeros(len(items)))
    agent.choose(rng)  # something is known of each: the rule is asked
    assert agent.calls == (1, 0, 0)


def test_items_in_no_decision_are_not_waited_for():
    paths = sb.Paths([(0, 1), (1, 2), (0, 2), (2, 3)], 0, 2)
    agent = agent_of(paths)
    rng = np.random.default_rng(0)
    for _ in range(6):
        items = np.flatnonzero(agent.choose(rng))
        agent.observe(items, np.zeros(len(items)))
    assert agent.calls[0] == 4
    assert agent.plays[3] == 0


def test_the_fewest_rounds_try_all_items():
    agent = agent_of(sb.Matchings([(r, c) for r in range(3) for c in range(3)]))
    rng = np.random.default_rng(0)
    assert (np.sum([agent.choose(rng) for _ in range(3)], axis=0) == 1).all()
