"""Does a service that runs for long, and is stopped and killed now and then, lose or invent anything, and does it learn?

    python verification/fleet.py [--minutes 5] [--couriers 12] [--pause 0.1] [--url postgresql://...] [--output fleet.json]

`semibandits learner create` and `semibandits serve` are called as a user would. Couriers ask for a route through germany50, drive
it, and tell how long it took: at once, late and in batches, partly, twice, or never; some links are closed in some rounds. A
dispatcher forgets old rounds. Couriers are killed with SIGKILL, and the service is stopped with SIGTERM and SIGKILL in turn. At
the end the journal is compared with the books of the couriers, and the state of the service with a replay.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
from crash_workers import contents, entries_of
from fleet_couriers import NAME, TOKEN, dispatch, run

import semibandits as sb
from semibandits.client import Client
from semibandits.errors import SemibanditsError

PROBLEM = "germany50-routing"
PROGRAM = Path(sys.executable).with_name("semibandits")
OPEN_SECONDS = 45.0
"""Age at which the dispatcher forgets a round; late outcomes that come after it are refused."""
START_SECONDS = 60.0
MADE_UP = re.compile("[0-9a-f]{32}")
"""Keys of the client, as for a second outcome or an expiry."""


class Service:
    """The service of a database as a process, on a port that it keeps; its output goes to the log."""

    def __init__(self, url: str, log: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self._words = [PROGRAM, "serve", "--storage", url, "--port", str(port)]
        self._log = log
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with self._log.open("ab") as log:
            environment = os.environ | {"SEMIBANDITS_TOKEN": TOKEN}
            self._process = subprocess.Popen(self._words, env=environment, stdout=log, stderr=log)
        with Client(self.address, TOKEN, retries=0) as client:
            until = time.monotonic() + START_SECONDS
            while True:
                try:
                    client.health()
                    return
                except SemibanditsError:
                    if self._process.poll() is not None or time.monotonic() > until:
                        raise SystemExit(f"the service must start, see {self._log}") from None
                    time.sleep(0.05)

    def stop(self, kind: signal.Signals) -> int:
        """Stop it with this signal, and return its status."""
        self._process.send_signal(kind)
        return self._process.wait(60)


class Fleet:
    """The couriers and the dispatcher; dead ones are replaced."""

    def __init__(self, start: Callable[[int], BaseProcess], size: int) -> None:
        self._start = start
        self._members = [start(number) for number in range(size)]
        self.ended = 0

    def kill(self, number: int) -> None:
        """Kill a process."""
        self._members[number].kill()
        self._members[number].join()
        self._members[number] = self._start(number)

    def replace_ended(self) -> None:
        """Start the successors of processes that have ended by themselves."""
        for number, member in enumerate(self._members):
            if not member.is_alive():
                self.ended += 1
                self._members[number] = self._start(number)

    def end(self) -> None:
        """Kill all of them."""
        for member in self._members:
            member.kill()
            member.join()


def main() -> None:
    """Run the fleet, check the books, and print the figures."""
    options = arguments()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        figures = simulate(options, folder)
    text = json.dumps(figures, indent=2)
    if options.output:
        options.output.write_text(text + "\n")
    print(text)
    failed = [name for name, good in figures["checks"].items() if not good]
    sys.exit(f"FAILED: {', '.join(failed)}" if failed else 0)


def simulate(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The figures of one run."""
    url = options.url or f"sqlite:///{folder}/fleet.db"
    subprocess.run([PROGRAM, "learner", "create", url, NAME, PROBLEM], check=True, stdout=subprocess.DEVNULL)
    data = sb.datasets.load(PROBLEM)
    spread = np.sqrt(np.broadcast_to(data.variance, data.theta.shape))
    world = {item: (float(-mean), float(sd)) for item, mean, sd in zip(data.decision_set.items, data.theta, spread, strict=True)}
    service = Service(url, folder / "service.log")
    context, starts, seeds = multiprocessing.get_context("spawn"), Counter[int](), random.Random(options.seed)

    def start(number: int) -> BaseProcess:
        starts[number] += 1
        if number == options.couriers:
            process = context.Process(target=dispatch, args=(service.address, folder / "dispatcher.book", OPEN_SECONDS))
        else:
            book, name = folder / f"{number}.book", f"courier {number}"
            arguments = (service.address, book, name, world, options.seed + 1000 * number + starts[number], options.pause)
            process = context.Process(target=run, args=arguments)
        process.start()
        return process

    fleet = Fleet(start, options.couriers + 1)
    kills, stops, statuses = play(fleet, service, options, seeds)
    fleet.end()
    time.sleep(2.0)  # requests of killed couriers end
    books = [json.loads(line) for path in folder.glob("*.book") for line in path.read_text().splitlines()]
    with Client(service.address, TOKEN) as client:
        state = client.learner(NAME).state()
    statuses.append(service.stop(signal.SIGTERM))
    figures = {
        "minutes": options.minutes, "couriers": options.couriers, "storage": "SQLite" if options.url is None else "PostgreSQL",
        "couriers killed": kills, "couriers that gave up": fleet.ended, "services stopped and killed": stops,
    }  # fmt: skip
    figures |= counted(books, options.minutes) | regret_of(books, data)
    log = (folder / "service.log").read_text()
    figures["checks"] = checked(url, books, state, data) | {
        "no status 500 in the log": '"status":500' not in log,
        "no error in the log of the service": '"level":"error"' not in log,
        "every stop by SIGTERM ended with status 0": all(status in (0, -signal.SIGKILL) for status in statuses),
    }
    return figures


