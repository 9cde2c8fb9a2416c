"""Couriers of `fleet.py`: processes that ask a service, drive, and tell late, twice, partly or never.

Each courier writes to its book what it is about to do and what was acknowledged, so that its successor repeats the last call with
its key, and so that the journal can be compared with the books. It imports the client only.
"""

from __future__ import annotations

import json
import logging
import os
import random
import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semibandits.client import Client, RemoteLearner, Round
from semibandits.errors import Infeasible, InvalidInputError, SemibanditsError

Street = tuple[Hashable, ...]
NAME = "fleet"
TOKEN = "a-token-of-the-fleet-0123456789"
PARTLY, TWICE, NEVER, LATE, SEVERAL, CLOSED = 0.06, 0.06, 0.03, 0.10, 0.05, 0.10
"""Shares of rounds told partly, twice, never, or later in a batch, asked for with others, or with closed streets."""
LATE_SECONDS = 20.0
"""Mean lateness of an outcome in a batch."""
BATCH = 8


@dataclass
class Order:
    """What a courier drives: the call that asked for it, and its costs once it has been driven."""

    number: int
    labels: list[Street]
    costs: dict[Street, float | None] = field(default_factory=dict)
    due: float = 0.0


class Book:
    """Lines of one courier and its predecessors; what SIGKILL leaves is whole lines."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def write(self, kind: str, **facts: Any) -> None:
        """Append a line."""
        os.write(self._handle, (json.dumps({"kind": kind, **facts}) + "\n").encode())


def pending(path: Path) -> tuple[int, dict[str, Any] | None, list[dict[str, Any]]]:
    """Number of calls so far, the call without an acknowledgement, and orders asked for but not done with."""
    calls, unanswered, orders = 0, None, {}
    for line in path.read_text().splitlines() if path.exists() else ():
        one = json.loads(line)
        if one["kind"] in ("ask", "tell"):
            calls, unanswered = calls + 1, one
        elif one["kind"] == "asked":
            unanswered = None
            orders |= {number: {"number": number, "labels": labels} for number, labels in one["rounds"]}
        elif one["kind"] in ("told", "refused", "never", "infeasible"):
            unanswered = None
            for number in one["rounds"]:
                orders.pop(number, None)
    return calls, unanswered, list(orders.values())


class Retries(logging.Handler):
    """Counts the repetitions of the client."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count one."""
        self.count += 1


