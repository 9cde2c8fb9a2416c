"""Strict JSON: the reader for all JSON from outside."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any, Final, NoReturn

MOST_CHARACTERS: Final = 2**28
MOST_DEPTH: Final = 100
"""Largest depth of nested lists and objects; recursive functions need one or two stack frames for each level."""
MOST_DIGITS: Final = 300
"""Largest number of digits of an integer, about that of the largest float."""
LONG, MOST_SHARED = 2**24, 4_096
"""In texts of more characters, so many integers and floats are one object each, however often they occur."""
_OUTER: Final = (list, dict)


def strict_json(text: str | bytes) -> Any:
    """Parse JSON with finite numbers and distinct keys in each object, of limited size and depth; bytes must be UTF-8.

    The message of its ValueError describes what was found; callers add the expectation and the remedy.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"{len(text):,} characters, which are more than {MOST_CHARACTERS:,}")
    integer, real = _integer, _float
    if len(text) > LONG:  # a compressed one may repeat the same numbers millions of times
        integer, real = lru_cache(MOST_SHARED)(_integer), lru_cache(MOST_SHARED)(_float)
    try:
        plain = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        value = json.loads(plain, parse_int=integer, parse_float=real, parse_constant=_no_constant, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} on line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise _too_deep() from error
    _check_depth(value)
    return value


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"an integer of {len(digits):,} digits, which are more than {MOST_DIGITS}")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:40]}, which is too large for a float")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name}, which is not a number in JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for position, key in enumerate(keys) if key in keys[:position])
        raise ValueError(f"the key {twice[:40]!r} twice in one object")
    return result


def _check_depth(value: Any) -> None:
    outer = [value] if isinstance(value, _OUTER) else []
    for _ in range(MOST_DEPTH + 1):
        if not outer:
            return
        outer = [
            inner for part in outer for inner in (part.values() if isinstance(part, dict) else part) if isinstance(inner, _OUTER)
        ]
    raise _too_deep()


def _too_deep() -> ValueError:
    return ValueError(f"lists or objects more than {MOST_DEPTH} deep")
