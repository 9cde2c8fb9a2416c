"""States, exports, databases and logs of learners, and answers of a service; see `fuzz_readers.py`."""
# ruff: noqa: D102 (`fuzz_judging.Reader` describes the methods)

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import socket
import sqlite3
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import fuzz_inputs as inputs
import numpy as np
import pandas as pd
from fastapi.testclient import TestClient
from fuzz_judging import REFUSED, RIGHT, Case, LibraryReader, Reader, parsed, refused, require, run_program

import semibandits as sb
from semibandits import matroids
from semibandits.client import Client
from semibandits.errors import SemibanditsError, StorageError
from semibandits.families.description import digest
from semibandits.service import create_app
from semibandits_server.database import journal
from semibandits_server.database.entries import Entry

ARCS = [("s", "a"), ("s", "b"), ("a", "t"), ("b", "t")]


def play(learner: Any, rounds: int) -> None:
    """Ask and tell so many times."""
    for _ in range(rounds):
        asked = learner.ask()
        learner.tell(asked.id, [0.5] * len(asked.items))
    learner.best()


def check_restored(learner: sb.Learner) -> None:
    """Check that a learner restored from its state has the same state."""
    kept = learner.state()
    require(sb.Learner.from_state(json.loads(json.dumps(kept))).state() == kept, "another state when restored")


class States(LibraryReader):
    """States of learners, most of them with a corrected checksum."""

    def prepare(self) -> None:
        sets: list[sb.DecisionSet] = [
            sb.Paths([("s", "a"), ("s", "b"), ("a", "t"), ("b", "t"), ("b", "t")], "s", "t"),
            sb.SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3)]),
            sb.MSets(5, 2),
            sb.Matchings([("r", "x"), ("r", "y"), ("s", "x"), ("s", "y")]),
            sb.MatroidBases(matroids.Laminar([[0, 1]], 1, d=4)),
            sb.MatroidBases(matroids.Linear([[1, 0, 1, 1], [0, 1, 1, 0]], field=2)),
            sb.MatroidBases(matroids.Linear([[1.5, 0, 1, 1], [0, 1, 1, 0]])),
            sb.MatroidIntersection(matroids.Partition("aabb", 1), matroids.Uniform(4, 2)),
            sb.EnumeratedDecisions([[1, 0, 1], [0, 1, 1]], items=[1.5, ("a", 2), 2**60]),
        ]
        policies = [sb.GLADE(), sb.CUCB(), sb.OSSB(), sb.ThompsonSampling(), sb.GLADE(rewards="bernoulli"), sb.AESCB()]
        self.seeds = []
        for k, decision_set in enumerate(sets):
            policy = policies[k % len(policies)]
            options = {} if policy.plans else {"half_life": 5.0, "drift_error": 0.1}
            learner = sb.Learner(decision_set, policy, variance=0.5, seed=k, **options if k % 2 else {})
            for _ in range(8):
                asked = learner.ask()
                learner.tell(asked.id, [float(item % 2) for item in asked.items])
            learner.ask()
            self.seeds.append(learner.state())

    def make(self, rng: random.Random) -> Case:
        content = {key: value for key, value in rng.choice(self.seeds).items() if key != "checksum"}
        checksum, kind = True, rng.random()
        if kind < 0.15:
            text = inputs.mutated_bytes(rng, json.dumps(content).encode()).decode("utf-8", "replace")
        elif kind < 0.4:
            state = inputs.mutated_value(rng, content)
            text, checksum = inputs.json_text(state), rng.random() < 0.8
        else:  # within one part, so that the remaining checks are reached
            part = rng.choice([key for key, value in content.items() if isinstance(value, dict | list)])
            text = inputs.json_text({**content, part: inputs.mutated_value(rng, content[part])})
        return Case({"state.json": inputs.as_bytes(text)}, {"checksum": checksum})

    def read(self, case: Case) -> sb.Learner:
        state = parsed("state.json")
        if case.arguments["checksum"] and isinstance(state, dict):
            with contextlib.suppress(ValueError, RecursionError, OverflowError):
                state["checksum"] = digest(state)
        return sb.Learner.from_state(state)

    def check(self, found: sb.Learner) -> None:
        check_restored(found)

    def use(self, found: sb.Learner) -> None:
        play(found, 1)


