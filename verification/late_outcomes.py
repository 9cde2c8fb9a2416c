"""Are outcomes that arrive late, twice, never or in part counted once, while processes are killed and restarted?

    python verification/late_outcomes.py [--rounds 10000] [--kills 100] [--processes 3] [--seed 0] [--url postgresql://...]

The script decides at random what happens to each round: its outcome arrives some rounds later, with every item or without one;
some outcomes arrive twice, with or without a key, and the second time with other values; some never arrive, and from time to
time old rounds expire. It passes each call to one of several processes, which share a learner, kills some of them with SIGKILL
during a call, and repeats that call with its key in a successor. It keeps counts and sums of its own, in the order of the calls.
At the end the learner must have exactly these, to the last bit, and the journal must agree as in crashes.py. By default the
database is a file of SQLite in a temporary folder.
"""

from __future__ import annotations

import argparse
import heapq
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from crash_workers import PATIENCE, Log, check

import semibandits as sb
from semibandits.errors import InvalidInputError

NAME = "late"
ITEMS, SIZE = 12, 3
LATE = 60.0
"""Mean number of rounds until an outcome arrives."""
OLD = 400
"""Age in rounds at which rounds expire."""


def serve(url: str, calls: Connection) -> None:
    """Carry out calls and send back their results."""
    learner = sb.open_learner(url, name=NAME, timeout=PATIENCE)
    while True:
        method, arguments, options = calls.recv()
        try:
            result = getattr(learner, method)(*arguments, **options)
        except InvalidInputError as error:
            calls.send(("refused", str(error)))
        else:
            ids = [asked.id for asked in result] if method == "expire" else None
            calls.send(("done", (result.id, result.items.tolist()) if method == "ask" else ids))


class Process:
    """A process that carries out calls, and its successors."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["late_outcomes", "semibandits_server.database.journal"])
        self._start()

    def _start(self) -> None:
        self._calls, other = self._context.Pipe()
        self._process = self._context.Process(target=serve, args=(self._url, other), daemon=True)
        self._process.start()
        other.close()

    def call(self, method: str, *arguments: Any, kill_after: float | None = None, **options: Any) -> tuple[str, Any]:
        """The answer to a call; if the process is killed so many seconds after the call was sent, that of its successor."""
        self._calls.send((method, arguments, options))
        if kill_after is not None:
            time.sleep(kill_after)
            self._process.kill()
            self._process.join()
            self._start()
            self._calls.send((method, arguments, options))
        return self._calls.recv()

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()


@dataclass(order=True)
class Arrival:
    """An outcome that arrives before a round is asked for."""

    due: int
    number: int
    rewards: list[float | None]
    key: str | None


class World:
    """What happens to rounds, and what must be counted."""

    def __init__(self, processes: list[Process], kills: int, rounds: int, seed: int) -> None:
        self.processes, self.draw = processes, random.Random(seed)
        self.left, self.share = kills, kills / (2.2 * rounds)
        self.plays, self.sums = np.zeros(ITEMS), np.zeros(ITEMS)
        self.open: dict[int, list[int]] = {}
        self.arrivals: list[Arrival] = []
        self.log, self.accepted_keys = Log(), set[str]()
        self.counts: Counter[str] = Counter()

    def call(self, method: str, *arguments: Any, **options: Any) -> tuple[str, Any]:
        """Carry out a call in one of the processes, which is killed from time to time."""
        kill_after = None
        if options.get("key") is not None and self.left > 0 and self.draw.random() < self.share:
            kill_after = self.draw.uniform(0.0, 0.004)
            self.left -= 1
            self.counts["kills"] += 1
        return self.draw.choice(self.processes).call(method, *arguments, kill_after=kill_after, **options)

    def ask(self, count: int) -> None:
        """Ask for a round, and decide when its outcome arrives, how often, and how much of it."""
        kind, (number, items) = self.call("ask", key=f"ask {count}")
        assert (kind, number) == ("done", count)
        self.open[number] = self.log.asked[number] = items
        fate = self.draw.random()
        if fate < 0.1:
            self.counts["never"] += 1
            return
        rewards: list[float | None] = [self.draw.gauss(0.1 * item, 0.5) for item in items]
        if fate < 0.3:
            rewards[self.draw.randrange(SIZE)] = None
            self.counts["partial"] += 1
        due = count + 1 + int(self.draw.expovariate(1.0 / LATE))
        keyed = self.draw.random() < 0.7 or self.left > 0
        key = f"outcome {number}" if keyed else None
        heapq.heappush(self.arrivals, Arrival(due, number, rewards, key))
        if self.draw.random() < 0.25:
            later = due + 1 + int(self.draw.expovariate(1.0 / LATE))
            others = [None if value is None else value + 1.0 for value in rewards]
            heapq.heappush(self.arrivals, Arrival(later, number, others, self.draw.choice([key, None])))

    def deliver(self, arrival: Arrival) -> None:
        """Tell an outcome; it counts if the round is open, and is refused otherwise."""
        number, key = arrival.number, arrival.key
        items = self.open.get(number)
        if items is not None:
            self.log.intended[number] = arrival.rewards  # type: ignore[assignment]
        kind, message = self.call("tell", number, arrival.rewards, partial=True, key=key)
        if items is None:
            assert kind == "refused", (arrival, kind, message)
            self.counts["refused_by_key" if key in self.accepted_keys else "refused"] += 1
            return
        assert kind == "done", message
        self.log.told.add(number)
        self.counts["told"] += 1
        if key is not None:
            self.accepted_keys.add(key)
        for item, reward in zip(items, arrival.rewards, strict=True):
            if reward is not None:
                self.plays[item] += 1.0
                self.sums[item] += reward
        del self.open[number]

    def expire(self, count: int) -> None:
        """Let old rounds expire."""
        kind, ids = self.call("expire", age=OLD, key=f"expire {count}")
        assert (kind, ids) == ("done", [number for number in self.open if count - 1 - number > OLD])
        self.counts["expired"] += len(ids)
        for number in ids:
            del self.open[number]


def run(url: str, *, rounds: int, kills: int, processes: int, seed: int) -> dict[str, int]:
    """Play, compare, and return figures."""
    with sb.open_learner(
        url, name=NAME, decision_set=sb.MSets(ITEMS, SIZE), policy=sb.ThompsonSampling(), variance=0.25
    ) as learner:
        world = World([Process(url) for _ in range(processes)], kills, rounds, seed)
        try:
            for count in range(rounds):
                while world.arrivals and world.arrivals[0].due <= count:
                    world.deliver(heapq.heappop(world.arrivals))
                world.ask(count)
                if count % 500 == 499:
                    world.expire(count + 1)
        finally:
            for process in world.processes:
                process.end()
        state = learner.state()
        assert state["statistics"] == {"plays": world.plays.tolist(), "sums": world.sums.tolist()}
        assert [asked.id for asked in learner.open_rounds] == list(world.open)
        assert learner.rounds == rounds
        check(url, NAME, [world.log], watching=learner)
    return {"rounds": rounds, **dict(sorted(world.counts.items())), "open": len(world.open)}


def main() -> int:
    """Run, and print figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--url", help="an empty database; by default a new file of SQLite")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        url = options.url or f"sqlite:///{Path(name)}/late.db"
        figures = run(url, rounds=options.rounds, kills=options.kills, processes=options.processes, seed=options.seed)
    print(", ".join(f"{key}: {value:,}" for key, value in figures.items()))
    print("state and journal agree, and every outcome is counted once")
    return 0


if __name__ == "__main__":
    sys.exit(main())
