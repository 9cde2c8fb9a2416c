"""Results of compiled kernels become objects without running Python code, where a signal handler could raise.

After a kernel, numba converts what it returns. For arrays it calls a function in Python, and for named tuples their class, whose
constructor is Python as well. If the handler of Ctrl-C raised there, its exception would be lost, and a `SystemError` or
`ValueError` would be raised instead. So the results of that function are cached, which numba keeps anyway, and named tuples of
this package are made by ``tuple.__new__``.

Every kernel must be compiled with this, so `machine.tiers` imports it.
"""

from __future__ import annotations

from functools import _lru_cache_wrapper, lru_cache, partial
from typing import Any, Final

from numba import types
from numba.core import boxing, pythonapi, serialize

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
    python = context.pyapi
    make = python.unserialize(python.serialize_object(partial(tuple.__new__, kind.instance_class)))
    plain = boxing.box_tuple(kind, value, context)
    named = python.call_function_objargs(make, (plain,))
    python.decref(make)
    python.decref(plain)
    return named


_cache_unpickled()
for _kind in (types.NamedTuple, types.NamedUniTuple):
    pythonapi._boxers.functions[_kind] = _named_tuple
