"""A process for work that takes long: asks do not wait for it, and go on at full speed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar, final

T = TypeVar("T")
IDLE_SECONDS: Final = 60
"""Time after which a process without work ends."""
NICENESS: Final = 10


@final
class SideProcess:
    """Carries out functions one after the other in a process that starts with the first and ends when it is idle."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._executor: Any = None

    def submit(self, function: Callable[..., T], *arguments: object) -> Future[T]:
        """Call a function of a module that can be imported; the result comes later."""
        from joblib.externals.loky.process_executor import ProcessPoolExecutor

        new = partial(ProcessPoolExecutor, 1, timeout=IDLE_SECONDS, initializer=_come_last)
        with self._mutex:
            self._executor = self._executor or new()
            try:
                future: Future[T] = self._executor.submit(function, *arguments)
            except RuntimeError:  # its process was killed
                self._executor = new()
                future = self._executor.submit(function, *arguments)
            return future

    def close(self) -> None:
        """End the process, also in the middle of a function."""
        with self._mutex:
            executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, kill_workers=True)


def _come_last() -> None:
    with suppress(OSError, AttributeError):  # systems without priorities
        os.nice(NICENESS)
