"""One name for a learner: replaced in the database and over HTTP, while others use it."""

import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import semibandits as sb
from semibandits.client import Client
from semibandits.instances import describe
from semibandits_server.database.opening import new_backend, stored_learner
from semibandits_server.database.transfer import exported, imported
from semibandits_studies.cli import main
from serving import TOKEN, serving

BEFORE, AFTER = sb.MSets(4, 2, items=list("abcd")), sb.MSets(5, 2, items=list("xabdy"))


@pytest.fixture
def url(tmp_path):
    """A database with a learner that has seen all four items."""
    url = f"sqlite:///{tmp_path}/front.db"
    with sb.open_learner(url, name="front", decision_set=BEFORE, law="bernoulli") as learner:
        for _ in range(4):
            asked = learner.ask()
            learner.tell(asked.id, {label: float(label in "ad") for label in asked.labels})
    return url


def test_all_go_on_with_the_new_learner(url):
    """One that has it open, one that asks for new items first, and one that opens it; the old one can be read."""
    with sb.open_learner(url, name="front") as one, sb.open_learner(url, name="front") as other:
        twin = sb.Learner.from_state(one.state())
        waiting = other.ask(key="visitor 17")
        twin.ask()
        new, forgotten = one.replace(AFTER)
        assert (new is one, forgotten) == (True, ())
        expected, _ = twin.replace(AFTER)
        asked = other.ask(available=["x", "b", "d"])
        assert asked.labels == expected.ask(available=["x", "b", "d"]).labels
        assert "x" in asked.labels
        other.tell(waiting.id, dict.fromkeys(waiting.labels, 1.0))
        expected.tell(waiting.id, dict.fromkeys(waiting.labels, 1.0))
        with sb.open_learner(url, name="front") as third:
            for learner in (one, other, third):
                assert learner.decision_set.items == AFTER.items
                assert learner.plays.tolist() == expected.plays.tolist()
                assert learner.rounds == 6
                assert list(learner.ages()) == [asked.id]
            assert other.ask(key="visitor 17").id == 6  # keys of the old journal are forgotten
        log = one.log()  # all rounds, with the rewards of items that have left
        assert log["round"].tolist() == [number for number in range(7) for _ in range(2)]
        carried = log[log["round"] == waiting.id]
        assert carried["item"].tolist() == list(waiting.labels)
        assert carried["reward"].tolist() == [1.0, 1.0]
        assert log["asked"].notna().all()
        assert log["probability"].tolist() == [1.0] * 14
        assert log[log["round"] >= 5]["reward"].isna().all()
        with sb.open_learner(url, name="front~1") as old:
            assert old.rounds == 5
            assert len(old.log()) == 10
            assert old.log()["reward"].isna().sum() == 2
            for refused in (old.ask, lambda: old.tell(waiting.id, [1.0, 0.0]), old.prune, lambda: old.replace(AFTER, name="z")):
                with pytest.raises(sb.InvalidInputError, match="must be current, got 'front~1', which was replaced: use 'front'"):
                    refused()
        one.replace(BEFORE)
        assert other.rounds == 7
        assert other.decision_set.items == BEFORE.items  # known since the call before
        with sb.open_learner(url, name="front~2") as old:
            assert old.decision_set.items == AFTER.items


def test_masks_are_those_of_the_items_that_the_caller_knows(url):
    """A predicate, a mask and labels, computed before others have replaced the set by one of the same size in another order."""
    with sb.open_learner(url, name="front") as one, sb.open_learner(url, name="front") as other:
        other.ask()
        one.replace(sb.MSets(4, 2, items=list("dcba")))
        assert set(other.ask(available=lambda label: label in "ab").labels) == {"a", "b"}
        one.replace(sb.MSets(4, 2, items=list("abcd")))
        assert set(other.ask(available=["a", "c"]).labels) == {"a", "c"}
        one.replace(sb.MSets(4, 2, items=list("dcba")))
        best = other.best(available=["c", "a"])
        assert {other.decision_set.items[i] for i in np.flatnonzero(best)} == {"a", "c"}


