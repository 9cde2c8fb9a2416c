"""Any sequence of calls of a learner in a file of SQLite, through several handles that die and are opened again."""

import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from learner_cases import POLICIES, SETS

import semibandits as sb
from semibandits.errors import InvalidInputError

MEMORY = Path("/dev/shm")
REWARDS = st.integers(-5, 5) | st.floats(-10, 10)
HANDLES = 3


class Killed(BaseException):
    """The process ends here."""


def same(rounds, expected):
    return [(one.id, one.items.tolist()) for one in rounds] == [(one.id, one.items.tolist()) for one in expected]


class Machine(RuleBasedStateMachine):
    """Compare three handles with a learner in memory that receives every stored call."""

    @initialize(
        family=st.sampled_from(["paths", "trees", "msets", "enumerated"]),
        policy=st.sampled_from(sorted(POLICIES)),
        every=st.sampled_from([1, 3, 1_000]),
    )
    def start(self, family, policy, every):
        self.folder = Path(tempfile.mkdtemp(dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
        self.options = {"name": "one", "snapshot_every": every, "timeout": 5.0}
        arguments = {"decision_set": SETS[family](), "policy": POLICIES[policy], "variance": 0.5, "seed": 1}
        self.memory = sb.Learner(**arguments, drift_error=0.01)
        self.rows = self.memory.decision_set.enumerate()
        self.handles = [sb.open_learner(self.url, **arguments, **self.options)]
        self.handles += [self.opened() for _ in range(HANDLES - 1)]
        self.keys, self.named, self.last = {}, 0, 0

    @property
    def url(self):
        return f"sqlite:///{self.folder}/learners.db"

    def opened(self):
        return sb.open_learner(self.url, **self.options)

    def carry_out(self, data, call, again, *, key=None):
        """A call of some handle, which may die before or after the commit; it is repeated where it was not stored."""
        self.last = data.draw(st.integers(0, HANDLES - 1))
        handle, end = self.handles[self.last], data.draw(st.sampled_from(["", "", "", "before", "after"]))
        if not end:
            return call(handle), again()
        dialect = handle._backend._engine.dialect
        commit = dialect.do_commit

        def dying(raw):
            if end == "after":
                commit(raw)
            raise Killed

        dialect.do_commit = dying
        with pytest.raises(Killed):
            call(handle)
        self.handles[self.last] = self.opened()
        if end == "after" and key is None:
            return None, again()
        return call(self.handles[self.last]), again()

    def drawn_items(self, data):
        """All items as None, or some that contain a decision, in one of the forms in which they are passed."""
        x = self.memory.decision_set
        mask = np.array(data.draw(st.lists(st.sampled_from([True, True, True, False]), min_size=x.d, max_size=x.d)))
        if not (~self.rows[:, ~mask].any(axis=1)).any():
            return None
        labels = {label for label, is_there in zip(x.items, mask, strict=True) if is_there}
        return data.draw(st.sampled_from([None, mask, labels, lambda label: label in labels]))

    @rule(data=st.data(), with_key=st.booleans())
    def ask(self, data, with_key):
        self.named += 1
        key, some = f"call {self.named}" if with_key else None, self.drawn_items(data)
        found, expected = self.carry_out(data, lambda one: one.ask(some, key=key), lambda: self.memory.ask(some), key=key)
        assert found is None or same([found], [expected])
        if with_key:
            self.keys[key] = some, expected

    @rule(data=st.data(), count=st.integers(1, 4))
    def ask_many(self, data, count):
        some = self.drawn_items(data)
        found, expected = self.carry_out(data, lambda one: one.ask_many(count, some), lambda: self.memory.ask_many(count, some))
        assert found is None or same(found, expected)

    @precondition(lambda self: self.keys)
    @rule(data=st.data(), which=st.integers(0, HANDLES - 1))
    def repeat(self, data, which):
        key = data.draw(st.sampled_from(sorted(self.keys)))
        some, expected = self.keys[key]
        found = self.handles[which].ask(some, key=key)
        assert same([found], [expected])
        with pytest.raises(InvalidInputError, match="key must be one for the same call"):
            self.handles[which].forget(found.id, key=key)

    def drawn(self, data):
        """An open round and its rewards, with some of them lost."""
        asked = data.draw(st.sampled_from(self.memory.open_rounds))
        return asked.id, data.draw(st.lists(st.none() | REWARDS, min_size=len(asked.items), max_size=len(asked.items)))

    @precondition(lambda self: self.memory.open_rounds)
    @rule(data=st.data())
    def tell(self, data):
        number, rewards = self.drawn(data)
        key = data.draw(st.sampled_from([None, f"outcome {number}"]))
        self.carry_out(
            data,
            lambda one: one.tell(number, rewards, partial=True, key=key),
            lambda: self.memory.tell(number, rewards, partial=True),
            key=key,
        )
        late = self.handles[self.last]
        if key is None:
            with pytest.raises(InvalidInputError):
                late.tell(number, rewards, partial=True)
        else:
            late.tell(number, rewards, partial=True, key=key)  # has no effect
            if rewards:
                with pytest.raises(InvalidInputError, match="with other arguments"):
                    late.tell(number, [9.5e99] * len(rewards), key=key)

    @precondition(lambda self: self.memory.open_rounds)
    @rule(data=st.data())
    def forget(self, data):
        number = data.draw(st.sampled_from([asked.id for asked in self.memory.open_rounds]))
        self.carry_out(data, lambda one: one.forget(number), lambda: self.memory.forget(number))

    @rule(data=st.data(), age=st.integers(0, 6))
    def expire(self, data, age):
        found, expected = self.carry_out(data, lambda one: one.expire(age=age), lambda: self.memory.expire(age=age))
        assert found is None or same(found, expected)

    @rule(data=st.data(), prunes=st.booleans())
    def snapshot(self, data, prunes):
        self.carry_out(data, lambda one: one.prune() if prunes else one.snapshot(), lambda: None)
        if prunes:
            self.keys = {}  # all but that of the last entry are forgotten

    @rule(which=st.integers(0, HANDLES - 1))
    def restart(self, which):
        self.handles[which].close()
        self.handles[which] = self.opened()

    @rule(data=st.data())
    def misuse(self, data):
        handle, wrong = data.draw(st.sampled_from(self.handles)), self.memory.rounds + 5
        for call in (lambda: handle.tell(wrong, []), lambda: handle.forget(wrong), lambda: handle.ask_many(0)):
            with pytest.raises(InvalidInputError):
                call()

    @invariant()
    def a_handle_knows_what_was_stored(self):
        if hasattr(self, "handles"):
            handle = self.handles[self.last]
            assert handle.rounds == self.memory.rounds
            np.testing.assert_array_equal(handle.plays, self.memory.plays)

    def teardown(self):
        if not hasattr(self, "handles"):
            return
        expected = self.memory.state()
        for handle in (*self.handles, self.opened()):
            assert handle.state() == expected
            handle.close()
        shutil.rmtree(self.folder)


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=8, stateful_step_count=25)
