"""A real server: its start, its stop, its logs, and what survives when it is killed."""

import contextlib
import json
import signal
import socket
import sqlite3
import sys
import time

import pytest
from servers import post, serving

import semibandits as sb
from semibandits_server import service
from semibandits_studies.cli import main

TOKEN = "a-token-of-this-test"
SECRET_COST = 987.654321


@contextlib.contextmanager
def locked(url):
    """Nobody else can write to the database."""
    with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.rollback()


def refused(capsys, *arguments):
    """The error of a command that does not start."""
    with pytest.raises(SystemExit) as end:
        main(["serve", *arguments])
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    return err.removeprefix("Error: ").strip()


@contextlib.contextmanager
def begun_request(server, *headers):
    """A connection that has sent the head of a request for a round, with the token of the server."""
    host, port = server.address.split(":")
    lines = ["POST /v1/learners/items/ask HTTP/1.1", f"Host: {host}", "Content-Type: application/json", *headers]
    lines += [] if server.token is None else [f"Authorization: Bearer {server.token}"]
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        yield connection


@contextlib.contextmanager
def waiting_request(server):
    """A request that waits for the database: the service has asked for its body."""
    with begun_request(server, "Connection: close", "Expect: 100-continue", "Content-Length: 2") as connection:
        assert connection.recv(1_000).startswith(b"HTTP/1.1 100 ")
        connection.sendall(b"{}")
        yield connection


def stop_while_it_waits(server, number):
    """Send a signal, after which the server takes no requests, but has not ended."""
    server.process.send_signal(number)
    host, port = server.address.split(":")
    deadline = time.monotonic() + 600
    with contextlib.suppress(ConnectionError):
        while time.monotonic() < deadline:
            socket.create_connection((host, int(port)), timeout=30).close()
    assert server.process.poll() is None


def test_it_starts_serves_those_with_a_token_and_finishes_running_requests_when_it_stops(url):
    """A call that waits for the database at the signal is answered, and stored; a client that leaves changes nothing."""
    with serving(url, token=TOKEN) as server:
        address = f"http://{server.address}"
        assert server.lines == f"Serving 2 learners of {url} on {address}\nPage: {address}/\n"
        status, content = server.call("POST", "/v1/learners/courier/ask", {})
        assert (status, content["rounds"][0]["round"]) == (200, 0)
        outcome = {"round": 0, "costs": [SECRET_COST] * len(content["rounds"][0]["items"])}
        assert server.call("POST", "/v1/learners/courier/tell", outcome)[0] == 200
        with begun_request(server, "Content-Length: 100") as half:
            half.sendall(b'{"count"')
            half.shutdown(socket.SHUT_WR)
            assert half.recv(1) == b""  # the server has noticed
        assert [one["rounds"] for one in server.call("GET", "/v1/learners")[1]["learners"]] == [1, 0]
        server.call("POST", "/v1/learners/items/ask", {})
        server.token = "another-token-than-that"
        assert [server.call("GET", path)[0] for path in ("/v1/learners", "/health")] == [401, 200]
        server.token = TOKEN
        with locked(url), waiting_request(server) as connection:
            stop_while_it_waits(server, signal.SIGTERM)
            connection = connection.dup()
        with connection:
            connection.settimeout(30)
            answer = b"".join(iter(lambda: connection.recv(10_000), b""))
        code, err = server.ended()
    assert code == 0
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert json.loads(body)["rounds"][0]["round"] == 1
    lines = [json.loads(line) for line in err.splitlines()]
    assert [line["message"] for line in lines] == [*["request"] * 8, "stopped"]
    ask, tell = lines[:2]
    assert (ask["method"], ask["path"], ask["status"]) == ("POST", "/v1/learners/{name}/ask", 200)
    assert (ask["learner"], ask["round"], tell["round"], ask["level"]) == ("courier", 0, 0, "info")
    assert 0.0 < ask["seconds"] < 30.0
    assert not any(secret in err for secret in (str(SECRET_COST), TOKEN, "another-token", "Traceback"))
    assert sb.open_learner(url, name="courier").open_rounds == ()
    assert sb.open_learner(url, name="items").rounds == 2


def test_a_second_signal_ends_it_at_once(url):
    with serving(url, "--storage-timeout", "60", "--log-format", "text") as server:
        server.call("POST", "/v1/learners/items/ask", {})
        with locked(url), waiting_request(server):
            stop_while_it_waits(server, signal.SIGINT)
            assert " INFO    request " in server.logged()
            server.process.send_signal(signal.SIGINT)
            assert server.process.wait(30) == 130
    assert sb.open_learner(url, name="items").rounds == 1


def test_a_call_repeated_after_a_kill_counts_once(url, client_with):
    """Every call is repeated with its key by other services, which share the learner, as if its answer was lost."""
    with serving(url) as server:
        status, asked = server.call("POST", "/v1/learners/courier/ask", {"count": 2}, key="asks")
        outcome = {"round": 0, "costs": [1.0] * len(asked["rounds"][0]["items"])}
        told = server.call("POST", "/v1/learners/courier/tell", outcome, key="outcome")
        server.process.kill()
        server.process.wait()
    assert (status, told[0]) == (200, 200)
    one, other = client_with(), client_with()
    assert post(one, "courier/ask", {"count": 2}, key="asks").json() == asked
    assert post(other, "courier/tell", outcome, key="outcome").json() == told[1]
    assert post(one, "courier/tell", outcome).status_code == 422
    assert post(other, "courier/ask").json()["rounds"][0]["round"] == 2
    assert one.get("/v1/learners").json()["learners"][0]["rounds"] == 3


def test_a_port_in_use_is_one_error(url, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        error = refused(capsys, "--storage", url, "--port", str(port))
    assert error == (
        f"127.0.0.1 and port {port} must be free for the service, got: Address already in use: choose another --port, or "
        "another --host"
    )


def test_what_does_not_start(url, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("SEMIBANDITS_TOKEN", raising=False)
    for arguments, message in (
        (["--host", "0.0.0.0"], "a token must protect a service on 0.0.0.0, got none: set the environment variable"),
        (["--host", "no.such.host.example"], "a token must protect"),
        (["--name", "nobody"], "--name must be a learner in sqlite:///"),
        (["--rate", "0"], "rate must be from 0.001 to 1e+06 requests a second, got 0.0"),
        (["--log-format", "xml"], "--log-format must be a known name, got 'xml': choose from json, text"),
    ):
        assert refused(capsys, "--storage", url, *arguments).startswith(message)
    error = refused(capsys, "--storage", f"sqlite:///{tmp_path}/nothing.db")
    assert error.endswith("must be a database of learners, got no such file: check the URL, or create a learner")
    for token in ("", "short", "with a space in the middle", "ümlaut-ümlaut-ümlaut"):
        monkeypatch.setenv("SEMIBANDITS_TOKEN", token)
        expected = f"the token must consist of at least 16 letters, digits and ._~+/=-, got {len(token)} characters"
        assert refused(capsys, "--storage", url).startswith(expected)


def test_a_missing_package_is_one_error(url, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "semibandits_server.service.server", raising=False)
    monkeypatch.delattr(service, "server", raising=False)
    assert refused(capsys, "--storage", url) == (
        "semibandits serve needs uvicorn, which is not installed: run pip install fastapi fastapi-swagger httptools msgspec "
        "prometheus-client sqlalchemy uvicorn uvloop"
    )
