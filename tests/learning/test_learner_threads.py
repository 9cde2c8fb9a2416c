"""A learner must be used by one thread at a time: concurrent calls are refused and do no harm."""

import copy
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from learner_cases import restored

from semibandits import CUCB, ConcurrentUseError, DecisionSet, Learner, MSets
from semibandits.learning.exclusion import Uses

THREADS = 8
CALLS = {
    "ask": lambda learner: learner.ask(),
    "tell": lambda learner: learner.tell(0, [1.0]),
    "tell_many": lambda learner: learner.tell_many({0: [1.0]}),
    "forget": lambda learner: learner.forget(0),
    "state": lambda learner: learner.state(),
    "best": lambda learner: learner.best(),
    "means": lambda learner: learner.means,
    "plays": lambda learner: learner.plays,
    "open_rounds": lambda learner: learner.open_rounds,
}


class Calling(DecisionSet):
    """One of two items, with a callback in each maximisation."""

    def __init__(self):
        self.called = lambda: None

    d, m = 2, 1

    def maximize(self, weights):
        self.called()
        return np.arange(2) == np.argmax(weights)


def in_threads(work):
    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(work) for _ in range(THREADS)]:
            done.result()


def test_threads_that_share_a_learner_do_it_no_harm():
    learner = Learner(MSets(6, 2), CUCB(), variance=1.0, seed=0)
    start, asked, refused = threading.Barrier(THREADS), [], []

    def play():
        start.wait()
        for _ in range(200):
            try:
                round_ = learner.ask()
                asked.append(round_.id)
                learner.tell(round_.id, [1.0, 0.5])
            except ConcurrentUseError as error:
                refused.append(str(error))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        in_threads(play)
    finally:
        sys.setswitchinterval(interval)
    assert "hold one lock of your own around each call" in refused[0]
    assert sorted(asked) == list(range(learner.rounds))
    again = restored(learner)
    assert again.rounds == learner.rounds
    assert (again.ask().decision == learner.ask().decision).all()


@pytest.mark.parametrize("name", CALLS)
def test_every_call_is_refused_while_another_is_running(name):
    decision_set = Calling()
    learner = Learner(decision_set, CUCB(), variance=1.0, seed=0)
    for _ in range(3):
        learner.tell(learner.ask().id, [0.5])
    before, refused = learner.state(), []

    def use():
        with pytest.raises(ConcurrentUseError):
            CALLS[name](learner)
        refused.append(learner.rounds)

    decision_set.called = lambda: None if refused else use()
    learner.best()
    assert refused == [3]
    assert learner.state() == before


def test_rounds_may_be_asked_for_while_a_batch_is_read():
    learner = Learner(MSets(3, 1), CUCB(), variance=1.0, seed=0)
    learner.tell_many((learner.ask().id, [1.0]) for _ in range(4))
    assert learner.plays.sum() == 4


@pytest.mark.parametrize("step", range(4))
def test_a_learner_is_free_again_after_an_interrupt_at_any_point(step):
    """The interpreter handles interrupts after each call and at the start of a function."""
    learner, seen = Learner(MSets(3, 1), CUCB(), variance=1.0, seed=0), []

    def interrupt(frame, event, arg):
        if frame.f_code.co_name == "guarded" and event in ("call", "c_return"):
            seen.append(event)
            if len(seen) == step + 1:
                raise KeyboardInterrupt

    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            learner.best()
    finally:
        sys.setprofile(None)
    assert seen == ["call", "c_return", "c_return", "c_return"][: step + 1]  # guarded, add, len, discard
    assert learner.best().sum() == 1


def test_copies_are_free_whatever_the_original_does():
    uses = Uses()
    uses.add(object())
    for copied in (copy.copy(uses), copy.deepcopy(uses), pickle.loads(pickle.dumps(uses))):
        assert type(copied) is Uses
        assert not copied
