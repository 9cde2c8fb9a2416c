"""The code on the page about the client runs with a real service, and its methods with every kind of call."""

import re
import threading
from concurrent.futures import Future
from pathlib import Path

import msgspec
import pytest

import semibandits as sb
from semibandits.client import Client, ItemEstimate, Summary
from semibandits_server.client import transport
from semibandits_server.service import bounds
from serving import TOKEN, serving

PAGE = Path(__file__).parents[2] / "docs" / "client.md"
LINKS = [("home", "a"), ("home", "b"), ("a", "work"), ("b", "work")]


@pytest.fixture
def courier(tmp_path):
    """A learner in a database, and the address of its service."""
    url = f"sqlite:///{tmp_path}/learners.db"
    with (
        sb.open_learner(url, name="courier", decision_set=sb.Paths(LINKS, "home", "work"), variance=1.0, seed=0) as learner,
        serving(url) as address,
    ):
        yield learner, address


def test_the_page_runs_from_top_to_bottom(courier, monkeypatch, capsys):
    monkeypatch.setenv("SEMIBANDITS_URL", courier[1])
    monkeypatch.setenv("SEMIBANDITS_TOKEN", TOKEN)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 5
    exec(compile("\n".join(blocks), "client.md", "exec"), {})
    assert "must be that of an open round" in capsys.readouterr().out


def test_views_of_a_learner_and_errors_that_name_what_is_wrong(courier, monkeypatch):
    """All calls that change a learner are in `learning/test_four_learners.py`."""
    learner, address = courier
    monkeypatch.setattr(bounds.SideProcess, "submit", lambda *_: Future())  # no process
    with Client(address, TOKEN) as client:
        remote = client.learner("courier")
        assert client.health() == {"status": "ok", "storage": "ok"}
        rounds = remote.ask_many(4)
        remote.tell_many(costs={one.id: [1.0, 2.0] for one in rounds[:2]})
        assert [one.id for one in remote.open_rounds()] == [one.id for one in rounds[2:]]
        estimates = remote.estimates()
        assert [one.label for one in estimates.items] == LINKS
        assert [one.plays for one in estimates.items] == learner.plays.tolist()
        summary = remote.summary()
        assert (summary.rounds, summary.calls, summary.open.count) == (4, learner.calls, 2)
        assert remote.bound().status == "solving"
        with pytest.raises(sb.Infeasible):
            remote.ask(unavailable=[("home", "a"), ("home", "b")])
        with pytest.raises(sb.InvalidInputError, match="did you mean courier"):
            client.learner("curier").summary()
    with Client(address, "a-wrong-token-0123456789") as stranger, pytest.raises(sb.ServiceError) as caught:
        stranger.learners()
    assert caught.value.status == 401
    assert "a-wrong-token" not in str(caught.value)


def test_what_features_say(courier, tmp_path):
    url = f"sqlite:///{tmp_path}/learners.db"
    learner = sb.open_learner(url, name="shared", decision_set=sb.MSets(4, 2), variance=1.0, features="pooled", seed=0)
    asked = learner.ask()
    learner.tell(asked.id, [1.0, 3.0])
    with Client(courier[1], TOKEN) as client:
        remote = client.learner("shared")
        assert [one.shrunk for one in remote.estimates().items] == learner.estimates().shrunk.tolist()
        assert [one.shrunk_sd for one in remote.estimates().items] == learner.estimates().shrunk_sd.tolist()
        frame, effects = learner.coefficients(), remote.coefficients()
        assert [one.name for one in effects] == frame.index.tolist() == ["mean of all", "spread of items"]
        assert [one.mean for one in effects] == frame["mean"].tolist()
        assert [one.sd for one in effects] == [frame["sd"].iloc[0], None]
        assert remote.summary().features == "pooled"
        with pytest.raises(sb.UnsupportedError, match="coefficients need a learner with features, got one without"):
            client.learner("courier").coefficients()


@pytest.mark.parametrize("kind", [ItemEstimate, Summary])
def test_an_older_service_sends_nothing_about_features(courier, kind):
    added = {"shrunk", "shrunk_sd", "prior", "prior_plays"} if kind is ItemEstimate else {"features", "prior"}
    with Client(courier[1], TOKEN) as client:
        remote = client.learner("courier")
        record = remote.estimates().items[0] if kind is ItemEstimate else remote.summary()
    sent = msgspec.to_builtins(record)
    assert added <= set(sent)
    assert kind.of({name: value for name, value in sent.items() if name not in added}) == record


def test_a_service_that_starts_again_goes_unnoticed(courier, tmp_path, monkeypatch):
    learner, _ = courier
    url = f"sqlite:///{tmp_path}/learners.db"
    with serving(url) as address:
        client = Client(address, TOKEN)
        asked = client.learner("courier").ask(key="order 1")
    answers, has_failed = [], threading.Event()
    monkeypatch.setattr(transport.LOGGER, "info", lambda *message: has_failed.set())
    late = threading.Thread(target=lambda: answers.append(client.learner("courier").ask(key="order 1")))
    late.start()
    assert has_failed.wait(30)  # nobody answers yet
    with serving(url, port=int(address.rpartition(":")[2])):
        late.join(20)
    client.close()
    assert answers == [asked]
    assert learner.rounds == 1
