"""Requests to the service: the token, retries, and errors."""

from __future__ import annotations

import logging
import math
import random
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from semibandits._version import __version__
from semibandits.errors import InvalidInputError, ServiceError
from semibandits.formats.json import strict_json
from semibandits.formats.printable import visible
from semibandits.inputs.outcomes import whole_number
from semibandits_server.wire import STATUSES, Request, json_text

try:
    import httpx
except ImportError as error:  # pragma: no cover - tests install it
    raise ImportError("semibandits.client needs httpx, which is not installed: run pip install httpx msgspec") from error

T = TypeVar("T")
LOGGER: Final = logging.getLogger("semibandits.client")
FIRST_WAIT: Final = 0.2
"""Seconds before the first repetition, at most; each further one waits twice as long."""
LONGEST_WAIT: Final = 10.0
LONGEST_ASKED: Final = 60.0
"""Longest wait in seconds that `Retry-After` may ask for."""
REPEATED: Final = frozenset({429, 502, 503, 504})
"""Statuses of requests that are repeated: too many requests, and a service or a proxy before it that is not ready."""
LONGEST_KEY: Final = 200
LARGEST_ANSWER: Final = 2**26
"""Most bytes of an answer; as JSON, they may take twenty times as much memory."""
LONGEST_MESSAGE: Final = 4_000
LEAST_SECONDS: Final = 0.001
_CONNECTED: Final = frozenset({"connection.connect_tcp.complete", "connection.start_tls.complete"})
_ERRORS: Final = {kind.__name__: kind for kind in STATUSES}


class Transport:
    """Sends requests and repeats them; safe to use from several threads. For the parameters see `Client`."""

    def __init__(self, url: str, token: str | None, *, timeout: float, retries: int) -> None:
        parts = None
        with suppress(ValueError):
            parts = urlsplit(url) if isinstance(url, str) else None
        if parts is None or parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
            raise InvalidInputError(
                f"url must begin with http:// or https:// and name a host, got {url!r}: pass for instance 'http://127.0.0.1:8000'"
            )
        if "@" in parts.netloc:
            raise InvalidInputError("url must not contain a user or a password, got one that does: pass the token as token=")
        self.url = parts.geturl().rstrip("/")
        self._retries = whole_number(retries, "retries", remedy="pass for instance 6")
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < math.inf:
            raise InvalidInputError(f"timeout must be a positive number of seconds, got {timeout!r}: pass for instance 10")
        self._timeout, self._attempt = float(timeout), threading.local()
        headers = {
            "Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": f"semibandits/{__version__}"
        }  # fmt: skip
        if token is not None:
            if not isinstance(token, str) or not token.isascii() or not token.isprintable() or not token or " " in token:
                raise InvalidInputError(  # without the token
                    "token must be a printable ASCII text without spaces, got something else: pass the token of the service, "
                    "without 'Bearer' and without a line break at its end"
                )
            headers["Authorization"] = f"Bearer {token}"
        self._http = httpx.Client(base_url=self.url, headers=headers, timeout=self._timeout)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def get(self, path: str, make: Callable[[Any], T], **query: object) -> T:
        """The answer to a GET request, read by `make`."""
        given = {name: str(value) for name, value in query.items() if value is not None}
        return _read(make, self._answer("GET", path, params=given), path)

    def post(self, path: str, body: Request, make: Callable[[Any], T], key: str | None) -> T:
        """The answer to a POST request, read by `make`; all attempts carry the same key, so that it is carried out once."""
        key = secrets.token_hex(16) if key is None else key
        is_text = isinstance(key, str) and key.isascii() and key.isprintable() and key == key.strip()
        if not is_text or not 0 < len(key) <= LONGEST_KEY:
            raise InvalidInputError(
                f"key must be a printable ASCII text of 1 to {LONGEST_KEY} characters without spaces at its ends, got {key!r}: "
                "choose another one"
            )
        headers = {"Idempotency-Key": key, "Content-Type": "application/json"}
        return _read(make, self._answer("POST", path, content=json_text(body).encode(), headers=headers), path)

    def _answer(self, method: str, path: str, **arguments: Any) -> Any:
        for attempt in range(self._retries + 1):
            response, failure = None, None
            try:
                response, body = self._exchanged(method, path, arguments)
            except httpx.TransportError as error:
                failure, found = error, visible(str(error)) or type(error).__name__
            except (httpx.RequestError, httpx.InvalidURL) as error:  # what a repetition does not change
                raise _unreadable(method, path, str(error) or type(error).__name__) from error
            else:
                found = f"status {response.status_code}"
                if response.status_code not in REPEATED or attempt == self._retries:
                    return _content(response, body)
            if attempt < self._retries:
                longest = min(LONGEST_WAIT, FIRST_WAIT * 2**attempt)
                asked = "" if response is None else response.headers.get("Retry-After", "")
                wait = random.uniform(longest / 2, longest)
                wait += min(LONGEST_ASKED, float(asked)) if asked.isascii() and asked.isdigit() else 0.0
                LOGGER.info("attempt %d of %s %s failed (%s); the next in %.1f s", attempt + 1, method, path, found, wait)
                time.sleep(wait)
        attempts = "1 attempt" if self._retries == 0 else f"{self._retries + 1} attempts"
        raise ServiceError(
            f"the service at {self.url} must answer, got no answer in {attempts} ({found}): check the URL and "
            "that the service runs, and repeat the call with its key"
        ) from failure

    def _exchanged(self, method: str, path: str, arguments: dict[str, Any]) -> tuple[httpx.Response, bytes]:
        """The answer to one attempt and its body, which must arrive in time."""
        self._attempt.deadline = time.monotonic() + self._timeout
        body = bytearray()
        with self._http.stream(method, path, extensions={"trace": self._limit_reading}, **arguments) as response:
            if _encoding(response):  # it may unpack to any size, and the service sends no such answers
                return response, b""
            for part in response.iter_bytes():
                body += part
                if len(body) > LARGEST_ANSWER:
                    raise _unreadable(method, path, f"more than {LARGEST_ANSWER:,} bytes", response.status_code)
                if time.monotonic() > self._attempt.deadline:
                    raise httpx.ReadTimeout(f"no complete answer within {self._timeout:g} seconds")
        return response, bytes(body)

    def _limit_reading(self, event: str, info: Mapping[str, Any]) -> None:
        """Let every read from a new connection end with the attempt, also where an answer arrives byte by byte."""
        if event in _CONNECTED:
            stream = info["return_value"]
            stream.read = partial(_read_in_time, stream.read, self._attempt)


