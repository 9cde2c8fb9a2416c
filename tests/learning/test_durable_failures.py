"""A database that is locked, full or gone, and processes that are killed: nothing is lost, invented or half done."""

import sqlite3
import subprocess
import sys
import threading

import numpy as np
import pytest
from learner_cases import OPTIONS
from learner_cases import new as new_learner
from sqlalchemy import NullPool, create_engine, text

import semibandits as sb
from semibandits.errors import StorageError
from verification_scripts import VERIFICATION


def new(url, **options):
    return new_learner(url, policy=sb.ThompsonSampling(), **options)


def connections(learner):
    """Connections to the database of a learner, apart from its own."""
    return create_engine(learner._backend._url, poolclass=NullPool)


@pytest.mark.long
def test_killed_processes_lose_and_invent_nothing(file_url):
    """The script checks every call; `make verify` kills more of them, of a server too, and loses and repeats outcomes."""
    options = {"processes": 2, "rounds": 40, "kills": 2, "snapshot-every": 50, "life": 0.05, "url": file_url}
    words = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    done = subprocess.run([sys.executable, VERIFICATION / "crashes.py", *words], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.startswith("kills: 2,")
    assert "tells: 80," in done.stdout
    assert done.stdout.endswith("nothing else is, and all states agree\n")


def test_a_locked_database_is_waited_for(file_url, tmp_path):
    learner = new(file_url, timeout=0.5)
    asked = learner.ask()
    before = learner.state()
    other = sqlite3.connect(tmp_path / "learners.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match=r"must answer within timeout = 0\.5 seconds, got: database is locked"):
        learner.tell(asked.id, [1.0, 2.0])
    assert learner.state() == before  # reading needs no lock
    with new(file_url, timeout=30.0) as patient:
        threading.Timer(0.7, lambda: other.execute("ROLLBACK")).start()
        patient.tell(asked.id, [1.0, 2.0])
    other.close()
    assert learner.plays.sum() == 2


def test_a_locked_row_of_a_server_is_waited_for(postgres):
    url = postgres()
    learner, other = new(url, timeout=1.0), new(url)
    with connections(other).begin() as connection:
        other._stored.lock(connection)
        with pytest.raises(StorageError, match=r"must answer within timeout = 1 seconds, got: .*lock timeout"):
            learner.ask()
        assert learner.rounds == 0
    assert learner.ask().id == 0


def test_a_full_disk_leaves_the_learner_unchanged(file_url):
    learner, memory = new(file_url, snapshot_every=10), sb.Learner(sb.MSets(6, 2), sb.ThompsonSampling(), **OPTIONS)

    def limit(pages):
        def work(connection):  # the only connection, which calls use too
            return connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}").fetchall()

        learner._backend.run(work, reads=True)

    limit(1)  # that is, the pages there are
    messages = []
    while len(messages) < 3:
        try:
            asked = learner.ask()
        except StorageError as error:
            messages.append(str(error))
        else:
            np.testing.assert_array_equal(asked.decision, memory.ask().decision)
        assert memory.rounds < 10_000
    assert all("must have room, got: database or disk is full" in message for message in messages)
    assert learner.state() == memory.state() == new(file_url).state()
    limit(1_000_000)
    np.testing.assert_array_equal(learner.ask().decision, memory.ask().decision)
    assert learner.state() == memory.state()


def test_connections_that_broke_are_replaced(postgres):
    learner = new(postgres("database"))
    for calls in range(1, 4):
        assert learner.ask().id == calls - 1
        pids = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        with connections(learner).connect() as connection:
            ended = connection.execute(text(f"{pids} AND pid <> pg_backend_pid()")).all()
        assert len(ended) == 1  # a learner keeps one connection
        assert learner.rounds == calls


@pytest.mark.parametrize("is_stored", [True, False])
def test_a_commit_without_an_answer_takes_effect_once(url, is_stored, monkeypatch):
    """The connection breaks while a commit is carried out: before it, or after it and before its answer."""
    learner, memory = new(url), sb.Learner(sb.MSets(6, 2), sb.ThompsonSampling(), **OPTIONS)
    dialect, broken = learner._backend._engine.dialect, []
    commit = dialect.do_commit

    def breaking(connection):
        if is_stored or len(broken) > 0:
            commit(connection)
        if not broken:
            broken.append(True)
            error = dialect.loaded_dbapi.OperationalError("the connection broke")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error

    for _ in range(3):
        monkeypatch.setattr(dialect, "do_commit", breaking)
        broken.clear()
        asked, expected = learner.ask(), memory.ask()
        assert broken
        assert asked.id == expected.id
        np.testing.assert_array_equal(asked.decision, expected.decision)
        broken.clear()
        for one in (learner, memory):
            one.tell(asked.id, [0.25, 0.75])
        assert broken
    monkeypatch.undo()
    assert learner.calls == 6
    assert learner.state() == memory.state() == new(url).state()


def test_an_agent_that_fails_leaves_the_learner_unchanged(url, monkeypatch):
    learner = new(url)
    asked = learner.ask()
    before = learner.state()
    agent = type(learner._replica._learner._agent)
    with monkeypatch.context() as patch:
        patch.setattr(agent, "choose_items", lambda self, rng: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            learner.ask()
        patch.setattr(agent, "observe", lambda self, items, rewards: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            learner.tell(asked.id, [1.0, 2.0])
    assert learner.state() == before == new(url).state()