class Courier:
    """One courier; it asks, drives and tells until it is stopped.

    `path` is its book, keys are made from `name`, and `world` has mean and standard deviation of the cost of each street.
    """

    def __init__(
        self, learner: RemoteLearner, path: Path, name: str, world: dict[Street, tuple[float, float]], rng: random.Random
    ) -> None:
        self._learner, self._name, self._world, self._rng = learner, name, world, rng
        self._calls, self._unanswered, orders = pending(path)
        self._book = Book(path)
        self._late = [Order(one["number"], [tuple(label) for label in one["labels"]]) for one in orders]
        for order in self._late:
            self._draw(order)
        self._retries = Retries()
        logging.getLogger("semibandits.client").addHandler(self._retries)
        logging.getLogger("semibandits.client").setLevel(logging.INFO)

    def resume(self) -> None:
        """Repeat the call whose acknowledgement was lost, with its key."""
        one, self._unanswered = self._unanswered, None
        if one is None:
            return
        if one["kind"] == "ask":
            self._late += self._ask(one)
        else:
            self._tell(one)
            self._late = [order for order in self._late if order.number not in {number for number, _ in one["outcomes"]}]

    def work(self) -> None:
        """One order, or several asked for at once; and the batch of late outcomes if it is due."""
        rng = self._rng
        count = rng.randint(2, 5) if rng.random() < SEVERAL else 1
        closed = rng.sample(sorted(self._world), rng.randint(1, 3)) if rng.random() < CLOSED else []
        for order in self._ask({"count": count, "closed": closed, "key": self._key("ask")}):
            self._drive(order)
        due = [order for order in self._late if order.due <= time.monotonic()]
        if len(due) >= BATCH or (due and rng.random() < 0.1):
            self._late = [order for order in self._late if order not in due]
            self._tell_orders(due, partial=any(None in order.costs.values() for order in due))

    def _drive(self, order: Order) -> None:
        rng = self._rng
        self._draw(order)
        fate = rng.random()
        if fate < NEVER:
            self._book.write("never", rounds=[order.number])
        elif fate < NEVER + LATE:
            order.due = time.monotonic() + rng.expovariate(1 / LATE_SECONDS)
            self._late.append(order)
        elif fate < NEVER + LATE + PARTLY:
            for street in rng.sample(order.labels, rng.randint(1, len(order.labels))):
                order.costs[street] = None
            self._tell_orders([order], partial=True)
        else:
            self._tell_orders([order], partial=False)
            if fate > 1 - TWICE:
                self._tell_again(order)

    def _draw(self, order: Order) -> None:
        order.costs = {street: self._rng.gauss(*self._world[street]) for street in order.labels}

    def _key(self, call: str) -> str:
        return f"{self._name} {self._calls} {call}"

    def _ask(self, one: dict[str, Any]) -> list[Order]:
        self._calls += 1
        closed = [tuple(street) for street in one["closed"]]
        self._book.write("ask", **{name: value for name, value in one.items() if name != "kind"})
        began, retries = time.perf_counter(), self._retries.count
        try:
            rounds: tuple[Round, ...] = self._learner.ask_many(one["count"], unavailable=closed or None, key=one["key"])
        except Infeasible:
            self._book.write("infeasible", rounds=[])
            return []
        seconds = time.perf_counter() - began
        listed = [(asked.id, asked.labels) for asked in rounds]
        self._book.write(
            "asked", rounds=listed, closed=closed, seconds=seconds, retries=self._retries.count - retries, many=one["count"] > 1
        )
        orders = [Order(asked.id, list(asked.labels)) for asked in rounds]  # type: ignore[arg-type]
        for order in orders:
            self._draw(order)
        return orders

    def _tell_orders(self, orders: list[Order], *, partial: bool) -> None:
        outcomes = [[order.number, [order.costs[street] for street in order.labels]] for order in orders]
        labels = [order.labels for order in orders]
        self._tell({"outcomes": outcomes, "labels": labels, "partial": partial, "key": self._key("tell")})

    def _tell(self, one: dict[str, Any]) -> None:
        self._calls += 1
        self._book.write("tell", **{name: value for name, value in one.items() if name != "kind"})
        began, retries = time.perf_counter(), self._retries.count
        numbers = [number for number, _ in one["outcomes"]]
        try:
            if len(numbers) == 1 and self._rng.random() < 0.5:  # by label
                values = one["outcomes"][0][1]
                costs = {tuple(label): value for label, value in zip(one["labels"][0], values, strict=True)}
                self._learner.tell(numbers[0], costs=costs, partial=one["partial"], key=one["key"])
            else:
                self._learner.tell_many(costs=one["outcomes"], partial=one["partial"], key=one["key"])
        except InvalidInputError as error:  # the dispatcher has forgotten it
            self._book.write("refused", rounds=numbers, reason=str(error))
            return
        seconds = time.perf_counter() - began
        self._book.write("told", rounds=numbers, key=one["key"], seconds=seconds, retries=self._retries.count - retries)

    def _tell_again(self, order: Order) -> None:
        """Tell other numbers without the key of the first time, which must be refused."""
        try:
            self._learner.tell(order.number, costs=[1.0] * len(order.labels))
        except InvalidInputError:
            self._book.write("again", accepted=False)
        else:
            self._book.write("again", accepted=True)


def run(address: str, path: Path, name: str, world: dict[Street, tuple[float, float]], seed: int, pause: float) -> None:
    """Work until the process is ended; errors that no courier can expect are written to the book."""
    rng = random.Random(seed)
    book = Book(path)
    with Client(address, TOKEN, timeout=15.0) as client:
        courier = Courier(client.learner(NAME), path, name, world, rng)
        courier.resume()
        while True:
            try:
                courier.work()
            except SemibanditsError as error:
                book.write("error", reason=f"{type(error).__name__}: {error}")
                time.sleep(1.0)
                return  # its successor repeats the call
            time.sleep(rng.expovariate(1 / pause) if pause else 0.0)


def dispatch(address: str, path: Path, seconds: float) -> None:
    """Forget rounds that have been open for too long, and look at the learner as the live page does."""
    book = Book(path)
    with Client(address, TOKEN, timeout=15.0) as client:
        learner, turn = client.learner(NAME), 0
        while True:
            turn += 1
            try:
                for name, call in (("summary", learner.summary), ("estimates", learner.estimates), ("bound", learner.bound)):
                    began = time.perf_counter()
                    call()
                    book.write("seen", what=name, seconds=time.perf_counter() - began)
                if turn % 5 == 0:
                    book.write("expired", rounds=learner.expire(seconds=seconds))
            except SemibanditsError as error:
                book.write("error", reason=f"{type(error).__name__}: {error}")
            time.sleep(3.0)
