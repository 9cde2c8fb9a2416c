"""Kernels in two tiers: Python while that is cheaper than compilation, compiled code once compilation pays or is done.

Compilation takes about half a second per kernel, including the kernels that it calls, which does not pay for small problems. A
kernel that is called from Python, or from a kernel that runs as Python, uses compiled code in memory or on disk. If there is
none, it runs as Python and its seconds are counted, also those of earlier processes (`machine.spending`). Once it has cost a
quarter of a second, or was called often, a child process compiles it (`machine.background`), and calls go on as Python until the
code is loaded. If the caller expects more work than compilation takes (`expecting`), the kernel is compiled at once. Where there
can be no child, it is compiled once it has cost as much as compilation, but not while the caller must not wait (`promptly`): the
total time is then never much longer than twice that of the better choice.

Results do not depend on the tier, to the bit. A call that still runs as Python when its code is there is aborted: its arrays and
generators are restored, and it runs once more, compiled. (Without this, the bound of one 40 x 40 matching takes 18 s instead of
6 s with an empty cache.) They are also restored if Ctrl-C aborts a call, which is possible wherever a compiled kernel would
handle Ctrl-C (see `machine.signals`) and where one kernel calls another.

``SEMIBANDITS_TIER=python`` and ``SEMIBANDITS_TIER=compiled`` fix the tier of all kernels; ``NUMBA_DISABLE_JIT=1`` runs plain
Python.
"""

from __future__ import annotations

import atexit
import inspect
import logging
import math
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from types import FrameType, ModuleType
from typing import Any, Final, NamedTuple, TypeVar, overload

import numba.core.caching
import numba.core.ccallback
import numba.core.cgutils
import numba.core.registry
import numba.experimental.function_type
import numba.extending
import numpy as np
from numba import types

from semibandits.kernels.machine import spending
from semibandits.kernels.machine.background import Order, background
from semibandits.kernels.machine.cache import KernelCache
from semibandits.kernels.machine.conversion import PACKAGE
from semibandits.kernels.machine.interrupts import HeardInterrupts, holding, interrupt_handler

SECONDS_A_KERNEL: Final = 0.1
SECONDS_A_BYTE: Final = 5e-4
"""Seconds of compilation per kernel, without those that it calls, and per byte of its Python code; fitted to all kernels."""
LEAST_PRICE: Final = 0.25
"""Seconds as Python below which the price is not computed."""
FIRST_SECONDS: Final = 1.0
"""Additional seconds of the first compilation of a process, to load the compiler."""
OFTEN: Final = 256
"""Calls from outside kernels after which a kernel is in regular use."""
MANY_CALLS: Final = 64
SAMPLE: Final = 8
"""After MANY_CALLS calls of a kernel, one in SAMPLE calls from other kernels is timed: reading the clock takes a microsecond."""
MOST_COPIED: Final = 2**24
"""Bytes of arguments. Calls with more are compiled at once: the arguments cannot be restored, and the work is large."""
TIER: Final = "SEMIBANDITS_TIER"
AUTOMATIC, PYTHON, COMPILED = "auto", "python", "compiled"

untyped: Any = numba
"""numba without type checks, for what it does not annotate or annotates wrongly."""
log = logging.getLogger(__name__)
Function = TypeVar("Function", bound=Callable[..., Any])


class _Overdue(BaseException):
    """A call as Python has lasted longer than compilation would take."""


class _NotKept(Exception):  # noqa: N818 (not an error)
    """There is no compiled code on disk."""


@dataclass
class _Thread(threading.local):
    """State of one thread."""

    running: bool = False  # whether a kernel runs as Python
    first: Any = None  # the outermost such kernel and its arguments; None if it must not be aborted
    # Start of this kernel and time of the next check of its duration, as values of `seconds`.
    start: float = 0.0
    deadline: float = math.inf
    compiling: float = 0.0  # seconds spent on compilation so far
    expected: float = 0.0  # seconds of kernels as Python that the caller expects
    is_compiling: bool = False  # whether numba compiles
    is_looking: bool = False  # whether compiled code is loaded from disk if it is there, and nothing is compiled
    waiting: tuple[int, FrameType | None, Any] | None = None  # a Ctrl-C that no kernel has handled yet
    is_prompt: bool = False  # whether no call must wait for the compiler, see `promptly`


