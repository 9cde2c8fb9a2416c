"""Rounds that expire, and learners that move to another decision set."""

import numpy as np
import pytest
from learner_cases import POLICIES, Fixed, play, play_alike, restored, text

from semibandits import CUCB, GLADE, EnumeratedDecisions, Learner, MSets, Routes
from semibandits.errors import InvalidInputError
from semibandits.learning.storage import stored_generator
from verification_scripts import script


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("is_moved", [True, False])
def test_a_learner_that_moves_is_one_that_knew_the_observations_all_along(name, is_moved):
    """The same decisions to the last bit as a learner that starts on the new set from what was observed of its items.

    The same for items that are no longer available; the policy may plan at another time then, but knows the same.
    """
    rng, observed, rewards = np.random.default_rng(3), [], []
    old = Learner(MSets(6, 2, items="abcdef"), POLICIES[name], variance=0.3, seed=1)

    def outcome(items):
        return 0.1 * items + rng.normal(0.0, 0.5, 2)

    for _ in range(40):
        one = old.ask()
        told = outcome(one.items)
        old.tell(one.id, told)
        observed += one.labels
        rewards += told.tolist()
    changed = MSets(6, 2, items="cdefgh") if is_moved else MSets(4, 2, items="abcd")
    learner, available = (old.replace(changed)[0], None) if is_moved else (old, set("abcd"))
    options = {"variance": 0.3, "seed": stored_generator(old.state()["generator"]), "rounds": 40, "ignore_unknown": True}
    known = Learner.from_history(changed, observed, rewards, POLICIES[name], **options)
    play_alike((learner, known), 40, outcome, available=(available, None))


@pytest.mark.verify
def test_regret_after_a_change_is_that_of_a_learner_that_knew_it_all_along():
    """Short form of a check in `verification`: in rounds 1,001 to 1,800, after two new items have come in round 601.

    The difference exceeds four standard errors with probability 3e-5 if the mean regrets are equal; learners that begin
    at the change lose so much more.
    """
    changes = script("changes")
    start, windows = 600, ((1_000, 1_800),)
    regret = np.array([changes.changed("replace", "ThompsonSampling", seed, start, windows) for seed in range(20)])
    ((knew, began),) = changes.without_change("replace", "ThompsonSampling", 400, 1, start, windows)
    assert changes.statistic(regret[:, 0], knew) < changes.LARGEST < changes.statistic(began, knew)


def test_items_are_found_by_label():
    old = Learner(MSets(4, 2, items="abcd"), CUCB(), variance=1.0, seed=0)
    for rewards in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        old.tell(old.ask().id, rewards)
    first, second = old.ask(), old.ask()
    gone = first.labels[0]
    kept = [label for label in "dcba" if label != gone]
    new, forgotten = old.replace(MSets(5, 2, items=["x", *kept, "y"]))
    for label in kept:
        i, j = new.decision_set.items.index(label), "abcd".index(label)
        assert (new.plays[i], new.means[i]) == (old.plays[j], old.means[j])
    assert new.plays[[0, 4]].tolist() == [0.0, 0.0]
    assert forgotten == ()
    assert [one.id for one in new.open_rounds] == [first.id, second.id]
    for before, one in zip((first, second), new.open_rounds, strict=True):
        assert set(one.labels) == set(before.labels) - {gone}
        assert new._agent.pending[one.items].min() >= 1
    assert {"x", "y"} & set(new.ask().labels)  # items never seen come first
    assert text(restored(new)) == text(new)


def test_outcomes_of_rounds_before_are_told_by_label():
    """Items that have left are ignored, also after a second replacement; a list could be in the order of before."""
    old = Learner(MSets(4, 3, items="abcd"), CUCB(), variance=1.0, seed=0)
    asked = old.ask()
    assert asked.labels == ("a", "b", "c")
    same, _ = old.replace(MSets(5, 3, items="abcdx"))
    same.tell(asked.id, [1.0, 2.0, 3.0])  # nothing has moved
    assert same.means.tolist() == [1.0, 2.0, 3.0, 0.0, 0.0]
    new, forgotten = old.replace(MSets(4, 3, items="xcbd"))
    assert (forgotten, new.open_rounds[0].gone, new.open_rounds[0].labels) == ((), ("a",), ("c", "b"))
    for refused in ([1.0, 2.0], [1.0, 2.0, 3.0], np.array([2.0, 3.0])):
        with pytest.raises(InvalidInputError, match="must be by label, since its items have left or moved when the decision set"):
            new.tell(asked.id, refused)
    later, _ = new.replace(MSets(3, 3, items="bxy"))
    assert later.open_rounds[0].gone == ("a", "c")
    for learner, plays in ((new, [0, 1, 1, 0]), (restored(new), [0, 1, 1, 0]), (later, [1, 0, 0]), (restored(later), [1, 0, 0])):
        learner.tell(asked.id, {"a": 1.0, "b": 2.0, "c": 3.0})
        assert learner.plays.tolist() == plays
        assert learner.means[learner.decision_set.items.index("b")] == 2.0
        assert learner.open_rounds == ()
    with pytest.raises(InvalidInputError, match="labels of the items only"):
        restored(old.replace(MSets(4, 3, items="xcbd"))[0]).tell(asked.id, {"z": 1.0, "b": 2.0, "c": 3.0})
    _, forgotten = old.replace(MSets(3, 3, items="xyz"))
    assert forgotten == (asked,)


