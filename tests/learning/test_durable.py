"""Learners in a database: the same decisions and states as in memory, whatever other processes, errors and restarts do."""

import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from learner_cases import OPTIONS, POLICIES, SETS, execute, means_of, new, opened, play_alike

import semibandits as sb
from semibandits.errors import StorageError
from semibandits_server.database import opening
from semibandits_server.database.entries import Entry


def play(learners, rounds, theta, seed=0):
    """Ask and tell all these learners in the same way; some outcomes are lost, and one of the last three rounds stays open."""
    draws = np.random.default_rng(seed)
    play_alike(learners, rounds, lambda items: draws.normal(theta[items], 0.5))
    for learner in learners:
        lost, *others, _ = learner.ask_many(4)
        learner.tell(lost.id, [None if i % 2 else -0.1 for i in range(len(lost.items))], partial=True)
        learner.tell_many(costs={one.id: (theta[one.items] / 3.0).tolist() for one in others})
    play_alike(learners, 3, lambda items: theta[items])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("policy", sorted(POLICIES))
@pytest.mark.parametrize("family", ["paths", "msets", "own"])
def test_the_decisions_and_the_state_are_those_of_a_learner_in_memory(family, policy, file_url):
    url, make = file_url, SETS[family]
    own = {"decision_set": make()} if family == "own" else {}
    memory = sb.Learner(make(), POLICIES[policy], **OPTIONS)
    with new(url, decision_set=make(), policy=POLICIES[policy], snapshot_every=7) as durable:
        play([memory, durable], 25, means_of(make()))
        assert durable.state() == memory.state()
    with opened(url, **own, snapshot_every=7) as again:
        assert again.state() == memory.state()
        play([memory, again], 10, means_of(make()), seed=1)
        assert again.state() == memory.state() == opened(url, **own).state()


def test_all_properties_are_those_of_a_learner_in_memory(file_url):
    memory, durable = sb.Learner(sb.MSets(6, 2), sb.CUCB(), **OPTIONS), new(file_url)
    play([memory, durable], 12, np.linspace(0, 1, 6))
    assert isinstance(durable, sb.Learner)
    for name in ("rounds", "plays", "means", "costs"):
        np.testing.assert_array_equal(getattr(durable, name), getattr(memory, name))
    np.testing.assert_array_equal(durable.best(), memory.best())
    part = memory.best() | (np.arange(memory.decision_set.d) > 0)  # a best decision is left
    np.testing.assert_array_equal(durable.best(part), memory.best(part))
    assert [asked.id for asked in durable.open_rounds] == [asked.id for asked in memory.open_rounds]
    assert repr(durable.decision_set) == repr(memory.decision_set)
    assert durable.policy == memory.policy
    assert repr(memory) in repr(durable)
    assert durable._repr_html_() == memory._repr_html_()


@pytest.mark.parametrize(
    "options", [{"law": "poisson", "prior_means": np.arange(6.0), "prior_plays": 2}, {"variance": 0.2, "half_life": 15.0}]
)
def test_laws_and_priors_and_half_lives_are_kept(url, options):
    memory = sb.Learner(sb.MSets(6, 2), seed=0, drift_error=0.01, **options)
    durable = opened(url, decision_set=sb.MSets(6, 2), snapshot_every=20, **options)
    play_alike((durable, memory), 50, lambda items: 3 + items % 2)
    assert opened(url).state() == opened(url, **options).state() == durable.state() == memory.state()
    assert opened(url).half_life == memory.half_life == options.get("half_life")


def test_several_handles_take_turns(url):
    memory, handles = sb.Learner(sb.MSets(6, 2), sb.CUCB(), **OPTIONS), [new(url, snapshot_every=5) for _ in range(3)]
    for step in range(30):
        one, expected = handles[step % 3].ask(), memory.ask()
        np.testing.assert_array_equal(one.decision, expected.decision)
        handles[(step + 1) % 3].tell(one.id, [0.1 * step, 1.0])
        memory.tell(one.id, [0.1 * step, 1.0])
    assert all(handle.state() == memory.state() for handle in handles)
    assert handles[0].calls == 60


