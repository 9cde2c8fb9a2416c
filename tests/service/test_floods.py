"""Requests that never end, or do not wait for answers: the service keeps little of them, and closes the connection."""

import contextlib
import re
import socket
import sys
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pytest
import uvicorn
from uvicorn.server import ServerState

from semibandits_server.service.protocol import HEAD_SECONDS, MOST_HEAD, MOST_HEADERS, MOST_WAITING, REFUSAL, LimitedHttp

HEAD = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
MEGABYTE = 2**20


def answer_to(address, content):
    """What the service answers before it closes the connection, or what arrives before it breaks."""
    host, port = address.split(":")
    found = b""
    with socket.create_connection((host, int(port)), timeout=30) as opened, contextlib.suppress(ConnectionError):
        opened.sendall(content)
        while part := opened.recv(2**16):
            found += part
    return found


def megabytes(process):
    """Memory of a process."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())[1]) / 1024


def test_what_is_too_long_is_refused(server):
    close = b"Connection: close\r\n\r\n"
    for content, status in [
        (HEAD + b"a: b\r\n" * (MOST_HEADERS - 2) + close, b"200"),
        (HEAD + b"a: b\r\n" * (MOST_HEADERS - 1) + close, b"400"),
        (HEAD + b"a: " + b"x" * (MOST_HEAD - 100) + b"\r\n" + close, b"200"),
        (HEAD + b"a: " + b"x" * MOST_HEAD + b"\r\n" + close, b"400"),
        (HEAD + b"a: " + b"x" * MOST_HEAD, b"400"),
        (b"GET /" + b"x" * MOST_HEAD + b" HTTP/1.1\r\nHost: localhost\r\n" + close, b"400"),
        (b"GET /" + b"x" * MOST_HEAD, b"400"),
        (b"no HTTP\r\n\r\n", b"400"),
    ]:
        answer = answer_to(server.address, content)
        assert answer.startswith(b"HTTP/1.1 " + status), (content[:100], len(content))
        assert (REFUSAL.encode() in answer) == (status == b"400" and not content.startswith(b"no")), content[:100]
    waiting = (HEAD + b"\r\n") * (MOST_WAITING + 1)
    assert answer_to(server.address, waiting[:-2] + close).count(b"HTTP/1.1 200") == MOST_WAITING + 1


@pytest.mark.one_in(9)
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_attacks_take_no_memory(server):
    """Without the limits, each takes 15 to 250 MB."""
    assert answer_to(server.address, HEAD + b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200")
    before = megabytes(server.process)
    for begin, part in [
        (HEAD, b"a:b\r\n"),
        (HEAD + b"a: ", b"x"),
        (b"GET /", b"x"),
        (CHUNKED + b"1\r\n{\r\n0\r\n", b"a:b\r\n"),
        (CHUNKED + b"1\r\n{\r\n0\r\na: ", b"x"),
        (b"", HEAD + b"\r\n"),
    ]:
        answer_to(server.address, begin + part * (8 * MEGABYTE // len(part)))
    assert megabytes(server.process) - before < 10


class _Loop:
    """A loop in which no time passes."""

    def __init__(self):
        self.timers = []

    def call_later(self, seconds, call):
        self.timers.append(Mock(seconds=seconds, call=call))
        return self.timers[-1]

    def create_task(self, work):
        work.close()
        return Mock()


def connection():
    """It keeps only how it was closed."""
    made = Mock(closed="", **{"get_extra_info.return_value": None})
    made.is_closing = lambda: bool(made.closed)
    made.abort, made.close = (partial(setattr, made, "closed", way) for way in ("aborted", "closed"))
    return made


@pytest.fixture
def connected():
    """Makes connections of one server."""
    config, state, loop = uvicorn.Config(lambda scope: None, limit_concurrency=3, log_config=None), ServerState(), _Loop()
    config.load()

    def connected():
        one = LimitedHttp(config, state, {}, _loop=loop)
        one.connection_made(connection())
        return one, one.transport, loop

    return connected


def test_a_head_must_arrive_in_time(connected):
    one, transport, loop = connected()
    (timer,) = loop.timers
    assert timer.seconds == HEAD_SECONDS
    for part in (HEAD[:5], HEAD[5:]):  # a part of it does not begin the time again
        one.data_received(part)
    assert (len(loop.timers), timer.cancel.called) == (1, False)
    one.data_received(b"\r\n")
    assert timer.cancel.called
    one.cycle.response_complete = True
    one.data_received(b"\r\n")  # which begins nothing, but ends the wait of uvicorn for the next request
    assert (len(loop.timers), loop.timers[1].cancel.called) == (2, False)
    loop.timers[1].call()
    assert transport.closed == "aborted"
    one.connection_lost(None)
    assert loop.timers[1].cancel.called


def test_more_connections_than_are_kept_are_closed(connected):
    kept = [connected() for _ in range(3)]
    assert not any(transport.closed for _, transport, _ in kept)
    assert connected()[1].closed == "aborted"


def test_requests_that_do_not_wait_are_kept_up_to_a_number(connected):
    one, transport, _ = connected()
    one.data_received((HEAD + b"\r\n") * (MOST_WAITING + 1))
    assert (len(one.pipeline), transport.closed) == (MOST_WAITING, "")
    one.data_received((HEAD + b"\r\n") * 1_000)
    assert (len(one.pipeline), transport.closed) == (MOST_WAITING, "aborted")


def test_one_attack_after_the_head_is_counted(connected):
    """A line after a chunked body that never ends, in small parts."""
    one, transport, _ = connected()
    one.data_received(CHUNKED + b"1\r\n{\r\n0\r\na: ")
    for _ in range(65):
        assert not transport.closed
        one.data_received(b"x" * 1_024)
    assert transport.closed == "closed"
