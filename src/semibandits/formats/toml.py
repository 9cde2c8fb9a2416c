"""Strict TOML: the reader for all TOML from outside."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

MOST_CHARACTERS: Final = 2**20
MOST_PARTS: Final = 50
"""Largest number of parts of a dotted key; tomllib takes time and memory that grow with the square of it."""
_PART: Final = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?)[ \t]*+"""
"""A part of a dotted key; strings that do not end are consumed too, so that nothing is searched twice."""
_DOTTED: Final = rf"{_PART}(?:\.[ \t]*+{_PART})"
_TOKENS: Final = re.compile(
    r'''"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5})?|'''
    r"""'''(?:[^']|'(?!''))*+(?:'{3,5})?|#[^\n]*+|"""
    rf"(?P<long>{_DOTTED}{{{MOST_PARTS}}})|{_DOTTED}*+",
    re.DOTALL,
)
"""What a dot may be in: texts of several lines, comments, and keys."""


def strict_toml(text: str) -> dict[str, Any]:
    """Parse TOML of limited size whose keys have a limited number of parts.

    The message of its ValueError describes what was found; callers add the expectation and the remedy.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"{len(text):,} characters, which are more than {MOST_CHARACTERS:,}")
    if any(token["long"] for token in _TOKENS.finditer(text)):
        raise ValueError(f"a key of more than {MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"a mistake: {error}") from error
    except (ValueError, RecursionError) as error:  # tomllib does not catch these
        raise ValueError("a number of thousands of digits or lists within hundreds of lists") from error
