"""Lower bounds at the estimates of a learner, solved in a process of their own."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from typing import final

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import SemibanditsError
from semibandits.laws import Gaussian, Law
from semibandits.learning.learner import Learner
from semibandits.policies.rules import LawPolicy
from semibandits.service.answers import JSON, number
from semibandits.service.catalogue import Served
from semibandits.service.processes import SideProcess
from semibandits.wire import Bound, ItemRate


@dataclass(frozen=True, eq=False)
class _Estimates:
    """What a bound is solved from."""

    rounds: int
    plays: IntArray
    means: FloatArray
    law: Law


@dataclass
class _Solve:
    """The latest bound of a learner and the solve in progress."""

    running: Future[JSON] | None = None
    begun: float = -math.inf
    at_rounds: int = 0
    finished: JSON | None = None


@final
class BoundWorker:
    """Solves bounds one after the other in one process, which ends when it has nothing to do.

    Parameters
    ----------
    seconds : float
        Time limit of a bound.
    age : float
        Smallest number of seconds between two bounds of a learner.
    """

    def __init__(self, *, seconds: float, age: float) -> None:
        self._seconds, self._age = seconds, age
        self._process, self._mutex = SideProcess(), threading.Lock()
        self._solves: dict[str, _Solve] = {}
        self.solved = 0

    def view(self, served: Served) -> Bound:
        """The latest bound of a learner; starts a new one if it is due. Never waits for a solve."""
        now = served.learner._read(_estimates)
        with self._mutex:
            solve = self._solves.setdefault(served.learner.name, _Solve())
            self._collect(solve)
            is_due = solve.finished is None or (solve.at_rounds != now.rounds and time.monotonic() - solve.begun >= self._age)
            if is_due and solve.running is None:
                self._start(solve, served.learner.decision_set, now)
                self._collect(solve)
            found = solve.finished
            if found is None or (found["status"] != "ready" and solve.running is not None):
                found = {"status": "solving", "at_rounds": solve.at_rounds}
            return _shown(found, served, now)

    def close(self) -> None:
        """End the process, also in the middle of a solve."""
        self._process.close()

    def _collect(self, solve: _Solve) -> None:
        if solve.running is None or not solve.running.done():
            return
        try:
            solve.finished = solve.running.result()
        except Exception as error:  # a lost process, or a set that cannot be pickled
            solve.finished = _failed(f"the process that solved it ended: {type(error).__name__}")
        solve.finished["at_rounds"] = solve.at_rounds
        solve.running = None
        self.solved += 1

    def _start(self, solve: _Solve, decision_set: DecisionSet, now: _Estimates) -> None:
        solve.at_rounds = now.rounds
        missing = int((now.plays == 0).sum())
        if missing:
            solve.finished = _failed(
                f"a bound needs an outcome of every item, and {missing} of {len(now.plays)} have none: tell more outcomes"
            ) | {"at_rounds": now.rounds}
            return
        solve.begun = time.monotonic()
        solve.running = self._process.submit(solve_bound, decision_set, now.means, now.law, self._seconds)


def solve_bound(decision_set: DecisionSet, means: FloatArray, law: Law, seconds: float) -> JSON:
    """The bound as plain JSON, in another process."""
    from semibandits.regret_bound.solve import graves_lai

    try:
        result = graves_lai(decision_set, means, law=law, time_limit=seconds, throw=False)
    except SemibanditsError as error:
        return _failed(str(error))
    return {
        "status": "ready",
        "value": number(result.value),
        "lower": number(result.lower),
        "gap": number(result.gap),
        "rates": result.rates.tolist(),
        "message": None if result.status == "optimal" else "the time limit or the precision was reached before the gap",
    }


def _estimates(one: Learner) -> _Estimates:
    policy = one.policy
    law = policy.known_law if isinstance(policy, LawPolicy) else None
    return _Estimates(one.rounds, one.plays, one.means, Gaussian(np.asarray(one._variance)) if law is None else law)


def _failed(message: str) -> JSON:
    return {"status": "failed", "message": message}


def _shown(found: JSON, served: Served, now: _Estimates) -> Bound:
    """A bound with the plays that its rates ask for at the present number of rounds."""
    logarithm = math.log(max(now.rounds, 1))
    items = tuple(
        ItemRate(served.items.plain[i], served.names.labels[i], rate, rate * logarithm, int(now.plays[i]))
        for i, rate in enumerate(found.get("rates", ()))
    )
    known = {name: found.get(name) for name in ("value", "lower", "gap", "message")}
    return Bound(found["status"], found["at_rounds"], items=items, **known)
