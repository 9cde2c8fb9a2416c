"""Plans of policies that take long, solved in the background so that no request waits for them."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, final

from semibandits.errors import SemibanditsError
from semibandits.learning.database.durable import DurableLearner

LOGGER: Final = logging.getLogger("semibandits.service")


@final
class PlanWorker:
    """Solves the plans of learners, one after the other, in one thread.

    Attributes
    ----------
    solved : int
        Number of plans solved.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="plans")
        self._mutex = threading.Lock()
        self._waiting: set[str] = set()
        self.solved = 0

    def notice(self, learner: DurableLearner) -> None:
        """Solve the plan of a learner in the background if it wants one."""
        if not getattr(learner, "wants_plan", False):
            return
        with self._mutex:
            if learner.name in self._waiting:
                return
            self._waiting.add(learner.name)
        self._executor.submit(self._solve, learner)

    def close(self) -> None:
        """Finish the plan that is being solved, and no other."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _solve(self, learner: Any) -> None:
        try:
            learner.solve_plan()
            self.solved += 1
        except SemibanditsError as error:
            LOGGER.warning("a plan was not solved: %s", error, extra={"learner": learner.name})
        finally:
            with self._mutex:
                self._waiting.discard(learner.name)
