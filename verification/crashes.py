"""Does a learner in a database lose or invent anything when processes are killed at random?

    python verification/crashes.py [--processes 8] [--rounds 2000] [--kills 200] [--seed 0] [--url postgresql://...]

Several processes ask and tell one learner. Each writes to a file what it is about to tell and what has been acknowledged, and is
killed with SIGKILL at random moments; its successor repeats the last call with the same key. At the end every acknowledged round
and outcome must be in the journal exactly once, everything in the journal must have been asked or told by a process, and three
learners must have the same state, bit for bit: one that was open all the time, one that is opened at the end, and one
in memory that replays the journal from its first entry. By default the database is a file of SQLite in a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np

import semibandits as sb
from semibandits.learning.database import operations
from semibandits.learning.database.opening import existing, stored_learner

NAME = "crashes"
TIMEOUT = 60.0
LONGEST_SILENCE = 120.0
"""Seconds without an acknowledged call of a process after which it counts as blocked."""


@dataclass
class Log:
    """What one process has written: rounds asked for, outcomes about to be told, and acknowledged ones."""

    asked: dict[int, list[int]] = field(default_factory=dict)
    intended: dict[int, list[float]] = field(default_factory=dict)
    told: set[int] = field(default_factory=set)

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
            else:
                log.told.add(number)
        return log


def work(url: str, path: Path, worker: int, rounds: int, snapshot_every: int) -> None:
    """Ask and tell until this worker, with its predecessors, has told so many rounds."""
    log = Log.read(path)
    with sb.open_learner(url, name=NAME, snapshot_every=snapshot_every, timeout=TIMEOUT) as learner:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

        def write(kind: str, number: int, values: list[float]) -> None:
            os.write(handle, (json.dumps([kind, number, values]) + "\n").encode())  # SIGKILL cannot undo it

        for number in sorted(log.asked.keys() - log.told):
            _tell(learner, write, worker, number, log.asked[number])
        for _ in range(rounds - len(log.asked)):
            asked = learner.ask()
            write("asked", asked.id, asked.items.tolist())
            _tell(learner, write, worker, asked.id, asked.items.tolist())


def _tell(learner: sb.DurableLearner, write: Callable[..., None], worker: int, number: int, items: list[int]) -> None:
    draws = np.random.default_rng([worker, number])  # a successor draws the same rewards
    rewards = draws.normal(np.linspace(0.0, 1.0, 20)[items], 0.5).tolist()
    write("intended", number, rewards)
    learner.tell(number, rewards, key=f"tell {number}")
    write("told", number, [])


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


def run(
    url: str, folder: Path, *, processes: int, rounds: int, kills: int, seed: int, snapshot_every: int, life: float
) -> dict[str, float]:
    """Play and kill, check the journal, and return figures."""
    draw, start = random.Random(seed), time.monotonic()
    watching = sb.open_learner(
        url, name=NAME, decision_set=sb.MSets(20, 4), policy=sb.ThompsonSampling(), variance=0.25, timeout=TIMEOUT
    )
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["semibandits.learning.database.backend", "semibandits.learning.database.journal"])

    def starter(worker: int, path: Path) -> Callable[[], BaseProcess]:
        def begin() -> BaseProcess:
            process = context.Process(target=work, args=(url, path, worker, rounds, snapshot_every))
            process.start()
            return process

        return begin

    paths = [folder / f"{worker}.jsonl" for worker in range(processes)]
    slots = [Slot(starter(worker, path), path) for worker, path in enumerate(paths)]
    killed = 0
    try:
        while any(slot.process.is_alive() for slot in slots):
            for slot in slots:
                slot.check()
                if killed < kills and slot.process.is_alive() and slot.is_due(draw, life):
                    slot.replace()
                    killed += 1
            time.sleep(0.005)
        for slot in slots:
            slot.check()
    finally:
        for slot in slots:
            slot.process.kill()
    seconds = time.monotonic() - start
    return {
        "kills": killed,
        "seconds": round(seconds, 1),
        **check(url, watching, [Log.read(path) for path in paths], rounds),
    }


def check(url: str, watching: sb.DurableLearner, logs: list[Log], rounds: int) -> dict[str, float]:
    """Compare the journal with what the processes have written, and the states with each other."""
    backend = existing(url, timeout=TIMEOUT)
    stored = stored_learner(backend, NAME)
    entries = backend.run(lambda connection: stored.entries_after(connection, 0), reads=True)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    asked, told = Counter(), Counter()
    rewards, items = {}, {}
    for entry in entries:
        content = entry.payload()
        if entry.kind == operations.ASK:
            asked[content["round"]] += 1
            items[content["round"]] = content["items"]
        else:
            ((number, values),) = content["outcomes"]
            told[number] += 1
            rewards[number] = values
    assert max(asked.values()) == max(told.values()) == 1
    for log in logs:
        assert len(log.told) == rounds
        for number, chosen in log.asked.items():
            assert items[number] == chosen  # acknowledged rounds are stored
        for number in log.told:
            assert rewards[number] == log.intended[number]  # so are acknowledged outcomes, to the last bit
    intended = {number for log in logs for number in log.intended}
    assert set(told) == intended == {number for log in logs for number in log.told}  # and nothing else
    unheard = set(asked) - {number for log in logs for number in log.asked}  # killed before the answer was written

    snapshot = backend.run(stored.snapshots, reads=True)[0]
    replayed = sb.Learner.from_state(stored.whole_state(snapshot.state))
    for entry in entries[snapshot.seq :]:
        operations.replay(replayed, entry)
    state = replayed.state()
    assert sb.open_learner(url, name=NAME).state() == state == watching.state()
    assert {asked.id for asked in watching.open_rounds} == unheard
    backend.close()
    watching.close()
    return {"asks": len(asked), "tells": len(told), "rounds_of_killed_processes": len(unheard)}


def main() -> int:
    """Run, and print figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=2_000, help="rounds of each process")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--snapshot-every", type=int, default=1_000, help="calls from one stored state to the next")
    parser.add_argument("--life", type=float, default=0.5, help="longest life of a process after its first call, s")
    parser.add_argument("--url", help="an empty database; by default a new file of SQLite")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        url = options.url or f"sqlite:///{name}/crashes.db"
        figures = run(
            url,
            Path(name),
            processes=options.processes,
            rounds=options.rounds,
            kills=options.kills,
            seed=options.seed,
            snapshot_every=options.snapshot_every,
            life=options.life,
        )
    print(", ".join(f"{key.replace('_', ' ')}: {value:,}" for key, value in figures.items()))
    print("every acknowledged call is stored exactly once, nothing else is, and all states agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
