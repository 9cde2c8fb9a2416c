"""Answers in JSON, and errors as answers: a status, a type and one sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from starlette.responses import Response

from semibandits.errors import SemibanditsError
from semibandits_server.wire import STATUSES, Error, Problem, Record, json_text

JSON: TypeAlias = dict[str, Any]
RETRY: Final = {"Retry-After": "1"}
NO_PATH: Final = "the path must be one of the service, got another one: see /docs"


_WORDS: Final = {
    r"\bround_id\b": "round",
    r"must have shape \(k,\) = \((\d+),\), got \((\d+),\)": r"must be \1 numbers, got \2",
    r"see learner\.open_rounds": "see the open rounds of the learner",
    r"pass partial=True; if none was, call forget\((\d+)\)": r'pass "partial": true; if none was, forget round \1',
    r"of round\.items, in that order": "of the round, in that order",
    r"call `ask` again, or tell": "ask again, or tell",
    r"pass positive costs as costs=": "pass positive costs as costs",
    r"with key=\.\.\. if the call must take effect once, or pass a longer timeout": "with the same Idempotency-Key if it has one",
    r"other threads must leave the learner within timeout = ": "other requests must leave the learner within ",
    r"must answer within timeout = ": "must answer within ",
    r": try again, or pass a longer timeout$": ": try again",
    r"learner\.in_memory\(\) .*; open the learner again": "outcomes may be lost; try again",
    r"\bgot None at index\b": "got null at index",
    r"^key must be": "Idempotency-Key must be",
}
"""What parts of messages for users of Python, as regular expressions, are called in requests."""


class Refusal(Exception):  # noqa: N818 (the answer to a request)
    """A request is answered with an error. `kind` is its type, such as "InvalidInputError"; `message` is one sentence: what was
    expected, what was found, and a remedy.
    """

    def __init__(self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.message, self.headers = status, kind, message, headers

    @staticmethod
    def of(error: SemibanditsError) -> Refusal:
        """The refusal for an error of the library, with fields of requests instead of arguments of Python."""
        message = str(error)
        for pattern, text in _WORDS.items():
            message = re.sub(pattern, text, message)
        status = next((status for kind, status in STATUSES.items() if isinstance(error, kind)), 422)
        return Refusal(status, type(error).__name__, message, RETRY if status == 503 else None)

    def answer(self) -> Response:
        """The answer."""
        return answer(Error(Problem(self.kind, self.message)), status=self.status, headers=self.headers)


def answer(content: Record | JSON, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer in JSON."""
    return Response(json_text(content), status, headers, media_type="application/json")


def number(value: float) -> float | None:
    """A number for JSON, null if it is not finite."""
    value = float(value)
    return value if value - value == 0.0 else None
