"""Whatever goes wrong while stored content is read becomes one error."""

from __future__ import annotations

import zlib
from types import TracebackType
from typing import Final, final

from semibandits.errors import InvalidInputError, SemibanditsError

DAMAGE: Final = (
    SemibanditsError, LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, zlib.error,
)  # fmt: skip
"""Errors of plain Python that reads content of another form."""


@final
class Expecting:
    """A block in which what goes wrong becomes this error, whose message is "what, got ...: remedy"."""

    def __init__(self, what: str, remedy: str, error: type[SemibanditsError] = InvalidInputError) -> None:
        self._what, self._remedy, self._error = what, remedy, error

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, found: BaseException | None, traceback: TracebackType | None) -> None:
        if isinstance(found, DAMAGE):
            text = str(found) if isinstance(found, SemibanditsError | ValueError) else repr(found)
            is_finding = isinstance(found, ValueError) and not isinstance(found, SemibanditsError)
            got = text if is_finding else f"other content ({text})"
            raise self._error(f"{self._what}, got {got}: {self._remedy}") from found


def reading(part: str) -> Expecting:
    """The same for a part of the state of a learner, whose checksum has been compared: it was forged."""
    return Expecting(f"{part} must be as Learner.state() wrote it", "the state is damaged, use a copy")