def test_threads_ask_and_tell_while_it_is_replaced(url):
    """No outcome is lost, and no label is that of another item."""
    sets = [sb.MSets(6, 2, items=labels) for labels in ("abcdef", "fedcba", "bdface")]
    told, errors, done = [], [], threading.Event()

    def play(learner):
        try:
            while not done.is_set() or len(told) < 30:
                asked = learner.ask()
                learner.tell(asked.id, {label: float(label == "a") for label in asked.labels})
                told.extend(asked.labels)
        except Exception as error:
            errors.append(error)
            done.set()

    with sb.open_learner(url, name="front") as one, sb.open_learner(url, name="front") as other:
        before = dict(zip(one.decision_set.items, one.plays.tolist(), strict=True))
        threads = [threading.Thread(target=play, args=(learner,)) for learner in (one, one, other)]
        for thread in threads:
            thread.start()
        for number in range(6):
            other.replace(sets[number % 3])
        done.set()
        for thread in threads:
            thread.join()
        assert errors == []
        plays = dict(zip(one.decision_set.items, one.plays.tolist(), strict=True))
        assert plays == {label: before.get(label, 0) + told.count(label) for label in "abcdef"}
        means = dict(zip(one.decision_set.items, one.means.tolist(), strict=True))
        assert {label for label, mean in means.items() if mean} <= {"a", "d"}  # d was rewarded before


def test_a_replacement_that_fails_changes_nothing(url):
    with sb.open_learner(url, name="front") as one:
        state = one.state()
        with pytest.raises(sb.InvalidInputError, match="prior_plays must be"):
            one.replace(AFTER, prior_means=0.5)
        assert one.state() == state
        assert one.ask().id == 4


def test_a_service_goes_on_with_the_new_learner(url):
    """Replaced by a client and beside the service; labels that are new to the service, and old ones of open rounds, are known."""
    with serving(url) as address, Client(address, TOKEN) as client, sb.open_learner(url, name="front") as local:
        remote = client.learner("front")
        open_round, other = remote.ask_many(2)
        assert remote.replace(describe(AFTER), prior_means=dict.fromkeys("xabdy", 0.5), prior_plays=2) == ()
        assert remote.replace(describe(AFTER)) == ()  # a repeated call
        assert local.calls == 0
        assert local.decision_set.items == AFTER.items
        assert remote.summary().items == 5
        assert set(remote.ask(available=["x", "y"]).labels) == {"x", "y"}
        remote.tell(open_round.id, dict.fromkeys(open_round.labels, 1.0))
        local.replace(sb.MSets(5, 2, items=list("zyxba")))
        asked = remote.ask(available=["z", "b"])
        assert asked.labels == ("z", "b")
        assert asked.items == (0, 3)
        remote.tell_many({other.id: dict.fromkeys(other.labels, 0.0), asked.id: {"b": 1.0, "z": 0.0}})
        assert "z" in [one.label for one in remote.estimates().items]
        assert remote.ask(available=lambda label: label in "yz").labels == ("z", "y")
        with pytest.raises(sb.InvalidInputError, match="must be the label of an item"):
            remote.ask(available=["nobody"])
        with pytest.raises(sb.InvalidInputError, match="must be a mapping"):
            remote.replace(AFTER)
        with pytest.raises(sb.InvalidInputError, match="the description of a decision set must be"):
            remote.replace({"family": "msets"})
        with pytest.raises(sb.InvalidInputError, match="prior_plays must be one number, or a mapping"):
            remote.replace(describe(BEFORE), prior_plays=[1, 2])
        with pytest.raises(sb.InvalidInputError, match=r"prior_means.*must be the label of an item"):
            remote.replace(describe(BEFORE), prior_means={"q": 1.0}, prior_plays=1)
        with sb.open_learner(url, name="front~1") as old:
            assert old.rounds == 6


def test_rounds_whose_items_have_left_do_not_count_as_whole(tmp_path):
    """Evaluations of the log leave them out if the outcome of the item that has left was not told."""
    url = f"sqlite:///{tmp_path}/gone.db"
    with sb.open_learner(url, name="front", decision_set=BEFORE, law="bernoulli") as learner:
        open_round = learner.ask()
        kept = open_round.labels[1]
        learner.replace(sb.MSets(4, 2, items=[kept, "x", "y", "z"]))
        learner.tell(open_round.id, {kept: 1.0})
        for _ in range(4):
            asked = learner.ask()
            learner.tell(asked.id, dict.fromkeys(asked.labels, 0.0))
        log = learner.log()
        assert log[log["item"] == open_round.labels[0]]["reward"].isna().tolist() == [True]
        found = sb.evaluate(log, [kept])
    assert found.rounds == 4
    assert found.notes[0] == "1 round is left out, since an outcome is missing."
    assert found.logged.value == 0.0