def play(
    fleet: Fleet, service: Service, options: argparse.Namespace, rng: random.Random
) -> tuple[int, dict[str, int], list[int]]:
    """Let time pass, kill couriers, stop the service; numbers of both, and how the service ended."""
    end = time.monotonic() + 60 * options.minutes
    kills, stops, statuses = 0, Counter[str](), []
    kill_at, stop_at = (time.monotonic() + wait for wait in (options.kill_every, options.stop_every))
    while (now := time.monotonic()) < end:
        time.sleep(0.2)
        fleet.replace_ended()
        if now > kill_at:
            fleet.kill(rng.randrange(options.couriers))
            kills, kill_at = kills + 1, now + rng.expovariate(1 / options.kill_every)
        if now > stop_at:
            kind = signal.SIGKILL if stops.total() % 2 else signal.SIGTERM
            statuses.append(service.stop(kind))
            time.sleep(rng.uniform(0.0, 2.0))
            service.start()
            stops[kind.name] += 1
            stop_at = time.monotonic() + rng.expovariate(1 / options.stop_every)
    return kills, dict(stops), statuses


def counted(books: list[dict[str, Any]], minutes: float) -> dict[str, Any]:
    """Numbers of calls, and how long they took."""
    kinds = Counter(line["kind"] for line in books)
    by_kind = {kind: [line for line in books if line["kind"] == kind] for kind in kinds}
    asked, told = by_kind.get("asked", []), by_kind.get("told", [])
    rounds = sum(len(line["rounds"]) for line in asked)
    return {
        "rounds": rounds,
        "rounds a second": round(rounds / (60 * minutes), 1),
        "outcomes told": sum(len(line["rounds"]) for line in told),
        "partly": sum(line["partial"] for line in by_kind.get("tell", [])),
        "never told": kinds["never"],
        "told twice": kinds["again"],
        "told after they were forgotten": kinds["refused"],
        "forgotten by age": sum(len(line["rounds"]) for line in by_kind.get("expired", [])),
        "asks with closures": sum(bool(line["closed"]) for line in asked),
        "infeasible": kinds["infeasible"],
        "repetitions of requests": sum(line["retries"] for line in asked + told),
        "errors after all repetitions": Counter(line["reason"].partition(" must")[0] for line in by_kind.get("error", [])),
        "milliseconds of an ask": percentiles(asked),
        "milliseconds of a tell": percentiles(told),
        "milliseconds of the views": percentiles(by_kind.get("seen", [])),
    }


def percentiles(lines: list[dict[str, Any]]) -> dict[str, float]:
    """Median and 99 % quantile of the calls that were not repeated, and the longest with repetitions."""
    seconds = [line["seconds"] for line in lines if not line.get("retries")]
    if not seconds:
        return {}
    values = dict(zip(("p50", "p99", "p99.9"), np.quantile(seconds, [0.5, 0.99, 0.999]), strict=True))
    values["longest"] = max(line["seconds"] for line in lines)
    return {name: round(1000 * float(value), 1) for name, value in values.items()}


