"""A worker: asks a service for a route, drives it, and tells how long each street took.

    export SEMIBANDITS_TOKEN=...
    python worker.py --url http://127.0.0.1:8000 --learner courier

It may be stopped or killed at any moment and started again. Orders are numbered, a file holds the number of the current one, and
the calls of an order have keys made from it: a worker that begins an order again gets the same round, which counts once.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import os
import random
import signal
import socket
import threading
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path

from semibandits.client import Client, RemoteLearner, Round, ServiceError
from semibandits.errors import Infeasible, InvalidInputError, StorageError

LOGGER = logging.getLogger("worker")
PATIENCE = 15.0
"""Seconds to wait if the service is away for longer than the client repeats a request."""


def main() -> None:
    """Work until SIGTERM or Ctrl-C; the order at hand is finished first."""
    options = arguments()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    with Client(options.url, os.environ.get("SEMIBANDITS_TOKEN")) as client:
        work(client.learner(options.learner), options.name, options.state, options.orders, options.pause, stopped)


def work(learner: RemoteLearner, name: str, state: Path, orders: int | None, pause: float, stopped: threading.Event) -> None:
    """Carry out orders, `orders` in all if it is not None, from the one on that the file holds."""
    number = int(state.read_text()) if state.exists() else 0
    while not stopped.is_set() and (orders is None or number < orders):
        try:
            carry_out(learner, f"{name} {number}")
        except (ServiceError, StorageError, Infeasible) as error:
            if isinstance(error, ServiceError) and error.status in (401, 403, 404):
                raise SystemExit(f"Error: {error}") from error
            LOGGER.warning("order %d is begun again: %s", number, error)
            stopped.wait(PATIENCE)
            continue
        number += 1
        write_whole(state, str(number))
        stopped.wait(pause)


def carry_out(learner: RemoteLearner, order: str) -> None:
    """One order: ask, drive, tell. Called again with the same order, it repeats the same round."""
    asked = learner.ask(key=f"{order} ask")
    minutes = drive(asked, order)
    try:
        learner.tell(asked.id, costs=minutes, partial=True, key=f"{order} tell")
    except InvalidInputError as error:
        LOGGER.warning("the outcome of round %d is not accepted: %s", asked.id, error)
        with suppress(InvalidInputError):  # the round was open for too long, and has been forgotten already
            learner.forget(asked.id, key=f"{order} forget")
    else:
        LOGGER.info("round %d: %d streets, %.1f minutes", asked.id, len(minutes), sum(minutes.values()))


def drive(asked: Round, order: str) -> dict[Hashable, float]:
    """Minutes by street, of which one in fifty is not measured. An order that is begun again has the same ones.

    Replace it by your measurement, and save that in a file before `tell`: a worker that is killed during `tell` repeats the call,
    and the service refuses other values under the same key.
    """
    draw = random.Random(order)
    return {street: draw.gauss(mean_of(street), 2.0) for street in asked.labels if draw.random() > 0.02}


def mean_of(street: Hashable) -> float:
    """A mean from 4 to 12 minutes, the same on every machine."""
    return 4.0 + hashlib.sha256(repr(street).encode()).digest()[0] / 32.0


def write_whole(path: Path, text: str) -> None:
    """Replace the content of a file, so that it is never half written."""
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    os.replace(new, path)


def arguments() -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(description="Ask, drive, tell.")
    parser.add_argument("--url", default=os.environ.get("SEMIBANDITS_URL", "http://127.0.0.1:8000"))
    parser.add_argument("--learner", default="courier")
    parser.add_argument("--name", default=socket.gethostname(), help="Name of this worker; each needs its own.")
    parser.add_argument("--state", type=Path, default=Path("worker.state"), help="File with the number of the order.")
    parser.add_argument("--orders", type=int, help="Stop after so many orders; by default never.")
    parser.add_argument("--pause", type=float, default=1.0, help="Seconds between two orders.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
