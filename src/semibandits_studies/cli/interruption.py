"""Handling of Ctrl-C during compilation."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, final

if TYPE_CHECKING:
    from numba.core.event import Event, Listener

COMPILING, PASS = "numba:compiler_lock", "numba:run_pass"
"""Events of numba: a compilation, or a load from the cache; and each step of a compilation."""


class Interrupted(Exception):  # noqa: N818 (not a fault)
    """The user interrupted the program; the message states what is kept."""


@final
class InterruptWatch:
    """Context manager that records Ctrl-C.

    Compilation calls Python from code that swallows exceptions: a ``KeyboardInterrupt`` raised there is lost, printed with its
    traceback, or turned into another error. So the first Ctrl-C during compilation is raised at the end of a step, and a second
    one at once. `check` raises one that was lost. With `listens`, entering imports the compiler and listens to its events;
    otherwise, call `listen` before the first kernel.
    """

    def __init__(self, *, listens: bool = True) -> None:
        self.seen = False  # whether Ctrl-C was pressed
        self._listens = listens
        self._listener: Listener | None = None
        self._before: Any = None
        self._depth = 0

    def __enter__(self) -> InterruptWatch:
        if _is_main_thread():  # other threads cannot catch signals
            self._before = signal.signal(signal.SIGINT, self._note)
            if self._listens:
                self.listen()
        return self

    def listen(self) -> None:
        """Listen to the events of numba."""
        from numba.core import event as events

        watch = self

        class Listener(events.Listener):
            def on_start(self, event: Event) -> None:
                watch.on_start()

            def on_end(self, event: Event) -> None:
                watch.on_end()

        if self._before is not None and self._listener is None:
            self._listener = Listener()
            for kind in (COMPILING, PASS):
                events.register(kind, self._listener)  # type: ignore[no-untyped-call]

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._before is not None:
            if self._listener is not None:
                from numba.core import event as events

                for announced in (COMPILING, PASS):
                    events.unregister(announced, self._listener)  # type: ignore[no-untyped-call]
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        wait = self._depth > 0 and not self.seen
        self.seen = True
        if not wait:
            raise KeyboardInterrupt

    def on_start(self) -> None:
        """Enter a compilation or a step of it; they are nested."""
        self._depth += _is_main_thread()

    def on_end(self) -> None:
        """Leave a compilation or a step of it, and raise a ``KeyboardInterrupt`` that was deferred."""
        if _is_main_thread():
            self._depth -= 1
            self.check()

    def check(self) -> None:
        """Raise ``KeyboardInterrupt`` if Ctrl-C was pressed."""
        if self.seen:
            raise KeyboardInterrupt


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
