"""States, journals and databases forged with correct checksums: an error of the library, within little memory and time."""

import copy
import json
import re
import sqlite3
import tracemalloc
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learner_cases import MISSING, play, put, sealed, summed

import semibandits as sb
from semibandits import InvalidInputError, SemibanditsError, StorageError, matroids
from semibandits.families.description import rebuild
from semibandits.learning import storage
from semibandits.policies.many.few import FewItems
from semibandits_server.database import journal, transfer
from semibandits_server.database.entries import Entry
from semibandits_server.database.opening import existing, new_backend, stored_learner

MOST_MEMORY = 32 * 2**20
VALUES = st.sampled_from(
    [2**31, 2**53 - 1, 2**53, 2**63 - 1, 2**63, 10**12, 10**290, 1e300, -1, -(2**63) - 1, 0.5, None, True, "x", [], {}, [2**63],
     {"": 2**63}, MISSING]
)  # fmt: skip
CALLS = ["ask", "ask_many", "tell", "forget", "expire", "plan"]
ARCS = [("s", "a"), ("s", "b"), ("a", "t"), ("b", "t")]


def learners():
    """Learners with all optional parts of a state."""
    paths, some = sb.Paths(ARCS, "s", "t"), sb.MSets(4, 2)
    yield sb.Learner(some, sb.CUCB(), variance=0.25, seed=0, half_life=10.0, drift_error=0.01)
    yield sb.Learner(paths, sb.GLADE(), variance=0.25, seed=0, drift_error=0.5, prior_means=0.5, prior_plays=3)
    yield sb.Learner(some, sb.OSSB(), variance=0.25, seed=0, defer_plans=True)
    yield sb.Learner(some, sb.ThompsonSampling(), law="bernoulli", seed=0)
    yield sb.Learner(sb.MatroidBases(matroids.Linear([[1, 0, 1], [0, 1, 1]], field=2)), sb.AESCB(), variance=0.25, seed=0)
    yield sb.Learner(
        some, sb.ThompsonSampling(), variance=0.25, seed=0, features=[[1.0, "a"], [2.0, "b"], [0.0, "a"], [3.0, None]]
    )
    yield sb.Learner(sb.MSets(50, 1), sb.CUCB(), variance=0.25, seed=0, prior_means=0.5, prior_plays=1)


def played(learner):
    for number in range(18):
        asked = learner.ask()
        learner.tell(asked.id, [float(number % 2)] * len(asked.items))
    learner.ask()
    if learner.decision_set.d == 4:
        learner.ask([True, True, True, False] if isinstance(learner.decision_set, sb.MSets) else [True, False, True, False])
    return learner


@pytest.fixture(scope="module")
def states():
    """A state of each; the last one, of a learner that plays many items, lists the items that have changed only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(FewItems.of.__func__.__kwdefaults__, "least", 50)
        kept = [played(learner).state() for learner in learners()]
        assert [state["version"] for state in kept[-2:]] == [storage.VERSION, 3]
        yield kept


def use(learner):
    play(learner, 1, lambda items: [0.5] * len(items))
    learner.forget(learner.ask_many(2)[0].id)
    learner.expire(age=0)
    learner.best(), learner.estimates(), learner.plays, repr(learner)
    learner.state()


def places(value, path=()):
    """All positions in plain JSON; of long lists the first three."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key)
        yield from places(inner, (*path, key))


@st.composite
def forged(draw, content):
    """Plain JSON with the same value in one to three places, as where a number is stored twice."""
    content, value = copy.deepcopy(content), draw(VALUES)
    for path in draw(st.lists(st.sampled_from(list(places(content))), min_size=1, max_size=3, unique=True)):
        put(content, path, value)
    return content


def with_little_memory(work):
    """Call `work`, and return its error of the library or None; no other error, and little memory."""
    tracemalloc.start()
    try:
        return work()
    except SemibanditsError as error:
        return error
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < MOST_MEMORY


