"""One use of an object at a time: a second one is refused at once, and never waits."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from semibandits.errors import ConcurrentUseError

P = ParamSpec("P")
T = TypeVar("T")


class Uses(set[object]):
    """The uses of an object that are under way; copies and pickles of it begin with none."""

    def __reduce__(self) -> tuple[type[Uses], tuple[()]]:
        return Uses, ()


class _Used(Protocol):
    _uses: Uses


S = TypeVar("S", bound=_Used)


def alone(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """The method, which raises ConcurrentUseError while another such method of the same object is under way.

    A lock could stay taken for ever: Ctrl-C may come after `acquire` has returned and before `try` has begun. Here `try` is
    entered first, and each of `add`, `len` and `discard` is one step of the interpreter. Of two calls that begin at the same
    time both may be refused; never do both go on.
    """

    @wraps(method)
    def guarded(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        uses, use = self._uses, object()
        try:
            uses.add(use)
            if len(uses) > 1:
                raise ConcurrentUseError(
                    f"one thread at a time must use a {type(self).__name__}, got a call while another one was under way: "
                    "hold one lock of your own around each call, or give each thread its own"
                )
            return method(self, *args, **kwargs)
        finally:
            uses.discard(use)

    return guarded
