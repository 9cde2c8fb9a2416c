"""The same key is one for the same call: all that was asked is compared, in whatever form it is passed."""

import json
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from semibandits.errors import InvalidInputError
from semibandits_server.database.entries import Entry

LABELS = ("a", "b", "c", "d")
OTHER = "key must be one for the same call, got 'k', which was {} of the rounds .* with other arguments: choose another key"


def opened(url):
    return sb.open_learner(url, name="one", decision_set=sb.MSets(4, 1, items=LABELS), policy=sb.CUCB(), variance=1.0, seed=0)


@pytest.fixture
def learner(url):
    return opened(url)


def refused(call, kind):
    with pytest.raises(InvalidInputError, match=OTHER.format(kind)):
        call()


def test_another_set_of_available_items_is_another_call(learner):
    first = learner.ask(["a"], key="k")
    assert learner.ask(lambda label: label == "a", key="k").id == first.id
    for available in (["b"], ["a", "b"], None):
        refused(lambda available=available: learner.ask(available, key="k"), "ask")
    assert learner.rounds == 1


def test_another_batch_is_another_call(learner):
    learner.ask_many(2, ["a", "b"], key="k")
    assert len(learner.ask_many(2, [True, True, False, False], key="k")) == 2
    refused(lambda: learner.ask_many(3, ["a", "b"], key="k"), "ask_many")
    refused(lambda: learner.ask_many(2, key="k"), "ask_many")
    with pytest.raises(InvalidInputError, match=r"which was ask_many of the rounds \[0, 1\]: choose another key"):
        learner.ask(["a", "b"], key="k")


def test_all_items_are_the_same_as_no_restriction(learner):
    first = learner.ask(key="k")
    assert learner.ask(LABELS, key="k").id == learner.ask(np.ones(4, dtype=bool), key="k").id == first.id


def test_another_outcome_is_another_call(learner):
    asked = learner.ask(["c"])
    learner.tell(asked.id, {"c": 0.5}, key="k")
    for same in ({"rewards": [0.5]}, {"rewards": np.float32([0.5])}, {"costs": {"c": -0.5}}, {"costs": [-0.5]}):
        learner.tell(asked.id, **same, key="k")
    learner.tell_many({asked.id: [0.5]}, key="k")
    for other in ({"rewards": [0.25]}, {"costs": [0.5]}, {"rewards": {}, "partial": True}):
        refused(lambda other=other: learner.tell(asked.id, **other, key="k"), "tell")
    refused(lambda: learner.tell(learner.ask().id, [0.5], key="k"), "tell")
    with pytest.raises(InvalidInputError, match="rewards of round 0 must have labels of the items only"):
        learner.tell(asked.id, {"d": 0.5}, key="k")
    assert learner.plays.tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(
    "limit", [{"age": 1}, {"before": 1}, {"seconds": 3600.0}, {"seconds": float("inf")}, {"before": 10**400}]
)
def test_another_limit_is_another_call(learner, url, limit):
    learner.ask_many(3)
    expired = learner.expire(**limit, key="k")
    learner.ask()
    assert [one.id for one in learner.expire(**limit, key="k")] == [one.id for one in expired]
    for other in ({"age": 2}, {"before": 2}, {"seconds": 1.0}):
        refused(lambda other=other: learner.expire(**other, key="k"), "expire")
    assert opened(url).state() == learner.state()


def test_a_repeated_call_has_no_effect_and_another_kind_of_call_is_refused(learner, url):
    asked = learner.ask()
    for handle in (opened(url), learner):
        handle.forget(asked.id, key="k")
    assert learner.calls == 2
    for call in (learner.ask, lambda key: learner.tell(asked.id, [1.0], key=key), lambda key: learner.ask_many(2, key=key)):
        with pytest.raises(InvalidInputError, match="key must be one for the same call"):
            call(key="k")


FORMS = st.sampled_from(["ordered", "labels", "costs", "labelled costs"])
VALUES = st.none() | st.sampled_from([0.0, -0.0, 0.1, -3.5, 1e-300, 7.0])
OUTCOMES = st.lists(VALUES, min_size=2, max_size=2)


def told(learner, asked, values, form, key):
    """Tell an outcome in one of its forms."""
    name = "costs" if "costs" in form else "rewards"
    given = [None if value is None else 0.0 - value for value in values] if name == "costs" else values
    if "label" in form:
        given = {label: value for label, value in zip(asked.labels, given, strict=True) if value is not None}
    learner.tell(asked.id, **{name: given}, partial=True, key=key)


@settings(max_examples=30)
@given(values=OUTCOMES, others=OUTCOMES, forms=st.tuples(FORMS, FORMS))
def test_an_outcome_is_compared_by_its_values(shared, values, others, forms):
    asked = shared.ask()
    key = f"outcome {asked.id}"
    told(shared, asked, values, forms[0], key)
    before = shared.plays.tolist(), shared.means.tolist()
    told(shared, asked, values, forms[1], key)
    if values == others:
        told(shared, asked, others, forms[1], key)
    else:
        with pytest.raises(InvalidInputError, match="with other arguments"):
            told(shared, asked, others, forms[1], key)
    assert (shared.plays.tolist(), shared.means.tolist()) == before


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shared")
    return sb.open_learner(f"sqlite:///{folder}/x.db", name="two", decision_set=sb.MSets(5, 2), policy=sb.CUCB(), variance=1.0)


def test_keys_of_an_older_journal_still_answer(tmp_path):
    """Entries of 1.0.0 have neither the items of outcomes nor the limits: only what they have is compared."""
    url = f"sqlite:///{tmp_path}/learners.db"
    learner = opened(url)
    asked = learner.ask(["a", "b"], key="ask")
    learner.tell(asked.id, [0.5], key="tell")
    learner.ask()
    learner.expire(age=0, key="expire")
    learner.close()
    forget_what_older_versions_did_not_store(tmp_path / "learners.db")
    again = opened(url)
    assert again.ask(["a", "b"], key="ask").id == asked.id
    with pytest.raises(InvalidInputError, match="with other arguments"):
        again.ask(["b"], key="ask")
    again.tell(asked.id, {asked.labels[0]: 9.0}, key="tell")
    with pytest.raises(InvalidInputError, match="with other arguments"):
        again.tell(1, [0.5], key="tell")
    assert again.expire(seconds=5, key="expire") == again.expire(age=0, key="expire") == ()
    assert again.plays.sum() == 1


def forget_what_older_versions_did_not_store(path):
    raw = sqlite3.connect(path)
    for seq, kind, payload, key in raw.execute("SELECT seq, kind, payload, key FROM semibandits_journal").fetchall():
        content = {name: value for name, value in json.loads(payload).items() if kind == "ask" or name not in ("items", "asked")}
        entry = Entry.of(seq, kind, content, key)
        raw.execute("UPDATE semibandits_journal SET payload = ?, checksum = ? WHERE seq = ?", (entry.text, entry.checksum, seq))
    raw.commit()
    raw.close()


def test_a_database_of_a_release_with_keys(tmp_path):
    shutil.copy(Path(__file__).parents[1] / "releases" / "1.0.0" / "learners.db", tmp_path)
    with sb.open_learner(f"sqlite:///{tmp_path / 'learners.db'}", name="films") as learner:
        asked = learner.ask(key="k")
        learner.tell(asked.id, [0.5] * len(asked.items), key="t")
        learner.tell(asked.id, [0.5] * len(asked.items), key="t")
    with sb.open_learner(f"sqlite:///{tmp_path / 'learners.db'}", name="films") as again:
        assert again.ask(key="k").id == asked.id
