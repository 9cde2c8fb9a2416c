"""Does Ctrl-C at random moments of calls leave a learner locked, or lose an outcome that was acknowledged?

    python verification/interrupted_learners.py [--signals 1000] [--only sqlite] [--seed 0]

A process asks and tells a learner: in memory, in a file of SQLite, and on a PostgreSQL server of the script; in a database,
a second thread of the process does the same. It receives SIGINT at random moments until so many of them have ended a call
with a ``KeyboardInterrupt``. No later call may be refused. At the end no lock may be held, each acknowledged round must have
been asked for, each acknowledged outcome must count, none may count in part, and a learner that is opened then must have
the same state, bit for bit.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from crash_server import Server

import semibandits as sb
from semibandits.kernels.machine import tiers

LONGEST_WAIT = 0.04
"""Seconds between two signals."""
SIZE = 2
"""Items a round."""


class Ears:
    """Handler of SIGINT that raises ``KeyboardInterrupt`` in calls, once each, and counts them."""

    def __init__(self) -> None:
        self.is_in_call, self.interrupts = False, 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Raise in a call."""
        if self.is_in_call:
            self.is_in_call = False
            self.interrupts += 1
            raise KeyboardInterrupt


@dataclass
class Player:
    """Asks and tells, and notes what was acknowledged, and which calls were refused."""

    learner: Any
    asked: list[int] = field(default_factory=list)
    told: list[int] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def play(self) -> None:
        """Ask for a round and tell its outcome."""
        try:
            asked = self.learner.ask()
            self.asked.append(asked.id)
            self.learner.tell(asked.id, [0.001 * asked.id, 1.0])
            self.told.append(asked.id)
        except Exception as error:
            self.refused.append(f"{type(error).__name__}: {error}")


@dataclass
class Figures:
    """What a process has counted. Of the first four there must be none."""

    locks: int = 0
    refused: int = 0
    lost_rounds: int = 0
    lost_outcomes: int = 0
    interrupts: int = 0
    asked: int = 0
    told: int = 0


def learner_of(url: str) -> Any:
    """The learner of a database, or one in memory."""
    arguments: dict[str, Any] = {"policy": sb.ThompsonSampling(), "variance": 0.25, "seed": 0, "drift_error": None}
    if url == "memory":
        return sb.Learner(sb.MSets(6, SIZE), **arguments)
    return sb.open_learner(url, name="one", decision_set=sb.MSets(6, SIZE), timeout=20.0, **arguments)


def work(url: str, signals: int) -> Figures:
    """Play until so many calls were interrupted, and count."""
    ears, learner, is_over = Ears(), learner_of(url), threading.Event()
    signal.signal(signal.SIGINT, ears)
    players = [Player(learner) for _ in range(1 if url == "memory" else 2)]

    def accompany() -> None:
        while not is_over.is_set():
            players[1].play()

    thread = threading.Thread(target=accompany if len(players) > 1 else is_over.wait)
    thread.start()
    print("ready", flush=True)
    while ears.interrupts < signals:
        try:
            ears.is_in_call = True
            players[0].play()
            ears.is_in_call = False
        except KeyboardInterrupt:
            continue
    is_over.set()
    thread.join()
    asked, told = [n for one in players for n in one.asked], [n for one in players for n in one.told]
    figures = Figures(interrupts=ears.interrupts, asked=len(asked), told=len(told))
    refused = [message for one in players for message in one.refused]
    sys.stderr.writelines(f"{message}\n" for message in refused[:3])
    figures.refused = len(refused)
    figures.locks = locks_left(learner)
    count(figures, learner, asked, told)
    if url != "memory":
        again = learner_of(url)
        again.ask()  # no transaction is open
        count(figures, again, asked, told)
        figures.locks += again.state() != learner.state()
    return figures


def locks_left(learner: Any) -> int:
    """Locks that are held although no call is in progress."""
    held = 0 if isinstance(learner, sb.DurableLearner) else len(learner._uses)
    free: list[bool] = []

    def try_them() -> None:
        for lock in (tiers._compiler, tiers.background.lock):
            free.append(lock.acquire(timeout=60.0))  # a compilation may be in progress
            if free[-1]:
                lock.release()

    other = threading.Thread(target=try_them)
    other.start()
    other.join()
    if isinstance(learner, sb.DurableLearner):
        held += len(learner._calls._tickets)
    return held + free.count(False)


def count(figures: Figures, learner: Any, asked: list[int], told: list[int]) -> None:
    """Add acknowledged rounds and outcomes that a learner does not know, and outcomes that count in part."""
    still_open = {one.id for one in learner.open_rounds}
    figures.lost_rounds += len(asked) - len({number for number in asked if number < learner.rounds})
    figures.lost_outcomes += len(still_open.intersection(told))
    figures.lost_outcomes += abs(SIZE * (learner.rounds - len(still_open)) - int(learner.plays.sum()))


def interrupted(url: str, signals: int, draw: random.Random) -> Figures:
    """Figures of a process that is sent signals until it has heard so many."""
    command = [sys.executable, __file__, "--url", url, "--signals", str(signals)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    printed: list[str] = []
    reader = threading.Thread(target=lambda: printed.extend(process.stdout or ()))
    reader.start()
    while process.poll() is None:
        time.sleep(draw.uniform(0.0, LONGEST_WAIT))
        process.send_signal(signal.SIGINT)
    reader.join()
    return Figures(**json.loads(printed[-1]))


def main() -> int:
    """Run, print figures, and return 1 if a lock was left or something was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--signals", type=int, default=1_000, help="calls to interrupt, for each kind of storage")
    parser.add_argument("--only", choices=["memory", "sqlite", "postgresql"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.url:
        print(json.dumps(asdict(work(options.url, options.signals))))
        return 0
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        for kind in [options.only] if options.only else ["memory", "sqlite", "postgresql"]:
            draw = random.Random(options.seed)
            if kind == "postgresql":
                with Server(Path(name)) as server:
                    figures = interrupted(server.url, options.signals, draw)
            else:
                figures = interrupted("memory" if kind == "memory" else f"sqlite:///{name}/one.db", options.signals, draw)
            found = asdict(figures)
            print(f"{kind}: " + ", ".join(f"{key}: {value:,}" for key, value in found.items()), flush=True)
            failures += figures.locks + figures.refused + figures.lost_rounds + figures.lost_outcomes
    print("no lock is left, and nothing that was acknowledged is lost" if not failures else f"{failures} failures")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
