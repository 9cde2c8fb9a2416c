"""Ctrl-C that is neither lost nor mistaken for a fault."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, final

from numba.core import event as events

COMPILING, PASS = "numba:compiler_lock", "numba:run_pass"
"""What numba announces: that it compiles, or loads what it compiled before; and each of the many steps of compilation."""


class Interrupted(Exception):  # noqa: N818 (not a fault)
    """The user broke a simulation off; the message says what is kept of it."""


@final
class InterruptWatch(events.Listener):
    """Takes note of Ctrl-C while it is entered.

    Compilation calls Python back from code that swallows exceptions: a ``KeyboardInterrupt`` raised there is lost, printed with
    its traceback, or comes out as another error. So the first Ctrl-C during compilation waits for the end of a step; a second
    one does not. Whoever watches can tell that there was one, and raise it again.

    Attributes
    ----------
    seen : bool
        Whether there was one.
    """

    def __init__(self) -> None:
        self.seen = False
        self._before: Any = None
        self._depth = 0

    def __enter__(self) -> InterruptWatch:
        if _is_main_thread():  # elsewhere signals cannot be caught
            self._before = signal.signal(signal.SIGINT, self._note)
            for kind in (COMPILING, PASS):
                events.register(kind, self)  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._before is not None:
            for announced in (COMPILING, PASS):
                events.unregister(announced, self)  # type: ignore[no-untyped-call]
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        wait = self._depth > 0 and not self.seen
        self.seen = True
        if not wait:
            raise KeyboardInterrupt

    def on_start(self, event: events.Event) -> None:
        """Compilation or a step of it begins; they are nested."""
        self._depth += _is_main_thread()

    def on_end(self, event: events.Event) -> None:
        """Compilation or a step of it ends; raises the ``KeyboardInterrupt`` that has waited for that."""
        if _is_main_thread():
            self._depth -= 1
            self.check()

    def check(self) -> None:
        """Raise the ``KeyboardInterrupt`` that was lost, if one was."""
        if self.seen:
            raise KeyboardInterrupt


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
