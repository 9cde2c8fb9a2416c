"""What every request passes: checks before the service reads it, and headers, log and metrics afterwards."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
import math
import re
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final, final
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from semibandits.errors import StorageError
from semibandits_server.service.answers import NO_PATH, Refusal
from semibandits_server.service.metrics import Metrics
from semibandits_server.service.settings import Settings

LOGGER: Final = logging.getLogger("semibandits.service")
PUBLIC: Final = frozenset({"/", "/health", "/docs", "/openapi.json"})
"""Paths without a token; none shows anything of the learners."""
PUBLIC_FOLDER: Final = "/static/"
LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
OWN_SITES: Final = frozenset({"same-origin", "none"})
"""`Sec-Fetch-Site` of requests of the pages of the service, and for addresses that a user types."""
BODY_SECONDS: Final = 30.0
"""Time in which a body must arrive."""
MOST_DRAINED: Final = 16
"""Bodies of up to this many times the limit are read to their end, so that their sender reads the answer."""
MOST_CLIENTS: Final = 10_000
API_HEADERS: Final = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)
HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
SLASH_IN_NAME: Final = "\x1f"
"""Stands for an encoded slash while requests are routed; no name of a learner contains this character."""
SCOPE_KEY: Final = "semibandits"


@dataclass
class Exchange:
    """A request and what is known about it, for the log."""

    body: bytes = b""  # the whole body
    learner: str | None = None  # its name
    round: int | None = None  # its id
    status: int = 499  # of the answer; 499 if the client went away before
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    begun: float = field(default_factory=time.perf_counter)


@final
class Gate:
    """Checks host, client, rate, token, type and size of each request, in this order, before `app` answers it."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics
        self._token = None if settings.token is None else settings.token.encode()
        self._body_limit = settings.body_limit
        self._rates = None if settings.rate is None else RateLimit(settings.rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = scope[SCOPE_KEY] = Exchange()
        sending = _Sending(send, exchange, is_page=_is_public(scope["path"]))
        try:
            await self._answer(scope, receive, sending, exchange)
        except Exception as error:
            LOGGER.exception("a request failed", extra={"request": exchange.id})
            if not sending.has_begun:
                refusal = Refusal(500, "InternalError", "the service must answer, got an error of its own: see its log")
                if isinstance(error, StorageError):
                    refusal = Refusal.of(error)
                await refusal.answer()(scope, receive, sending)
        finally:
            self._record(scope, exchange)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, exchange: Exchange) -> None:
        try:
            headers = Headers(scope=scope)
            self._check(scope, headers)
            if scope["method"] == "POST":
                exchange.body = await self._body(headers, receive)
        except Refusal as refusal:
            await refusal.answer()(scope, receive, send)
            return
        # A slash that a client has encoded, as in /v1/learners/day%2Fone/ask, stays inside the name of the learner.
        if scope["path"].startswith("/v1/") and re.search(b"%2f", scope.get("raw_path") or b"", re.IGNORECASE):
            scope["path"] = unquote(re.sub(rb"%2[fF]", SLASH_IN_NAME.encode(), scope["raw_path"]).decode("ascii", "replace"))
        await self._app(scope, receive, send)

    def _check(self, scope: Scope, headers: Headers) -> None:
        client = scope.get("client")
        if self._token is None:
            _check_local(None if client is None else client[0], headers, is_public=_is_public(scope["path"]))
        if self._rates is not None:
            wait = self._rates.wait("" if client is None else client[0])
            if wait > 0.0:
                raise Refusal(
                    429, "TooManyRequests", "requests must be fewer, got more than the rate allows: wait and try again",
                    {"Retry-After": str(math.ceil(wait))},
                )  # fmt: skip
        if self._token is not None and not _is_public(scope["path"]):
            given = headers.getlist("authorization")
            kind, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
            is_right = hmac.compare_digest(token.strip().encode("utf-8", "surrogatepass"), self._token)
            if kind.casefold() != "bearer" or not is_right:
                found = "another one" if given else "none"
                raise Refusal(
                    401, "Unauthorized", f"requests must carry the token of the service, got {found}: pass it in the header "
                    "Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"},
                )  # fmt: skip
        if SLASH_IN_NAME in scope["path"]:  # which must not be taken for a slash
            raise Refusal(404, "NotFound", NO_PATH)

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        """The whole body, of at most the limit."""
        kind = headers.get("content-type", "")
        if kind.partition(";")[0].strip().casefold() != "application/json":
            raise Refusal(
                415, "UnsupportedMediaType", f"Content-Type must be application/json, got {kind[:100]!r}: pass this header"
            )
        if headers.get("content-encoding", "identity").casefold() != "identity":
            raise Refusal(
                415, "UnsupportedMediaType", f"Content-Encoding must be left out, got {headers['content-encoding'][:100]!r}: "
                "send the body uncompressed",
            )  # fmt: skip
        try:
            async with asyncio.timeout(BODY_SECONDS):
                return await self._read(receive)
        except TimeoutError as error:
            raise Refusal(
                408, "RequestTimeout", f"the body must arrive within {BODY_SECONDS:g} seconds, got a part of it: send it again"
            ) from error

    async def _read(self, receive: Receive) -> bytes:
        parts, size = [], 0
        while size <= MOST_DRAINED * self._body_limit:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Refusal(400, "InvalidInputError", "the body must be complete, got the end of the connection: send it again")
            part = message.get("body", b"")
            size += len(part)
            if size <= self._body_limit:
                parts.append(part)
            if not message.get("more_body", False):
                break
        if size > self._body_limit:
            raise Refusal(
                413, "ContentTooLarge", f"the body must have at most {self._body_limit:,} bytes, got more: split it into several "
                "requests", {"Connection": "close"},
            )  # fmt: skip
        return b"".join(parts)

    def _record(self, scope: Scope, exchange: Exchange) -> None:
        seconds = time.perf_counter() - exchange.begun
        path = getattr(scope.get("route"), "path", None) or "unmatched"
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.requests.labels(method, path, str(exchange.status)).inc()
        self._metrics.seconds.labels(method, path).observe(seconds)
        client = scope.get("client")
        LOGGER.info(
            "request",
            extra={
                "method": method,
                "path": path,
                "status": exchange.status,
                "seconds": round(seconds, 6),
                "learner": exchange.learner,
                "round": exchange.round,
                "client": None if client is None else client[0],
                "request": exchange.id,
            },
        )


