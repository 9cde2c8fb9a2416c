"""Response times of the service with several clients at once, on paths through germany50 with GLADE.

    python benchmarks/service.py [--clients 8] [--seconds 20] [--pause 0] [--url postgresql://...]

Starts ``semibandits serve`` on a new database, and as many processes as clients; each asks, draws the outcome, tells it, and
begins again after `pause` seconds, over one connection that it keeps. The times are those that the clients see. The first two
seconds are not counted: kernels are loaded in them. Run ``semibandits compile`` first, as for a service.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from urllib.parse import urlsplit

import numpy as np

import semibandits as sb
from reporting import Report, digits
from semibandits import datasets

DATASET = "germany50-routing"
SETTLING = 2.0


def play(address: str, number: int, seconds: float, pause: float) -> dict[str, list[float]]:
    """Rounds of one client: seconds of each call after the settling time."""
    instance = datasets.load(DATASET).instance
    rng = np.random.default_rng(number)
    connection = http.client.HTTPConnection(urlsplit(address).netloc)
    times: dict[str, list[float]] = {"ask": [], "tell": []}
    begun = time.perf_counter()
    is_settled = False

    def call(action: str, body: dict[str, object]) -> dict[str, object]:
        start = time.perf_counter()
        connection.request("POST", f"/v1/learners/germany50/{action}", json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        content = json.loads(response.read())
        if is_settled:
            times[action].append(time.perf_counter() - start)
        assert response.status == 200, content
        return content

    while (elapsed := time.perf_counter() - begun) < seconds + SETTLING:
        is_settled = elapsed > SETTLING
        (asked,) = call("ask", {})["rounds"]
        items = asked["indices"]
        rewards = instance.theta[items] + np.sqrt(instance.variance[items]) * rng.standard_normal(len(items))
        call("tell", {"round": asked["round"], "rewards": rewards.tolist()})
        time.sleep(pause)
    return times


def serve(url: str) -> tuple[subprocess.Popen[str], str]:
    """The service and its address."""
    instance = datasets.load(DATASET).instance
    sb.open_learner(url, name="germany50", decision_set=instance.decision_set, variance=instance.variance, seed=0).close()
    command = [sys.executable, "-c", "import semibandits_cli; semibandits_cli.main()", "serve", "--storage", url, "--port", "0"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert service.stdout is not None
    line = service.stdout.readline()
    found = re.search(r"http://\S+", line)
    assert found is not None, line
    return service, found[0]


def measure(url: str, clients: int, seconds: float, pause: float) -> tuple[str, ...]:
    """One row of the table."""
    service, address = serve(url)
    try:
        with ProcessPoolExecutor(clients) as pool:
            results = [pool.submit(play, address, number, seconds, pause) for number in range(clients)]
            times = [result.result() for result in results]
    finally:
        service.send_signal(signal.SIGTERM)
        assert service.wait(60) == 0
    calls = {action: np.array([one for part in times for one in part[action]]) * 1e3 for action in ("ask", "tell")}
    total = sum(map(len, calls.values()))
    ask = [digits(value, 3) for value in (*np.percentile(calls["ask"], (50, 90, 99)), calls["ask"].max())]
    tell = [digits(value, 3) for value in np.percentile(calls["tell"], (50, 99))]
    return (str(clients), f"{pause * 1e3:g}", digits(total / seconds, 3), *ask, *tell, f"{os.getloadavg()[0]:.1f}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--pause", type=float, nargs="+", default=[0.0], help="seconds between the rounds of a client")
    parser.add_argument("--url", help="a new database, by default a file of SQLite")
    options = parser.parse_args()
    columns = ("clients", "pause, ms", "requests/s", "ask p50, ms", "p90", "p99", "max", "tell p50, ms", "p99", "load")
    report = Report(None)
    rows = []
    for clients in options.clients:
        for pause in options.pause:
            with tempfile.TemporaryDirectory() as folder:
                rows.append(measure(options.url or f"sqlite:///{folder}/learners.db", clients, options.seconds, pause))
    report.table(f"semibandits serve, {DATASET}, GLADE", columns, rows)


if __name__ == "__main__":
    main()
