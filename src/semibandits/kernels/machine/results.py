"""Results of compiled kernels become objects without running Python code, where a signal handler could raise.

After a kernel, numba converts what it returns. For arrays it calls a function in Python, and for named tuples their class, whose
constructor is Python as well. If the handler of Ctrl-C raised there, its exception would be lost, and a `SystemError` or
`ValueError` would be raised instead. So the results of that function are cached, which numba keeps anyway, and named tuples of
this package are made by ``tuple.__new__``.

A kernel that returned early because the exception of a handler is pending must raise it: Python treats a normal return as an
error then. Where its result is a named tuple of this package, the result is freed and the exception is raised.

Every kernel must be compiled with this, so `machine.tiers` imports it.
"""

from __future__ import annotations

from functools import _lru_cache_wrapper, lru_cache, partial
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import boxing, cgutils, pythonapi, serialize

PACKAGE: Final = f"{__package__.rpartition('.')[0]}."
"""How the names of modules with kernels begin."""


def _cache_unpickled() -> None:
    """Cache the function that unpickles the objects in compiled code."""
    rebuild = getattr(serialize, "_numba_unpickle", None)
    if rebuild is not None and not isinstance(rebuild, _lru_cache_wrapper):
        serialize._numba_unpickle = lru_cache(maxsize=None)(rebuild)


def _named_tuple(kind: Any, value: Any, context: Any) -> Any:
    """Generate code that makes a named tuple; as numba does for those of other packages, which may have constructors."""
    if not kind.instance_class.__module__.startswith(PACKAGE):
        return boxing.box_namedtuple(kind, value, context)
    python, builder = context.pyapi, context.builder
    result: Any = cgutils.alloca_once_value(builder, python.get_null_object())  # type: ignore[no-untyped-call]
    with builder.if_else(is_pending(builder), likely=False) as (interrupted, done):
        with interrupted:
            context.context.nrt.decref(builder, kind, value)
        with done:
            make = python.unserialize(python.serialize_object(partial(tuple.__new__, kind.instance_class)))
            plain = boxing.box_tuple(kind, value, context)
            builder.store(python.call_function_objargs(make, (plain,)), result)
            python.decref(make)
            python.decref(plain)
    return builder.load(result)


def is_pending(builder: Any) -> Any:
    """Generate code that finds out whether an exception is pending in the interpreter."""
    pending = python_function(builder, "PyErr_Occurred", ir.IntType(8).as_pointer())
    return cgutils.is_not_null(builder, builder.call(pending, []))  # type: ignore[no-untyped-call]


def python_function(builder: Any, name: str, result: Any) -> Any:
    """A function of the C API of Python, found by its name, so that compiled code can be cached on disk."""
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, []), name)  # type: ignore[no-untyped-call]


_cache_unpickled()
for _kind in (types.NamedTuple, types.NamedUniTuple):
    pythonapi._boxers.functions[_kind] = _named_tuple