def made_database(path: str) -> None:
    """Write a database with two learners, with all kinds of entries, and snapshots."""
    sets = {"one": sb.Paths(ARCS, "s", "t"), "two": sb.MSets(4, 2)}
    for name, decision_set in sets.items():
        policy = {"one": sb.CUCB(), "two": sb.GLADE()}[name]
        with sb.open_learner(
            f"sqlite:///{path}", name=name, decision_set=decision_set, policy=policy, variance=0.5, seed=1, snapshot_every=4
        ) as learner:
            for number in range(5):
                asked = learner.ask(key=f"call {number}")
                learner.tell(asked.id, [0.5] * len(asked.items))
            asked = learner.ask_many(3)
            learner.tell_many([(one.id, [0.25] * len(one.items)) for one in asked[:2]])
            learner.forget(asked[2].id)
            learner.ask()
            learner.expire(age=3)


def used_learner(url: str, name: str) -> None:
    """Use a learner in a database, and check that another handle has the same state."""
    with sb.open_learner(url, name=name, timeout=0.2) as learner:
        asked = learner.ask()
        learner.tell(asked.id, [0.5] * len(asked.items))
        with sb.open_learner(url, name=name, timeout=0.2) as other:
            require(other.state() == learner.state(), "another state in a second handle")


class Exports(Reader):
    """Exported learners, as read by `learner import`, most of them with corrected checksums."""

    def prepare(self) -> None:
        made_database("made.db")
        self.seeds = []
        for name in ("one", "two"):
            code, _ = run_program(["learner", "export", "sqlite:///made.db", name, "--output", f"{name}.jsonl"])
            require(code == 0, "no export of a seed")
            content = Path(f"{name}.jsonl").read_text(encoding="utf-8")
            self.seeds.append([_timeless(json.loads(line)) for line in content.splitlines()[:-1]])

    def make(self, rng: random.Random) -> Case:
        parts = rng.choice(self.seeds)
        if rng.random() < 0.2:
            return Case({"x.jsonl": inputs.mutated_bytes(rng, "\n".join(_summed(parts)).encode())})
        parts = list(parts)
        for _ in range(rng.choice((1, 1, 2))):
            place = rng.randrange(len(parts))
            match rng.randrange(8):
                case 0:
                    del parts[place]
                case 1:
                    parts.insert(place, rng.choice(parts))
                case _:
                    parts[place] = _changed(rng, parts[place])
            if not parts:
                break
        return Case({"x.jsonl": inputs.as_bytes("\n".join(_summed(parts)))})

    def judge(self, case: Case) -> str:
        code, told = run_program(["learner", "import", "sqlite:///new.db", "again", "--input", "x.jsonl", "--json"])
        if code:
            _, shown = run_program(["learner", "list", "sqlite:///new.db", "--json"])
            require(not shown or json.loads(shown) == [], "a learner of an import that was refused")
            return REFUSED
        try:
            if json.loads(told)["replayed"]:
                used_learner("sqlite:///new.db", "again")
        except StorageError as error:
            require(False, f"a learner that cannot be opened: {error}")
        except SemibanditsError as error:
            return refused(error)
        return RIGHT


def _timeless(part: dict[str, Any]) -> dict[str, Any]:
    """The part of an export without the times, which differ between runs."""
    if "entry" in part:
        return {"entry": {**part["entry"], "time": 1}}
    return {**part, "times": None} if "snapshot" in part else {**part, "created": "2026-01-01T00:00:00+00:00"}


def _changed(rng: random.Random, part: Any) -> Any:
    """A part of an export with an unexpected value; the content of an entry is changed within, and its checksum corrected."""
    if not isinstance(part, dict) or "entry" not in part or rng.random() < 0.2:
        return inputs.mutated_value(rng, part)
    entry = part["entry"]
    try:
        content = json.loads(entry["text"])
    except (KeyError, TypeError, ValueError, RecursionError):  # it was changed before
        return inputs.mutated_value(rng, part)
    text = inputs.json_text(inputs.mutated_value(rng, content))
    kind = rng.choice([entry["kind"]] * 5 + ["ask", "ask_many", "tell", "forget", "expire", "plan", "x"])
    with contextlib.suppress(ValueError, RecursionError):
        fixed = Entry.of(entry["seq"], kind, json.loads(text), entry["key"])
        return {"entry": {**entry, "kind": kind, "text": fixed.text, "checksum": fixed.checksum}}
    return {"entry": {**entry, "text": text}}


