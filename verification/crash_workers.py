"""Processes that play one learner in a database and note what they do, and the comparison of the journal with their notes."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TypeVar

import numpy as np

import semibandits as sb
from semibandits.errors import StorageError
from semibandits.learning import operations
from semibandits_server.database.entries import Entry, replay, round_ids
from semibandits_server.database.opening import existing, stored_learner

NAME = "crashes"
PATIENCE = 60.0
"""Seconds for which calls wait for the database, unless a script shortens it."""
LONGEST_SILENCE = 120.0
"""Seconds without a note of a process after which it counts as blocked."""

T = TypeVar("T")


@dataclass
class Log:
    """Notes of a process and its predecessors: rounds asked for, outcomes about to be told, acknowledged ones, errors."""

    asked: dict[int, list[int]] = field(default_factory=dict)
    intended: dict[int, list[float]] = field(default_factory=dict)
    told: set[int] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Log:
        """The content of the file of a process."""
        log = cls()
        for line in path.read_text().splitlines() if path.exists() else ():
            kind, number, values = json.loads(line)
            if kind == "asked":
                log.asked[number] = values
            elif kind == "intended":
                log.intended[number] = values
            elif kind == "told":
                log.told.add(number)
            else:
                log.failed.append(values)
        return log


class Worker:
    """Asks and tells, and notes each call; with keys for all its outcomes, and for its asks if its number is odd."""

    def __init__(self, url: str, path: Path, number: int, *, snapshot_every: int, timeout: float) -> None:
        self.number, self._log = number, Log.read(path)
        self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._learner = self._repeated(lambda: sb.open_learner(url, name=NAME, snapshot_every=snapshot_every, timeout=timeout))

    def play(self, rounds: int) -> None:
        """Continue until this worker, with its predecessors, has told so many rounds."""
        for number in sorted(self._log.asked.keys() - self._log.told):
            self._tell(number, self._log.asked[number])
        for count in range(len(self._log.asked), rounds):
            key = f"ask {self.number} {count}" if self.number % 2 else None
            asked = self._repeated(lambda key=key: self._learner.ask(key=key))
            self._note("asked", asked.id, asked.items.tolist())
            self._tell(asked.id, asked.items.tolist())
        self._learner.close()

    def _tell(self, number: int, items: list[int]) -> None:
        draws = np.random.default_rng([self.number, number])  # a successor draws the same rewards
        rewards = draws.normal(np.linspace(0.0, 1.0, 20)[items], 0.5).tolist()
        self._note("intended", number, rewards)
        self._repeated(lambda: self._learner.tell(number, rewards, key=f"tell {number}"))
        self._note("told", number, [])

    def _repeated(self, call: Callable[[], T]) -> T:
        """The result of a call, repeated until the database carries it out."""
        while True:
            try:
                return call()
            except StorageError as error:
                self._note("failed", 0, str(error))
                time.sleep(0.1)

    def _note(self, kind: str, number: int, values: object) -> None:
        os.write(self._handle, (json.dumps([kind, number, values]) + "\n").encode())  # SIGKILL cannot undo it


def work(url: str, path: Path, number: int, rounds: int, snapshot_every: int, timeout: float) -> None:
    """One process."""
    Worker(url, path, number, snapshot_every=snapshot_every, timeout=timeout).play(rounds)


class Slot:
    """A process, and its successors."""

    def __init__(self, start: Callable[[], BaseProcess], path: Path) -> None:
        self._start, self.path = start, path
        self.process: BaseProcess = start()
        self.life: float | None = None
        self._born = self._size = self.size
        self._since = time.monotonic()

    @property
    def size(self) -> int:
        """Number of bytes that the processes of this slot have written."""
        return self.path.stat().st_size if self.path.exists() else 0

    def is_due(self, draw: random.Random, longest: float) -> bool:
        """Whether the process has worked for as long as it was to live, at most `longest` seconds."""
        now = time.monotonic()
        if self.life is None and self.size > self._born:
            self.life = now + draw.uniform(0.0, longest)
        return self.life is not None and now >= self.life

    def check(self) -> None:
        """Check that the process neither failed nor is blocked."""
        if self.process.exitcode not in (None, 0):
            raise SystemExit(f"a process ended with exit code {self.process.exitcode}")
        if self.size > self._size:
            self._size, self._since = self.size, time.monotonic()
        elif self.process.is_alive() and time.monotonic() - self._since > LONGEST_SILENCE:
            raise SystemExit(f"a process has done nothing for {LONGEST_SILENCE:g} s")

    def replace(self) -> None:
        """Kill the process and start its successor."""
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()
        self._born = self._size = self.size
        self._since = time.monotonic()
        self.process, self.life = self._start(), None


class Fleet:
    """Processes that play one learner."""

    def __init__(
        self, url: str, folder: Path, *, processes: int, rounds: int, snapshot_every: int = 1_000, timeout: float = PATIENCE
    ) -> None:
        self.url, self.rounds = url, rounds
        self.watching = sb.open_learner(
            url, name=NAME, decision_set=sb.MSets(20, 4), policy=sb.ThompsonSampling(), variance=0.25, timeout=PATIENCE
        )
        context = multiprocessing.get_context("forkserver")
        modules = ["crash_workers", "semibandits_server.database.backend", "semibandits_server.database.journal"]
        context.set_forkserver_preload(modules)

        def starter(number: int, path: Path) -> Callable[[], BaseProcess]:
            def begin() -> BaseProcess:
                process = context.Process(target=work, args=(url, path, number, rounds, snapshot_every, timeout))
                process.start()
                return process

            return begin

        self.paths = [folder / f"{number}.jsonl" for number in range(processes)]
        self.slots = [Slot(starter(number, path), path) for number, path in enumerate(self.paths)]

    @property
    def is_playing(self) -> bool:
        """Whether a process has not finished."""
        return any(slot.process.is_alive() for slot in self.slots)

    @property
    def logs(self) -> list[Log]:
        """What the processes have noted."""
        return [Log.read(path) for path in self.paths]

    def check(self) -> None:
        """Check that no process failed or is blocked."""
        for slot in self.slots:
            slot.check()

    def end(self) -> None:
        """End all processes."""
        for slot in self.slots:
            slot.process.kill()

    def compare(self) -> dict[str, int]:
        """Compare the journal and the states with what the processes have noted, and return figures."""
        logs = self.logs
        assert all(len(log.told) == self.rounds for log in logs)
        figures = check(self.url, NAME, logs, watching=self.watching)
        self.watching.close()
        return figures


def check(url: str, name: str, logs: Iterable[Log], *, watching: sb.DurableLearner | None = None) -> dict[str, int]:
    """Compare a journal from its first entry with what processes have noted, and the states of learners with each other.

    Acknowledged rounds and outcomes must be stored exactly once, to the last bit; every stored outcome must be one that a
    process was about to tell; and a learner that replays the whole journal in memory, one that is opened now and `watching`, if
    given, must have the same state.
    """
    logs = list(logs)
    entries = entries_of(url, name)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    asked, told, forgotten = contents(entries)
    for log in logs:
        assert all(asked[number] == items for number, items in log.asked.items())
        assert all(told[number] == log.intended[number] for number in log.told)
    intended = {number: values for log in logs for number, values in log.intended.items()}
    assert all(intended[number] == values for number, values in told.items())

    backend = existing(url, timeout=PATIENCE)
    stored = stored_learner(backend, name)
    first = backend.run(stored.snapshots, reads=True)[0]
    backend.close()
    replayed = sb.Learner.from_state(stored.whole_state(first.state))
    for entry in entries[first.seq :]:
        replay(replayed, entry)
    state = replayed.state()
    with sb.open_learner(url, name=name) as opened:
        assert opened.state() == state
    if watching is not None:
        assert watching.state() == state
    left_open = {one.id for one in replayed.open_rounds}
    assert left_open == asked.keys() - told.keys() - forgotten
    unheard = asked.keys() - {number for log in logs for number in log.asked}
    return {"asks": len(asked), "tells": len(told), "unheard": len(unheard), "left_open": len(left_open)}


def entries_of(url: str, name: str) -> list[Entry]:
    """The journal of a learner from its first entry."""
    backend = existing(url, timeout=PATIENCE)
    stored = stored_learner(backend, name)
    entries = backend.run(lambda connection: stored.entries_after(connection, 0), reads=True)
    backend.close()
    return entries


def contents(entries: Iterable[Entry]) -> tuple[dict[int, list[int]], dict[int, list[float]], set[int]]:
    """Items of rounds that a journal opened, outcomes that it holds, and rounds that were forgotten; each round at most once."""
    asked: dict[int, list[int]] = {}
    told: dict[int, list[float]] = {}
    times: Counter[tuple[str, int]] = Counter()
    for entry in entries:
        content = entry.payload()
        if entry.kind in (operations.ASK, operations.ASK_MANY):
            pairs = [(content["round"], content["items"])] if entry.kind == operations.ASK else content["rounds"]
            asked.update(pairs)
            times.update(("asked", number) for number, _ in pairs)
        elif entry.kind == operations.TELL:
            told.update(content["outcomes"])
            times.update(("closed", number) for number, _ in content["outcomes"])
        elif entry.kind in (operations.FORGET, operations.EXPIRE):
            times.update(("closed", number) for number in round_ids(entry))
    assert max(times.values(), default=0) <= 1
    closed = {number for what, number in times if what == "closed"}
    assert closed <= asked.keys()
    return asked, told, closed - told.keys()
