"""Calls of threads that wait at the same time share a transaction, and each keeps its own result or error."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from learner_cases import Fixed

import semibandits as sb

SET = sb.MSets(6, 2)


class Failing(list):
    """An outcome whose first readings fail, with an error of the user or an interrupt."""

    def __init__(self, error, times):
        super().__init__([1.0, 2.0])
        self.error, self.times = error, times

    def __iter__(self):
        self.times -= 1
        if self.times >= 0:
            raise self.error
        return super().__iter__()


@pytest.fixture
def learner(url):
    return sb.open_learner(url, name="shared", decision_set=SET, policy=sb.CUCB(), variance=1.0)


def wait_for(learner, waiting):
    """Until so many calls wait for a thread in its turn."""
    deadline = time.monotonic() + 10
    while len(learner._calls._tickets) - 1 < waiting and time.monotonic() < deadline:
        time.sleep(0.001)
    assert len(learner._calls._tickets) - 1 == waiting


class Held:
    """Holds the next writing transaction of a learner before its commit until `open` is set, and counts those after it."""

    def __init__(self, learner):
        self.entered, self.open = threading.Event(), threading.Event()
        self.transactions = 0
        self.backend, self.run_now = learner._backend, learner._backend.run
        self.backend.run = self.run

    def run(self, work, *, reads=False):
        if reads:
            return self.run_now(work, reads=True)
        if self.entered.is_set():
            self.transactions += 1
            return self.run_now(work)
        return self.run_now(lambda connection: self.held(work(connection)))

    def held(self, result):
        self.entered.set()
        assert self.open.wait(10)
        return result


def together(learner, *calls):
    """Results or errors of calls that wait for the same transaction, and the number of transactions that they took."""

    def outcome(call):
        try:
            return call()
        except BaseException as error:
            return error

    held = Held(learner)
    with ThreadPoolExecutor(len(calls) + 1) as pool:
        first = pool.submit(learner.ask)
        assert held.entered.wait(10)
        waiting = []
        for call in calls:
            waiting.append(pool.submit(outcome, call))
            wait_for(learner, len(waiting))
        held.open.set()
        first.result(10)
        return [one.result(10) for one in waiting], held.transactions


def assert_replayed(learner, url):
    """The state is that of the journal."""
    with sb.open_learner(url, name="shared") as again:
        assert again.state() == learner.state()


def test_calls_share_a_transaction(learner, url):
    rounds, transactions = together(learner, *[learner.ask] * 7)
    assert transactions == 1
    assert [asked.id for asked in rounds] == [1, 2, 3, 4, 5, 6, 7]
    assert learner.calls == 8
    assert_replayed(learner, url)


def test_refused_calls_fail_alone(learner, url):
    results, transactions = together(
        learner,
        learner.ask,
        lambda: learner.tell(0, [1.0]),
        lambda: learner.ask(available=[0]),
        lambda: learner.tell(0, [1.0, 2.0]),
        lambda: learner.tell(0, [1.0, 2.0]),
        learner.ask,
    )
    assert transactions == 1
    assert [type(one) for one in results] == [
        sb.Round, sb.InvalidInputError, sb.Infeasible, type(None), sb.InvalidInputError, sb.Round
    ]  # fmt: skip
    assert "shape" in str(results[1])
    assert "closed" in str(results[4])
    assert [asked.id for asked in learner.open_rounds] == [1, 2]
    assert learner.calls == 4
    assert_replayed(learner, url)


def test_a_key_counts_once_within_a_transaction(learner, url):
    rounds, _ = together(learner, *[lambda: learner.ask(key="one")] * 3, lambda: learner.ask(key="two"))
    assert [asked.id for asked in rounds] == [1, 1, 1, 2]
    assert learner.calls == 3
    assert_replayed(learner, url)


def test_an_error_in_code_of_the_user_fails_alone(learner, url):
    error = LookupError("of the user")
    results, transactions = together(learner, learner.ask, lambda: learner.tell(0, Failing(error, times=2)), learner.ask)
    assert results[1] is error
    assert transactions == 4  # the shared one fails; then the calls are carried out one by one
    assert [asked.id for asked in learner.open_rounds] == [0, 1, 2]
    assert_replayed(learner, url)


def test_ctrl_c_ends_one_call_only(learner, url):
    """It ends the call of the thread that carries out the transaction, in which it arrives; the others are carried out again."""
    results, _ = together(learner, lambda: learner.tell(0, Failing(KeyboardInterrupt(), times=1)), learner.ask, learner.ask)
    assert sum(isinstance(one, KeyboardInterrupt) for one in results) == 1
    asked = [one.id for one in results if isinstance(one, sb.Round)]
    assert sorted(asked) == list(range(1, len(asked) + 1))
    assert learner.calls == 3
    assert_replayed(learner, url)


def test_a_call_that_waits_too_long_is_withdrawn(url):
    learner = sb.open_learner(url, name="shared", decision_set=SET, policy=sb.CUCB(), variance=1.0, timeout=0.3)
    held = Held(learner)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(learner.ask)
        assert held.entered.wait(10)
        with pytest.raises(sb.StorageError, match=r"other threads must leave the learner within timeout = 0\.3"):
            learner.ask()
        held.open.set()
        first.result(10)
    assert learner.rounds == 1
    assert_replayed(learner, url)


def test_many_threads(learner, url):
    def play(number):
        rng, told = np.random.default_rng(number), []
        for _ in range(12):
            asked = learner.ask(key=f"{number} {len(told)}")
            rewards = rng.random(2)
            learner.tell(asked.id, rewards)
            told.append((asked.id, rewards))
        return told

    with ThreadPoolExecutor(8) as pool:
        told = [pair for part in pool.map(play, range(8)) for pair in part]
    assert sorted(number for number, _ in told) == list(range(96))
    assert learner.plays.sum() == 192
    assert learner.means @ learner.plays == pytest.approx(sum(rewards.sum() for _, rewards in told))
    assert_replayed(learner, url)


class Fragile(Fixed):
    """A policy of the user whose agents change before they fail."""

    asked = 0

    def specification(self):
        return "Fragile"

    def choose(self, rng):
        self.asked += 1
        return SET.maximize(np.arange(6.0) + self.asked % 2)

    def choose_among(self, available, rng):
        self.asked += 1
        raise sb.InvalidInputError("fails half-way")


def test_own_agents_that_fail_half_way_are_read_again(url):
    learner = sb.open_learner(url, name="own", decision_set=SET, policy=Fragile(), variance=1.0)
    results, _ = together(learner, learner.ask, lambda: learner.ask(available=[0, 1, 2]), learner.ask)
    assert [type(one) for one in results] == [sb.Round, sb.InvalidInputError, sb.Round]
    assert learner.state()["agent"]["asked"] == 3
    with sb.open_learner(url, name="own", policy=Fragile()) as again:
        assert again.state() == learner.state()


def test_a_call_without_a_decision_keeps_the_learner_in_memory(learner):
    learner.ask()
    before = learner._replica._learner
    with pytest.raises(sb.Infeasible):
        learner.ask(available=[0])
    learner.ask()
    assert learner._replica._learner is before
