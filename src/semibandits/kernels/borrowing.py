"""Arrays that kernels may use but do not own.

Every array that crosses a call through a pointer is counted up and down, atomically, which in a round of 300 ns costs most of the
time. What is borrowed has no counter. Whoever lends must hold the array as long as it is in use.
"""

from __future__ import annotations

from typing import Any, TypeVar

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

Array = TypeVar("Array")


def borrowed(array: Array) -> Array:
    """The same array, uncounted."""
    return array


@intrinsic
def _uncounted(typing_context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        for owner in ("meminfo", "parent"):
            null: Any = cgutils.get_null_value(getattr(view, owner).type)  # type: ignore[no-untyped-call]
            setattr(view, owner, null)
        return view._getvalue()

    return array(array), generate


@overload(borrowed, strict=False)
def _borrowed(array: Any) -> Any:
    return (lambda array: _uncounted(array)) if isinstance(array, types.Array) else None  # type: ignore[call-arg]
