"""Public names that are imported on first use, so that importing the library is fast."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def on_first_use(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` (PEP 562) and ``__all__`` of a package whose public names its ``__init__.pyi`` lists.

    The stub, which type checkers read too, consists of lines ``from a.b import name as name``, also ``from a import b as b`` for
    a module.
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
        setattr(sys.modules[package], name, value)  # later lookups do not call this function
        return value

    return getattr_, lambda: sorted({*vars(sys.modules[package]), *places} - {"on_first_use"}), sorted(places)