def _summed(parts: list[Any]) -> list[str]:
    """Lines of an export with its checksum."""
    lines = [" ".join(inputs.json_text(part).split("\n")) for part in parts]
    return [*lines, json.dumps({"checksum": hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()})]


class Databases(Reader):
    """Files of SQLite with changed bytes, cells, lines and tables."""

    TABLES = ("semibandits_meta", "semibandits_learners", "semibandits_journal", "semibandits_snapshots")

    def prepare(self) -> None:
        made_database("made.db")
        with contextlib.closing(sqlite3.connect("made.db")) as database, database:
            database.execute("UPDATE semibandits_journal SET time = 1, token = seq")
            database.execute("UPDATE semibandits_snapshots SET times = NULL")
            database.execute("UPDATE semibandits_learners SET created = '2026'")
        with contextlib.closing(sqlite3.connect("made.db")) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            database.execute("PRAGMA journal_mode=DELETE")
            self.seed = database.serialize()

    def make(self, rng: random.Random) -> Case:
        if rng.random() < 0.4:
            return Case({"x.db": inputs.mutated_bytes(rng, self.seed)})
        with contextlib.closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(self.seed)
            with contextlib.suppress(sqlite3.Error, ValueError, OverflowError, RecursionError), database:
                table = rng.choice([*self.TABLES, *self.TABLES[2:]])
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
                column, some = rng.choice(columns), f"abs(random()) % {rng.choice([1, 1, 3])} = 0"
                match rng.randrange(8):
                    case 0:
                        database.execute(f"DROP TABLE {table}")
                    case 1:
                        database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
                    case 2:
                        database.execute(f"DELETE FROM {table} WHERE {some}")
                    case 3 | 4:
                        _forge(rng, database)
                    case _:
                        value = inputs.unexpected_value(rng, rng.choice([0, 3, "ask", "{}"]))
                        value = value.text if isinstance(value, inputs.Raw) else value
                        value = json.dumps(value) if isinstance(value, list | dict) else value
                        value = value.encode("utf-8", "replace") if rng.random() < 0.2 and isinstance(value, str) else value
                        database.execute("PRAGMA ignore_check_constraints = 1")
                        database.execute(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {some}", (value,))
            return Case({"x.db": database.serialize()})

    def judge(self, case: Case) -> str:
        for name in Path().glob("x.db-*"):
            name.unlink()
        answers = [run_program(["learner", "list", "sqlite:///x.db", "--json"], json_wanted=True)[0]]
        answers += [run_program(["learner", action, "sqlite:///x.db", "one"])[0] for action in ("show", "export", "prune")]
        try:
            used_learner("sqlite:///x.db", "two")
        except SemibanditsError as error:
            return refused(error)
        return REFUSED if any(answers) else RIGHT


def _forge(rng: random.Random, database: sqlite3.Connection) -> None:
    """Change a value of the latest state of a learner, or of what never changes, and correct the checksum."""
    number, packed = rng.choice(database.execute("SELECT id, specification FROM semibandits_learners").fetchall())
    seq, packed_state = database.execute(
        "SELECT seq, state FROM semibandits_snapshots WHERE learner_id = ? ORDER BY seq DESC", (number,)
    ).fetchone()
    specification, state = journal.unpacked(packed), journal.unpacked(packed_state)
    name = rng.choice([*specification, *state])
    changed = {name: json.loads(inputs.json_text(inputs.mutated_value(rng, {**specification, **state}[name])))}
    specification, state = specification | (changed if name in specification else {}), state | changed
    whole = {key: part for key, part in journal.whole_state(specification, state).items() if key != "checksum"}
    state = {key: part for key, part in whole.items() if key not in journal.FIXED} | {"checksum": digest(whole)}
    for table, column, value, row in (
        ("learners", "specification", specification, f"id = {number}"),
        ("snapshots", "state", state, f"learner_id = {number} AND seq = {seq}"),
    ):
        text = json.dumps(value, separators=(",", ":")).encode()
        database.execute(f"UPDATE semibandits_{table} SET {column} = ? WHERE {row}", (zlib.compress(text),))


class Answers(LibraryReader):
    """Answers of a hostile service to `semibandits.client`."""

    CALLS: ClassVar[dict[str, Callable[[Client], Any]]] = {
        "health": lambda client: client.health(),
        "learners": lambda client: client.learners(),
        "summary": lambda client: client.learner("one").summary(),
        "estimates": lambda client: client.learner("one").estimates(),
        "bound": lambda client: client.learner("one").bound(),
        "rounds": lambda client: client.learner("one").open_rounds(),
        "state": lambda client: client.learner("one").state(),
        "ask": lambda client: client.learner("one").ask(key="k"),
        "ask_many": lambda client: client.learner("one").ask_many(2),
        "tell": lambda client: client.learner("one").tell(10**6, [0.5]),
        "forget": lambda client: client.learner("one").forget(10**6),
        "expire": lambda client: client.learner("one").expire(age=10**6),
    }
    BOUND: ClassVar[dict[str, Any]] = {
        "status": "ready", "at_rounds": 5, "value": 2.0, "lower": 1.5, "gap": 0.25, "message": None,
        "items": [{"item": ["s", "a"], "text": "s to a", "rate": 0.5, "wanted": 1.0, "plays": 3}],
    }  # fmt: skip

    HEADERS = ("Content-Encoding", "Content-Type", "Retry-After", "Location", "Transfer-Encoding", "Content-Length")
    VALUES = ("gzip", "br", "zstd", "chunked", "application/json; charset=x", "9" * 5000, "-1", "http://[", "")

    def prepare(self) -> None:
        made_database("made.db")
        self.seeds: dict[str, tuple[int, Any]] = {}
        with TestClient(create_app("sqlite:///made.db"), base_url="http://127.0.0.1", client=("127.0.0.1", 50_000)) as service:
            client = Client("http://127.0.0.1", retries=0)
            client._transport._http = service
            for name, call in self.CALLS.items():
                seen: list[Any] = []

                def keep(response: Any, seen: list[Any] = seen) -> None:
                    seen.append((response.status_code, response.read()))

                service.event_hooks = {"response": [keep]}
                with contextlib.suppress(SemibanditsError):
                    call(client)
                self.seeds[name] = (seen[0][0], json.loads(seen[0][1]))
        self.seeds["bound"] = (200, self.BOUND)
        for name in ("learners", "summary"):
            self.seeds[name] = (200, json.loads(json.dumps(self.seeds[name][1]).replace("2026", "2025")))
        self.seeds["health"] = (200, {"status": "ok", "learners": 2})
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.answer = b""
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            with contextlib.suppress(OSError), connection:
                connection.settimeout(2.0)
                request = connection.recv(65_536)
                while request and b"\r\n\r\n" not in request:
                    request += connection.recv(65_536)
                connection.sendall(self.answer)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65_536):
                    pass

    def make(self, rng: random.Random) -> Case:
        call = rng.choice(sorted(self.CALLS))
        status, content = self.seeds[call]
        kind = rng.random()
        if kind < 0.6:
            content = inputs.mutated_value(rng, content)
        elif kind < 0.75:
            status = rng.choice([400, 401, 404, 409, 422, 429, 500, 503, 200, 204, 301, 999])
            error = {"type": rng.choice(["InvalidInputError", "Infeasible", "X"]), "message": "no"}
            content = inputs.mutated_value(rng, {"error": error})
        body = inputs.as_bytes(inputs.json_text(content))
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        if rng.random() < 0.1:
            headers[rng.choice(self.HEADERS)] = rng.choice(self.VALUES)
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        answer = f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body
        if kind > 0.85:
            answer = inputs.mutated_bytes(rng, answer)
        return Case({"answer": answer}, {"call": call})

    def read(self, case: Case) -> str:
        self.answer = Path("answer").read_bytes()
        with Client(f"http://127.0.0.1:{self.listener.getsockname()[1]}", retries=0, timeout=3.0) as client:
            return repr(self.CALLS[case.arguments["call"]](client))


