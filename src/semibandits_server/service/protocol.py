"""HTTP of the service: what uvicorn reads before a request reaches the gate, within limits."""

from __future__ import annotations

import asyncio
from typing import Any, Final, final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEAD: Final = 65_536
"""Largest size of the URL and the headers of a request in bytes."""
MOST_HEADERS: Final = 100
MOST_WAITING: Final = 16
"""Requests of a connection that may wait for the answer to an earlier one."""
HEAD_SECONDS: Final = 30.0
"""Time in which the head of a request must arrive."""
REFUSAL: Final = f"URL and headers must have at most {MOST_HEAD:,} bytes in {MOST_HEADERS} lines, got more: send less"


class _TooMuchError(Exception):
    """Ends the parser; the connection is closed."""


@final
class LimitedHttp(HttpToolsProtocol):
    """Closes a connection whose head is too long, takes too long, or that sends many requests without reading answers."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head_size = 0
        self._unparsed = 0  # bytes since the parser has found the end of a head or a part of a body
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, unless there are too many."""
        super().connection_made(transport)
        if self.limit_concurrency is not None and len(self.connections) > self.limit_concurrency:
            transport.abort()
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._end_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived."""
        self._unparsed += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._unparsed > MOST_HEAD:
            self.send_400_response(REFUSAL)
        elif self.cycle is None or self.cycle.response_complete:
            self._await_head()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request, or too long, and close the connection."""
        if self.pipeline:  # the answer would be taken for that of an earlier request
            self.transport.abort()
        else:
            super().send_400_response(REFUSAL if self._is_too_long() else msg)

    def on_message_begin(self) -> None:
        """A request begins."""
        if len(self.pipeline) >= MOST_WAITING:
            raise _TooMuchError
        super().on_message_begin()
        self._head_size = 0

    def on_url(self, url: bytes) -> None:
        """A part of a URL."""
        self._count(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header, or one after a body."""
        super().on_header(name, value)
        self._count(name, value)

    def on_headers_complete(self) -> None:
        """The head of a request is complete."""
        self._unparsed = 0
        self._end_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of a body."""
        self._unparsed = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is complete."""
        self._unparsed = 0
        super().on_message_complete()

    def _count(self, *parts: bytes) -> None:
        self._head_size += sum(map(len, parts))
        if self._is_too_long():
            raise _TooMuchError

    def _is_too_long(self) -> bool:
        return self._head_size > MOST_HEAD or len(self.headers or ()) > MOST_HEADERS

    def _await_head(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _end_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
