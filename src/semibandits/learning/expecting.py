"""Whatever goes wrong while stored content is read becomes one error."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from semibandits.errors import InvalidInputError, SemibanditsError

DAMAGE: Final = (
    SemibanditsError, LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, zlib.error,
)  # fmt: skip
"""Errors of plain Python that reads content of another form."""


@contextmanager
def expecting(what: str, remedy: str, error: type[SemibanditsError] = InvalidInputError) -> Iterator[None]:
    """Turn what goes wrong in the block into this error, whose message is "what, got ...: remedy"."""
    try:
        yield
    except DAMAGE as found:
        text = str(found) if isinstance(found, SemibanditsError | ValueError) else repr(found)
        is_finding = isinstance(found, ValueError) and not isinstance(found, SemibanditsError)
        got = text if is_finding else f"other content ({text})"
        raise error(f"{what}, got {got}: {remedy}") from found


def reading(part: str) -> AbstractContextManager[None]:
    """The same for a part of the state of a learner, whose checksum has been compared: it was forged."""
    return expecting(f"{part} must be as Learner.state() wrote it", "the state is damaged, use a copy")
