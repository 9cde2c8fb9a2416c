"""Safe output of text from outside, such as names and paths."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from semibandits.formats.printable import HIDDEN, visible

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FEW: Final = 8
"""Arrays and collections with more entries are not written out in the texts of objects."""
LONGEST_FIELD: Final = 100
"""Maximum number of characters of a field in the texts of objects."""


def json_text(value: object, *, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    """`value` as JSON that is safe to print and encode: hidden characters are escaped, so that reading it gives equal texts."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    # Line feeds come from the indentation alone: JSON escapes them within texts.
    return HIDDEN.sub(lambda found: "\n" if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


def shortened(text: str, most: int) -> str:
    """The text on one line, of at most this many characters; the rest is replaced by an ellipsis."""
    line = visible(text)
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def brief(instance: DataclassInstance) -> str:
    """A text of a dataclass that fits on a screen: large arrays and collections are replaced by their sizes."""
    parts = (f"{part.name}={_brief_value(getattr(instance, part.name))}" for part in fields(instance) if part.repr)
    return f"{type(instance).__name__}({', '.join(parts)})"


def _brief_value(value: Any) -> str:
    if isinstance(value, np.ndarray):
        is_small = value.ndim == 1 and value.size <= FEW
        return repr(value.tolist()) if is_small else f"<{value.dtype} array of shape {value.shape}>"
    if isinstance(value, Collection) and not isinstance(value, str) and len(value) > FEW:
        return f"<{len(value)} entries>"
    return shortened(repr(value), LONGEST_FIELD)