@settings(max_examples=150)
@given(data=st.data())
def test_a_forged_state_is_an_error_or_a_learner(states, data):
    state = sealed(data.draw(st.sampled_from(states).flatmap(forged)))
    with_little_memory(lambda: use(sb.Learner.from_state(state)))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("ageing",), {}, "ageing must hold weights and weighted sums of all items"),
        (("ageing", "plays"), [1.0] * 6, "ageing must hold weights"),
        (("ageing", "plays", 0), -1.0, "ageing must hold weights"),
        (("ageing", "rounds"), 2**63, "ageing must hold weights"),
        (("ageing", "rounds"), 1e300, "ageing must hold weights"),
        (("ageing", "plays", 1), 2.0**54, "ageing must hold weights"),
        (("drift", "count"), 2**54, "drift must be as"),
        (("drift", "count"), -1, "drift must be as"),
        (("drift", "sums", 0), "inf", "drift must be as"),
        *(
            (("drift", name), value, r"drift must be as Learner.state\(\) wrote it, got .*: the state is damaged, use a copy")
            for name in ("plays", "sums", "starts", "found")
            for value in (None, [1.5], [["x"]])
        ),
        (("next_id",), 2**54, r"next_id must be an integer from 0 to 2\*\*53, got 18014398509481984"),
        (("statistics", "plays", 0), 10**290, "statistics must be as Learner"),
    ],
)
def test_numbers_of_a_state_have_their_range(states, path, value, message):
    state = copy.deepcopy(states[0])
    put(state, path, value)
    with pytest.raises(InvalidInputError, match=message):
        sb.Learner.from_state(sealed(state))


@pytest.mark.parametrize("d", [2**21 + 1, 10**12, 2**63])
def test_a_number_of_items_takes_no_memory_before_it_is_checked(states, d):
    state = copy.deepcopy(states[-1])
    state["statistics"]["d"] = state["decision_set"]["description"]["d"] = d
    error = with_little_memory(lambda: sb.Learner.from_state(sealed(state)))
    assert "2**53" in str(error) if d == 2**63 else f"of more than 2,097,152 items, got None and {d:,} items" in str(error)
    error = with_little_memory(lambda: rebuild({"family": "msets", "d": d, "m": 1}))
    assert f"d must be at most 2,097,152, got {d}" in str(error)
    bits = {"matroid": "linear", "field": 2, "shape": [d * 8, 4], "columns": [[0], [1], [2], [3]]}
    error = with_little_memory(lambda: rebuild({"family": "matroid", "matroid": bits}, 4))
    assert isinstance(error, InvalidInputError)


def created(url):
    """A learner with all kinds of entries and some snapshots."""
    with sb.open_learner(url, name="one", decision_set=sb.MSets(4, 2), policy=sb.OSSB(), variance=0.25, defer_plans=True,
                         snapshot_every=5) as learner:  # fmt: skip
        for number in range(4):
            asked = learner.ask(key=f"call {number}")
            learner.tell(asked.id, [0.5, 1.0])
        learner.ask([True, True, False, True])
        learner.solve_plan()
        asked = learner.ask_many(3)
        learner.tell_many([(one.id, [0.25, None]) for one in asked[:2]], partial=True)
        learner.forget(asked[2].id)
        learner.ask()
        learner.expire(age=3)


@pytest.fixture(scope="module")
def export(tmp_path_factory):
    """The parts of an exported learner, without the last one."""
    url = f"sqlite:///{tmp_path_factory.mktemp('forged')}/made.db"
    created(url)
    backend = existing(url)
    lines = transfer.exported(backend, stored_learner(backend, "one"))
    backend.close()
    parts = [json.loads(line) for line in lines[:-1]]
    assert {part["entry"]["kind"] for part in parts if "entry" in part} == set(CALLS)
    return parts


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    backend = new_backend(f"sqlite:///{tmp_path_factory.mktemp('forged')}/learners.db")
    backend.prepare(create=True)
    yield backend
    backend.close()


def with_content(part, kind, content):
    """An entry of an export with other content, and its checksum."""
    entry = Entry.of(part["entry"]["seq"], kind, content, part["entry"]["key"])
    return {"entry": {**part["entry"], "kind": kind, "text": entry.text, "checksum": entry.checksum}}


