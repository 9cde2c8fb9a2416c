"""When Ctrl-C is heard around code of other libraries that loses it, or that it would leave half done.

numba installs what was registered since its last compilation with generators: an exception there ends them for good, and what
was not installed yet is unknown to numba until the process ends. So Ctrl-C waits until it is done. `kernels.tiers` imports this.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from functools import wraps
from types import FrameType
from typing import Any, TypeVar

from numba.core import base, typing

T = TypeVar("T")


def interrupt_handler() -> Callable[[int, FrameType | None], Any] | None:
    """The function that handles Ctrl-C in this thread, if there is one."""
    handler = signal.getsignal(signal.SIGINT)
    return handler if callable(handler) and threading.current_thread() is threading.main_thread() else None


class HeardInterrupts:
    """Context at whose end the exception of a Ctrl-C is raised if it was lost: where an object was finalised, or within LLVM."""

    __slots__ = ("before", "raised")

    def __init__(self) -> None:
        self.before = interrupt_handler()
        self.raised: list[BaseException] = []

    def __enter__(self) -> None:
        if self.before is not None:
            signal.signal(signal.SIGINT, self.handle)

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)
        if self.raised and error is not self.raised[0]:
            raise self.raised[0] from error

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Call the handler that was there before, and keep its exception."""
        assert self.before is not None
        try:
            self.before(number, frame)
        except BaseException as error:
            self.raised.append(error)
            raise


class DeferredInterrupts(HeardInterrupts):
    """Context at whose end a Ctrl-C is handled that arrived in it."""

    __slots__ = ("is_noted",)

    def __init__(self) -> None:
        super().__init__()
        self.is_noted = False

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        super().__exit__(kind, error, traceback)
        if self.is_noted:
            signal.raise_signal(signal.SIGINT)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Remember a Ctrl-C."""
        self.is_noted = True


def holding(lock: Any, work: Callable[[], T], otherwise: T, *, wait: bool = False) -> T:
    """The result of work while this thread holds an RLock, or `otherwise`, at once, if another thread holds it.

    Ctrl-C at any moment leaves the lock free. It may come after `acquire` returns and before the next step, so `try` is entered
    first; releasing is one step of the interpreter, and an error if the lock is not held.
    """
    if lock._is_owned():
        return work()
    try:
        return work() if lock.acquire(blocking=wait) else otherwise
    finally:
        try:  # noqa: SIM105 (Ctrl-C could come within `suppress`)
            lock.release()
        except RuntimeError:
            pass  # it was not acquired


def _deferring(refresh: Callable[[Any], None]) -> Callable[[Any], None]:
    @wraps(refresh)
    def deferred(context: Any) -> None:
        with DeferredInterrupts():
            refresh(context)

    return deferred


for _context in (typing.context.BaseContext, base.BaseContext):
    _context.refresh = _deferring(_context.refresh)  # type: ignore[method-assign]