def test_threads_with_handles_of_their_own_ask_and_tell_at_once(url):
    first = new(url, timeout=60.0)

    def work(number):
        learner, ids = opened(url, timeout=60.0), []
        for _ in range(6):
            ids.append(learner.ask().id)
            learner.tell(ids[-1], [1.0, 0.5])
        return ids

    with ThreadPoolExecutor(6) as pool:
        ids = [one for part in pool.map(work, range(6)) for one in part]
    assert sorted(ids) == list(range(36))
    assert first.calls == 72
    assert first.state() == opened(url).state()


def test_pickles_are_the_same_learner(file_url):
    learner = new(file_url)
    learner.ask()
    other = pickle.loads(pickle.dumps(learner))
    other.ask()
    assert learner.rounds == 2
    assert other.state() == learner.state()


FORKED = """
import os, sys, threading
import semibandits as sb

learner = sb.open_learner(sys.argv[1], name="one", timeout=60.0)
entered, may_go = threading.Event(), threading.Event()
commit = learner._backend._engine.dialect.do_commit

def commit_late(raw):
    if threading.current_thread() is not threading.main_thread():
        entered.set()
        may_go.wait()
    commit(raw)

learner._backend._engine.dialect.do_commit = commit_late
os.register_at_fork(before=may_go.set)  # called before the function of the library, which waits for the commit
calls = [threading.Thread(target=learner.ask) for _ in range(3)]
for call in calls:  # one in a transaction, and two that wait
    call.start()
entered.wait()
while len(learner._calls._tickets) < 3:
    pass
child = os.fork()
if child == 0:
    assert learner._calls._tickets == []
    for _ in range(5):
        learner.ask()
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
for call in calls:
    call.join()
learner.ask()
print(learner.rounds, learner.calls)

child = os.fork()  # while no call is carried out: both have the idle connections of the parent
for _ in range(5):
    learner.ask()
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(learner.rounds)

if sys.argv[1].startswith("sqlite"):  # a child that inherits a connection holds no lock: the log must not be deleted under it
    read, write = os.pipe()
    if os.fork() == 0:
        os.read(read, 1)  # until the parent has closed its connections
        learner.ask()
        os._exit(0)
    learner.ask()
    learner.close()
    os.write(write, b"x")
    os.wait()
    print(learner.rounds)
"""


@pytest.mark.one_in(8)
def test_forked_processes_have_connections_of_their_own(url):
    """A child does not wait for threads that it does not have, carries out no calls of theirs, and reads what they left
    half done."""
    learner = new(url)
    done = subprocess.run([sys.executable, "-c", FORKED, url], capture_output=True, text=True, check=False)
    expected = "9 9\n19\n21\n" if url.startswith("sqlite") else "9 9\n19\n"
    assert (done.stdout, done.stderr, done.returncode) == (expected, "", 0)
    assert learner.state() == opened(url).state()


def test_learners_of_a_database_are_independent(file_url):
    one, two = new(file_url), new(file_url, "two", seed=4)
    one.ask()
    assert (one.rounds, two.rounds) == (1, 0)
    two.tell(two.ask().id, [1.0, 1.0])
    assert one.plays.sum() == 0


def test_pruning_keeps_the_state_and_others_continue(url):
    learner, other = new(url, snapshot_every=10), opened(url)
    for _ in range(15):
        learner.tell(learner.ask().id, [1.0, 0.5])
    before = learner.state()
    assert learner.prune() == 29  # the last entry is kept, as a mark for those that are behind
    assert other.state() == opened(url).state() == before
    other.ask()
    assert learner.prune() == 1
    assert learner.snapshot() == 31
    assert opened(url).state() == other.state() == learner.state()


def test_one_that_is_far_behind_continues_from_a_snapshot(url, monkeypatch):
    monkeypatch.setattr("semibandits_server.database.replica.BATCH", 8)
    learner, other = new(url, snapshot_every=10), opened(url)
    for _ in range(22):
        learner.ask()
    replayed = []
    monkeypatch.setattr(Entry, "payload", lambda entry: replayed.append(entry.seq) or json.loads(entry.text))
    assert other.rounds == 22
    assert replayed == [21, 22]


def test_batches_count_by_rounds_for_snapshots(file_url):
    learner = new(file_url, snapshot_every=10)
    for _ in range(7):
        learner.tell_many([(asked.id, [1.0, 0.5]) for asked in learner.ask_many(4)])  # 28 rounds in 14 entries
    seqs = [found.seq for found in learner._backend.run(learner._stored.snapshots, reads=True)]
    assert seqs == [0, 5, 9, 10]  # after 12 and 20 rounds, and after 10 entries
    assert opened(file_url).state() == learner.state()


