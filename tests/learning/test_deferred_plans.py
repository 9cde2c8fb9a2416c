"""Plans that are solved outside `ask`: what is played meanwhile, and that replays never solve anything."""

import threading
from dataclasses import dataclass

import numpy as np
import pytest
from learner_cases import SETS, means_of

import semibandits as sb
from semibandits import OSSB, InvalidInputError, StorageError
from semibandits.learning.operations import Adopt

ARGUMENTS = {"policy": sb.OSSB(), "variance": 0.2, "seed": 1, "defer_plans": True}


@pytest.fixture
def never_solved(monkeypatch):
    """`OSSB` cannot solve plans."""
    monkeypatch.setattr(sb.OSSB, "solved", None)


def new(family="msets", **options):
    return sb.Learner(SETS[family](), **{**ARGUMENTS, **options})


def opened(url):
    return sb.open_learner(url, name="one", decision_set=SETS["msets"](), **ARGUMENTS)


def play(learner, rounds, seed=0, available=None):
    """Ask and tell with rewards that depend on the round only."""
    theta, decisions = means_of(learner.decision_set), []
    for _ in range(rounds):
        asked = learner.ask(available)
        noise = np.random.default_rng([seed, asked.id]).normal(0.0, 0.4, len(theta))
        learner.tell(asked.id, (theta + noise)[asked.items])
        decisions.append(asked.items.tolist())
    return decisions


def explored(learner):
    return int(learner._agent.player.marks[0])


@pytest.mark.parametrize("family", ["msets", "paths", "routes", "own"])
def test_ask_never_solves_a_plan(family, never_solved):
    learner = new(family)
    assert not learner.wants_plan
    for _ in range(40):
        best = learner.decision_set.maximize(learner._agent.means)
        asked = learner.ask()
        if learner.wants_plan:
            np.testing.assert_array_equal(asked.decision, best)
        learner.tell(asked.id, means_of(learner.decision_set)[asked.items])
    assert learner.wants_plan


def test_a_plan_is_that_of_a_learner_that_does_not_defer():
    deferred, usual = new(), new(defer_plans=False)
    for _ in range(60):
        one, other = deferred.ask(), usual.ask()
        if deferred.wants_plan:  # play the round again, with the plan
            deferred.forget(one.id)
            assert deferred.solve_plan()
            state = deferred._agent
            np.testing.assert_array_equal(state.player.memory, usual._agent.player.memory)
            np.testing.assert_array_equal(state.player.rows, usual._agent.player.rows)
            break
        rewards = means_of(usual.decision_set)[one.items]
        deferred.tell(one.id, rewards)
        usual.tell(other.id, rewards)
    assert not deferred.wants_plan
    assert not deferred.solve_plan()


def test_with_its_plans_solved_it_explores_and_wants_plans_again():
    learner, plans = new(), 0
    for _ in range(100):
        play(learner, 3)
        plans += learner.solve_plan()
    assert explored(learner) > 10
    assert 5 < plans < 50
    assert learner._agent.calls[2] == plans


def test_the_old_plan_is_followed_until_the_new_one_is_there(never_solved, monkeypatch):
    learner = new()
    play(learner, 10)
    monkeypatch.undo()
    assert learner.solve_plan()
    before = explored(learner)
    monkeypatch.setattr(OSSB, "solved", None)
    play(learner, 300)
    assert learner.wants_plan
    assert explored(learner) > before + 5


def test_rounds_with_unavailable_items_follow_what_is_left_of_the_plan(monkeypatch):
    learner, some = new(), np.array([True, True, False, True, True, True])
    play(learner, 12)
    assert learner.solve_plan()
    monkeypatch.setattr(OSSB, "solved", None)
    before = explored(learner)
    decisions = play(learner, 100, available=some)
    assert all(2 not in items for items in decisions)
    assert explored(learner) > before


def test_a_database_stores_plans_and_replays_without_solving(url, monkeypatch):
    memory = new(drift_error=0.01)
    with opened(url) as learner, opened(url) as other:
        for _ in range(6):
            assert play(learner, 8) == play(memory, 8)
            assert learner.solve_plan() == memory.solve_plan()
        assert learner.state() == memory.state()
        monkeypatch.setattr(OSSB, "solved", None)
        assert other.state() == opened(url).state() == memory.state()
        assert play(other, 5) == play(memory, 5)


def test_plans_of_two_processes_apply_in_their_order(url):
    with opened(url) as one, opened(url) as other:
        play(one, 12)
        first = one._read(lambda learner: learner._progress.planner()).plan()
        play(other, 12)
        second = other._read(lambda learner: learner._progress.planner()).plan()
        for plan in (second, first):
            one._change(Adopt(plan), None)
        assert one.state() == other.state() == opened(url).state()
        memory = one._read(lambda learner: learner._agent.player.memory.copy())
        np.testing.assert_array_equal(memory, first.memory)


def test_others_ask_while_a_plan_is_solved(url, monkeypatch):
    solved, entered, go_on = OSSB.solved, threading.Event(), threading.Event()

    def slow(self, agent):
        entered.set()
        assert go_on.wait(30)
        return solved(self, agent)

    monkeypatch.setattr(OSSB, "solved", slow)
    with opened(url) as learner:
        play(learner, 12)
        worker = threading.Thread(target=learner.solve_plan)
        worker.start()
        assert entered.wait(30)
        play(learner, 5)
        assert learner.wants_plan
        go_on.set()
        worker.join(30)
        assert not learner.wants_plan
        assert learner.rounds == 17
        assert learner.state() == opened(url).state()


@dataclass
class Damaged:
    """A plan whose state is wrong."""

    content: dict

    def state(self):
        return self.content


def test_a_damaged_plan_is_refused(url):
    with opened(url) as learner:
        play(learner, 12)
        learner.solve_plan()
        plan = learner._read(lambda one: one._progress.planner()).plan().state()
        for wrong in ({"memory": [1.0]}, {"decisions": [[99]]}, {"optimal": [0]}, {"decisions": None}):
            with pytest.raises((InvalidInputError, StorageError, TypeError)):
                learner._change(Adopt(Damaged({**plan, **wrong})), None)
        assert learner.state() == opened(url).state()
