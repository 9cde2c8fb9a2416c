"""Rounds in which couriers are away: the largest matchings that are left, against listed decisions and assignments of SciPy."""

import numpy as np
import pytest
from learner_cases import POLICIES, Fixed, opened, pairs_of, restored, text
from scipy.optimize import linear_sum_assignment

import semibandits as sb
from example_sets import largest_matchings
from semibandits.kernels.rules.glade import MARKS, REMEMBERED, WIDTH

every_policy = pytest.mark.parametrize("name", POLICIES)


def without(*couriers):
    return lambda pair: pair[0] not in couriers


@pytest.mark.parametrize(("n_couriers", "n_zones", "covered"), [(40, 60, 35), (60, 40, 40), (42, 40, 37)])
def test_five_of_many_couriers_are_away(n_couriers, n_zones, covered):
    """One pair for each zone or courier that can be covered, at least cost, whether costs are large, zero or negative."""
    rng = np.random.default_rng(n_couriers)
    minutes = np.round(rng.normal(5.0, 20.0, (n_couriers, n_zones)))
    learner = sb.Learner(sb.Matchings(pairs_of(n_couriers, n_zones), "most"), sb.CUCB(), variance=1.0, seed=0)
    assert np.count_nonzero(learner.ask().decision) == min(n_couriers, n_zones)
    for item in range(learner.decision_set.d):
        learner._agent.observe(np.array([item]), np.array([0.0 - minutes.flat[item]]))
    learner._progress.plays[:], learner._progress.sums[:] = 1.0, 0.0 - minutes.ravel()
    away = {f"r{i}" for i in range(0, 25, 5)}
    x = learner.best(available=without(*away))
    asked = learner.ask(available=without(*away))
    for chosen in (x, asked.decision):
        couriers, zones = zip(*(learner.decision_set.items[i] for i in np.flatnonzero(chosen)), strict=True)
        assert len(set(couriers)) == len(set(zones)) == len(couriers) == covered
        assert not away & set(couriers)
    left = [i for i in range(n_couriers) if f"r{i}" not in away]
    assert minutes.ravel()[x].sum() == minutes[left][linear_sum_assignment(minutes[left])].sum()
    learner.tell(asked.id, costs=minutes.ravel()[asked.items])


def test_the_remedy_where_one_side_must_be_covered():
    learner = sb.Learner(sb.Matchings(pairs_of(3, 4), "rows"), variance=1.0, seed=0)
    with pytest.raises(sb.Infeasible, match=r"wait .*, or build the set with saturate='most' to match as many as possible"):
        learner.ask(available=without("r1"))
    learner, _ = learner.replace(sb.Matchings(pairs_of(3, 4), "most"))
    assert [courier for courier, _ in learner.ask(available=without("r1")).labels] == ["r0", "r2"]
    with pytest.raises(sb.Infeasible, match=r"got 0 of 12 items.*: wait until more are available$"):
        learner.ask(available=[])


def masks(rng, n):
    """Masks of 8 items: often all of them, often the same ones again, at least one."""
    mask = np.ones(8, dtype=bool)
    for _ in range(n):
        if rng.random() < 0.5:
            mask = rng.random(8) < rng.choice([0.4, 0.8, 1.1])
            mask[rng.integers(8)] = True
        yield mask


@every_policy
def test_databases_and_restored_learners_play_the_same_rounds(name, tmp_path):
    """Also with open rounds that are no decisions of the whole set. All rounds are, if all items are available."""
    rng, costs = np.random.default_rng(3), np.linspace(3.0, 1.0, 8)
    decision_set, options = largest_matchings(), {"variance": 0.3, "seed": 1}
    stored = opened(f"sqlite:///{tmp_path}/days.db", decision_set=decision_set, policy=POLICIES[name], **options)
    learner, waiting = sb.Learner(decision_set, POLICIES[name], **options), []
    for t, mask in enumerate(masks(rng, 60)):
        learner = restored(learner) if t % 4 == 0 else learner
        asked = learner.ask(mask)
        assert asked.labels == stored.ask(mask).labels
        assert not asked.decision[~mask].any()
        assert not mask.all() or asked.decision in decision_set
        waiting.append(asked)
        if t % 3:
            asked = waiting.pop(int(rng.integers(len(waiting))))
            outcome = costs[asked.items] + rng.normal(size=len(asked.items))
            for one in (learner, stored):
                one.tell(asked.id, costs=outcome)
    assert 0.0 <= learner.confidence() == stored.confidence() < 1.0
    again = opened(f"sqlite:///{tmp_path}/days.db")
    assert learner._agent.state() == stored.state()["agent"] == again.state()["agent"]
    assert text(again) == text(stored)
    assert again.ask().labels == learner.ask().labels


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_plausible_decisions_are_remembered_only_where_they_are_decisions(sign):
    """With costs, smaller matchings are better than any decision, and would be played."""
    rng = np.random.default_rng(0)
    learner = sb.Learner(largest_matchings(), sb.GLADE(discount=0.0, patience=0.0), variance=1.0, seed=0)
    for mask in masks(rng, 400):
        asked = learner.ask(mask)
        learner.tell(asked.id, sign * 0.1 * (1.0 + asked.items) + rng.normal(size=len(asked.items)))
    marks = learner._agent.player.marks
    pool = marks[MARKS:].reshape(-1, marks[WIDTH])[: marks[REMEMBERED]]
    assert len(pool) > 3
    assert (pool[:, 0] == learner.decision_set.m).all()


@every_policy
def test_smaller_matchings_in_every_round_are_a_learner_of_these(name):
    """The same decisions to the last bit; plausible ones are remembered as long as the same items are available."""
    whole, rng = sb.Learner(largest_matchings(), POLICIES[name], variance=1.0, seed=4), np.random.default_rng(5)
    left = sb.Learner(sb.Matchings(pairs_of(3, 1), "most"), POLICIES[name], variance=1.0, seed=4)
    for _ in range(80):
        first, second = whole.ask([0, 1, 4]), left.ask()
        assert first.decision[[0, 1, 4]].tolist() == second.decision.tolist()
        outcome = [rng.normal() - 0.3 * second.items[0]]
        for learner, asked in ((whole, first), (left, second)):
            learner.tell(asked.id, outcome)
    if name == "GLADE":
        assert whole._agent.part.agent.player.marks[REMEMBERED] > 0


class Lazy(Fixed):
    def choose_among(self, available, rng):
        return self.decision & available


def test_policies_of_your_own_choose_a_largest_matching():
    decision_set = largest_matchings()
    x = decision_set.maximize(np.zeros(8))
    learner = sb.Learner(decision_set, Lazy(*x), variance=1.0, seed=0)
    first, mask = int(np.argmax(x)), np.ones(8, dtype=bool)
    assert learner.ask().decision.tolist() == x.tolist()
    mask[first] = False
    with pytest.raises(sb.InvalidInputError, match="policies must choose decisions"):
        learner.ask(mask)  # another pair can take its place
    assert learner.ask(x & mask).decision.tolist() == (x & mask).tolist()
