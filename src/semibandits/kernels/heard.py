"""Calls of kernels whose arguments numba takes apart in Python, so that Ctrl-C comes neither in between nor too late."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, TypeVar

Answer = TypeVar("Answer")
AGAIN_SECONDS: Final = 0.001
COMPILING: Final = "_compile_for_args"
"""The method of numba that a call goes through if it must be compiled."""


def heard(kernel: Callable[..., Answer], *arguments: Any) -> Answer:
    """What the kernel returns. For kernels that take function pointers or a random generator.

    Of such arguments numba asks for addresses, by functions in Python, and does not look whether they raised: a
    ``KeyboardInterrupt`` there ends the process with a segmentation fault. So Ctrl-C at this moment comes again a millisecond
    later, when the kernel hears it. Compilation and the kernel itself are interrupted as ever.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        return kernel(*arguments)

    def hear(number: int, frame: FrameType | None) -> None:
        if _may_raise(frame):
            before(number, frame)
        else:
            _thread.start_new_thread(_again, ())

    signal.signal(signal.SIGINT, hear)
    try:
        return _called(kernel, arguments)
    finally:
        signal.signal(signal.SIGINT, before)


def _called(kernel: Callable[..., Answer], arguments: tuple[Any, ...]) -> Answer:
    """The only frame in which Ctrl-C is heard, while a kernel runs and just after."""
    return kernel(*arguments)


def _may_raise(frame: FrameType | None) -> bool:
    """Whether the kernel itself runs, or is compiled."""
    callee: FrameType | None = None
    while frame is not None and frame.f_code is not _called.__code__:
        callee, frame = frame, frame.f_back
    return frame is not None and (callee is None or callee.f_code.co_name == COMPILING)


def _again() -> None:
    time.sleep(AGAIN_SECONDS)
    _thread.interrupt_main()