def _read_in_time(read: Callable[..., bytes], attempt: threading.local, max_bytes: int, timeout: float | None = None) -> bytes:
    """Bytes of an answer, which must arrive before `attempt.deadline`, in seconds of `time.monotonic`."""
    left = max(attempt.deadline - time.monotonic(), LEAST_SECONDS)
    return read(max_bytes, timeout=left if timeout is None else min(timeout, left))


def _content(response: httpx.Response, body: bytes) -> Any:
    """The JSON of an answer. An error of the service is raised as the class that the library raises for it."""
    try:
        content = strict_json(body)
    except ValueError as error:
        kind = response.headers.get("Content-Type", "no content type")
        found = f"{kind}{_encoding(response)} with status {response.status_code}"
        raise _unreadable(response.request.method, response.url.path, found, response.status_code) from error
    if response.is_success:
        return content
    match content:
        case {"error": {"type": str(kind), "message": str(message)}} if message.strip():
            known, message = _ERRORS.get(kind), visible(message[:LONGEST_MESSAGE])
            raise known(message) if known else ServiceError(message, status=response.status_code)
    raise ServiceError(
        f"{response.request.method} {response.url.path} must succeed, got status {response.status_code} without a message: check "
        "that the URL is that of the service",
        status=response.status_code,
    )


def _encoding(response: httpx.Response) -> str:
    """The encoding of an answer that is not plain."""
    encoding: str = response.headers.get("Content-Encoding", "identity")
    return "" if encoding.casefold() == "identity" else f" in Content-Encoding {encoding}"


def _unreadable(method: str, path: str, found: str, status: int | None = None) -> ServiceError:
    return ServiceError(
        f"the answer to {method} {path} must be JSON, got {visible(found[:LONGEST_MESSAGE])}: check that the URL is that of the "
        "service",
        status=status,
    )


def _read(make: Callable[[Any], T], content: Any, path: str) -> T:
    try:
        return make(content)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
        raise ServiceError(
            f"the answer to {path} must have the form that semibandits {__version__} reads, got another one "
            f"({type(error).__name__}: {visible(str(error)[:LONGEST_MESSAGE])}): use the same version on both sides"
        ) from error
