"""How much memory and time can somebody without the token take from a service?

    python verification/service_floods.py [--megabytes 50]

Starts ``semibandits serve`` with a token for each attack, sends so many megabytes, and prints the memory of the service before
the attack, its peak and the memory afterwards, and the longest wait for `GET /health` on other connections. Linux only.

attacks:

- headers: lines of headers that never end
- value: one header that never ends
- address: a URL that never ends
- trailers: lines of headers after a chunked body
- trailer: one such line that never ends
- pipeline: requests that do not wait for their answers, of which none is read
- connections: connections that send the first part of a request and wait
"""

from __future__ import annotations

import argparse
import http.client
import re
import resource
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from itertools import repeat
from pathlib import Path

import semibandits as sb

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "service"))
from servers import serving

TOKEN = "token-of-the-verification"
PIECE = 2**16
HEAD = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = b"POST /v1/learners/items/ask HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n"
N_CONNECTIONS = 5_000
ATTACKS: dict[str, tuple[bytes, bytes]] = {
    "headers": (HEAD, b"a:b\r\n"),
    "value": (HEAD + b"a: ", b"x"),
    "address": (b"GET /", b"x"),
    "trailers": (CHUNKED, b"a:b\r\n"),
    "trailer": (CHUNKED + b"a: ", b"x"),
    "pipeline": (b"", HEAD + b"\r\n"),
}
"""What is sent once, and what is repeated."""


def memory(pid: int, name: str) -> float:
    """`VmRSS` or `VmHWM` of a process in megabytes."""
    found = re.search(rf"{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) / 1024


def flood(address: tuple[str, int], begin: bytes, part: bytes, size: int) -> int:
    """Send an attack; number of bytes that the service has taken before it closed the connection."""
    piece, sent = part * max(1, PIECE // len(part)), 0
    with socket.create_connection(address, timeout=20.0) as connection, suppress(OSError):
        connection.sendall(begin)
        for block in repeat(piece, max(1, size // len(piece))):
            connection.sendall(block)
            sent += len(block)
        time.sleep(1.0)
    return sent


def many_connections(address: tuple[str, int]) -> int:
    """Open connections and send a part of a request on each; number of bytes sent."""
    sent, begin = 0, HEAD + b"a: " + b"x" * 50_000
    with ExitStack() as stack, suppress(OSError):
        for _ in range(N_CONNECTIONS):
            one = stack.enter_context(socket.create_connection(address, timeout=20.0))
            with suppress(OSError):
                one.sendall(begin)
                sent += len(begin)
        time.sleep(1.0)
    return sent


def waits(address: tuple[str, int], is_over: threading.Event) -> Iterator[float]:
    """Seconds that requests of others wait for their answers."""
    while not is_over.wait(0.05):
        begun = time.perf_counter()
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(*address, timeout=60.0)
            connection.request("GET", "/health")
            connection.getresponse().read()
            connection.close()
        yield time.perf_counter() - begun


def measure(url: str, name: str, attack: Callable[[tuple[str, int]], int]) -> None:
    """Start a service, attack it, and print a line."""
    with serving(url, token=TOKEN) as server:
        host, _, port = server.address.rpartition(":")
        address, is_over, longest = (host, int(port)), threading.Event(), [0.0]
        next(waits(address, is_over))
        before = memory(server.process.pid, "VmRSS")
        watch = threading.Thread(target=lambda: longest.extend(waits(address, is_over)))
        watch.start()
        sent = attack(address)
        time.sleep(2.0)
        is_over.set()
        watch.join()
        peak, after = memory(server.process.pid, "VmHWM"), memory(server.process.pid, "VmRSS")
    print(f"{name:12} {sent / 1e6:9.1f} {before:10.0f} {peak:8.0f} {after:8.0f} {max(longest):8.2f}", flush=True)


def main() -> None:
    """Carry out all attacks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=50.0, help="size of an attack")
    parser.add_argument("--only", choices=[*ATTACKS, "connections"], nargs="+", help="attacks to carry out")
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    print(f"{'attack':12} {'sent, MB':>9} {'before, MB':>10} {'peak, MB':>8} {'after':>8} {'wait, s':>8}")
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/learners.db"
        sb.open_learner(url, name="items", decision_set=sb.MSets(6, 2), variance=1.0, seed=0).close()
        for name, (begin, part) in ATTACKS.items():
            if options.only is None or name in options.only:
                size = int(1e6 * options.megabytes)
                measure(url, name, lambda address, begin=begin, part=part, size=size: flood(address, begin, part, size))
        if options.only is None or "connections" in options.only:
            measure(url, "connections", many_connections)


if __name__ == "__main__":
    main()
