"""Text from outside, names and paths above all, where it is shown or written."""

from __future__ import annotations

import json
import re
from typing import Final

_HIDDEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""What acts on a terminal, changes the direction or the lines of a text, or cannot stand in UTF-8 or XML."""


def visible(text: str) -> str:
    r"""The same text on one line, with control characters and halves of characters as escapes, such as ``\x1b``."""
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def json_text(value: object, *, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    """`value` as JSON that reads back as equal texts and may be printed and encoded: hidden characters are escaped.

    Raises
    ------
    TypeError, ValueError
        If it is not plain JSON.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    # Line feeds are those of the indentation: within texts, JSON escapes them.
    return _HIDDEN.sub(lambda found: "\n" if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)