_thread: Final = _Thread()
_compiler: Final = threading.RLock()
_observers: Final[list[Callable[[str], None]]] = []
on_compiled: Final[list[Callable[[Any], None]]] = []
"""Functions that are called with each kernel that was compiled or loaded, also as a pointer."""
_SHARED: Final = ("error_model", "fastmath")
"""Options of a kernel that its pointers must share to have the same bits."""


def chosen_tier() -> str:
    """The tier that the environment variable requests."""
    tier = os.environ.get(TIER, AUTOMATIC)
    if tier not in (AUTOMATIC, PYTHON, COMPILED):
        raise ValueError(f"{TIER} must be 'auto', 'python' or 'compiled', got {tier!r}: unset it")
    return tier


_tier: str = chosen_tier()


@overload
def kernel(function: Function, /) -> Function: ...
@overload
def kernel(*, error_model: str = ..., inline: str = ..., calls: bool = ...) -> Callable[[Function], Function]: ...
def kernel(function: Any = None, /, *, error_model: str = "python", inline: str = "never", calls: bool = False) -> Any:
    """Make a kernel of a function in the part of Python and NumPy that numba compiles, with the same result to the bit as Python.

    With the error model "numpy" a division by zero gives inf or nan. With inline "always" its code is inserted into the kernels
    that call it. `calls` must be true if pointers to other kernels are among its arguments.
    """
    if function is None:
        return partial(kernel, error_model=error_model, inline=inline, calls=calls)
    if untyped.config.DISABLE_JIT:
        return function
    assert function.__defaults__ is None, "numba would pass defaults in its own wrappers"
    options = {"nopython": True, "boundscheck": None, "inline": inline, "no_cfunc_wrapper": True}
    return (Caller if calls else Kernel)(py_func=function, locals={}, targetoptions=options | {"error_model": error_model})


class Part(NamedTuple):
    """Part that can be compiled separately: the number of kernels that it reaches, and the function that compiles it."""

    size: int
    compile: Callable[[], Any]


