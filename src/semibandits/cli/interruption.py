"""Ctrl-C that is neither lost nor mistaken for a fault."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, final


class Interrupted(Exception):  # noqa: N818 (not a fault)
    """The user broke a simulation off; the message says what is kept of it."""


@final
class InterruptWatch:
    """Takes note of Ctrl-C while it is entered.

    Compilation calls Python back from code that swallows exceptions: a ``KeyboardInterrupt`` raised there is lost, or comes
    out as another error. Whoever watches can tell, and raise it again.

    Attributes
    ----------
    seen : bool
        Whether there was one.
    """

    def __init__(self) -> None:
        self.seen = False
        self._before: Any = None

    def __enter__(self) -> InterruptWatch:
        if threading.current_thread() is threading.main_thread():  # elsewhere signals cannot be caught
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.seen = True
        raise KeyboardInterrupt

    def check(self) -> None:
        """Raise the ``KeyboardInterrupt`` that was lost, if one was."""
        if self.seen:
            raise KeyboardInterrupt
