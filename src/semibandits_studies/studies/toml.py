"""Write tables of plain values as TOML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Value: TypeAlias = "str | bool | int | float | Sequence[Value]"


def toml_text(tables: Mapping[str, Mapping[str, Value]]) -> str:
    """Tables as TOML 1.0 that :func:`tomllib.loads` reads as equal values of the same types.

    Names of tables and keys consist of letters, digits, ``_`` and ``-``. Strings have no lone surrogates.
    """
    blocks = []
    for name, table in tables.items():
        lines = [f"[{name}]", *(f"{key} = {value_text(value)}" for key, value in table.items())]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def value_text(value: Value) -> str:
    """One value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # The escapes of JSON are valid in TOML, which also requires DEL to be escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        raise TypeError("values must be plain, got a table")
    return f"[{', '.join(map(value_text, value))}]"
