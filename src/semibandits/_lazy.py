"""Public names that are imported when they are first used, so that importing the library takes no time."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def on_first_use(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` (PEP 562) and ``__all__`` of a package whose names its file ``__init__.pyi`` lists.

    The stub holds lines ``from a.b import name as name``, also ``from a import b as b`` for a module, and nothing else that is
    public; type checkers read the same lines.
    """
    with open(f"{sys.modules[package].__file__}i", encoding="utf-8") as stub:
        text = stub.read()
    places = {
        alias.name: statement.module or ""
        for statement in ast.parse(text).body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }

    def getattr_(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = places[name]
        value = import_module(f"{home}.{name}") if home == package else getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)  # so that it is found at once the next time
        return value

    return getattr_, lambda: sorted({*vars(sys.modules[package]), *places}), sorted(places)
