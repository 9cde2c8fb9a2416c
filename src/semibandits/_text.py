"""Safe output of text from outside, such as names and paths."""

from __future__ import annotations

import json
import re
from typing import Final

_HIDDEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Characters that control a terminal, change the direction or the lines of a text, or are not allowed in UTF-8 or XML."""


def visible(text: str) -> str:
    r"""The text on one line, with control characters and surrogates as escapes such as ``\x1b``."""
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def json_text(value: object, *, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    """`value` as JSON that is safe to print and encode: hidden characters are escaped, so that reading it gives equal texts.

    Raises
    ------
    TypeError, ValueError
        If `value` is not plain JSON.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    # Line feeds come from the indentation alone: JSON escapes them within texts.
    return _HIDDEN.sub(lambda found: "\n" if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)
