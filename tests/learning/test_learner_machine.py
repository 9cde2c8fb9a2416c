"""Any sequence of calls: the learner against a simple model of its state."""

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from learner_cases import POLICIES, SETS, restored

from semibandits import Infeasible, InvalidInputError, Learner
from semibandits.kernels.rules.statistics import COUNTS, PLAYS, ROOTS, SCALES, SUMS

REWARDS = st.integers(-5, 5) | st.floats(-10, 10)


class Machine(RuleBasedStateMachine):
    """Keeps rounds, rewards by item, and a second learner that is saved and restored at other times."""

    @initialize(
        family=st.sampled_from(sorted(SETS)),
        policy=st.sampled_from(sorted(POLICIES)),
        seed=st.integers(0, 99),
        options=st.sampled_from([{}, {"drift_error": 0.5}, {"half_life": 50.0, "drift_error": 0.5}, {"defer_plans": True}]),
    )
    def start(self, family, policy, seed, options):
        options = options if policy != "OSSB" else {"defer_plans": True}  # plans do not age
        self.make, self.half_life = SETS[family], options.get("half_life", np.inf)
        self.rows = self.make().enumerate(1_000)
        self.learner, self.twin = (Learner(self.make(), POLICIES[policy], variance=0.5, seed=seed, **options) for _ in range(2))
        self.open, self.closed, self.asked = {}, [], 0
        self.ages = [[] for _ in range(self.learner.decision_set.d)]  # rounds of the rewards
        self.told = [[] for _ in range(self.learner.decision_set.d)]

    def note(self, one, other):
        """Both learners have asked for the same round."""
        assert one.id == other.id == self.asked
        np.testing.assert_array_equal(one.decision, other.decision)
        assert one.decision in self.learner.decision_set
        self.open[one.id] = one.items.tolist()
        self.asked += 1

    @rule()
    def ask(self):
        self.note(self.learner.ask(), self.twin.ask(lambda label: True))

    @rule(count=st.integers(1, 4))
    def ask_many(self, count):
        for one in self.learner.ask_many(count):
            self.note(one, self.twin.ask())

    @rule(data=st.data())
    def ask_for_some(self, data):
        d = len(self.told)
        mask = np.array(data.draw(st.lists(st.sampled_from([True, True, True, False]), min_size=d, max_size=d)))
        left = self.rows[~self.rows[:, ~mask].any(axis=1)]
        if not len(left):
            before = self.learner.state()
            for learner in (self.learner, self.twin):
                with pytest.raises(Infeasible, match="available must leave a decision"):
                    learner.ask(mask)
            assert self.learner.state() == before
            return
        unseen = left.any(axis=0) & (self.learner.plays == 0)
        one, other = self.learner.ask(mask), self.twin.ask(available=mask.tolist())
        assert (left == one.decision).all(axis=1).any()
        if self.learner.decision_set.upper is None and unseen.any():
            assert (one.decision & unseen).any()
        self.note(one, other)

    @rule()
    def solve_plan(self):
        wanted = self.learner.wants_plan
        assert not wanted or self.learner.policy == POLICIES["OSSB"]
        assert self.learner.solve_plan() == self.twin.solve_plan() == wanted
        assert not self.learner.wants_plan

    @rule(limit=st.sampled_from([*range(13), np.int64(99), 10**30]), of_age=st.booleans(), one_by_one=st.booleans())
    def expire(self, limit, of_age, one_by_one):
        end = max(self.asked - 1 - limit, 0) if of_age else limit
        old = tuple(one for one in self.learner.open_rounds if one.id < end)
        assert self.learner.expire(**{"age" if of_age else "before": limit}) == old
        if one_by_one:
            for one in old:
                self.twin.forget(one.id)
        else:
            self.twin.expire(before=end)
        self.close(*(one.id for one in old))

    def close(self, *ids):
        self.closed += ids
        return [self.open.pop(i) for i in ids]

    @rule()
    def replace(self):
        old, before = self.learner, self.learner.state()
        (self.learner, first), (self.twin, second) = (one.replace(self.make()) for one in (self.learner, self.twin))
        assert first == second == ()
        assert old.state() == before

    def take(self, data, partial):
        """An open round, and its rewards, of which some may be None."""
        i = data.draw(st.sampled_from(sorted(self.open)))
        (items,) = self.close(i)
        drawn = st.none() | REWARDS if partial else REWARDS
        rewards = data.draw(st.lists(drawn, min_size=len(items), max_size=len(items)))
        for item, reward in zip(items, rewards, strict=True):
            if reward is not None:
                self.told[item].append(float(reward))
                self.ages[item].append(i)
        return i, rewards

    @precondition(lambda self: self.open)
    @rule(data=st.data(), partial=st.booleans())
    def tell(self, data, partial):
        i, rewards = self.take(data, partial)
        labels = next(asked.labels for asked in self.learner.open_rounds if asked.id == i)
        observed = {label: reward for label, reward in zip(labels, rewards, strict=True) if reward is not None}
        self.learner.tell(i, rewards, partial=partial)
        if partial and not observed and data.draw(st.booleans()):
            self.twin.forget(i)
        elif partial and not observed:
            self.twin.tell(i, data.draw(st.sampled_from([{}, np.ma.masked_all(len(rewards))])), partial=True)
        else:
            self.twin.tell(i, observed, partial=partial or data.draw(st.booleans()))

    @precondition(lambda self: len(self.open) > 1)
    @rule(data=st.data(), partial=st.booleans())
    def tell_many(self, data, partial):
        outcomes = [self.take(data, partial) for _ in range(data.draw(st.integers(1, len(self.open))))]
        self.learner.tell_many(outcomes, partial=partial)
        for i, rewards in outcomes:
            self.twin.tell(i, [np.nan if reward is None else reward for reward in rewards], partial=partial)

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def forget(self, data):
        i = data.draw(st.sampled_from(sorted(self.open)))
        self.close(i)
        self.learner.forget(i)
        self.twin.forget(i)

    @rule(data=st.data(), which=st.booleans())
    def misuse(self, data, which):
        before = self.learner.state()
        wrong = data.draw(st.sampled_from([*self.closed, self.asked, -1]))
        with pytest.raises(InvalidInputError):
            self.learner.forget(wrong) if which else self.learner.tell(wrong, [])
        for i, items in self.open.items():
            with pytest.raises(InvalidInputError):
                self.learner.tell(i, [0.0] * (len(items) + 1) if which else [np.nan] * max(len(items), 1))
        assert self.learner.state() == before

    @rule()
    def save_and_load(self):
        state = self.learner.state()
        self.learner = restored(self.learner)
        assert self.learner.state() == state

    @invariant()
    def knows_what_it_was_told(self):
        if not hasattr(self, "learner"):
            return
        assert self.learner.rounds == self.asked
        assert {a.id: a.items.tolist() for a in self.learner.open_rounds} == self.open
        assert self.learner.plays.tolist() == [len(rewards) for rewards in self.told]
        sums = [float(reduce(add, rewards, 0.0)) for rewards in self.told]  # in order, as the learner adds them
        expected = [s / max(len(r), 1) for s, r in zip(sums, self.told, strict=True)]
        if self.half_life == np.inf:
            assert self.learner.means.tolist() == expected
        else:
            weights = [2.0 ** ((np.array(ids) + 1 - self.asked) / self.half_life) for ids in self.ages]
            aged = [(w @ r) / w.sum() if len(r) else 0.0 for w, r in zip(weights, map(np.array, self.told), strict=True)]
            np.testing.assert_allclose(self.learner.means, aged, rtol=1e-9, atol=1e-9)
        if self.half_life == np.inf and self.learner.decision_set.upper is None:
            decisions, new = self.rows.astype(int), (self.learner.plays == 0).astype(int)
            unseen = decisions @ new
            values = np.where(unseen == unseen.min(), decisions @ expected, -np.inf)
            best = self.learner.best()
            assert best @ new == unseen.min()
            assert best @ np.array(expected) == pytest.approx(values.max(), rel=1e-9, abs=1e-9)
        self.counts_open_rounds(sums)

    def counts_open_rounds(self, sums):
        """The agent's statistics are those of an account that lists rounds and rewards."""
        stats = self.learner._agent.player.stats
        pending = [sum(item in items for items in self.open.values()) for item in range(len(sums))]
        plays = [len(rewards) for rewards in self.told]
        counts = [n + o for n, o in zip(plays, pending, strict=True)]
        assert self.learner._agent.pending.tolist() == pending
        assert stats[[PLAYS, COUNTS, SUMS]].tolist() == [plays, counts, sums]
        scales = np.array([1.0 / max(count, 1) for count in counts])  # twice the variance is 1
        np.testing.assert_array_equal(stats[SCALES], scales)
        np.testing.assert_array_equal(stats[ROOTS], np.sqrt(scales))

    def teardown(self):
        if hasattr(self, "learner"):
            assert self.learner.state() == self.twin.state()


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=30, stateful_step_count=30)
