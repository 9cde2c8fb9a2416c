"""Requests are repeated with the same key until the service answers; a server in a thread answers from a script."""

import contextlib
import gzip
import json
import math
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import httpx
import numpy as np
import pytest

import semibandits as sb
from semibandits.client import Client, Round
from semibandits_server.client import transport

TOKEN = "a-secret-token"
ASKED = (200, {"rounds": [{"round": 7, "items": [["home", "a"], "b"], "indices": [0, 4]}]})
TOLD = (200, {"told": 1})
BUSY = (429, {"error": {"type": "TooManyRequests", "message": "there must be fewer requests: wait"}})
AWAY = (503, {"error": {"type": "StorageError", "message": "the database must answer, got nothing: wait"}})
CUT = None
"""The connection is closed without an answer."""


@pytest.fixture
def service():
    """Call ``service(answers)`` for a client of a server that gives these answers, and the list of requests it has got."""
    opened = contextlib.ExitStack()

    def start(*answers, **options):
        requests, left = [], list(answers)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self):
                length = int(self.headers.get("Content-Length", 0))
                body = self.rfile.read(length)
                requests.append((self.command, self.path, dict(self.headers), json.loads(body) if body else None))
                planned = left.pop(0)
                if planned is CUT:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                status, content, *headers = planned
                content = content if isinstance(content, str | bytes) else json.dumps(content)
                content = content.encode() if isinstance(content, str) else content
                self.send_response(status)
                for name, value in [*headers, ("Content-Length", str(len(content)))]:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = answer  # noqa: N815

        server = opened.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        opened.callback(server.shutdown)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return opened.enter_context(Client(f"http://127.0.0.1:{server.server_port}/", TOKEN, **options)), requests

    with opened:
        yield start


@pytest.mark.parametrize("trouble", [BUSY, AWAY, (502, "<html>"), CUT], ids=["429", "503", "502", "cut"])
def test_an_ask_is_repeated_with_its_key_until_it_is_answered(service, trouble):
    client, requests = service(trouble, trouble, ASKED)
    assert client.learner("way to work").ask({("home", "a"), "b"}) == Round(7, (0, 4), (("home", "a"), "b"))
    assert len(requests) == 3
    assert len({headers["Idempotency-Key"] for _, _, headers, _ in requests}) == 1
    for method, path, headers, body in requests:
        assert (method, path) == ("POST", "/v1/learners/way%20to%20work/ask")
        assert headers["Authorization"] == f"Bearer {TOKEN}"
        assert body["count"] == 1
        assert sorted(body["available"], key=str) == sorted([["home", "a"], "b"], key=str)


def test_calls_have_different_keys_and_the_caller_may_choose_one(service):
    client, requests = service(ASKED, ASKED, TOLD)
    learner = client.learner("commute")
    learner.ask(unavailable=["b"])
    learner.ask(key="order 4711")
    learner.tell(7, costs={("home", "a"): 2.5, "b": None}, partial=True, key="outcome 4711")
    keys = [headers["Idempotency-Key"] for _, _, headers, _ in requests]
    assert keys[1:] == ["order 4711", "outcome 4711"]
    assert len(keys[0]) == 32
    assert requests[0][3]["available"] == {"except": ["b"]}
    assert requests[2][3] == {"round": 7, "costs": [[["home", "a"], 2.5], ["b", None]], "partial": True}


def test_retry_after_is_waited_for(service, monkeypatch):
    client, requests = service((*BUSY, ("Retry-After", "7")), TOLD)
    waits = []
    monkeypatch.setattr(transport, "time", SimpleNamespace(sleep=waits.append, monotonic=time.monotonic))
    client.learner("commute").tell(np.int64(7), np.array([1.5, math.nan]), partial=True)
    assert len(waits) == 1
    assert 7.0 < waits[0] < 7.0 + transport.FIRST_WAIT
    assert requests[1][3] == {"round": 7, "rewards": [1.5, None], "partial": True}


def test_after_the_last_attempt_the_error_of_the_service_is_raised(service):
    client, requests = service(AWAY, AWAY, retries=1)
    with pytest.raises(sb.StorageError, match=r"^the database must answer, got nothing: wait$"):
        client.learner("commute").summary()
    assert len(requests) == 2


def refusal(kind, message):
    return {"error": {"type": kind, "message": message}}


