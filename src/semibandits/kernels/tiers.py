"""Kernels in two tiers: as Python while that is cheaper than compiling them, compiled once it pays or has been done before.

To compile a kernel and all that it calls takes some half a second for each, which small problems never earn. So a kernel that
is called from Python, or from another that runs as Python, chooses: compiled code that is in memory or on disk is used; else it
runs as Python and counts the seconds, and is compiled once they come near what compiling would cost, or once the caller expects
as many (`expecting`). Who waits never waits much longer than twice what the better choice would have taken.

What a kernel answers does not depend on the tier, to the bit. A call that lasts longer than compiling is broken off: its arrays
and generators are put back as they were, and it starts again, compiled. So is one that Ctrl-C breaks off, which is heard wherever
a compiled kernel would hear it (see `kernels.signals`) and where a kernel calls another.

``SEMIBANDITS_TIER=python`` and ``SEMIBANDITS_TIER=compiled`` choose for all kernels, ``NUMBA_DISABLE_JIT=1`` leaves Python alone.
"""

from __future__ import annotations

import inspect
import logging
import math
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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

from semibandits.kernels._cache import KernelCache

SECONDS_A_KERNEL: Final = 0.1
SECONDS_A_BYTE: Final = 5e-4
"""What it takes to compile one, without those that it calls, and for each byte of its code in Python; fitted to all kernels."""
LEAST_PRICE: Final = 0.25
"""Below that nothing is asked."""
FIRST_SECONDS: Final = 1.0
"""What the first compilation of a process takes beside that, while the compiler itself is loaded."""
MANY_CALLS: Final = 64
SAMPLE: Final = 8
"""Of kernels that another one calls that often, only every so manieth call is timed: to take the time costs a microsecond."""
MOST_COPIED: Final = 2**24
"""Bytes of arguments: calls with more are compiled at once, for they could not be put back, and work on so much is much."""
TIER: Final = "SEMIBANDITS_TIER"
AUTOMATIC, PYTHON, COMPILED = "auto", "python", "compiled"

untyped: Any = numba
"""What numba has no types for, or none that fit."""
log = logging.getLogger(__name__)
Function = TypeVar("Function", bound=Callable[..., Any])


class _Overdue(BaseException):
    """A call as Python has lasted longer than compiling takes."""


class _NotKept(Exception):  # noqa: N818 (nothing is wrong)
    """There is no compiled code on disk."""


@dataclass
class _Thread(threading.local):
    """What one thread is at.

    Attributes
    ----------
    running : bool
        Whether a kernel runs as Python.
    first : tuple or None
        The outermost that does, and its arguments, unless it must not be broken off.
    start, deadline : float
        When it began, and when to look whether it lasts too long, as `seconds` tells the time.
    compiling : float
        Seconds spent so far on compiling.
    expected : float
        Seconds of kernels as Python that the caller expects.
    is_compiling : bool
        Whether numba compiles.
    is_looking : bool
        Whether compiled code is looked for, and nothing is compiled.
    waiting : tuple or None
        A Ctrl-C that no kernel has heard yet.
    """

    running: bool = False
    first: Any = None
    start: float = 0.0
    deadline: float = math.inf
    compiling: float = 0.0
    expected: float = 0.0
    is_compiling: bool = False
    is_looking: bool = False
    waiting: tuple[int, FrameType | None, Any] | None = None


_thread: Final = _Thread()
_compiler: Final = threading.RLock()
_observers: Final[list[Callable[[str], None]]] = []
_SHARED: Final = ("error_model", "fastmath")
"""How a kernel asks to be compiled, which its pointers must share for the same bits."""


