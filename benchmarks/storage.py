"""Calls a second of a learner in a database, compared with bare inserts of the same rows into the same database.

    python benchmarks/storage.py [--rounds 500] [--url postgresql://...]

Each call is a transaction, and so is each insert: their ratio is the cost of locking, of reading what others have done, and of
the learner itself, which is also timed in memory. Passes alternate, and the median is reported. The database must be new.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from sqlalchemy import insert

import semibandits as sb
from reporting import Report, digits
from semibandits.learning.database.backend import Backend
from semibandits.learning.database.schema import JOURNAL

PASSES = 5
POLICIES = (sb.CUCB(), sb.ThompsonSampling())
SETS = {"m-sets 20, 4": lambda: sb.MSets(20, 4), "m-sets 200, 10": lambda: sb.MSets(200, 10)}


def play(learner: sb.Learner | sb.DurableLearner, theta: np.ndarray, rounds: int) -> float:
    """Calls a second of asks and tells in turn."""
    start = time.perf_counter()
    for _ in range(rounds):
        asked = learner.ask()
        learner.tell(asked.id, theta[asked.items])
    return 2 * rounds / (time.perf_counter() - start)


def rows_of(backend: Backend, learner: sb.DurableLearner, most: int) -> list[dict[str, object]]:
    """The last rows of a journal."""
    with backend.engine.connect() as connection:
        statement = JOURNAL.select().where(JOURNAL.c.learner_id == learner._stored.id).order_by(JOURNAL.c.seq.desc())
        return [dict(row._mapping) for row in connection.execute(statement.limit(most))][::-1]


def insert_rows(backend: Backend, rows: list[dict[str, object]]) -> float:
    """Inserts a second, each a transaction through the same connections."""
    start = time.perf_counter()
    for row in rows:
        with backend.engine.begin() as connection:
            connection.execute(insert(JOURNAL), row)
    return len(rows) / (time.perf_counter() - start)


def insert_into_file(path: Path, rows: list[dict[str, object]]) -> float:
    """The same inserts into a table of the same columns by the module sqlite3 alone."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    columns = list(rows[0])
    connection.execute(
        f"CREATE TABLE IF NOT EXISTS bare ({', '.join(columns)}, PRIMARY KEY (learner_id, seq)) WITHOUT ROWID"
    )
    statement = f"INSERT INTO bare VALUES ({', '.join('?' * len(columns))})"
    start = time.perf_counter()
    for row in rows:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(statement, list(row.values()))
        connection.execute("COMMIT")
    seconds = time.perf_counter() - start
    connection.close()
    return len(rows) / seconds


def measure(report: Report, url: str, folder: Path, name: str, policy: sb.Policy, rounds: int) -> tuple[str, ...]:
    """One row of the table."""
    decision_set = SETS[name]()
    theta = np.random.default_rng(0).random(decision_set.d)
    learner = sb.open_learner(
        url, name=f"{name} {policy.name}", decision_set=decision_set, policy=policy, variance=0.25
    )
    copy = sb.open_learner(url, name=f"{name} {policy.name} copy", decision_set=decision_set, variance=0.25)
    memory = sb.Learner(decision_set, policy, variance=0.25, seed=0)
    backend, rates = learner._backend, []
    play(learner, theta, 50)
    play(memory, theta, 2_000)
    for number in range(PASSES):
        durable = play(learner, theta, rounds)
        rows = [row | {"learner_id": copy._stored.id} for row in rows_of(backend, learner, 2 * rounds)]
        inserted = insert_rows(backend, rows)
        bare = insert_into_file(folder / f"bare{number}{policy.name}.db", rows) if url.startswith("sqlite") else np.nan
        rates.append((durable, inserted, bare, play(memory, theta, rounds)))
    columns = list(zip(*rates, strict=True))
    medians = [statistics.median(column) for column in columns]
    ratio, bare_ratio = (statistics.median(np.divide(columns[0], columns[k])) for k in (1, 2))
    report.row(
        "storage", {"set": name, "policy": policy.name, "rates": rates, "ratio": ratio, "bare_ratio": bare_ratio}
    )
    return name, policy.name, *(f"{rate:,.0f}" for rate in medians), digits(ratio, 2), digits(bare_ratio, 2)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--url", help="an empty database; by default a new file of SQLite")
    options = parser.parse_args()
    report = Report(None)
    with tempfile.TemporaryDirectory() as name:
        url = options.url or f"sqlite:///{name}/learners.db"
        rows = [
            measure(report, url, Path(name), decision_set, policy, options.rounds)
            for decision_set in SETS
            for policy in POLICIES
        ]
    header = ("decision set", "policy", "learner", "inserts", "sqlite3", "in memory", "/ inserts", "/ sqlite3")
    report.table("Calls and inserts a second", header, rows)


if __name__ == "__main__":
    main()