ESCAPE = "\x1b]0;title\x07\u202e\n"
BOMB = gzip.compress(b"[" + b" " * 10**6 + b"]")
"""Unpacked it would be a thousand times as large."""
ERRORS = [
    ((409, refusal("Infeasible", "no decision is left")), "no decision is left", sb.Infeasible),
    ((422, refusal("InvalidInputError", "wrong")), "wrong", sb.InvalidInputError),
    ((401, refusal("Unauthorized", "no token")), "no token"),
    ((422, refusal("Infeasible", " ")), "must succeed, got status 422"),
    ((409, refusal("Infeasible", ESCAPE)), "title", sb.SemibanditsError),
    ((404, {"detail": "Not Found"}), "must succeed, got status 404"),
    ((200, "<html>hello</html>"), "must be JSON, got no content type with status 200"),
    ((200, "<html>", ("Content-Type", "\x1b[2J")), "must be JSON"),
    ((200, {"rounds": [{"round": 7}]}), "use the same version on both sides"),
    ((200, {"rounds": [{ESCAPE: 1}]}), "use the same version on both sides"),
    ((200, {"rounds": [{"round": math.inf, "items": [], "indices": []}]}), "must be JSON"),
    ((200, {"rounds": [{"round": 1, "items": 3, "indices": []}]}), "ValueError: Expected `array`"),
    ((200, {"rounds": []}), "0 rounds instead of 1"),
    ((200, "[" * 100_000), "must be JSON"),
    *(((200, BOMB, ("Content-Encoding", encoding)), f"must be JSON, got no content type in Content-Encoding {encoding} with")
      for encoding in ("gzip", "deflate", "br", "x")),
]  # fmt: skip


def test_errors_are_those_of_the_library_control_no_terminal_and_are_not_repeated(service):
    """No answer is unpacked, by this package or another one."""
    client, requests = service(*(answer for answer, *_ in ERRORS))
    for number, (answer, message, *kind) in enumerate(ERRORS, 1):
        with pytest.raises(*(kind or [sb.ServiceError]), match=message) as caught:
            client.learner("commute").ask()
        assert len(requests) == number
        assert requests[-1][2]["Accept-Encoding"] == "identity"
        assert TOKEN not in str(caught.value)
        assert str(caught.value).isprintable()
        assert kind or answer[0] == 200 or caught.value.status == answer[0]


def test_answers_have_a_largest_size(service, monkeypatch):
    monkeypatch.setattr(transport, "LARGEST_ANSWER", 1_000)
    client, _ = service((200, {"learners": []}), (200, " " * 1_001), (503, " " * 1_001))
    assert client.learners() == ()
    for _ in range(2):
        with pytest.raises(sb.ServiceError, match="must be JSON, got more than 1,000 bytes"):
            client.learners()


@pytest.mark.parametrize("begin", [b"HTTP/1.1 200 OK\r\na: ", b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"])
def test_an_attempt_ends_in_time_although_bytes_arrive(begin, monkeypatch):
    """Headers or a body arrive byte by byte; each read of the client takes a second of a clock of its own."""
    clock = [0.0]
    monkeypatch.setattr(transport, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    waits = []

    def dripping(read, attempt, max_bytes, timeout=None):
        clock[0] += 1.0
        waits.append(round(attempt.deadline - clock[0], 6))
        if waits[-1] < 0.0:
            raise httpx.ReadTimeout("what a socket raises")
        return read(1, timeout=30.0)

    monkeypatch.setattr(transport, "_read_in_time", dripping)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            connection, _ = listener.accept()
            with connection, contextlib.suppress(ConnectionError):
                connection.recv(2**16)
                connection.sendall(begin + b"x" * 900)
                connection.recv(2**16)

        thread = threading.Thread(target=serve)
        thread.start()
        client = Client(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=100.0, retries=0)
        with client, pytest.raises(sb.ServiceError, match="got no answer in 1 attempt"):
            client.learners()
        thread.join()
    assert waits[0] == 99.0
    assert waits[-1] == -1.0


def test_a_read_takes_the_time_that_is_left(monkeypatch):
    monkeypatch.setattr(transport, "time", SimpleNamespace(monotonic=lambda: 7.0))
    attempt, given = SimpleNamespace(), []

    def read(max_bytes, timeout):
        given.append((max_bytes, timeout))
        return b""

    for deadline, timeout in [(8.0, 3.0), (12.0, 3.0), (6.0, 3.0), (9.0, None)]:
        attempt.deadline = deadline
        transport._read_in_time(read, attempt, 5, timeout)
    assert given == [(5, 1.0), (5, 3.0), (5, transport.LEAST_SECONDS), (5, 2.0)]


def test_pages_of_open_rounds_that_repeat_end_with_an_error(service):
    page = (200, {"rounds": [{"round": 3, "items": ["a"], "age": 1, "seconds": None}], "next": 3})
    client, requests = service(page, page)
    with pytest.raises(sb.ServiceError, match="next = 3 on the page after 3"):
        client.learner("commute").open_rounds()
    assert len(requests) == 2


@pytest.mark.parametrize(("retries", "attempts"), [(0, "1 attempt"), (1, "2 attempts")])
def test_nobody_answers(retries, attempts):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        client = Client(f"http://127.0.0.1:{free.getsockname()[1]}", TOKEN, retries=retries)
        with client, pytest.raises(sb.ServiceError, match=rf"got no answer in {attempts} \(") as caught:
            client.learners()
    assert TOKEN not in str(caught.value) + repr(client) + repr(client.learner("commute"))
    assert caught.value.status is None


def test_importing_the_client_loads_nothing_that_computes():
    code = "import semibandits.client, sys; print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())
    assert not loaded & {"numpy", "numba", "scipy", "networkx", "sqlalchemy", "typer"}
    assert "semibandits.learning" not in loaded