def chosen_tier() -> str:
    """What the environment asks for."""
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
    """Make a kernel of a function.

    Parameters
    ----------
    function : function
        In the part of Python and NumPy that numba compiles, whose answer is the same to the bit without it.
    error_model : {"python", "numpy"}
        With "numpy" a division by zero is infinite or nan.
    inline : {"never", "always"}
        With "always" it becomes a part of the kernels that call it.
    calls : bool
        Whether pointers to other kernels are among its arguments.
    """
    if function is None:
        return partial(kernel, error_model=error_model, inline=inline, calls=calls)
    if untyped.config.DISABLE_JIT:
        return function
    assert function.__defaults__ is None, "numba would hand defaults over in wrappers of its own"
    options = {"nopython": True, "boundscheck": None, "inline": inline, "no_cfunc_wrapper": True}
    return (Caller if calls else Kernel)(
        py_func=function, locals={}, targetoptions=options | {"error_model": error_model}
    )


class Part(NamedTuple):
    """What can be compiled by itself: how many kernels it reaches, and what compiles it."""

    size: int
    compile: Callable[[], Any]


class Kernel(untyped.core.registry.CPUDispatcher):  # type: ignore[misc]
    """A function that numba compiles for each combination of types, once that pays.

    numba's part of a call, in C, finds what is compiled for the arguments, and asks `_compile_for_args` for something to call if
    there is nothing.
    """

    _cache: Any

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._takes_star = bool(self.py_func.__code__.co_flags & inspect.CO_VARARGS)
        self._calls, self._next_look, self._sample = 0, 1, 1
        self.spent, self._asked_at = 0.0, LEAST_PRICE
        _refuse_while_looking(self._compiler)

    def compile(self, sig: Any) -> Any:
        """Code for this signature, from disk if it is there."""
        self._keep()
        return super().compile(sig)

    def _keep(self) -> None:
        """Keep what is compiled on disk; not before something is, for that asks for a folder."""
        if not isinstance(self._cache, KernelCache):
            self._cache = KernelCache(self.py_func)

    def _compile_for_args(self, *arguments: Any, **named: Any) -> Any:
        self._calls += 1
        if self._calls < self._next_look and self.spent < self._asked_at and _thread.running:
            return self._interpreted if self._calls % self._sample == 0 else self.py_func  # as the next line would say
        return self._compiled(arguments) if self._is_kept(arguments) or self._pays(arguments) else self._interpreted

    def _should_look(self) -> bool:
        """Whether to look on disk in this call: in the first, and whenever their number has doubled."""
        if self._calls < self._next_look or _tier == PYTHON:
            return False
        self._next_look = 2 * self._calls
        if self._calls >= MANY_CALLS and not self._takes_star:
            self._sample = SAMPLE
        return True

    def _is_kept(self, arguments: tuple[Any, ...]) -> bool:
        """Whether it is on disk; then it is loaded."""
        if not self._should_look() or not self._is_loaded(arguments):
            return False
        return all(one.is_kept for one in _pointers(arguments))

    def _is_loaded(self, arguments: tuple[Any, ...]) -> bool:
        """Whether there is code for these arguments in memory, or on disk: then it is loaded."""
        self._keep()
        if not self._cache.exists:
            return False
        with _looking() as may_look:
            if may_look:
                with suppress(_NotKept):
                    super()._compile_for_args(*arguments)
                    return True
        return False

    def open_parts(self, arguments: tuple[Any, ...]) -> dict[str, Part]:
        """What must be compiled for these arguments and is not on disk, by its name.

        Each can be compiled in a process of its own, for all others to load.
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
        """Why it is compiled, for people who wait."""
        spent = self.spent + (seconds() - _thread.start if _thread.running else 0.0)
        return f"it has taken {spent:.0f} s as Python" if spent >= 1.0 else "much is ahead"

    def _pays(self, arguments: tuple[Any, ...]) -> bool:
        """Whether compiling now costs less than Python has cost, or will."""
        if _tier != AUTOMATIC:
            return _tier == COMPILED
        worth = self.spent if _thread.running else max(self.spent, _thread.expected)
        if worth < self._asked_at:
            return False
        if worth >= self.price(arguments):
            return True
        self._asked_at = 1.1 * worth  # the price is not for nothing
        return False

    def price(self, arguments: tuple[Any, ...]) -> float:
        """Seconds that compiling takes."""
        found: set[Kernel] = set()
        _reach(self, found)
        for one in _pointers(arguments):
            if not one.is_compiled:
                _reach(one.kernel, found)
        code = sum(len(one.py_func.__code__.co_code) for one in found)
        return SECONDS_A_KERNEL * len(found) + SECONDS_A_BYTE * code + (0.0 if _Compilations.started else FIRST_SECONDS)

    def _compiled(self, arguments: tuple[Any, ...]) -> Any:
        """Code for these arguments and what they point at; Python while another thread compiles, for it does not wait."""
        if not _compiler.acquire(blocking=_tier == COMPILED):
            return self._interpreted
        try:
            entry = self._compile_alone(arguments)
            for one in _pointers(arguments):
                one.compile()
            self.spent, self._asked_at = 0.0, LEAST_PRICE
        finally:
            _compiler.release()
        return entry

    def _interpreted(self, *arguments: Any) -> Any:
        """Run as Python."""
        if self._takes_star:
            arguments = (*arguments[:-1], *arguments[-1])  # numba has made one of them
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
        """Run as Python, called from outside of kernels."""
        before = _Before(arguments)
        if not before.is_whole and _tier == AUTOMATIC and _is_free():
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
        """Call it, in the tier that suits it and the pointers."""
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
    """Type of pointers to kernels of one signature: as numba's own, but an argument costs half a microsecond, and not ten."""


