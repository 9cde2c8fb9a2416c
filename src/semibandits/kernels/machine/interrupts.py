"""When Ctrl-C is heard around code of other libraries that loses it, or that it would leave half done.

numba installs what was registered since its last compilation with generators: an exception there ends them for good, and what
was not installed yet is unknown to numba until the process ends. So Ctrl-C waits until it is done. An exception between the
acquisition of a lock of LLVM or of numba and the code that releases it would leave it locked for all other threads. So Ctrl-C
there is sent once more, a moment later. `machine.tiers` imports this.
"""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import wraps
from types import FrameType
from typing import Any, Final, TypeVar

from llvmlite.binding import ffi
from numba.core import base, compiler_lock, typing

T = TypeVar("T")


PAUSE: Final = 0.001
"""Seconds after which a Ctrl-C is sent once more."""


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
        """Call the handler that was there before, and keep its exception; but first leave code that takes or returns a lock."""
        assert self.before is not None
        if _is_locking(frame):
            _thread.start_new_thread(_send_again, ())
            return
        if any(one.f_code in _STEPS for one in _stack(frame)):
            signal.signal(signal.SIGINT, self.before)
        try:
            self.before(number, frame)
        except BaseException as error:
            self.raised.append(error)
            raise


_STEPS: Final = (HeardInterrupts.__enter__.__code__, HeardInterrupts.__exit__.__code__)
"""Where an exception would leave the handler of a context installed."""


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _send_again() -> None:
    time.sleep(PAUSE)
    _thread.interrupt_main()


def _is_locking(frame: FrameType | None) -> bool:
    """Whether an exception could leave a lock of LLVM or numba locked: here it is taken or returned, or LLVM is called."""
    for one in _stack(frame):
        code = one.f_code
        if code.co_filename == ffi.__file__:
            return True
        if code.co_filename == compiler_lock.__file__ and code.co_name != "_acquire_compile_lock":
            is_locked: Any = compiler_lock.global_compiler_lock.is_locked
            return bool(is_locked())
    return False


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
