"""Ages of open rounds, `expire` by seconds, and databases and exports that were written before times were stored."""

import json
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from learner_cases import execute, new, summed

import semibandits as sb
from semibandits.errors import StorageError
from semibandits_server.database import durable, replica, schema, times, transfer
from semibandits_server.database.entries import Entry
from semibandits_server.database.opening import stored_learner

START = 1_700_000_000_000


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand, in seconds."""
    clock = SimpleNamespace(seconds=0.0)
    for module in (replica, durable):
        monkeypatch.setattr(module, "now", lambda: START + round(1_000 * clock.seconds))
    return clock


def opened(url, **options):
    return new(url, seed=0, **options)


def asks(learner, clock, count=1, after=1.0):
    """Ask for rounds, each so many seconds after the one before."""
    ids = []
    for _ in range(count):
        clock.seconds += after
        ids.append(learner.ask().id)
    return ids


def test_ages_are_those_of_the_clock(url, clock):
    learner = opened(url, snapshot_every=4)
    asks(learner, clock, 6)
    learner.tell(1, [1.0, 0.5])
    clock.seconds = 10.25
    expected = {0: 9.25, 2: 7.25, 3: 6.25, 4: 5.25, 5: 4.25}
    assert learner.ages() == expected
    assert opened(url).ages() == expected  # from a snapshot and the entries after it
    learner.prune()
    assert opened(url).ages() == expected
    asks(learner, clock)
    assert opened(url).ages() == {number: age + 1.0 for number, age in expected.items()} | {6: 0.0}


def test_rounds_expire_by_seconds(url, clock):
    learner, memory = opened(url), sb.Learner(sb.MSets(6, 2), sb.CUCB(), variance=0.5, seed=0, drift_error=0.01)
    asks(learner, clock, 6)
    for _ in range(6):
        memory.ask()
    assert learner.expire(seconds=5.0) == ()  # the oldest round is exactly 5 s old
    assert [asked.id for asked in learner.expire(seconds=2.5, key="k")] == [0, 1, 2]
    clock.seconds += 100.0
    assert [asked.id for asked in learner.expire(seconds=2.5, key="k")] == [0, 1, 2]
    memory.expire(before=3)
    assert learner.state() == memory.state() == opened(url).state()
    assert [asked.id for asked in learner.expire(seconds=1.0)] == [3, 4, 5]
    assert opened(url).ages() == {}


def test_a_clock_that_goes_back_expires_no_young_round(url, clock):
    learner = opened(url)
    asks(learner, clock, 2, after=1.0)  # at 1 and 2 s
    clock.seconds = 1_000.0
    asks(learner, clock, 1, after=0.0)  # this clock is wrong
    clock.seconds = 3.0
    asks(learner, clock, 2, after=1.0)  # at 4 and 5 s
    clock.seconds = 6.0
    assert learner.ages() == {0: 5.0, 1: 4.0, 2: 0.0, 3: 2.0, 4: 1.0}
    assert [asked.id for asked in learner.expire(seconds=0.5)] == [0, 1]
    clock.seconds = -50.0
    assert learner.expire(seconds=0.0) == ()
    assert set(learner.ages().values()) == {0.0}
    assert learner.state() == opened(url).state()


def test_times_of_closed_rounds_are_dropped(file_url, clock, monkeypatch):
    monkeypatch.setattr(times, "SPARE", 20)
    learner = opened(file_url)
    for _ in range(60):
        learner.tell(asks(learner, clock)[0], [1.0, 0.5])
        assert len(learner._replica.times._known) <= 40
    assert list(learner.ages()) == []


def as_version_1(learner):
    """Turn the tables of its database into those of version 1, which the only migration has extended."""
    execute(learner, "ALTER TABLE semibandits_journal DROP COLUMN time")
    execute(learner, "ALTER TABLE semibandits_snapshots DROP COLUMN times")
    execute(learner, "UPDATE semibandits_meta SET value = 1")
    learner.close()


def test_a_database_of_version_1_is_migrated(url, clock):
    source = opened(url, snapshot_every=5)
    for number in asks(source, clock, 8)[:4]:
        source.tell(number, [1.0, 0.25 * number], key=f"outcome {number}")
    state = source.state()
    as_version_1(source)

    def work(_):
        with opened(url) as learner:
            return learner.calls, learner.state()

    with ThreadPoolExecutor(6) as pool:  # each opens the database for itself
        assert [*pool.map(work, range(6))] == [(12, state)] * 6
    learner = opened(url)
    assert learner._backend.run(schema.version_of) == 2
    assert learner.ages() == dict.fromkeys([4, 5, 6, 7])
    assert learner.expire(seconds=0.0) == ()
    learner.tell(2, [1.0, 0.5], key="outcome 2")  # the key is known
    clock.seconds = 100.0
    asks(learner, clock, 1)
    clock.seconds = 111.0
    assert learner.ages() == {4: None, 5: None, 6: None, 7: None, 8: 10.0}
    assert [asked.id for asked in learner.expire(seconds=5.0)] == [4, 5, 6, 7, 8]  # they are older than the last one
    assert learner.state() == opened(url).state()


def test_exports_keep_times_and_older_ones_are_read(url, clock):
    learner = opened(url, snapshot_every=4)
    asks(learner, clock, 6)
    clock.seconds = 10.0
    backend = learner._backend
    lines = transfer.exported(backend, stored_learner(backend, "one"))
    transfer.imported(backend, lines, name="two")
    two = sb.open_learner(url, name="two")
    assert two.ages() == learner.ages() == {number: 9.0 - number for number in range(6)}
    assert two.state() == learner.state()

    parts = [json.loads(line) for line in lines[:-1]]
    for part in parts:
        part.pop("times", None)
        part.get("entry", {}).pop("time", None)
    parts[0]["version"] = 1
    transfer.imported(backend, summed(parts), name="three")
    three = sb.open_learner(url, name="three")
    assert three.ages() == dict.fromkeys(range(6))
    assert three.state() == learner.state()


@pytest.mark.parametrize("damage", ["{", "[]", '{"1": "now"}', '{"a": 1}', '{"1": -5}'])
def test_damaged_times_are_an_error(file_url, clock, damage):
    learner = opened(file_url)
    asks(learner, clock)
    learner.snapshot()
    execute(learner, "UPDATE semibandits_snapshots SET times = :damage", damage=damage)
    with pytest.raises(StorageError, match="times of rounds must be JSON"):
        opened(file_url)


def test_a_time_does_not_change_what_an_entry_is():
    one, other = (Entry.of(1, "ask", {"round": 0, "items": [1]}, time=time) for time in (None, 5))
    assert one.checksum == other.checksum
    np.testing.assert_equal(one.payload(), other.payload())
