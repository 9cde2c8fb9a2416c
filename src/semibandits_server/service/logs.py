"""Logs of the service: one line of JSON for each request and event, or of text for people."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Final, final

from semibandits.formats.printable import visible, without_passwords
from semibandits.formats.text import json_text
from semibandits.inputs.fields import unknown_name

FORMATS: Final = ("json", "text")
FIELDS: Final = ("method", "path", "status", "seconds", "learner", "round", "client", "request")
"""Fields of a line besides its time, level and message. Neither tokens nor outcomes are among them."""

SHOWN: Final = ("semibandits.service", "semibandits.learning")
"""Loggers of which more than warnings is shown."""


@final
class Lines(logging.Formatter):
    """One line for each record, as JSON or as text."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        values: dict[str, Any] = {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        message = record.getMessage()
        if record.exc_info:
            message = f"{message}\n{self.formatException(record.exc_info)}"
        message = without_passwords(message)
        if self._as_json:
            line = {"time": time, "level": record.levelname.lower(), "logger": record.name, "message": message, **values}
            return json_text(line, separators=(",", ":"))
        facts = " ".join(f"{name}={json.dumps(value)}" for name, value in values.items() if value is not None)
        return visible(f"{time} {record.levelname:7} {message} {facts}".rstrip())


def start_logs(kind: str) -> None:
    """Write the logs of the service, the library and the server, and Python's warnings, to stderr, in one of `FORMATS`."""
    if kind not in FORMATS:
        raise unknown_name("--log-format", kind, FORMATS)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines(as_json=kind == "json"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in SHOWN:
        logging.getLogger(name).setLevel(logging.INFO)
    logging.captureWarnings(True)