untyped.extending.register_model(PointerType)(untyped.experimental.function_type.FunctionModel)


class Pointer:
    """A kernel that others take as an argument: Python calls it, and compiled code its address.

    Parameters
    ----------
    kernel : Kernel or numba.core.dispatcher.Dispatcher
        Of this library, or of a user.
    signature : numba signature
        Types of its arguments and of its result.
    """

    def __init__(self, kernel: Any, signature: Any) -> None:
        self.kernel, self._numba_type_ = kernel, PointerType(signature)
        options = {name: kernel.targetoptions[name] for name in _SHARED if name in kernel.targetoptions}
        self._code: Any = untyped.core.ccallback.CFunc(
            kernel.py_func, (signature.args, signature.return_type), {}, options
        )
        _refuse_while_looking(self._code._compiler)

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel."""
        return self.kernel(*arguments)

    @property
    def is_compiled(self) -> bool:
        """Whether it has an address."""
        return self._code.address is not None

    @property
    def is_kept(self) -> bool:
        """Whether it has an address or is on disk; then it is loaded."""
        if not self.is_compiled:
            self._keep()
            with _looking() as may_look:
                if may_look:
                    with suppress(_NotKept):
                        self._code.compile()
        return self.is_compiled

    def _keep(self) -> None:
        kept: Any = KernelCache if isinstance(self.kernel, Kernel) else untyped.core.caching.FunctionCache
        if not isinstance(self._code._cache, kept):
            self._code._cache = kept(self.kernel.py_func)

    def compile(self) -> None:
        """Have an address."""
        if not self.is_compiled:
            self._keep()
            with _compiler, _timed(self.kernel, "it is a part of what runs compiled"):
                self._code.compile()

    @property
    def address(self) -> int:
        """Address of the compiled code."""
        self.compile()
        address: int = self._code.address
        return address


@untyped.extending.unbox(PointerType)  # type: ignore[untyped-decorator]
def _unbox_pointer(type_: PointerType, value: Any, c: Any) -> Any:
    """Ask for the address only; numba's own also unpickles the signature, twice in each call."""
    pointer = untyped.core.cgutils.create_struct_proxy(type_)(c.context, c.builder)
    address = c.pyapi.object_getattr_string(value, "address")
    is_known = untyped.core.cgutils.is_not_null(c.builder, address)
    with c.builder.if_then(is_known):
        pointer.c_addr = c.pyapi.long_as_voidptr(address)
        pointer.py_addr = c.builder.ptrtoint(value, c.context.get_value_type(types.voidptr))
        pointer.jit_addr = pointer.jit_addr.type(None)
        c.pyapi.decref(address)
    return untyped.extending.NativeValue(pointer._getvalue(), is_error=c.builder.not_(is_known))


