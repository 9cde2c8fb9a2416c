"""Time and memory to open a learner in a database after many rounds.

    python benchmarks/replay.py [--rounds 1000000] [--batch 100] [--snapshot-every 1000] [--folder FOLDER] [--url postgresql://...]

The rounds are asked for and told in batches, each a transaction. New processes open the learner and ask once, after 1,000 rounds
and after all of them: they restore the latest snapshot and replay the entries after it. The whole journal is replayed, too, and
all states must agree. The last lines are the plan of the database for reading entries, and the size of the file.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sqlalchemy import text

import semibandits as sb
from reporting import Report
from semibandits_server.database.entries import replay
from semibandits_server.database.opening import existing, stored_learner

NAME = "long"
FIRST_ASK = """
import json, resource, sys, time
start = time.perf_counter()
import semibandits as sb
from semibandits_server.database import backend
imported = time.perf_counter()
learner = sb.open_learner(sys.argv[1], name="long")
opened = time.perf_counter()
learner.ask()
asked = time.perf_counter()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([imported - start, opened - imported, asked - opened, peak, learner.rounds]))
"""


def play(url: str, rounds: int, batch: int, snapshot_every: int) -> tuple[float, dict[str, object]]:
    """Ask for rounds and tell them, and return the seconds and the state."""
    theta = np.random.default_rng(0).random(20)
    start = time.perf_counter()
    with sb.open_learner(
        url, name=NAME, decision_set=sb.MSets(20, 4), policy=sb.CUCB(), variance=0.25, snapshot_every=snapshot_every
    ) as learner:
        while (left := rounds - learner.rounds) > 0:
            asked = learner.ask_many(min(batch, left))
            learner.tell_many([(one.id, theta[one.items]) for one in asked])
        return time.perf_counter() - start, learner.state()


def in_new_process(url: str) -> list[float]:
    """Seconds to import, to open and to ask, peak of the memory in MB, and number of rounds."""
    done = subprocess.run([sys.executable, "-c", FIRST_ASK, url], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def replayed(url: str) -> tuple[float, dict[str, object], int]:
    """Seconds to replay the whole journal in memory, the state, and the number of entries."""
    backend = existing(url)
    stored = stored_learner(backend, NAME)
    first = backend.run(stored.snapshots, reads=True)[0]
    learner, seq, start = sb.Learner.from_state(stored.whole_state(first.state)), first.seq, time.perf_counter()
    while entries := backend.run(lambda connection: stored.entries_after(connection, seq, most=1_000), reads=True):  # noqa: B023
        for entry in entries:
            replay(learner, entry)
        seq = entries[-1].seq
    return time.perf_counter() - start, learner.state(), seq


def plan(url: str) -> list[str]:
    """How the database reads the entries after a snapshot."""
    backend = existing(url)
    word = "EXPLAIN QUERY PLAN" if url.startswith("sqlite") else "EXPLAIN"
    statement = f"{word} SELECT seq FROM semibandits_journal WHERE learner_id = 1 AND seq > 5 ORDER BY seq LIMIT 1000"
    rows = backend.run(lambda connection: connection.execute(text(statement)).all(), reads=True)
    return [str(row[-1]) for row in rows]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--snapshot-every", type=int, default=1_000)
    parser.add_argument("--folder", help="where the file of SQLite is written; by default a temporary folder")
    parser.add_argument("--url", help="an empty database; by default a new file of SQLite")
    options = parser.parse_args()
    report = Report(None)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        url = options.url or f"sqlite:///{folder}/long.db"
        short, _ = play(url, min(1_000, options.rounds), options.batch, options.snapshot_every)
        rows = [("1,000 rounds", *in_new_process(url))] if options.rounds > 1_000 else []
        seconds, state = play(url, options.rounds, options.batch, options.snapshot_every)
        report.line(f"{options.rounds:,} rounds were played in {seconds + short:,.0f} s", "")
        with sb.open_learner(url, name=NAME) as learner:
            assert learner.state() == state
        in_memory, whole, entries = replayed(url)
        assert whole == state
        report.line(f"the whole journal of {entries:,} entries was replayed in {in_memory:,.1f} s; all states agree", "")
        rows.append((f"{options.rounds:,} rounds", *in_new_process(url)))
        for line in plan(url):
            report.line(line, "")
        if options.url is None:
            size = sum(path.stat().st_size for path in Path(folder).glob("long.db*"))
            report.line(f"size of the database: {size / 2**20:,.0f} MB", "")
    cells = [(row[0], *(f"{value:.3f}" for value in row[1:4]), f"{row[4]:,.0f}") for row in rows]
    report.table("A new process, in s", ("after", "import", "open", "first ask", "memory, MB"), cells)


if __name__ == "__main__":
    main()
