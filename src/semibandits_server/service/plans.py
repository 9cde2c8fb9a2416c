"""Plans of policies that take long, solved in the background so that no request waits for them."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import CancelledError, Future
from typing import Final, final

from semibandits.errors import SemibanditsError
from semibandits_server.database.durable import DurableLearner
from semibandits_server.service.catalogue import Served
from semibandits_server.service.processes import SideProcess

LOGGER: Final = logging.getLogger("semibandits.service")
PAUSE_SECONDS: Final = 10.0
"""Time after a failure before the plan of a learner is tried again."""


@final
class PlanWorker:
    """Solves the plans of learners with deferred plans, one after the other, in one process."""

    def __init__(self) -> None:
        self._process, self._mutex = SideProcess(), threading.Lock()
        self._running: set[str] = set()
        self._failed: dict[str, float] = {}
        self.solved = 0  # number of plans

    def notice(self, served: Served) -> None:
        """Solve the plan of a learner in the background if it wants one."""
        name = served.learner.name
        if not served.defers_plans or name in self._running or not served.learner.wants_plan:
            return
        with self._mutex:
            is_early = time.monotonic() - self._failed.get(name, -PAUSE_SECONDS) < PAUSE_SECONDS
            if name in self._running or is_early:
                return
            self._running.add(name)
        self._process.submit(solve_plan, served.learner).add_done_callback(lambda done: self._finish(name, done))

    def close(self) -> None:
        """End the process, also in the middle of a plan; it is made anew after the next start."""
        self._process.close()

    def _finish(self, name: str, done: Future[bool]) -> None:
        try:
            self.solved += done.result()
        except CancelledError:
            pass
        except Exception as error:  # also a lost process
            reason = str(error) if isinstance(error, SemibanditsError) else type(error).__name__
            LOGGER.warning("a plan was not solved: %s", reason, extra={"learner": name})
            self._failed[name] = time.monotonic()
        finally:
            with self._mutex:
                self._running.discard(name)


def solve_plan(learner: DurableLearner) -> bool:
    """Solve and store the plan of a learner, in another process, which opens the learner itself."""
    with learner:
        return learner.solve_plan()