def resealed(head, part):
    """A snapshot of an export with the right checksum of its state."""
    if not isinstance(part.get("state"), dict):
        return part
    return {**part, "state": sealed(journal.whole_state(head["specification"], part["state"]))}


def clear(backend):
    tables = (journal.JOURNAL, journal.SNAPSHOTS, journal.LEARNERS)
    backend.run(lambda connection: [connection.execute(table.delete()) for table in tables])


def imports(backend, lines):
    """Import a learner, and use it; without an error if it was replayed, and nothing is left if it is refused."""
    try:
        name, is_replayed = transfer.imported(backend, lines)
    except InvalidInputError:
        assert backend.run(journal.names, reads=True) == []
        raise
    try:
        if is_replayed:
            with sb.open_learner(backend.full_url, name=name) as learner:
                with_little_memory(lambda: use(learner))
    finally:
        clear(backend)


@settings(max_examples=60)
@given(data=st.data())
def test_a_forged_export_is_refused_or_can_be_opened(export, backend, data):
    parts = copy.deepcopy(export)
    number = data.draw(st.integers(0, len(parts) - 1))
    part = parts[number]
    if "entry" in part and data.draw(st.booleans()):
        content = data.draw(forged(json.loads(part["entry"]["text"])))
        parts[number] = with_content(part, data.draw(st.sampled_from([part["entry"]["kind"]] * 3 + CALLS)), content)
    else:
        parts[number] = data.draw(forged(part))
    if isinstance(parts[0].get("specification"), dict):
        parts = [resealed(parts[0], part) if "snapshot" in part else part for part in parts]
    with_little_memory(lambda: imports(backend, summed(parts)))


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("ask_many", {"count": 10**8, "rounds": []}),
        ("ask_many", {"count": 10**8}),
        ("ask", {"round": 9, "items": [0, 10**12]}),
        ("ask", {"available": [-1], "round": 9, "items": [0, 1]}),
        ("ask", {"available": 0, "round": 9, "items": [0, 1]}),
        ("tell", {"outcomes": [[8, [1e200, 0.0]]]}),
        ("tell", {"outcomes": [[8, ["1", "2"]]]}),
        ("plan", {"memory": [0.0], "decisions": [[0]] * 10, "optimal": [0, 1]}),
        ("forget", {"round": 10**6}),
        ("expire", {"before": 10**6, "rounds": []}),
    ],
)
def test_a_forged_last_call_is_refused_at_once(export, backend, kind, content):
    last = export[-1]["entry"]
    parts = [*export, with_content({"entry": {**last, "seq": last["seq"] + 1}}, kind, content)]
    with pytest.raises(InvalidInputError, match=r"must be the export of a learner, got other content \(entry \d+ of the journal"):
        imports(backend, summed(parts))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda parts: put(parts[2], ("snapshot",), 0), "does not continue a snapshot"),
        (lambda parts: put(parts[1], ("times",), {}), "the column times must contain str, got dict"),
        (lambda parts: put(parts[0], ("created",), "\ud800"), r"got the time '\\ud800'"),
        (lambda parts: put(parts[-1], ("entry", "key"), "call 1"), "two entries with one key|entry 15 of the journal"),
        (lambda parts: put(parts[0], ("specification", "decision_set", "type"), []), "must hold a decision set and a policy"),
    ],
)
def test_other_parts_of_an_export_are_checked(export, backend, change, message):
    parts = copy.deepcopy(export)
    change(parts)
    with pytest.raises(InvalidInputError, match=message):
        imports(backend, summed(parts))


def test_a_learner_of_ones_own_is_imported_without_its_replay(backend):
    class Own(sb.EnumeratedDecisions):
        pass

    with sb.open_learner(backend.full_url, name="own", decision_set=Own([[1, 0], [0, 1]]), variance=1.0) as learner:
        learner.ask()
        lines = transfer.exported(backend, stored_learner(backend, "own"))
        assert transfer.imported(backend, lines, name="again") == ("again", False)
        with sb.open_learner(backend.full_url, name="again", decision_set=Own([[1, 0], [0, 1]])) as again:
            assert again.state() == learner.state()
    clear(backend)


