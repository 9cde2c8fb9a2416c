"""Run the service until it is stopped."""

from __future__ import annotations

import ipaddress
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, final

import uvicorn
from fastapi import FastAPI

from semibandits.errors import InvalidInputError
from semibandits_server.service.protocol import LimitedHttp
from semibandits_server.service.settings import TOKEN_VARIABLE

LOGGER: Final = logging.getLogger("semibandits.service")
INTERRUPTED: Final = 130
GRACE_SECONDS: Final = 30
"""Time in which running requests may finish after the first signal to stop."""
KEEP_ALIVE_SECONDS: Final = 75
MOST_CONNECTIONS: Final = 1_000
BACKLOG: Final = 256


def is_loopback(host: str) -> bool:
    """Whether an address is of this machine only."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_host(host: str, *, has_token: bool) -> None:
    """Refuse to serve other machines without a token."""
    if not has_token and not is_loopback(host):
        raise InvalidInputError(
            f"a token must protect a service on {host}, got none: set the environment variable {TOKEN_VARIABLE}, or leave --host "
            "out to serve this machine only"
        )


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket at this address; an address that cannot be used is refused."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        has_both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        return socket.create_server(address, family=family, backlog=BACKLOG, dualstack_ipv6=has_both)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).partition(" (while attempting")[0]
        raise InvalidInputError(
            f"{host} and port {port} must be free for the service, got: {reason}: choose another --port, or another --host"
        ) from error


def run(app: FastAPI, listener: socket.socket, *, proxies: str | None, announce: Callable[[], None]) -> None:
    """Serve until SIGTERM or Ctrl-C: running requests are finished first; a second signal ends the process at once.

    `proxies` are addresses of reverse proxies, separated by commas, whose X-Forwarded-For names the client. `announce` is called
    when requests are answered.
    """
    config = uvicorn.Config(
        app,
        http=LimitedHttp,
        log_config=None,
        access_log=False,
        ws="none",
        lifespan="on",
        server_header=False,
        proxy_headers=proxies is not None,
        forwarded_allow_ips=proxies,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        limit_concurrency=MOST_CONNECTIONS,
        backlog=BACKLOG,
    )
    _Server(config, announce).run(sockets=[listener])
    LOGGER.info("stopped")


@final
class _Server(uvicorn.Server):
    """A server that ends without an error when it is stopped."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        self._announce()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while the server runs, and do not raise them again afterwards."""
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self.should_exit:
            os._exit(INTERRUPTED)
        self.should_exit = True