def regret_of(books: list[dict[str, Any]], data: sb.datasets.Dataset) -> dict[str, Any]:
    """Mean regret of a round by tenth of the rounds, against the best route that was open."""
    x, theta, index = data.decision_set, data.theta, {item: i for i, item in enumerate(data.decision_set.items)}
    lost: dict[int, float] = {}
    best_of: dict[tuple[int, ...], float] = {}
    for line in books:
        if line["kind"] != "asked":
            continue
        shut = tuple(sorted(index[tuple(street)] for street in line["closed"]))
        if shut not in best_of:
            weights = theta.copy()
            weights[list(shut)] -= 1e6
            best_of[shut] = float(theta[x.maximize(weights)].sum())
        for number, labels in line["rounds"]:
            lost[number] = best_of[shut] - float(theta[[index[tuple(street)] for street in labels]].sum())
    bound = sb.graves_lai(x, theta, data.variance).value
    values = np.array([lost[number] for number in sorted(lost)])
    tenths = [round(float(part.mean()), 4) for part in np.array_split(values, 10) if part.size]
    return {
        "regret": round(float(values.sum()), 1),
        "C(theta) ln t": round(bound * math.log(max(2, len(values))), 1),
        "regret a round by tenths": tenths,
        "unit": data.unit,
    }


def checked(url: str, books: list[dict[str, Any]], state: dict[str, Any], data: sb.datasets.Dataset) -> dict[str, bool]:
    """What the journal must have in common with the books, and the service with a replay."""
    entries = entries_of(url, NAME)
    index = {item: i for i, item in enumerate(data.decision_set.items)}
    asked, told, _ = contents(entries)
    keys = Counter(entry.key for entry in entries if entry.key is not None)
    acknowledged = {number: [index[tuple(label)] for label in labels] for line in books if line["kind"] == "asked"
                    for number, labels in line["rounds"]}  # fmt: skip
    intended = {line["key"]: line for line in books if line["kind"] == "tell"}
    acknowledged_keys = [line["key"] for line in books if line["kind"] == "told"]
    ask_keys = {line["key"] for line in books if line["kind"] == "ask"}

    def same(key: str) -> bool:
        outcomes = intended[key]["outcomes"]
        return all(told[number] == [None if cost is None else -cost for cost in costs] for number, costs in outcomes)

    with sb.open_learner(url, name=NAME) as learner:
        replayed = learner.state()
    return {
        "every acknowledged round is in the journal, with its items": all(
            asked.get(number) == items for number, items in acknowledged.items()
        ),
        "rounds are numbered without gaps or repetitions": sorted(asked) == list(range(len(asked))),
        "every acknowledged outcome is in the journal once, bit for bit": all(
            keys[key] == 1 and same(key) for key in acknowledged_keys
        ),
        "every outcome in the journal comes from a courier": all(same(key) for key in keys if key in intended)
        and told.keys() <= {number for line in intended.values() for number, _ in line["outcomes"]},
        "every key in the journal is of a call that was made, and occurs once": all(
            count == 1 and (key in ask_keys or key in intended or MADE_UP.fullmatch(key)) for key, count in keys.items()
        ),
        "no second outcome was accepted": not any(line.get("accepted") for line in books),
        "the service had the state of a replay": state == replayed,
    }


def arguments() -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(description="Couriers use a service that is stopped and killed now and then.")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--couriers", type=int, default=12)
    parser.add_argument("--pause", type=float, default=0.1, help="Mean seconds between two orders of a courier.")
    parser.add_argument("--kill-every", type=float, default=10.0, help="Mean seconds between two kills of couriers.")
    parser.add_argument("--stop-every", type=float, default=60.0, help="Mean seconds between two stops of the service.")
    parser.add_argument("--url", help="URL of an empty database; by default a file of SQLite in a temporary folder.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="A new folder for books, log and database; by default a temporary one.")
    parser.add_argument("--output", type=Path, help="Write the figures to this file as JSON.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