class Kernel(untyped.core.registry.CPUDispatcher):  # type: ignore[misc]
    """A function that numba compiles for each combination of types, once that pays.

    The dispatcher of numba, in C, finds the compiled code for the arguments. If there is none, it calls `_compile_for_args`,
    which returns the function to call.
    """

    _cache: Any

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._takes_star = bool(self.py_func.__code__.co_flags & inspect.CO_VARARGS)
        self._calls, self._next_look, self._sample = 0, 1, 1
        self.spent, self.total, self._asked_at, self._often_at = 0.0, 0.0, LEAST_PRICE, OFTEN
        _refuse_while_looking(self._compiler)

    def compile(self, sig: Any) -> Any:
        """Compiled code for this signature, from disk if it is there."""
        self._keep()
        entry = super().compile(sig)
        for note in on_compiled:
            note(self)
        return entry

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Types of a call in a compiled kernel: numba would compile another version for each constant among the arguments."""
        unliteral = untyped.types.unliteral
        return super().get_call_template([unliteral(a) for a in args], {name: unliteral(a) for name, a in kws.items()})

    def _keep(self) -> None:
        """Enable the cache on disk, which is done late because it looks for a folder."""
        if not isinstance(self._cache, KernelCache):
            self._cache = KernelCache(self.py_func)

    def _compile_for_args(self, *arguments: Any, **named: Any) -> Any:
        self._calls += 1
        if self._calls == 1:
            _begin(self)
        if self._calls < self._next_look and self.spent < self._asked_at and _thread.running:
            return self._interpreted if self._calls % self._sample == 0 else self.py_func  # same as the next line, but faster
        return self._compiled(arguments) if self._is_kept(arguments) or self._pays(arguments) else self._interpreted

    def _should_look(self) -> bool:
        """Whether to look on disk in this call: in the first one, and whenever the number of calls has doubled.

        Calls that must not wait leave later looks to the thread of `background`, since loading code takes up to half a second.
        """
        if self._calls < self._next_look or _tier == PYTHON:
            return False
        self._next_look = 2 * self._calls
        if self._calls >= MANY_CALLS and not self._takes_star:
            self._sample = SAMPLE
        return self._calls == 1 or background.is_off or not _thread.is_prompt

    def _is_kept(self, arguments: tuple[Any, ...]) -> bool:
        """Load the code for these arguments and their pointers from disk if it is there; whether it is."""
        if not self._should_look() or not self._is_loaded(arguments):
            return False
        return all(one.is_kept for one in _pointers(arguments))

    def _is_loaded(self, arguments: tuple[Any, ...]) -> bool:
        """Load the code for these arguments from disk if it is not in memory; whether there is any."""
        self._keep()
        if not self._cache.exists:
            return False
        return _is_found(lambda: super(Kernel, self)._compile_for_args(*arguments))

    def is_ready(self, arguments: tuple[Any, ...]) -> bool:
        """Whether the code for these arguments and their pointers is in memory."""
        is_compiled = tuple(self.typeof_pyval(one) for one in arguments) in self.overloads
        return is_compiled and all(one.is_compiled for one in _pointers(arguments))

    def open_parts(self, arguments: tuple[Any, ...]) -> dict[str, Part]:
        """Parts that must be compiled for these arguments and are not on disk, by name.

        Each can be compiled in a separate process, and then loaded by all others.
        """
        parts: dict[str, Part] = {}
        if not self._is_loaded(arguments):
            parts[self.__name__] = Part(_count(self), partial(self._compile_alone, arguments))
        for one in _pointers(arguments):
            if not one.is_kept:
                parts[one.kernel.__name__] = Part(_count(one.kernel), one.compile)
        return parts

    def _compile_alone(self, arguments: tuple[Any, ...]) -> Any:
        with _compiler, _timed(self, self._reason()):
            return super()._compile_for_args(*arguments)

    def _reason(self) -> str:
        """Why the kernel is compiled, for a message to the user."""
        spent = self.spent + (seconds() - _thread.start if _thread.running else 0.0)
        return f"it has taken {spent:.0f} s as Python" if spent >= 1.0 else "much is ahead"

    def _pays(self, arguments: tuple[Any, ...]) -> bool:
        """Whether to compile now: if this costs less than Python is expected to cost, or has cost and no child can compile."""
        if _tier != AUTOMATIC:
            return _tier == COMPILED
        ahead = 0.0 if _thread.running else _thread.expected
        is_often = self._calls >= self._often_at and not _thread.running
        if max(self.spent, ahead) < self._asked_at and not is_often:
            return False
        if ahead >= self._asked_at and ahead >= self.price(arguments):
            return True
        if not background.is_off and self.request(arguments):
            self._keep_count()
            self._often_at = 2 * self._calls
            return False
        if not _thread.is_prompt and self.spent >= self._asked_at:
            if self.spent >= self.price(arguments):
                return True
            self._asked_at = 1.1 * self.spent  # computing the price takes time
        return False

    def _keep_count(self) -> None:
        """Count the seconds so far as paid."""
        self.total, self.spent, self._asked_at = self.total + self.spent, 0.0, LEAST_PRICE

    def request(self, arguments: tuple[Any, ...]) -> bool:
        """Have a child compile what a call with these arguments needs; False if it cannot, because it cannot import it."""
        orders: list[tuple[Order, Callable[[], bool]]] = []
        types_ = tuple(self.typeof_pyval(one) for one in arguments)
        if types_ not in self.overloads:
            orders.append((_order(self, types_, "kernel"), partial(self._load, types_)))
        for one in _pointers(arguments):
            if not one.is_compiled:
                orders.append((_order(one.kernel, one.signature, "pointer"), one.load))
        if not all(order.name for order, _ in orders):
            return False
        for order, load in orders:
            background.request(order, load)
        return True

    def _load(self, types_: tuple[Any, ...]) -> bool:
        """Load the code for arguments of these types from disk; whether there is any. Waits while another thread compiles."""
        self._keep()
        _is_found(lambda: self.compile(types_), wait=True)
        return types_ in self.overloads

    def price(self, arguments: tuple[Any, ...]) -> float:
        """Estimated seconds of compilation."""
        found: set[Kernel] = set()
        _reach(self, found)
        for one in _pointers(arguments):
            if not one.is_compiled:
                _reach(one.kernel, found)
        code = sum(len(one.py_func.__code__.co_code) for one in found)
        return SECONDS_A_KERNEL * len(found) + SECONDS_A_BYTE * code + (0.0 if _Compilations.started else FIRST_SECONDS)

    def _compiled(self, arguments: tuple[Any, ...]) -> Any:
        """Compiled code for these arguments and their pointers; Python while another thread compiles, so as not to wait."""

        def compiled() -> Any:
            entry = self._compile_alone(arguments)
            for one in _pointers(arguments):
                one.compile()
            self._keep_count()
            return entry

        return holding(_compiler, compiled, otherwise=self._interpreted, wait=_tier == COMPILED)

    def _interpreted(self, *arguments: Any) -> Any:
        """Run as Python."""
        if self._takes_star:
            arguments = (*arguments[:-1], *arguments[-1])  # numba passes them as one tuple
        if not _thread.running:
            return self._interpreted_first(arguments)
        start = seconds()
        if start > _thread.deadline or _thread.waiting is not None:
            poll()
        try:
            return self.py_func(*arguments)
        finally:
            self.spent += (seconds() - start) * self._sample

    def _interpreted_first(self, arguments: tuple[Any, ...]) -> Any:
        """Run as Python, when called from outside kernels."""
        before = _Before(arguments)
        if not before.is_whole and _tier == AUTOMATIC and _is_free() and not _thread.is_prompt:
            with expecting(math.inf):
                return self(*arguments)
        start = seconds()
        _thread.running, _thread.start = True, start
        if _tier == AUTOMATIC and before.is_whole:
            _thread.first, _thread.deadline = (self, arguments), start + LEAST_PRICE
        try:
            with _later_interrupts(), np.errstate(all="ignore"):
                return self.py_func(*arguments)
        except _Overdue:
            before.restore()
        except BaseException:
            before.restore()
            raise
        finally:
            _thread.running, _thread.first, _thread.deadline = False, None, math.inf
            self.spent += seconds() - start
        return self(*arguments)


class Caller(Kernel):
    """A kernel that takes pointers to others, which must be compiled before it can run compiled."""

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel in a tier that the kernel and its pointers have in common."""
        if self.overloads:
            pointers = [one for one in _pointers(arguments) if not one.is_compiled]
            if pointers:
                self._calls += 1
                is_kept = self._should_look() and all(one.is_kept for one in pointers)
                if not (is_kept or self._pays(arguments)):
                    return self._interpreted(*arguments)
                for one in pointers:
                    one.compile()
        return super().__call__(*arguments)


