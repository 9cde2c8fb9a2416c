"""Calls of kernels whose arguments numba takes apart in Python, so that Ctrl-C comes neither in between nor too late."""

from __future__ import annotations

import _thread
import signal
import threading
from types import FrameType
from typing import Any, Final

from numba.core.dispatcher import Dispatcher

from semibandits.kernels import tiers
from semibandits.kernels.tiers import Caller

CALL: Final = Caller.__call__.__code__


class _Again:
    """``-AGAIN`` sends Ctrl-C to this process again.

    An operator: after a call Python would run the handler at once, within the handler, and so on for ever.
    """

    __neg__ = staticmethod(_thread.interrupt_main)


AGAIN: Final = _Again()


def call_interruptibly(kernel: Any, *arguments: Any) -> Any:
    """What the kernel returns. For kernels that take a random generator, or a function pointer that is none of ours.

    Of such arguments numba asks for addresses, by functions in Python, and does not look whether they raised: a
    ``KeyboardInterrupt`` there ends the process with a segmentation fault. So Ctrl-C at this moment is sent again, until the
    kernel hears it, or this function after it. Compilation and the kernel itself are interrupted as ever.
    """
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not (isinstance(kernel, Dispatcher) and callable(before) and is_main):
        return _called(kernel, arguments)

    def hear(number: int, frame: FrameType | None) -> None:
        at, callee = frame, None
        while frame is not None and frame.f_code not in (_called.__code__, call_interruptibly.__code__):
            if frame.f_code is not CALL:
                callee = frame
            frame = frame.f_back
        if frame is None or frame.f_code is call_interruptibly.__code__:  # before or after the call
            signal.signal(signal.SIGINT, before)
        elif callee is not None and not _is_ours(callee):
            _ = -AGAIN
            return
        before(number, at)

    signal.signal(signal.SIGINT, hear)
    try:
        return _called(kernel, arguments)
    finally:
        signal.signal(signal.SIGINT, before)


def _is_ours(frame: FrameType) -> bool:
    """Whether this is the choice of a tier, or what follows from it, and not numba asking for an argument."""
    return frame.f_code.co_filename == tiers.__file__


def _called(kernel: Any, arguments: tuple[Any, ...]) -> Any:
    """Call the kernel in a frame by which the handler knows that numba is at work."""
    return kernel(*arguments)
