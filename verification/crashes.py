"""Does a learner in a database lose or invent anything when processes and the server are killed, or the database goes away?

    python verification/crashes.py [kill] [--processes 8] [--rounds 2000] [--kills 200] [--seed 0] [--url postgresql://...]
    python verification/crashes.py [kill] --server [--server-kills 25]
    python verification/crashes.py away [--server] [--seconds 5] [--times 3] [--timeout 2]
    python verification/crashes.py full [--server] [--times 3] [--timeout 2]

Several processes ask and tell one learner. Each writes to a file what it is about to tell and what has been acknowledged, and
repeats calls that fail. By default the database is a file of SQLite in a temporary folder; with `--server` the script starts a
PostgreSQL server of its own.

- kill: processes are killed with SIGKILL at random moments, and their successors repeat the last call with the same key; with
  `--server`, all processes of the server are killed from time to time, and it is started again on the same data.
- away: the database goes away for some seconds. With SQLite another connection holds the exclusive lock; a server is suspended
  (SIGSTOP), and in turn killed and started again after these seconds.
- full: the database is on a file system in memory, which needs the rights of root on Linux, and is filled with another file
  until many calls have failed; a server that gives up is started again.

At the end every acknowledged round and outcome must be in the journal exactly once, every outcome in the journal must have been
told by a process, and three learners must have the same state, bit for bit: one that was open all the time, one that is opened at
the end, and one in memory that replays the journal from its first entry.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sqlite3
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from crash_server import Server
from crash_workers import PATIENCE, Fleet

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


def kill(fleet: Fleet, server: Server | None, options: argparse.Namespace) -> dict[str, int]:
    """Kill processes, and the server from time to time."""
    draw, kills, server_kills = random.Random(options.seed), options.kills, options.server_kills if server else 0
    killed = servers = parts = 0
    while fleet.is_playing and (killed < kills or servers < server_kills):
        fleet.check()
        for slot in fleet.slots:
            if killed < kills and slot.process.is_alive() and slot.is_due(draw, options.life):
                slot.replace()
                killed += 1
        if server is not None and servers < server_kills and killed >= (servers + 1) * kills // (server_kills + 1):
            time.sleep(draw.uniform(0.0, options.life))
            parts += server.kill()
            server.start()
            servers += 1
        time.sleep(0.005)
    return {"kills": killed, "server_kills": servers, "killed_server_processes": parts}


def outages(fleet: Fleet, folder: Path, server: Server | None, options: argparse.Namespace) -> dict[str, int]:
    """Let the database go away, or its disk be full, so many times."""
    for number in range(options.times):
        before = count(fleet, "told")
        while fleet.is_playing and count(fleet, "told") < before + len(fleet.slots):
            fleet.check()
            time.sleep(0.01)
        time.sleep(PAUSE)
        if not fleet.is_playing:
            raise SystemExit("the processes ended before the last outage: pass more --rounds")
        if options.what == "full":
            full(fleet, folder, server)
        else:
            away(folder / "crashes.db", server, options.seconds, number)
    return {"outages": options.times}


def count(fleet: Fleet, kind: str) -> int:
    """Number of notes of a kind so far."""
    return sum(path.read_bytes().count(f'["{kind}"'.encode()) for path in fleet.paths if path.exists())


def away(path: Path, server: Server | None, seconds: float, number: int) -> None:
    """Take the database away for some seconds."""
    if server is None:
        with contextlib.closing(sqlite3.connect(path, timeout=30.0, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            time.sleep(seconds)
            other.execute("ROLLBACK")
    elif number % 2 == 0:
        server.pause(seconds)
    else:
        server.kill()
        time.sleep(seconds)
        server.start()


def full(fleet: Fleet, folder: Path, server: Server | None) -> None:
    """Fill the disk until many calls have failed, and make room again."""
    filler, before, start = folder / "filler", count(fleet, "failed"), time.monotonic()
    try:
        while time.monotonic() < start + LONGEST and fleet.is_playing:
            fleet.check()
            with contextlib.suppress(OSError), filler.open("ab", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
            if count(fleet, "failed") >= before + FAILURES and time.monotonic() > start + 5.0:
                break
            time.sleep(0.01)
    finally:
        filler.unlink(missing_ok=True)
    if server is not None:
        server.start()


@contextlib.contextmanager
def small_disk(megabytes: int) -> Iterator[str]:
    """A folder on a file system of this size."""
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0777", "tmpfs", name], check=True)
        try:
            yield name
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


def run(folder: Path, notes: Path, server: Server | None, options: argparse.Namespace) -> dict[str, float]:
    """Play with these troubles, check the journal, and return figures."""
    start = time.monotonic()
    fleet = Fleet(
        options.url or (f"sqlite:///{folder}/crashes.db" if server is None else server.url),
        notes,
        processes=options.processes,
        rounds=options.rounds,
        snapshot_every=options.snapshot_every,
        timeout=PATIENCE if options.what == "kill" else options.timeout,
    )
    try:
        figures = kill(fleet, server, options) if options.what == "kill" else outages(fleet, folder, server, options)
        while fleet.is_playing:
            fleet.check()
            time.sleep(0.01)
        fleet.check()
    finally:
        fleet.end()
    messages = [message for log in fleet.logs for message in log.failed]
    reasons = Counter(next((name for name, part in REASONS.items() if part in text), text) for text in messages)
    failed = {"failed_calls": len(messages), **{f"failed, {reason}": many for reason, many in sorted(reasons.items())}}
    return {**figures, **failed, **fleet.compare(), "seconds": round(time.monotonic() - start, 1)}


def main() -> None:
    """Run, and print figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["kill", "away", "full"], nargs="?", default="kill")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=2_000, help="rounds of each process")
    parser.add_argument("--kills", type=int, default=200, help="of processes that play")
    parser.add_argument("--server", action="store_true", help="start a PostgreSQL server, and kill it too")
    parser.add_argument("--server-kills", type=int, default=25, help="with --server")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--snapshot-every", type=int, default=1_000, help="calls from one stored state to the next")
    parser.add_argument("--life", type=float, default=0.5, help="longest life of a process after its first call, s")
    parser.add_argument("--url", help="an empty database for kill; by default a new file of SQLite")
    parser.add_argument("--times", type=int, default=3, help="outages")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long the database is away")
    parser.add_argument("--timeout", type=float, default=2.0, help="seconds after which a call fails in an outage")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        notes = stack.enter_context(tempfile.TemporaryDirectory())
        disk = small_disk(MEGABYTES[options.server]) if options.what == "full" else tempfile.TemporaryDirectory()
        folder = Path(stack.enter_context(disk))
        server = stack.enter_context(Server(folder)) if options.server else None
        figures = run(folder, Path(notes), server, options)
    print(", ".join(f"{key.replace('_', ' ')}: {value:,}" for key, value in figures.items()))
    print("every acknowledged call is stored exactly once, nothing else is, and all states agree")


if __name__ == "__main__":
    main()
