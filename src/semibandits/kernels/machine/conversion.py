"""Arguments and results of compiled kernels are converted so that a signal handler may raise at any moment.

After a kernel, numba converts what it returns. For arrays it calls a function in Python, and for named tuples their class, whose
constructor is Python as well. If the handler of Ctrl-C raised there, its exception would be lost, and a `SystemError` or
`ValueError` would be raised instead. So the results of that function are cached, which numba keeps anyway, and named tuples of
this package are made by ``tuple.__new__``.

A kernel that returned early because the exception of a handler is pending must raise it: Python treats a normal return as an
error then. Where its result is a named tuple of this package, the result is freed and the exception is raised.

Before a kernel, numba calls Python to read the addresses in a random generator, and does not check for an exception: one that a
handler raised there ended the process with a segmentation fault. `_unboxed_generator` checks and raises it.

Every kernel must be compiled with this, so `machine.tiers` imports it.
"""

from __future__ import annotations

import ctypes
from functools import _lru_cache_wrapper, lru_cache, partial
from typing import Any, Final

import numpy as np
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


ADDRESSES: Final = ("state_address", "state", "fnptr_next_double", "fnptr_next_uint64", "fnptr_next_uint32")
"""Addresses that kernels need of a random generator, by the names of numba."""


def _addresses(generator: np.random.Generator) -> tuple[Any, ...]:
    """The values of `ADDRESSES`, and the bit generator."""
    bits = generator.bit_generator
    interface = bits.ctypes
    functions = (interface.next_double, interface.next_uint64, interface.next_uint32)
    callable_ = (ctypes.cast(function, ctypes.c_void_p).value for function in functions)
    return interface.state_address, interface.state.value, *callable_, bits


def _unboxed_generator(kind: Any, value: Any, c: Any) -> Any:
    """Generate code that takes the addresses of a random generator."""
    python, builder = c.pyapi, c.builder
    generator = cgutils.create_struct_proxy(kind)(c.context, builder)  # type: ignore[no-untyped-call]
    failed = cgutils.alloca_once_value(builder, cgutils.true_bit)  # type: ignore[no-untyped-call]
    ask = python.unserialize(python.serialize_object(_addresses))
    addresses = python.call_function_objargs(ask, (value,))
    with builder.if_then(cgutils.is_not_null(builder, addresses)):  # type: ignore[no-untyped-call]
        bits = cgutils.create_struct_proxy(types.NumPyRandomBitGeneratorType("bit_generator"))(c.context, builder)  # type: ignore[no-untyped-call]
        for place, name in enumerate(ADDRESSES):
            setattr(bits, name, c.unbox(types.uintp, python.tuple_getitem(addresses, place)).value)
        bits.parent = python.tuple_getitem(addresses, len(ADDRESSES))  # the generator keeps it alive
        generator.bit_generator = bits._getvalue()
        generator.parent = value
        generator.meminfo = python.nrt_meminfo_new_from_pyobject(cgutils.voidptr_t(None), value)
        python.decref(addresses)
        builder.store(cgutils.false_bit, failed)
    python.decref(ask)
    return pythonapi.NativeValue(generator._getvalue(), is_error=builder.load(failed))  # type: ignore[no-untyped-call]


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
pythonapi._unboxers.functions[types.NumPyRandomGeneratorType] = _unboxed_generator
