"""Requests to the service: through a client in this process, or to a real server."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager

LOCAL = "http://127.0.0.1:8000"
HERE = ("127.0.0.1", 50_000)
"""Address of a client on this machine."""
SERVE = (sys.executable, "-c", "import semibandits_cli; semibandits_cli.main()", "serve")


def post(client, path, body=None, key=None, **headers):
    """The answer to a POST with a JSON body."""
    headers |= {} if key is None else {"Idempotency-Key": key}
    return client.post(f"/v1/learners/{path}", json={} if body is None else body, headers=headers)


def error_of(response):
    """The message of a refusal, after checks of its form."""
    content = response.json()
    assert set(content) == {"error"}
    assert set(content["error"]) == {"type", "message"}
    message = content["error"]["message"]
    assert message
    assert "\n" not in message
    return message


class Server:
    """A real server in a process of its own; it compiles in the background only if `environment` switches that on."""

    def __init__(self, url, *options, token=None, environment=()):
        environment = os.environ | {"SEMIBANDITS_BACKGROUND": "0"} | dict(environment)
        environment.pop("SEMIBANDITS_TOKEN", None)
        environment |= {} if token is None else {"SEMIBANDITS_TOKEN": token}
        # Not a pipe, which would stop the server as soon as it is full.
        self.log = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
        self.process = subprocess.Popen(
            [*SERVE, "--storage", url, "--port", "0", *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment,
        )  # fmt: skip
        line = self.process.stdout.readline()
        found = re.search(r"http://(\S+)", line)
        assert found, line + self.logged()
        self.address, self.token = found[1], token
        self.lines = line + self.process.stdout.readline()

    def call(self, method, path, body=None, key=None):
        """Status and JSON of an answer."""
        connection = http.client.HTTPConnection(self.address, timeout=30)
        headers = {"Content-Type": "application/json"} | ({} if key is None else {"Idempotency-Key": key})
        headers |= {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response.status, json.loads(content)

    def logged(self):
        """All of stderr."""
        self.log.seek(0)
        return self.log.read()

    def stop(self, number=signal.SIGTERM):
        """Exit code and stderr after a signal."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self):
        """Exit code and stderr once it has ended."""
        out, _ = self.process.communicate(timeout=30)
        assert out == ""
        return self.process.returncode, self.logged()


@contextmanager
def serving(url, *options, **more):
    """A real server, killed at the end unless it was stopped."""
    server = Server(url, *options, **more)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.wait()
        server.process.stdout.close()
        server.log.close()