class Logs(LibraryReader):
    """Logs, priors, observed outcomes and frames as Python objects."""

    SEEDS: tuple[tuple[str, dict[str, Any]], ...] = (
        ("history", {"items": [0, 1, 2, 1], "rewards": [0.5, 1, 0, 0.25], "rounds": 4, "ignore_unknown": False}),
        ("history", {"items": [["s", "a"], ["a", "t"]], "costs": [1, 2]}),
        ("rounds", {"outcomes": [[[0, 1], [0.5, 1]], [[2], [0.5]]]}),
        ("rounds", {"costs": {"x": [[["s", "a"]], [2]]}, "ignore_unknown": True}),
        ("learner", {"variance": [0.5, 1, 2, 0.25], "prior_means": [0, 1, 2, 3], "prior_plays": [1, 2, 3, 4]}),
        ("learner", {"half_life": 10.0, "drift_error": 0.1, "seed": 3, "law": "poisson"}),
        ("tell", {"rewards": [0.5, 1], "partial": True}),
        ("replay", {"outcomes": [[0, 1, 2], [1], [0.5, 0.25], [3]], "variance": [1, 1, 1, 1]}),
        ("frame", {"tail": ["s", "s", "a", "b"], "head": ["a", "b", "t", "t"], "theta": [1, 2, 3, 4]}),
        ("routes", {"tail": ["s", "s", "a", "b"], "head": ["a", "b", "t", "t"], "least": [0.5, 1, 0.25, 2]}),
        ("bound", {"theta": [1, 2, 0.5, 3], "variance": [1, 2, 3, 4], "gap": 1e-3, "tie_tolerance": 1e-9}),
    )  # fmt: skip

    def make(self, rng: random.Random) -> Case:
        kind, arguments = rng.choice(self.SEEDS)
        changed = {key: inputs.mutated_value(rng, [value]) if rng.random() < 0.6 else [value] for key, value in arguments.items()}
        return Case({"x.json": inputs.as_bytes(inputs.json_text(changed))}, {"kind": kind, "array": rng.random() < 0.3})

    def read(self, case: Case) -> sb.Learner | None:
        values = {key: value[0] for key, value in parsed("x.json").items() if isinstance(value, list) and value}
        if case.arguments["array"]:
            with contextlib.suppress(ValueError, OverflowError, RecursionError):
                values = {key: np.array(value) if isinstance(value, list) else value for key, value in values.items()}
        with np.errstate(all="ignore"):
            return self._made(case.arguments["kind"], values)

    def use(self, found: sb.Learner | None) -> None:
        if found is not None:
            with np.errstate(all="ignore"):
                play(found, 2)
            check_restored(found)

    def _made(self, kind: str, values: dict[str, Any]) -> sb.Learner | None:
        """The learner of these arguments; None for a bound and for rewards, which are checked."""
        paths = sb.Paths(ARCS, "s", "t")
        match kind:
            case "history":
                return sb.Learner.from_history(paths, values.pop("items", []), variance=0.5, seed=0, **values)
            case "rounds":
                return sb.Learner.from_rounds(paths, variance=0.5, seed=0, **values)
            case "learner":
                return sb.Learner(paths, **{"seed": 0, "variance": None if "law" in values else 0.5, **values})
            case "tell":
                learner = sb.Learner(paths, sb.CUCB(), variance=0.5, seed=0)
                learner.tell(learner.ask().id, values.pop("rewards", None), **values)
                return learner
            case "replay":
                model = sb.ReplayedRewards(values.pop("outcomes", []), **values)
                drawn = model.draw(np.arange(model.d), np.random.default_rng(0))
                require(drawn.shape == (model.d,), "outcomes of another shape")
            case "frame" | "routes":
                try:
                    frame = pd.DataFrame(values)
                except Exception as error:  # of pandas, before the library reads it
                    raise sb.InvalidInputError(f"values must be a frame, got {type(error).__name__}: pass others") from error
                kind_of_set, extra = (sb.Paths, {}) if kind == "frame" else (sb.Routes, {"least": "least"})
                return sb.Learner(kind_of_set(frame, "s", "t", **extra), sb.CUCB(), variance=0.5, seed=0)
            case _:
                theta = values.pop("theta", None)
                bound = sb.graves_lai(paths, theta, throw=False, time_limit=2.0, **values)
                require(0.0 <= bound.lower <= bound.value, f"a bracket from {bound.lower} to {bound.value}")
        return None