_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"})


@final
class _Sending:
    """Sends an answer with the headers of all answers."""

    def __init__(self, send: Send, exchange: Exchange, *, is_page: bool) -> None:
        self._send, self._exchange, self._is_page = send, exchange, is_page
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        """Send a part of an answer."""
        if message["type"] == "http.response.start":
            self.has_begun = True
            self._exchange.status = message["status"]
            headers = message.setdefault("headers", [])
            present = {name for name, _ in headers}
            further = (*HEADERS, *API_HEADERS, (b"x-request-id", self._exchange.id.encode()))
            headers.extend(pair for pair in further if pair[0] not in present)
        await self._send(message)


@final
class RateLimit:
    """A bucket of tokens for each client, which fills at `rate` tokens a second up to two seconds' worth, but at least one; each
    request takes one.
    """

    def __init__(self, rate: float) -> None:
        self._rate, self._size = rate, max(1.0, 2.0 * rate)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str, now: float | None = None) -> float:
        """Take a token of a client: 0, or the number of seconds until there is one."""
        now = time.monotonic() if now is None else now
        tokens, since = self._buckets.pop(client, (self._size, now))
        tokens = min(self._size, tokens + (now - since) * self._rate)
        missing = max(0.0, 1.0 - tokens)
        self._buckets[client] = (tokens if missing else tokens - 1.0, now)
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return missing / self._rate


def _is_public(path: str) -> bool:
    return path in PUBLIC or path.startswith(PUBLIC_FOLDER)


def _check_local(client: str | None, headers: Headers, *, is_public: bool) -> None:
    """Without a token: only clients of this machine, by its names, and no pages of other sites in a browser."""
    hosts = headers.getlist("host")
    name = hosts[0].rsplit(":", 1)[0] if len(hosts) == 1 and not hosts[0].endswith("]") else "".join(hosts)
    if name.casefold() not in LOOPBACK_NAMES:
        raise Refusal(
            421, "MisdirectedRequest", f"Host must be localhost, 127.0.0.1 or [::1] without a token, got {name[:100]!r}: use one "
            "of these, or start the service with a token",
        )  # fmt: skip
    if client is None or not _is_loopback(client):
        raise Refusal(
            403, "Forbidden", "clients must be on this machine without a token, got another one: start the service with a token"
        )
    if not is_public and not OWN_SITES.issuperset(headers.getlist("sec-fetch-site")):
        raise Refusal(
            403,
            "Forbidden",
            "web pages must be those of the service without a token, got another one: start the service with a token",
        )


def _is_loopback(client: str) -> bool:
    """Whether an address is of this machine; texts that are no address, such as those of a proxy, are not."""
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def exchange_of(scope: Scope | Any) -> Exchange:
    """The exchange of a request."""
    found = scope[SCOPE_KEY]
    assert isinstance(found, Exchange)
    return found