def _pointers(arguments: tuple[Any, ...]) -> Iterator[Pointer]:
    """Pointers among the arguments, alone or a tuple of them."""
    for one in arguments:
        if type(one) is Pointer:
            yield one
        elif isinstance(one, tuple) and one and type(one[0]) is Pointer:
            yield from one


class _Before:
    """Arrays and generators among the arguments as they were, if that is not too much to copy."""

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
        """Undo what was done to them."""
        for array, copy in self._arrays:
            array[...] = copy
        for generator, state in self._generators:
            generator.state = state


@contextmanager
def expecting(ahead: float) -> Iterator[None]:
    """Within this, a kernel is compiled at once if that costs less than what is ahead would as Python.

    Parameters
    ----------
    ahead : float
        How many seconds the caller expects that to be; where this is within another, the larger number counts.
    """
    before, _thread.expected = _thread.expected, max(_thread.expected, ahead)
    try:
        yield
    finally:
        _thread.expected = before


def seconds() -> float:
    """The time, without what this thread has spent on compiling."""
    return perf_counter() - _thread.compiling


def poll() -> None:
    """Hear Ctrl-C in a kernel that runs as Python, and break it off if it lasts longer than compiling."""
    if _thread.running:
        if seconds() > _thread.deadline:
            _check_deadline()
        if _thread.waiting is not None:
            number, frame, handler = _thread.waiting
            _thread.waiting = None
            handler(number, frame)


def _reach(one: Any, found: set[Kernel]) -> None:
    """Add this kernel and all that it calls, as far as they are not compiled."""
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


def _count(one: Any) -> int:
    """Number of kernels that it reaches and that are not compiled."""
    found: set[Kernel] = set()
    _reach(one, found)
    return len(found)


def _refuse_while_looking(compiler: Any) -> None:
    """Have this part of numba compile nothing while code is only looked for."""
    compile_anew = compiler.compile

    def compile_unless_looking(arguments: Any, result: Any) -> Any:
        if _thread.is_looking:
            raise _NotKept
        return compile_anew(arguments, result)

    compiler.compile = compile_unless_looking


def _check_deadline() -> None:
    """Break off what runs as Python if that has cost as much as compiling and no other thread compiles, else look again later."""
    first, arguments = _thread.first
    left = first.price(arguments) - first.spent - (seconds() - _thread.start)
    if left <= 0.0 and _is_free():
        raise _Overdue
    _thread.deadline = seconds() + max(left, LEAST_PRICE)


def _is_free() -> bool:
    """Whether no other thread compiles."""
    if not _compiler.acquire(blocking=False):
        return False
    _compiler.release()
    return True


@contextmanager
def _looking() -> Iterator[bool]:
    """What is entered loads compiled code from disk, or raises; False while another thread compiles."""
    if not _compiler.acquire(blocking=False):
        yield False
        return
    _thread.is_looking = True
    try:
        yield True
    finally:
        _thread.is_looking = False
        _compiler.release()


class _Compilations:
    """Of this process."""

    started = False


@contextmanager
def announcing(tell: Callable[[str], None]) -> Iterator[None]:
    """Within this, `tell` is called with what is compiled and why whenever that begins, and with nothing, "", when it ends."""
    _observers.append(tell)
    try:
        yield
    finally:
        _observers.remove(tell)


def announce(text: str) -> None:
    """Tell whoever wants to know what is compiled."""
    for tell in _observers:
        tell(text)


@contextmanager
def _timed(compiled: Any, reason: str) -> Iterator[None]:
    """What is entered compiles, or loads, and is no time of Python's."""
    start, is_first = perf_counter(), not _thread.is_compiling
    _thread.is_compiling = True
    if is_first:
        announce(f"compiling {compiled.__name__} once on this machine, as {reason}")
    try:
        yield
    finally:
        if is_first:
            announce("")
            taken = perf_counter() - start
            _thread.is_compiling, _Compilations.started = False, True
            _thread.compiling += taken
            log.info("compiled %s in %.1f s", compiled.__name__, taken)


@contextmanager
def _later_interrupts() -> Iterator[None]:
    """Ctrl-C waits for the next `poll`: what comes in the midst of a kernel could get lost in numba's code."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
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