def test_open_decisions_that_the_new_set_lacks_stay_open_and_are_saved():
    old = Learner(EnumeratedDecisions([[1, 1, 0], [0, 1, 1]], items="abc"), CUCB(), variance=1.0, seed=0)
    one = old.ask()
    new, forgotten = old.replace(EnumeratedDecisions([[1, 0, 1], [0, 1, 0]], items="abc"))
    assert forgotten == ()
    assert new.state()["open_rounds"] == [{"id": 0, "items": one.items.tolist(), "replaced": True}]
    again = restored(new)
    for learner in (new, again):
        learner.tell(0, dict.fromkeys(one.labels, 2.0))
    assert text(new) == text(again)
    assert "replaced" not in str(old.state()["open_rounds"])


def test_new_items_may_have_a_prior_and_old_ones_keep_theirs():
    old = Learner(MSets(3, 1, items="abc"), CUCB(), variance=1.0, seed=0, prior_means=[1.0, 2.0, 3.0], prior_plays=[2, 0, 4])
    old.tell(old.ask().id, [9.0])  # b, which has no prior
    new, _ = old.replace(MSets(4, 1, items="cbaz"), prior_costs=[5.0, 5.0, 5.0, 5.0], prior_plays=7)
    assert new._agent.plays.tolist() == [4.0, 1.0, 2.0, 7.0]
    assert new._agent.means.tolist() == [3.0, 9.0, 1.0, -5.0]
    assert new.plays.tolist() == [0.0, 1.0, 0.0, 0.0]
    again = restored(new)
    assert again._agent.means.tolist() == new._agent.means.tolist()
    assert text(again) == text(new)
    third, _ = new.replace(MSets(1, 1, items="z"))
    assert (third._agent.plays[0], third._agent.means[0]) == (7.0, -5.0)


def test_routes_start_new_links_at_their_least_costs():
    old = Learner(Routes([("s", "a"), ("a", "t"), ("s", "t")], "s", "t", 1.0), GLADE(), variance=1.0, seed=0)
    rng = np.random.default_rng(0)
    play(old, 10, lambda items: -0.3 - rng.random(len(items)))
    new, _ = old.replace(Routes([("s", "t"), ("s", "a"), ("a", "t"), ("s", "b"), ("b", "t")], "s", "t", 0.1))
    assert new._agent.means[3:].tolist() == [-0.1, -0.1]
    assert new.plays[1:3].tolist() == old.plays[:2].tolist()
    assert text(restored(new)) == text(new)


def test_variances_per_item():
    old = Learner(MSets(3, 1, items="abc"), CUCB(), variance=[1.0, 2.0, 3.0], seed=0)
    assert old.replace(MSets(2, 1, items="ca"))[0].state()["variance"] == [3.0, 1.0]
    assert old.replace(MSets(2, 1, items="cz"), variance=4.0)[0].state()["variance"] == 4.0
    own = Learner(MSets(2, 1), CUCB(variance=(1.0, 2.0)), variance=1.0, seed=0)
    assert own.replace(MSets(3, 1), CUCB(variance=(1.0, 2.0, 3.0)))[0].policy.variance == (1.0, 2.0, 3.0)


class Recalling(Fixed):
    def recall(self, history):
        self.known = history

    def reopen(self, items):
        self.opened = items.tolist()


def test_policies_of_your_own():
    old = Learner(MSets(2, 1), Recalling(1, 0), variance=1.0, seed=0)
    old.tell(old.ask().id, [3.0])
    old.ask()
    agent = old.replace(MSets(2, 1))[0]._agent
    assert agent.known.sums.tolist() == [3.0, 0.0]
    assert (agent.known.rounds, agent.opened) == (2, [0])
