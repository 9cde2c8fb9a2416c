"""Arrays without a reference counter, for calls through function pointers.

Each array argument of such a call increments and decrements an atomic counter, which takes most of the time of a round of 300 ns.
An uncounted array has no counter. The caller must keep the array alive while it is in use.
"""

from __future__ import annotations

from typing import Any, TypeVar

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

Array = TypeVar("Array")


def uncounted(array: Array) -> Array:
    """The same array without a reference counter."""
    return array


@intrinsic
def _without_counter(typing_context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        for owner in ("meminfo", "parent"):
            null: Any = cgutils.get_null_value(getattr(view, owner).type)  # type: ignore[no-untyped-call]
            setattr(view, owner, null)
        return view._getvalue()

    return array(array), generate


@overload(uncounted, strict=False)
def _overloaded(array: Any) -> Any:
    return (lambda array: _without_counter(array)) if isinstance(array, types.Array) else None  # type: ignore[call-arg]
