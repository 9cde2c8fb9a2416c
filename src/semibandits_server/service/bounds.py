"""Lower bounds at the estimates of a learner, solved in a process of their own."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, final

from msgspec import structs

from semibandits._typing import FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import SemibanditsError
from semibandits.laws import Law
from semibandits.learning.intervals import law_of
from semibandits.learning.learner import Learner
from semibandits_server.service.answers import number
from semibandits_server.service.catalogue import Served
from semibandits_server.service.processes import SideProcess
from semibandits_server.wire import Bound, ItemRate


class _Estimates(NamedTuple):
    """What a bound is solved from."""

    rounds: int
    plays: IntArray
    means: FloatArray
    law: Law


Solved: TypeAlias = tuple[Bound, list[float]]
"""A bound without its items, and the rates of these."""


@dataclass
class _Solve:
    """The latest bound of a learner and the solve in progress."""

    running: Future[Solved] | None = None
    begun: float = -math.inf
    at_rounds: int = 0
    finished: Solved | None = None


@final
class BoundWorker:
    """Solves bounds one after the other in one process, which ends when it has nothing to do. `seconds` is the time limit of a
    bound, and `age` the smallest number of seconds between two bounds of a learner.
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
                solve.at_rounds = now.rounds
                missing, d = int((now.plays == 0).sum()), len(now.plays)
                if missing:
                    message = f"a bound needs an outcome of every item, and {missing} of {d} have none: tell more outcomes"
                    solve.finished = Bound("failed", now.rounds, message=message), []
                else:
                    solve.begun, x = time.monotonic(), served.learner.decision_set
                    solve.running = self._process.submit(solve_bound, x, now.means, now.law, self._seconds)
                    self._collect(solve)
            found, rates = solve.finished or (Bound("solving"), [])
            if found.status != "ready" and solve.running is not None:
                found = Bound("solving", solve.at_rounds)
        labels, texts, logarithm = served.items.plain, served.names.labels, math.log(max(now.rounds, 1))
        items = tuple(ItemRate(labels[i], texts[i], rate, rate * logarithm, int(now.plays[i])) for i, rate in enumerate(rates))
        return structs.replace(found, items=items)

    def close(self) -> None:
        """End the process, also in the middle of a solve."""
        self._process.close()

    def _collect(self, solve: _Solve) -> None:
        if solve.running is None or not solve.running.done():
            return
        try:
            found, rates = solve.running.result()
        except Exception as error:  # a lost process, or a set that cannot be pickled
            found, rates = Bound("failed", message=f"the process that solved it ended: {type(error).__name__}"), []
        solve.finished, solve.running = (structs.replace(found, at_rounds=solve.at_rounds), rates), None
        self.solved += 1


def solve_bound(decision_set: DecisionSet, means: FloatArray, law: Law, seconds: float) -> Solved:
    """The bound and its rates, in another process."""
    from semibandits.regret_bound.solve import graves_lai

    try:
        result = graves_lai(decision_set, means, law=law, time_limit=seconds, throw=False)
    except SemibanditsError as error:
        return Bound("failed", message=str(error)), []
    message = None if result.status == "optimal" else "the time limit or the precision was reached before the gap"
    value, lower, gap = number(result.value), number(result.lower), number(result.gap)
    return Bound("ready", value=value, lower=lower, gap=gap, message=message), result.rates.tolist()


def _estimates(one: Learner) -> _Estimates:
    return _Estimates(one.rounds, one.plays, one.means, law_of(one.policy, one._progress.rule, one._variance))
