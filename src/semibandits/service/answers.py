"""Answers in JSON, and errors as answers: a status, a type and one sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from starlette.responses import Response

from semibandits.errors import (
    ConcurrentUseError,
    Infeasible,
    InvalidInputError,
    SemibanditsError,
    SolverError,
    StorageError,
    TooManyDecisionsError,
    UnsupportedError,
)
from semibandits.wire import Error, Problem, Record

JSON: TypeAlias = dict[str, Any]
RETRY: Final = {"Retry-After": "1"}
NO_PATH: Final = "the path must be one of the service, got another one: see /docs"
_STATUS: Final[tuple[tuple[type[SemibanditsError], int], ...]] = (
    (Infeasible, 409),
    (SolverError, 409),
    (InvalidInputError, 422),
    (UnsupportedError, 422),
    (TooManyDecisionsError, 422),
    (StorageError, 503),
    (ConcurrentUseError, 503),
)


class Refusal(Exception):  # noqa: N818 (the answer to a request)
    """A request is answered with an error.

    Parameters
    ----------
    status : int
        Status of the answer.
    kind : str
        Its type, such as "InvalidInputError".
    message : str
        One sentence: what was expected, what was found, and a remedy.
    headers : mapping, optional
        Further headers.
    """

    def __init__(self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.message, self.headers = status, kind, message, headers

    @staticmethod
    def of(error: SemibanditsError) -> Refusal:
        """The refusal for an error of the library."""
        status = next((status for kind, status in _STATUS if isinstance(error, kind)), 422)
        return Refusal(status, type(error).__name__, for_clients(str(error)), RETRY if status == 503 else None)

    def answer(self) -> Response:
        """The answer."""
        return answer(Error(Problem(self.kind, self.message)), status=self.status, headers=self.headers)


def answer(content: Record | JSON, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer in JSON, of ASCII characters only, so that every text can be sent."""
    plain = content.plain() if isinstance(content, Record) else content
    text = json.dumps(plain, allow_nan=False, separators=(",", ":"))
    return Response(text, status, headers, media_type="application/json")


_WORDS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"\bround_id\b", "round"),
        (r"must have shape \(k,\) = \((\d+),\), got \((\d+),\)", r"must be \1 numbers, got \2"),
        (r"see learner\.open_rounds", "see the open rounds of the learner"),
        (r"pass partial=True; if none was, call forget\((\d+)\)", r'pass "partial": true; if none was, forget round \1'),
        (r"of round\.items, in that order", "of the round, in that order"),
        (r"call `ask` again, or tell", "ask again, or tell"),
        (r"pass positive costs as costs=", "pass positive costs as costs"),
        (
            r", with key=\.\.\. if the call must take effect once, or pass a longer timeout",
            ", with the same Idempotency-Key if it has one",
        ),
        (r"other threads must leave the learner within timeout = ", "other requests must leave the learner within "),
        (r"must answer within timeout = ", "must answer within "),
        (r": try again, or pass a longer timeout$", ": try again"),
        (r"learner\.in_memory\(\) .*; open the learner again", "outcomes may be lost; try again"),
        (r"\bgot None at index\b", "got null at index"),
        (r"^key must be", "Idempotency-Key must be"),
    )
)
"""What messages for users of Python are called in requests."""


def for_clients(message: str) -> str:
    """A message of the library for users of HTTP: fields of requests instead of arguments of Python."""
    for pattern, text in _WORDS:
        message = pattern.sub(text, message)
    return message


def number(value: float) -> float | None:
    """A number for JSON, null if it is not finite."""
    value = float(value)
    return value if value - value == 0.0 else None
