"""Ctrl-C that is neither lost nor mistaken for a fault."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, final

if TYPE_CHECKING:
    from numba.core.event import Event, Listener

COMPILING, PASS = "numba:compiler_lock", "numba:run_pass"
"""What numba announces: that it compiles, or loads what it compiled before; and each of the many steps of compilation."""


class Interrupted(Exception):  # noqa: N818 (not a fault)
    """The user broke a simulation off; the message says what is kept of it."""


@final
class InterruptWatch:
    """Takes note of Ctrl-C while it is entered.

    Compilation calls Python back from code that swallows exceptions: a ``KeyboardInterrupt`` raised there is lost, printed with
    its traceback, or comes out as another error. So the first Ctrl-C during compilation waits for the end of a step; a second
    one does not. Whoever watches can tell that there was one, and raise it again.

    Parameters
    ----------
    listens : bool
        Whether kernels may be called from the beginning; else `listen` must be called before, which imports the compiler.

    Attributes
    ----------
    seen : bool
        Whether there was one.
    """

    def __init__(self, *, listens: bool = True) -> None:
        self.seen = False
        self._listens = listens
        self._listener: Listener | None = None
        self._before: Any = None
        self._depth = 0

    def __enter__(self) -> InterruptWatch:
        if _is_main_thread():  # elsewhere signals cannot be caught
            self._before = signal.signal(signal.SIGINT, self._note)
            if self._listens:
                self.listen()
        return self

    def listen(self) -> None:
        """Hear from now on what numba announces."""
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
        """Compilation or a step of it begins; they are nested."""
        self._depth += _is_main_thread()

    def on_end(self) -> None:
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
