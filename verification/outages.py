"""Does a learner in a database lose or invent anything when the database goes away, or its disk is full?

    python verification/outages.py away [--server] [--seconds 5] [--times 3] [--timeout 2]
    python verification/outages.py full [--server] [--times 3] [--timeout 2]

Several processes ask and tell one learner, note each call in a file (see crash_workers.py), and repeat calls that fail. `away`
takes the database away for some seconds: with SQLite another connection holds the exclusive lock; with `--server` the script
suspends its own PostgreSQL server (SIGSTOP), and then kills it and starts it again after these seconds. `full` puts the database
on a file system in memory, which needs the rights of root on Linux, and fills it with another file until many calls have failed;
a server that gives up is started again. At the end the journal must agree with the notes, as in crashes.py.
"""

from __future__ import annotations

import argparse
import contextlib
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from crash_server import Server
from crash_workers import Fleet

MEGABYTES = {False: 64, True: 192}
"""Size of the file system for SQLite and for PostgreSQL."""
FAILURES = 40
"""Failed calls for which the disk stays full, beyond 5 s."""
LONGEST = 60.0
PAUSE = 1.5
"""Seconds of play between two outages."""
REASONS = {
    "no room": "must have room",
    "no answer": "must answer within timeout",
    "unusable": "must be a readable and writable database",
    "other threads": "other threads must leave",
}


def failures(fleet: Fleet) -> int:
    """Number of calls that failed so far."""
    return sum(path.read_bytes().count(b'["failed"') for path in fleet.paths if path.exists())


def notes(fleet: Fleet) -> int:
    """Number of calls that succeeded so far."""
    return sum(path.read_bytes().count(b'"told"') for path in fleet.paths if path.exists())


def locked(path: Path, seconds: float) -> None:
    """Hold the exclusive lock of a file of SQLite."""
    with contextlib.closing(sqlite3.connect(path, timeout=30.0, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        time.sleep(seconds)
        other.execute("ROLLBACK")


def away(fleet: Fleet, path: Path, server: Server | None, seconds: float, number: int) -> None:
    """Take the database away for some seconds."""
    if server is None:
        locked(path, seconds)
    elif number % 2 == 0:
        server.pause(seconds)
    else:
        server.kill()
        time.sleep(seconds)
        server.start()


def full(fleet: Fleet, folder: Path, server: Server | None) -> None:
    """Fill the disk until many calls have failed, and make room again."""
    filler, before, start = folder / "filler", failures(fleet), time.monotonic()
    try:
        while time.monotonic() < start + LONGEST and fleet.is_playing:
            fleet.check()
            with contextlib.suppress(OSError), filler.open("ab", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
            if failures(fleet) >= before + FAILURES and time.monotonic() > start + 5.0:
                break
            time.sleep(0.01)
    finally:
        filler.unlink(missing_ok=True)
    if server is not None:
        server.start()


@contextlib.contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """A folder on a file system of this size."""
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0777", "tmpfs", name], check=True)
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


def run(fleet: Fleet, outage: Callable[[int], None], times: int) -> dict[str, float]:
    """Play with so many outages, check the journal, and return figures."""
    start, playing = time.monotonic(), []
    try:
        for number in range(times):
            before = notes(fleet)
            while fleet.is_playing and notes(fleet) < before + len(fleet.slots):
                fleet.check()
                time.sleep(0.01)
            time.sleep(PAUSE)
            playing.append(fleet.is_playing)
            outage(number)
        while fleet.is_playing:
            fleet.check()
            time.sleep(0.01)
        fleet.check()
    finally:
        fleet.end()
    if not all(playing):
        raise SystemExit("the processes ended before the last outage: pass more --rounds")
    messages = [message for log in fleet.logs for message in log.failed]
    reasons = Counter(next((name for name, part in REASONS.items() if part in text), text) for text in messages)
    figures = {f"failed, {reason}": count for reason, count in sorted(reasons.items())}
    return {"outages": times, **figures, **fleet.compare(), "seconds": round(time.monotonic() - start, 1)}


def main() -> int:
    """Run, and print figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["away", "full"])
    parser.add_argument("--server", action="store_true", help="a PostgreSQL server instead of a file of SQLite")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=2_000, help="rounds of each process")
    parser.add_argument("--times", type=int, default=3, help="outages")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long the database is away")
    parser.add_argument("--timeout", type=float, default=2.0, help="seconds after which a call of the processes fails")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        notes_folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        disk = small_disk(MEGABYTES[options.server]) if options.what == "full" else tempfile.TemporaryDirectory()
        folder = Path(stack.enter_context(disk))
        server = stack.enter_context(Server(folder)) if options.server else None
        path = folder / "outages.db"
        fleet = Fleet(
            f"sqlite:///{path}" if server is None else server.url,
            notes_folder,
            processes=options.processes,
            rounds=options.rounds,
            timeout=options.timeout,
        )

        def outage(number: int) -> None:
            if options.what == "full":
                full(fleet, folder, server)
            else:
                away(fleet, path, server, options.seconds, number)

        figures = run(fleet, outage, options.times)
    print(", ".join(f"{key.replace('_', ' ')}: {value:,}" for key, value in figures.items()))
    print("every acknowledged call is stored exactly once, nothing else is, and all states agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
