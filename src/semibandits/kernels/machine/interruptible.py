"""Safe handling of Ctrl-C in calls of kernels whose arguments numba unpacks in Python."""

from __future__ import annotations

import _thread
import signal
from types import FrameType
from typing import Any, Final

from numba.core.dispatcher import Dispatcher

from semibandits.kernels.machine import tiers
from semibandits.kernels.machine.interrupts import HeardInterrupts
from semibandits.kernels.machine.tiers import Caller

CALL: Final = Caller.__call__.__code__


class _Resend:
    """``-RESEND`` sends Ctrl-C to this process once more.

    It is an operator because Python would run the handler after a call, within the handler itself, without end.
    """

    __neg__ = staticmethod(_thread.interrupt_main)


RESEND: Final = _Resend()


def call_interruptibly(kernel: Any, *arguments: Any) -> Any:
    """Call a kernel that takes a random generator, or a function pointer other than those of `tiers`, and return its result.

    numba gets the addresses of such arguments from functions in Python, and does not check whether they raise: a
    ``KeyboardInterrupt`` there ends the process with a segmentation fault. Ctrl-C at this moment is therefore sent once more,
    until the kernel handles it, or this function after the call. Compilation and the kernel itself are interrupted as usual.
    """
    if not isinstance(kernel, Dispatcher):
        return _called(kernel, arguments)
    with _Interrupts():
        return _called(kernel, arguments)


class _Interrupts(HeardInterrupts):
    """Context of the call of a kernel."""

    __slots__ = ()

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Handle Ctrl-C before and after the call, and where it may be raised; else send it once more."""
        at, callee = frame, None
        while frame is not None and frame.f_code not in (_called.__code__, call_interruptibly.__code__):
            if frame.f_code is not CALL:
                callee = frame
            frame = frame.f_back
        if frame is None or frame.f_code is call_interruptibly.__code__:
            signal.signal(signal.SIGINT, self.before)
        elif callee is not None and not _is_ours(callee):
            _ = -RESEND
            return
        super().handle(number, at)


def _is_ours(frame: FrameType) -> bool:
    """Whether this frame chooses a tier or runs what was chosen; if not, numba unpacks an argument."""
    return frame.f_code.co_filename == tiers.__file__


def _called(kernel: Any, arguments: tuple[Any, ...]) -> Any:
    """Call the kernel in a frame that the handler recognises."""
    return kernel(*arguments)
