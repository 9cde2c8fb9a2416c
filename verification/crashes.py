"""Does a learner in a database lose or invent anything when processes and the server are killed at random?

    python verification/crashes.py [--processes 8] [--rounds 2000] [--kills 200] [--seed 0] [--url postgresql://...]
    python verification/crashes.py --server [--server-kills 25]

Several processes ask and tell one learner. Each writes to a file what it is about to tell and what has been acknowledged, and is
killed with SIGKILL at random moments; its successor repeats the last call with the same key. With `--server`, the script starts
a PostgreSQL server of its own, and from time to time kills all processes of the server with SIGKILL, and starts it again on
the same data. At the end every acknowledged round and outcome must be in the journal exactly once, every outcome in the journal
must have been told by a process, and three learners must have the same state, bit for bit: one that was open all the time, one
that is opened at the end, and one in memory that replays the journal from its first entry. By default the database is a file of
SQLite in a temporary folder.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import tempfile
import time
from pathlib import Path

from crash_server import Server
from crash_workers import Fleet


def run(
    url: str,
    folder: Path,
    *,
    server: Server | None,
    server_kills: int,
    processes: int,
    rounds: int,
    kills: int,
    seed: int,
    snapshot_every: int,
    life: float,
) -> dict[str, float]:
    """Play and kill, check the journal, and return figures."""
    draw, start = random.Random(seed), time.monotonic()
    fleet = Fleet(url, folder, processes=processes, rounds=rounds, snapshot_every=snapshot_every)
    killed = servers = parts = 0
    next_server_kill = kills // (server_kills + 1)
    try:
        while fleet.is_playing:
            fleet.check()
            for slot in fleet.slots:
                if killed < kills and slot.process.is_alive() and slot.is_due(draw, life):
                    slot.replace()
                    killed += 1
            if server is not None and servers < server_kills and killed >= next_server_kill:
                time.sleep(draw.uniform(0.0, life))
                parts += server.kill()
                server.start()
                servers += 1
                next_server_kill = (servers + 1) * kills // (server_kills + 1)
            time.sleep(0.005)
        fleet.check()
    finally:
        fleet.end()
    seconds = time.monotonic() - start
    failed = sum(len(log.failed) for log in fleet.logs)
    figures = {"kills": killed, "server_kills": servers, "killed_server_processes": parts, "failed_calls": failed}
    return {**figures, **fleet.compare(), "seconds": round(seconds, 1)}


def main() -> int:
    """Run, and print figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=2_000, help="rounds of each process")
    parser.add_argument("--kills", type=int, default=200, help="of processes that play")
    parser.add_argument("--server", action="store_true", help="start a PostgreSQL server, and kill it too")
    parser.add_argument("--server-kills", type=int, default=25, help="with --server")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--snapshot-every", type=int, default=1_000, help="calls from one stored state to the next")
    parser.add_argument("--life", type=float, default=0.5, help="longest life of a process after its first call, s")
    parser.add_argument("--url", help="an empty database; by default a new file of SQLite")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        server = stack.enter_context(Server(Path(name))) if options.server else None
        figures = run(
            options.url or (f"sqlite:///{name}/crashes.db" if server is None else server.url),
            Path(name),
            server=server,
            server_kills=options.server_kills if options.server else 0,
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