class PointerType(types.FunctionType):
    """Type of pointers to kernels of one signature; unlike that of numba, an argument costs 0.5 microseconds instead of 10."""


untyped.extending.register_model(PointerType)(untyped.experimental.function_type.FunctionModel)


class Pointer:
    """A kernel, of this library or of a user, as an argument of others: Python calls the kernel, and compiled code its address.
    The signature is the numba types of its arguments and of its result.
    """

    def __init__(self, kernel: Any, signature: Any) -> None:
        self.kernel, self.signature, self._numba_type_ = kernel, signature, PointerType(signature)
        options = {name: kernel.targetoptions[name] for name in _SHARED if name in kernel.targetoptions}
        self._code: Any = untyped.core.ccallback.CFunc(kernel.py_func, (signature.args, signature.return_type), {}, options)
        _refuse_while_looking(self._code._compiler)

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel."""
        return self.kernel(*arguments)

    @property
    def is_compiled(self) -> bool:
        """Whether it is compiled."""
        return self._code.address is not None

    @property
    def is_kept(self) -> bool:
        """Load the code from disk if it is not in memory; whether there is any."""
        return self.load(wait=False)

    def load(self, *, wait: bool = True) -> bool:
        """The same; while another thread compiles, wait for it or give up."""
        if not self.is_compiled:
            self._keep()
            _is_found(self._code.compile, wait=wait)
        return self.is_compiled

    def _keep(self) -> None:
        kept: Any = KernelCache if isinstance(self.kernel, Kernel) else untyped.core.caching.FunctionCache
        if not isinstance(self._code._cache, kept):
            self._code._cache = kept(self.kernel.py_func)

    def compile(self) -> None:
        """Compile the kernel, or load it from disk."""
        if not self.is_compiled:
            self._keep()
            with _compiler, _timed(self.kernel, "compiled kernels call it"):
                self._code.compile()
            for note in on_compiled:
                note(self.kernel)

    @property
    def address(self) -> int:
        """Address of the compiled code, which is compiled if necessary."""
        self.compile()
        address: int = self._code.address
        return address


@untyped.extending.unbox(PointerType)  # type: ignore[untyped-decorator]
def _unbox_pointer(type_: PointerType, value: Any, c: Any) -> Any:
    """Get the address only; the function of numba also unpickles the signature, twice per call.

    numba goes on with the next pointer of a tuple after one has raised. Python must not run with its exception pending.
    """
    cgutils = untyped.core.cgutils
    pointer = cgutils.create_struct_proxy(type_)(c.context, c.builder)
    failed = cgutils.alloca_once_value(c.builder, cgutils.true_bit)
    with c.builder.if_then(c.builder.not_(c.pyapi.c_api_error())):
        address = c.pyapi.object_getattr_string(value, "address")
        with c.builder.if_then(cgutils.is_not_null(c.builder, address)):
            pointer.c_addr = c.pyapi.long_as_voidptr(address)
            pointer.py_addr = c.builder.ptrtoint(value, c.context.get_value_type(types.voidptr))
            pointer.jit_addr = pointer.jit_addr.type(None)
            c.pyapi.decref(address)
            c.builder.store(cgutils.false_bit, failed)
    return untyped.extending.NativeValue(pointer._getvalue(), is_error=c.builder.load(failed))


def _pointers(arguments: tuple[Any, ...]) -> Iterator[Pointer]:
    """Pointers among the arguments, and in tuples among them."""
    for one in arguments:
        if type(one) is Pointer:
            yield one
        elif isinstance(one, tuple) and one and type(one[0]) is Pointer:
            yield from one


class _Before:
    """Copies of the arrays and of the states of generators among the arguments, unless they are too large."""

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        size = 0
        self._arrays: list[tuple[Any, Any]] = []
        self._generators: list[tuple[Any, Any]] = []
        open_tuples = [arguments]
        while open_tuples:
            for one in open_tuples.pop():
                if isinstance(one, np.ndarray):
                    if one.flags.writeable:
                        size += one.nbytes
                        if size <= MOST_COPIED:
                            self._arrays.append((one, one.copy()))
                elif isinstance(one, tuple):
                    open_tuples.append(one)
                elif isinstance(one, np.random.Generator):
                    self._generators.append((one.bit_generator, one.bit_generator.state))
        self.is_whole = size <= MOST_COPIED
        if not self.is_whole:
            self._arrays.clear()
            self._generators.clear()

    def restore(self) -> None:
        """Restore the arrays and generators."""
        for array, copy in self._arrays:
            array[...] = copy
        for generator, state in self._generators:
            generator.state = state


@contextmanager
def expecting(ahead: float) -> Iterator[None]:
    """Context in which kernels are compiled at once if that takes less time than the expected work as Python, `ahead` seconds. In
    nested contexts the largest number counts.
    """
    before, _thread.expected = _thread.expected, max(_thread.expected, ahead)
    try:
        yield
    finally:
        _thread.expected = before


def finish() -> None:
    """Wait for the kernels that are being compiled, at most as long as earlier processes have spent in them as Python.

    For short commands at their end: otherwise none of them would live long enough to compile what all of them need.
    """
    labels = [order.label for order in list(background.pending)]
    background.wait(max(map(spending.spent_before, labels), default=0.0))


@contextmanager
def promptly() -> Iterator[None]:
    """Context in which no call waits for the compiler, unless the caller expects much work or the tier is "compiled"."""
    before, _thread.is_prompt = _thread.is_prompt, True
    try:
        yield
    finally:
        _thread.is_prompt = before


def seconds() -> float:
    """Time on a clock that stops while this thread compiles."""
    return perf_counter() - _thread.compiling


def poll() -> None:
    """Handle Ctrl-C in a kernel that runs as Python, and abort the kernel if it lasts longer than compilation."""
    if _thread.running:
        if seconds() > _thread.deadline:
            _check_deadline()
        if _thread.waiting is not None:
            number, frame, handler = _thread.waiting
            _thread.waiting = None
            handler(number, frame)


def _reach(one: Any, found: set[Kernel]) -> None:
    """Add this kernel and all that it calls, unless they are compiled."""
    if not isinstance(one, Kernel) or one in found or one.overloads:
        return
    found.add(one)
    names = one.py_func.__code__.co_names
    known = one.py_func.__globals__
    for name in names:
        called = known.get(name)
        if isinstance(called, ModuleType):
            for other in names:
                _reach(getattr(called, other, None), found)
        else:
            _reach(called, found)


_used: Final[list[Kernel]] = []
"""Kernels that were called as Python or loaded in this process."""


def _begin(one: Kernel) -> None:
    """Before the first call: take over what earlier processes have spent."""
    if _tier != AUTOMATIC or not one.__module__.startswith(PACKAGE):
        return
    if not _used:
        atexit.register(_keep_spent)
    _used.append(one)
    one.spent += spending.spent_before(_name(one))


def _request_soon(name: str) -> None:
    """Have the next call as Python request the kernel of this name, or pointers to it: its code is on disk."""
    for one in list(_used):
        if isinstance(one, Caller) or _name(one) == name:
            one._often_at = 0


background.on_saved.append(_request_soon)


def _keep_spent() -> None:
    """At the end: keep for later processes what kernels have cost that are still not compiled."""
    spending.keep({_name(one): 0.0 if one.overloads else one.total + one.spent for one in _used})


def _name(one: Kernel) -> str:
    return f"{one.py_func.__module__}.{one.__name__}"


def _order(one: Any, types_: Any, kind: str) -> Order:
    """The order for a child process; without a name if the child cannot import the kernel."""
    function = one.py_func
    module, name = function.__module__, function.__name__
    is_known = module.startswith(PACKAGE) and getattr(sys.modules.get(module), name, None) is one
    return Order(module, name if is_known else "", pickle.dumps(types_), kind)


def _count(one: Any) -> int:
    """Number of kernels to compile for this one."""
    found: set[Kernel] = set()
    _reach(one, found)
    return len(found)


def _refuse_while_looking(compiler: Any) -> None:
    """Make this compiler of numba raise instead of compiling while code is loaded from disk."""
    compile_anew = compiler.compile

    def compile_unless_looking(arguments: Any, result: Any) -> Any:
        if _thread.is_looking:
            raise _NotKept
        return compile_anew(arguments, result)

    compiler.compile = compile_unless_looking


def _check_deadline() -> None:
    """Abort the kernel that runs as Python once it has cost as much as compilation, unless another thread compiles."""
    first, arguments = _thread.first
    if not background.is_off and first.request(arguments):
        left = LEAST_PRICE
        if first.is_ready(arguments):
            raise _Overdue
    else:
        left = math.inf if _thread.is_prompt else first.price(arguments) - first.spent - (seconds() - _thread.start)
        if left <= 0.0 and _is_free():
            raise _Overdue
    _thread.deadline = seconds() + max(left, LEAST_PRICE)


def _is_free() -> bool:
    """Whether no other thread compiles."""
    return holding(_compiler, lambda: True, otherwise=False)


def _is_found(load: Callable[[], object], *, wait: bool = False) -> bool:
    """Load code from disk without compiling; whether it was there. While another thread compiles, wait for it or give up."""

    def look() -> bool:
        _thread.is_looking = True
        try:
            with HeardInterrupts():
                load()
        except _NotKept:
            return False
        finally:
            _thread.is_looking = False
        return True

    return holding(_compiler, look, otherwise=False, wait=wait)


class _Compilations:
    """Whether this process has compiled anything."""

    started = False


@contextmanager
def announcing(tell: Callable[[str], None]) -> Iterator[None]:
    """Context in which `tell` is called with a text when a compilation starts, and with "" when it ends."""
    _observers.append(tell)
    try:
        yield
    finally:
        _observers.remove(tell)


def announce(text: str) -> None:
    """Call the functions of all `announcing` contexts with this text."""
    for tell in _observers:
        tell(text)


@contextmanager
def _timed(compiled: Any, reason: str) -> Iterator[None]:
    """Context of compilation or loading, whose time does not count as time of Python."""
    if _thread.is_compiling:
        yield
        return
    start = perf_counter()
    try:
        _thread.is_compiling = True
        announce(f"compiling {compiled.__name__}, once on this machine, as {reason}")
        with HeardInterrupts():
            yield
    finally:
        _thread.is_compiling, _Compilations.started = False, True
        announce("")
        taken = perf_counter() - start
        _thread.compiling += taken
        log.info("compiled %s in %.1f s", compiled.__name__, taken)


@contextmanager
def _later_interrupts() -> Iterator[None]:
    """Context in which Ctrl-C waits for the next `poll`: within a kernel, its exception could be lost in the code of numba."""
    handler = interrupt_handler()
    if handler is None:
        yield
        return

    def note(number: int, frame: FrameType | None) -> None:
        if _thread.is_compiling or _thread.is_looking:
            handler(number, frame)
        else:
            _thread.waiting = (number, frame, handler)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        waiting, _thread.waiting = _thread.waiting, None
        if waiting is not None:
            handler(*waiting[:2])


def _after_fork() -> None:
    """In a process that was forked while no thread compiled or loaded: none of the threads goes on there."""
    background.forget()
    _compiler.release()


def _before_fork() -> None:
    background.lock.acquire()
    _compiler.acquire()


def _after_fork_in_parent() -> None:
    _compiler.release()
    background.lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork)