@pytest.fixture
def database(file_url):
    """A database of learners, as a function that carries out statements on it and returns its URL."""
    created(file_url)

    def forge(*statements):
        connection = sqlite3.connect(file_url.removeprefix("sqlite:///"))
        with connection:
            for statement in statements:
                connection.execute(*statement if isinstance(statement, tuple) else (statement,))
        connection.close()
        return file_url

    return forge


NO_SNAPSHOTS = "DELETE FROM semibandits_snapshots WHERE seq > 0"
ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (["ALTER TABLE semibandits_learners RENAME TO x",
          f"CREATE VIEW Semibandits_Learners AS {ENDLESS} SELECT n AS id, n AS name, n AS created, n AS specification FROM r"],
         "must be in plain tables, got the view 'Semibandits_Learners'"),
        (["ALTER TABLE semibandits_meta RENAME TO x",
          f"CREATE VIEW semibandits_meta AS {ENDLESS} SELECT 'version' AS name, n AS value FROM r WHERE n < 0"],
         "must be in plain tables, got the view 'semibandits_meta'"),
        ([f"CREATE TRIGGER t BEFORE INSERT ON semibandits_journal BEGIN INSERT INTO x {ENDLESS} SELECT n FROM r; END"],
         "must be in plain tables, got the trigger 't'"),
        (["DROP TABLE semibandits_snapshots",
          "CREATE TABLE semibandits_snapshots (learner_id INT, seq INT, times TEXT, state BLOB AS (zeroblob(900000000)))",
          "INSERT INTO semibandits_snapshots (learner_id, seq) VALUES (1, 1)"],
         "string or blob too big"),
        ([NO_SNAPSHOTS, "UPDATE semibandits_snapshots SET seq = 9223372036854775807"], "seq must contain integers from 0"),
        ([NO_SNAPSHOTS, "UPDATE semibandits_journal SET time = 9007199254740992"], "time must contain integers from 0"),
        ([("UPDATE semibandits_learners SET specification = ?", (journal.packed({"policy": "x"}),))],
         "the specification of 'one' must hold"),
    ],
)  # fmt: skip
def test_tables_that_compute_or_hold_other_values_are_refused(database, statements, message):
    url = database(*statements)
    error = with_little_memory(lambda: sb.open_learner(url, name="one").ask())
    assert isinstance(error, StorageError)
    assert re.search(message, str(error))


@pytest.mark.parametrize("name", [b" ", b"[],", b'{"":0},', b'"ab",'])
def test_a_compressed_bomb_is_refused_before_it_is_read(database, monkeypatch, name):
    monkeypatch.setattr(journal, "MOST_UNPACKED", 2**20)
    monkeypatch.setattr(journal, "MOST_PARTS", 2**12)
    size = 2**26 if name == b" " else 2**19
    bomb = zlib.compress(b'{"a":[' + name * (size // len(name)) + b"0]}")
    url = database(("UPDATE semibandits_snapshots SET state = ?", (bomb,)))
    error = with_little_memory(lambda: sb.open_learner(url, name="one"))
    assert "states in the database must be compressed JSON" in str(error)


def test_a_state_that_could_not_be_read_is_not_written(monkeypatch):
    monkeypatch.setattr(journal, "MOST_PARTS", 10)
    with pytest.raises(StorageError, match=r"11 lists, objects and quotes, more than .* expire old open rounds"):
        journal.packed({"rounds": [[]] * 7})


def test_an_old_call_with_items_that_do_not_exist_is_an_error(database):
    entry = Entry.of(1, "ask", {"round": 0, "items": [0, 99]}, "call 0")
    url = database(("UPDATE semibandits_journal SET payload = ?, checksum = ? WHERE seq = 1", (entry.text, entry.checksum)))
    with sb.open_learner(url, name="one") as learner, pytest.raises(StorageError, match="entry 1 of the journal"):
        learner.ask(key="call 0")
