"""Signals that are heard within kernels: Ctrl-C, and whatever else has a handler in Python.

Python runs signal handlers between two of its instructions, so a kernel that takes a minute would hear Ctrl-C after a minute.
Kernels hold Python's lock, so they may ask for it themselves: ``PyErr_CheckSignals`` runs the handlers of signals that wait, on
the main thread, and says whether one has raised. That takes 8 ns; loops that may last long ask every so many steps.

An exception of a handler, usually ``KeyboardInterrupt``, then stands in the interpreter until it is raised, in one of two ways:

* `check_signals` raises at once, as the only call a kernel needs. What the kernel and its callers hold at this point is never
  freed, as with any exception in a kernel of numba: so it is for kernels with little memory. A kernel behind a function pointer
  must not raise: numba would print the exception and go on.
* `interrupted` says that there is one, and the kernel returns, by the same way as if the search were broken off. The kernel that
  Python has called must raise it, by `raise_interrupt`: Python takes a return for a fault while an exception stands.

Between the end of a kernel and its caller numba makes objects of the results, and for arrays it calls a function in Python: a
handler that raised there would be lost, and a `SystemError` or `ValueError` come out instead. The answers of that function are
kept, so that no Python runs there.

Kernels that run as Python raise at once, see `kernels.tiers`. Without numba at all (``NUMBA_DISABLE_JIT=1``) Python hears by
itself.
"""

from __future__ import annotations

from functools import _lru_cache_wrapper, lru_cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, serialize
from numba.extending import intrinsic, overload

from semibandits.kernels.tiers import poll

STEPS = 4096
"""Loops whose steps take a fraction of a microsecond ask every so many."""


def interrupted() -> bool:
    """Whether a signal handler has raised; the kernel must return soon, and whoever Python has called must raise."""
    poll()
    return False


def raise_interrupt() -> None:
    """Raise what a signal handler has raised, if one has."""


def check_signals() -> None:
    """Run the handlers of signals that wait, and raise what they raise."""
    poll()


def _stands(builder: Any) -> Any:
    """Whether there is an exception that is not raised yet."""
    function = _function(builder, "PyErr_Occurred", ir.IntType(8).as_pointer())
    return cgutils.is_not_null(builder, builder.call(function, []))  # type: ignore[no-untyped-call]


def _function(builder: Any, name: str, result: Any) -> Any:
    """A function of Python's own, found by its name, so that what is compiled can be kept on disk."""
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, []), name)  # type: ignore[no-untyped-call]


@intrinsic
def _interrupted(typing_context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        answer = cgutils.alloca_once_value(builder, _stands(builder))  # type: ignore[no-untyped-call]
        with builder.if_then(builder.not_(builder.load(answer))):  # handlers must not run on top of an exception
            failed = builder.call(_function(builder, "PyErr_CheckSignals", ir.IntType(32)), [])
            builder.store(builder.icmp_signed("!=", failed, ir.Constant(ir.IntType(32), 0)), answer)
        return builder.load(answer)

    return types.boolean(), generate


@intrinsic
def _raise_interrupt(typing_context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        with builder.if_then(_stands(builder), likely=False):
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


def _keep_unpickled() -> None:
    """Answer numba's requests for objects that its code holds pickled without running Python; it keeps the answers as well."""
    rebuild = getattr(serialize, "_numba_unpickle", None)
    if rebuild is not None and not isinstance(rebuild, _lru_cache_wrapper):
        serialize._numba_unpickle = lru_cache(maxsize=None)(rebuild)


_keep_unpickled()
