"""Exclusive use of an object: a concurrent call is refused at once, without waiting."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from semibandits.errors import ConcurrentUseError
from semibandits.kernels.machine.tiers import promptly

P = ParamSpec("P")
T = TypeVar("T")


class Uses(set[object]):
    """Calls in progress on an object; copies and pickles of it start empty."""

    def __reduce__(self) -> tuple[type[Uses], tuple[()]]:
        return Uses, ()


class _Used(Protocol):
    _uses: Uses


S = TypeVar("S", bound=_Used)


def exclusive(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Make a method raise ConcurrentUseError while another exclusive method of the same object is running.

    The method does not wait for the compiler (`promptly`).

    A lock could stay locked for ever: Ctrl-C may come after `acquire` returns and before `try` begins. Here `try` is entered
    first, and each of `add`, `len` and `discard` is one step of the interpreter. Of two calls that begin at the same time both
    may be refused, but never do both proceed.
    """

    @wraps(method)
    def guarded(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        uses, use = self._uses, object()
        try:
            uses.add(use)
            if len(uses) > 1:
                raise ConcurrentUseError(
                    f"a {type(self).__name__} must be used by one thread at a time, got a call while another one was running: "
                    "hold one lock of your own around each call, or give each thread its own"
                )
            with promptly():
                return method(self, *args, **kwargs)
        finally:
            uses.discard(use)

    return guarded