def test_a_replay_that_chooses_otherwise_is_an_error(url):
    learner = new(url)
    learner.tell(learner.ask().id, [1.0, 0.0])
    asked = learner.ask()
    forged = json.dumps({"round": asked.id, "items": [(i + 1) % 6 for i in asked.items.tolist()]})
    change(learner, seq=3, payload=forged)
    with pytest.raises(StorageError, match=r"entry 3 of the journal .* the policy chooses .*call prune\(\)"):
        opened(url)
    learner._replica.drop()
    with pytest.raises(StorageError, match="entry 3"):
        learner.ask()
    change(learner, seq=3, payload=json.dumps({"round": asked.id, "items": asked.items.tolist()}))
    assert learner.rounds == 2  # nothing of the failed replay is left


def change(learner, *, seq, payload):
    """Replace the content of an entry, with its checksum."""
    kind = learner._backend.run(lambda connection: learner._stored.entries_after(connection, seq - 1, most=1))[0].kind
    entry = Entry.of(seq, kind, json.loads(payload))
    statement = "UPDATE semibandits_journal SET payload = :text, checksum = :checksum WHERE seq = :seq"
    execute(learner, statement, text=entry.text, checksum=entry.checksum, seq=seq)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("UPDATE semibandits_journal SET payload = '{}' WHERE seq = 2", "entry 2 of the journal must be a known call"),
        ("UPDATE semibandits_journal SET kind = 'new' WHERE seq = 2", "a newer semibandits wrote it"),
        ("DELETE FROM semibandits_journal WHERE seq = 2", "must continue with entry 2, got 3"),
        ("DELETE FROM semibandits_journal WHERE seq = 1", "must continue with entry 1, got 2"),
        ("UPDATE semibandits_snapshots SET state = 'nothing'", "must be compressed JSON"),
        ("DELETE FROM semibandits_snapshots", "must have a snapshot"),
        ("UPDATE semibandits_meta SET value = 99", "must have a version of at most 2, got 99"),
        ("UPDATE semibandits_meta SET value = -1", "must have a version of at most 2, got -1"),
    ],
)
def test_damage_is_an_error(url, damage, message):
    learner = new(url)
    for _ in range(2):
        learner.tell(learner.ask().id, [1.0, 0.0])
    execute(learner, damage)
    with pytest.raises(StorageError, match=message):
        opened(url)


@pytest.mark.parametrize("value", ["'NaN'", "1.5", "x'00ff'"])
@pytest.mark.parametrize("column", ["meta.value", "learners.specification", "journal.kind", "journal.seq", "snapshots.seq"])
def test_values_of_other_types_in_a_file_are_an_error(file_url, column, value):
    """SQLite stores any value in any column."""
    learner = new(file_url)
    learner.ask()
    table, name = column.split(".")
    execute(learner, f"UPDATE semibandits_{table} SET {name} = {value}")
    learner.close()
    with pytest.raises(StorageError):
        opened(file_url).ask()


def test_a_deleted_learner(url):
    learner = new(url)
    for table in ("snapshots", "journal", "learners"):
        execute(learner, f"DELETE FROM semibandits_{table}")
    with pytest.raises(StorageError, match="it was deleted"):
        learner.ask()


def test_threads_that_open_a_new_database_at_once_create_one_learner(url):
    with ThreadPoolExecutor(5) as pool:
        found = set(pool.map(lambda _: new(url)._stored.id, range(5)))
    assert len(found) == 1
    assert opening.existing(url)


def test_a_learner_moves_to_another_decision_set(url):
    first = sb.MSets(6, 2, items="abcdef")
    memory, durable = sb.Learner(first, sb.CUCB(), **OPTIONS), new(url, decision_set=first)
    play([memory, durable], 10, np.linspace(0, 1, 6))
    larger = sb.MSets(7, 3, items="gabcdef")
    expected, expected_gone = memory.replace(larger)
    moved, gone = durable.replace(larger, name="larger")
    assert [asked.id for asked in gone] == [asked.id for asked in expected_gone]
    assert moved.state() == expected.state() == opened(url, "larger").state()
    play([expected, moved], 10, np.linspace(0, 1, 7))
    assert moved.state() == expected.state() == opened(url, "larger").state()
    assert durable.state() == memory.state()
