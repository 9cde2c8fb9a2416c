"""Signal handling within kernels, for Ctrl-C and all other signals that have a handler in Python.

Python runs signal handlers between two of its instructions, so that Ctrl-C would have no effect until a compiled kernel returns.
Kernels hold the GIL and may run the handlers themselves: ``PyErr_CheckSignals`` runs those of pending signals, on the main
thread, and reports whether one has raised. A call takes 8 ns; long loops make one every STEPS steps.

The exception of a handler, usually ``KeyboardInterrupt``, is then pending in the interpreter. There are two ways to raise it:

* `check_signals` raises at once, and is the only call that a kernel needs. Memory that the kernel and its callers hold at this
  point is never freed, as with any exception in numba: this is for kernels with little memory. A kernel behind a function pointer
  must not raise: numba would print the exception and continue.
* `interrupted` returns whether an exception is pending, and the kernel returns as if the search ended early. The kernel that
  Python called must raise the exception: by `raise_interrupt`, or because its result is a named tuple of this package.

After a kernel, numba converts its results to objects without running Python, see `machine.conversion`: an exception of a handler
there would be lost.

Kernels that run as Python raise at once, see `machine.tiers`. With ``NUMBA_DISABLE_JIT=1`` Python itself handles all signals.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from semibandits.kernels.machine.conversion import is_pending, python_function
from semibandits.kernels.machine.tiers import poll

STEPS = 4096
"""Steps between two checks, in loops whose steps take a fraction of a microsecond."""


def interrupted() -> bool:
    """Whether a signal handler has raised; if so, the kernel must return soon, and the kernel that Python called must raise."""
    poll()
    return False


def raise_interrupt() -> None:
    """Raise the pending exception of a signal handler, if there is one."""


def check_signals() -> None:
    """Run the handlers of pending signals, and raise their exceptions."""
    poll()


@intrinsic
def _interrupted(typing_context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        answer = cgutils.alloca_once_value(builder, is_pending(builder))  # type: ignore[no-untyped-call]
        with builder.if_then(builder.not_(builder.load(answer))):  # handlers must not run while an exception is pending
            failed = builder.call(python_function(builder, "PyErr_CheckSignals", ir.IntType(32)), [])
            builder.store(builder.icmp_signed("!=", failed, ir.Constant(ir.IntType(32), 0)), answer)
        return builder.load(answer)

    return types.boolean(), generate


@intrinsic
def _raise_interrupt(typing_context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        with builder.if_then(is_pending(builder), likely=False):
            context.call_conv.return_exc(builder)
        return context.get_dummy_value()

    return types.void(), generate


@overload(interrupted)
def _interrupted_in_kernels() -> Any:
    return lambda: _interrupted()  # type: ignore[call-arg]


@overload(raise_interrupt)
def _raise_interrupt_in_kernels() -> Any:
    return lambda: _raise_interrupt()  # type: ignore[call-arg]


@overload(check_signals)
def _check_signals_in_kernels() -> Any:
    def check() -> None:
        if _interrupted():  # type: ignore[call-arg]
            _raise_interrupt()

    return check