@given(data=st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_log_has_all_rounds_of_its_name(data, tmp_path):
    """The log equals a record of all calls, across replacements and with rewards of items that left while a round was open."""
    url, rng = f"sqlite:///{tmp_path}/{data.draw(st.uuids())}.db", np.random.default_rng(data.draw(st.integers(0, 99)))
    draws = {"probability_draws": 7} if data.draw(st.booleans()) else {}
    policy = sb.ThompsonSampling() if draws else sb.CUCB()
    record, waiting, names = {}, {}, "abcdef"
    with sb.open_learner(
        url, name="front", decision_set=sb.MSets(6, 2, items=names), policy=policy, variance=1.0, **draws
    ) as one:
        for step in data.draw(st.lists(st.sampled_from(["ask", "ask", "tell", "tell", "partly", "replace"]), max_size=30)):
            if step == "ask":
                for asked in one.ask_many(2):
                    waiting[asked.id] = asked.labels
                    known = [float("nan")] * 2 if asked.probabilities is None else asked.probabilities.tolist()
                    record |= {(asked.id, label): (None, share) for label, share in zip(asked.labels, known, strict=True)}
            elif step == "replace":
                names = "".join(rng.permutation(list("abcdefghi"))[:5])
                _, forgotten = one.replace(sb.MSets(5, 2, items=names))
                for asked in forgotten:
                    del waiting[asked.id]
            elif waiting:
                number = int(rng.choice(list(waiting)))
                costs = {label: float(rng.integers(1, 9)) for label in waiting.pop(number)[step == "partly" :]}
                one.tell(number, costs=costs, partial=True)
                record |= {(number, label): (-cost, record[number, label][1]) for label, cost in costs.items()}
        log = one.log().astype(object)
        assert log["asked"].notna().all()
    found = {
        (row["round"], row["item"]): (None if row["reward"] != row["reward"] else row["reward"], row["probability"])
        for row in log.to_dict("records")
    }
    assert list(found) == list(record)
    assert repr(found) == repr(record)  # NaN is not equal to itself


def test_logs_of_other_learners_and_after_prune(url):
    """A learner whose name looks like that of a replaced one, a replacement under another name, and pruned rounds."""
    with sb.open_learner(url, name="front") as one:
        other = sb.open_learner(url, name="front~4", decision_set=BEFORE, law="bernoulli")
        other.ask()
        waiting = one.ask()
        one.prune()
        one.replace(AFTER)
        assert one.log()["round"].unique().tolist() == [4]
        assert other.log()["round"].tolist() == [0, 0]
        one.tell(waiting.id, dict.fromkeys(waiting.labels, 1.0), key="outcome")
        one.tell(waiting.id, dict.fromkeys(waiting.labels, 1.0), key="outcome")
        with sb.open_learner(url, name="front~5") as old:
            assert old.log()["round"].tolist() == [4, 4]
        apart, _ = one.replace(BEFORE, name="back")
        assert one.log()["reward"].tolist() == [1.0, 1.0]
        assert apart.log().empty


@pytest.mark.parametrize("wrong", ["many", float("inf"), 1e200])
def test_outcomes_of_items_that_have_left_are_checked(url, wrong):
    with sb.open_learner(url, name="front") as one:
        asked = one.ask()
        one.replace(sb.MSets(2, 1, items=[asked.labels[0], "x"]))
        with pytest.raises(sb.InvalidInputError, match=r"rewards (of round 4 )?must be"):
            one.tell(asked.id, {asked.labels[0]: 1.0, asked.labels[1]: wrong})
        assert list(one.ages()) == [asked.id]


def test_replaced_learners_are_listed_nowhere_and_can_be_read(url, capsys):
    """Services do not open replaced learners. A learner whose name only looks like that of a replaced one is listed."""
    with sb.open_learner(url, name="front") as one:
        for k in range(3):
            one.replace(sb.MSets(5, 2, items=[*"abcd", str(k)]))
        sb.open_learner(url, name="front~9", decision_set=BEFORE, law="bernoulli").close()
        sb.open_learner(url, name="new", decision_set=BEFORE, law="bernoulli").close()
    with serving(url) as address, Client(address, TOKEN) as client:
        assert [learner.name for learner in client.learners()] == ["front", "front~9", "new"]
        assert client.learner("front~2").summary().items == 5
    with pytest.raises(SystemExit, match="0"):
        main(["learner", "list", url])
    out = " ".join(capsys.readouterr().out.split())
    assert "Not listed: 3 learners replaced under the same name." in out
    assert "front~9" in out
    assert "front~2" not in out


class Pairs(sb.DecisionSet):
    """Two of four items; a decision set of the user."""

    d, m, items = 4, 2, tuple("dcba")

    def maximize(self, weights):
        x = np.zeros(4, dtype=bool)
        x[np.argsort(-self.check_weights(weights), kind="stable")[:2]] = True
        return x


class OwnLaw(sb.laws.Law):
    """Gaussian rewards of variance 1, by the user."""

    def check(self, theta): ...

    def reach(self, theta):
        return np.full(np.shape(theta), np.inf)

    def divergence(self, theta, rise):
        return np.square(rise) / 2.0

    def raise_at(self, theta, slope):
        return slope + np.zeros_like(theta)

    def __repr__(self):
        return "OwnLaw()"


def test_logs_after_sets_and_laws_of_the_user(tmp_path):
    """The log skips rounds of an own decision set and rounds that were told while it was used; own laws are supported."""
    arguments = {"decision_set": BEFORE, "policy": sb.CUCB(), "variance": 1.0}
    with sb.open_learner(f"sqlite:///{tmp_path}/a.db", name="front", **arguments) as one:
        one.tell(one.ask().id, [2.0, 3.0])
        waiting = one.ask()
        one.replace(Pairs())
        one.tell(waiting.id, dict.fromkeys(waiting.labels, 5.0))
        one.ask(available=["a", "b"])
        one.replace(BEFORE)
        one.ask()
        log = one.log()
        assert log["round"].tolist() == [0, 0, 2, 2, 3, 3]  # round 2 is open in the present one
        assert log["reward"].tolist()[:2] == [2.0, 3.0]
        assert log["reward"].isna().tolist() == [False] * 2 + [True] * 4
    with sb.open_learner(f"sqlite:///{tmp_path}/b.db", name="front", decision_set=BEFORE, law=OwnLaw()) as one:
        one.tell(one.ask().id, [2.0, 3.0])
        one.replace(AFTER)
        one.ask()
        assert one.log()["probability"].tolist() == [1.0] * 4


def test_rounds_before_a_learner_was_pruned_are_absent(url):
    """Rounds are left out, too, that were open when the learner was created and told before it was pruned."""
    with sb.open_learner(url, name="front") as one:
        waiting, other = one.ask_many(2)
        one.replace(AFTER)
        one.tell(waiting.id, dict.fromkeys(waiting.labels, 1.0))
        assert one.log()["round"].nunique() == 6
        one.prune()
        assert one.log()["round"].unique().tolist() == [0, 1, 2, 3, other.id]


def test_a_log_follows_its_own_learners_whatever_their_names_are(url, tmp_path):
    """Imports under other names keep the log; other learners with similar names are not included."""
    away = new_backend(f"sqlite:///{tmp_path}/away.db")
    with sb.open_learner(url, name="front") as one:
        for labels in ("abcx", "abcy"):
            one.replace(sb.MSets(4, 2, items=labels))
            one.tell(one.ask().id, [1.0, 0.0])
        lines = {name: exported(one._backend, stored_learner(one._backend, name)) for name in ("front", "front~1", "front~2")}
        with sb.open_learner(f"sqlite:///{tmp_path}/away.db", name="front", decision_set=AFTER, law="bernoulli") as other:
            for name, chosen in (("front", "copy"), ("front~1", "front~1"), ("front~2", "old")):
                imported(away, lines[name], name=chosen)
            assert other.log().empty
            with sb.open_learner(f"sqlite:///{tmp_path}/away.db", name="copy") as copy:
                assert copy.log().drop(columns="asked").equals(one.log().drop(columns="asked"))
            with sb.open_learner(f"sqlite:///{tmp_path}/away.db", name="front~1") as first:
                assert first.log()["round"].nunique() == 4


@pytest.mark.parametrize("key", [None, "outcome"])
def test_outcomes_of_items_that_have_left_are_possible_under_the_law_and_repeated_by_their_key(url, key):
    with sb.open_learner(url, name="front") as one:
        asked = one.ask()
        kept, left = asked.labels
        one.replace(sb.MSets(2, 1, items=[kept, "x"]))
        with pytest.raises(sb.InvalidInputError, match="rewards must be from 0 to 1 under the law bernoulli, got -500 for"):
            one.tell(asked.id, {kept: 1.0, left: -500.0}, key=key)
        one.tell(asked.id, {kept: 1.0, left: 0.0}, key=key)
        assert one.log()["reward"].tolist()[-2:] == ([1.0, 0.0] if asked.labels == (kept, left) else [0.0, 1.0])
        if key:
            one.tell(asked.id, {kept: 1.0, left: 0.0}, key=key)
            for others in ({kept: 1.0, left: 1.0}, {kept: 1.0}, {kept: 0.0, left: 0.0}):
                with pytest.raises(sb.InvalidInputError, match="with other arguments"):
                    one.tell(asked.id, others, key=key, partial=True)
        assert one.rounds == 5
