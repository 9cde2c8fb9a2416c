"""Calls a second of a learner in a database, compared with bare inserts of the same rows into the same database.

    python benchmarks/storage.py [--calls 2000] [--batches 1 10 100] [--folder FOLDER] [--url postgresql://...]

A batch is one transaction: `ask_many` or `tell_many` of that many rounds (`ask` and `tell` for 1), or that many rows, one for
each ask or tell. The rows are inserted by SQLAlchemy, one statement each, and by the driver alone, with `executemany`. All of
them take turns, batch by batch, so that they meet the same load of the machine. Ratios are calls of the learner a second
divided by rows inserted a second. The database must be empty; by default it is a file of SQLite in a temporary folder.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sqlalchemy import create_engine, insert, make_url

import semibandits as sb
from reporting import Report, digits
from semibandits_server.database.schema import JOURNAL

POLICIES = (sb.CUCB(), sb.ThompsonSampling())
SETS = {"4 of 20 items": lambda: sb.MSets(20, 4), "10 of 200 items": lambda: sb.MSets(200, 10)}
Rows = list[dict[str, Any]]


def play(learner: sb.Learner | sb.DurableLearner, theta: np.ndarray, batch: int) -> None:
    """Ask for a batch of rounds, and tell their rewards."""
    if batch == 1:
        asked = learner.ask()
        learner.tell(asked.id, theta[asked.items])
    else:
        rounds = learner.ask_many(batch)
        learner.tell_many([(asked.id, theta[asked.items]) for asked in rounds])


class Inserts:
    """Bare inserts of rows into the journal of a learner that nobody uses, through connections of their own."""

    def __init__(self, learner: sb.DurableLearner, decision_set: sb.DecisionSet, policy: sb.Policy, calls: int) -> None:
        url = make_url(learner._backend.full_url)
        self.engine = create_engine(url)
        name = f"{learner.name} rows"
        with sb.open_learner(
            learner._backend.full_url, name=name, decision_set=decision_set, policy=policy, variance=0.25
        ) as played:
            for _ in range(calls // 2):  # the rows of single calls, which are then inserted again under other numbers
                play(played, np.linspace(0.0, 1.0, decision_set.d), 1)
            self.id = played._stored.id
        with self.engine.connect() as connection:
            rows = connection.execute(JOURNAL.select().where(JOURNAL.c.learner_id == self.id).order_by(JOURNAL.c.seq))
            self.rows: Rows = [dict(row._mapping) for row in rows]
        self.last = calls
        columns = [column.name for column in JOURNAL.columns]
        self.lent = self.engine.raw_connection()  # the pool lends another one to `by_sqlalchemy`
        self.driver: Any = self.lent.driver_connection
        mark = "?" if url.get_backend_name() == "sqlite" else "%s"
        self.statement = f"INSERT INTO {JOURNAL.name} ({', '.join(columns)}) VALUES ({', '.join([mark] * len(columns))})"
        if mark == "?":
            self.driver.isolation_level = None
            self.driver.execute("PRAGMA synchronous = FULL")
        with self.engine.connect() as connection:  # the one that the pool lends next
            if mark == "?":
                connection.exec_driver_sql("PRAGMA synchronous = FULL")

    def next_rows(self, batch: int) -> Rows:
        """Rows with new numbers."""
        numbers = range(self.last + 1, self.last + batch + 1)
        self.last += batch
        return [self.rows[number % len(self.rows)] | {"seq": number} for number in numbers]

    def by_sqlalchemy(self, rows: Rows) -> None:
        """One transaction, one statement for each row."""
        with self.engine.begin() as connection:
            for row in rows:
                connection.execute(insert(JOURNAL), row)

    def by_driver(self, rows: Rows) -> None:
        """One transaction, one call of the driver."""
        values = [list(row.values()) for row in rows]
        cursor = self.driver.cursor()
        if self.engine.dialect.name == "sqlite":
            cursor.execute("BEGIN IMMEDIATE")
        cursor.executemany(self.statement, values)
        self.driver.commit()

    def close(self) -> None:
        """Close the connections."""
        self.lent.invalidate()
        self.engine.dispose()


def seconds(work: Callable[[], object]) -> float:
    """Duration of a call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(report: Report, url: str, name: str, policy: sb.Policy, batch: int, calls: int) -> tuple[str, ...]:
    """One row of the table."""
    decision_set = SETS[name]()
    theta = np.random.default_rng(0).random(decision_set.d)
    memory = sb.Learner(decision_set, policy, variance=0.25, seed=0)
    with sb.open_learner(
        url, name=f"{name} {policy.name} {batch}", decision_set=decision_set, policy=policy, variance=0.25
    ) as learner:
        inserts = Inserts(learner, decision_set, policy, 500)
        for _ in range(20):
            play(learner, theta, batch)
            play(memory, theta, batch)
        for _ in range(2_000 // batch):
            play(memory, theta, batch)
        taken: list[tuple[float, ...]] = []
        for _ in range(max(calls // (2 * batch), 10)):
            rows = [inserts.next_rows(batch) for _ in range(4)]
            taken.append(
                (
                    seconds(lambda: play(learner, theta, batch)),
                    seconds(lambda: (inserts.by_sqlalchemy(rows[0]), inserts.by_sqlalchemy(rows[1]))),  # noqa: B023
                    seconds(lambda: (inserts.by_driver(rows[2]), inserts.by_driver(rows[3]))),  # noqa: B023
                    seconds(lambda: play(memory, theta, batch)),
                )
            )
        inserts.close()
    durable, core, driver, alone = 2 * batch / np.median(np.array(taken), axis=0)
    report.row(
        "storage",
        {
            "set": name,
            "policy": policy.name,
            "batch": batch,
            "calls": durable,
            "inserts": core,
            "driver": driver,
            "memory": alone,
        },
    )
    rates = [f"{durable:,.0f}", f"{core:,.0f}", digits(durable / core, 2), f"{driver:,.0f}", digits(durable / driver, 2)]
    return name, policy.name, f"{batch}", *rates, f"{alone:,.0f}"


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=2_000, help="asks and tells of each row of the table")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--folder", help="where the file of SQLite is written; by default a temporary folder")
    parser.add_argument("--url", help="an empty database; by default a new file of SQLite")
    options = parser.parse_args()
    report = Report(None)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        url = options.url or f"sqlite:///{folder}/learners.db"
        rows = [
            measure(report, url, name, policy, batch, options.calls)
            for batch in options.batches
            for name in SETS
            for policy in POLICIES
        ]
    header = ("decision set", "policy", "batch", "learner", "inserts", "ratio", "driver", "ratio", "in memory")
    report.table("Calls and rows a second", header, rows)


if __name__ == "__main__":
    main()
