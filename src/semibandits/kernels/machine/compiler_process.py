"""The child process that compiles kernels for `machine.background`."""

from __future__ import annotations

import importlib
import logging
import os
import pickle
import queue
import sys
import threading
from typing import Any, Final

from semibandits.kernels.machine import tiers
from semibandits.kernels.machine.background import FAILED, FINISHED, SAVED, TASK, Order

NICENESS: Final = 10
log = logging.getLogger(__name__)


def main() -> None:
    """Carry out orders from standard input until it is closed."""
    os.nice(NICENESS)
    reports = os.dup(1)
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), 1)  # what a task prints is no report

    def report(*words: str) -> None:
        os.write(reports, f"{' '.join(words)}\n".encode())

    orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(orders,), daemon=True).start()
    tiers.on_compiled.append(lambda kernel: report(SAVED, f"{kernel.py_func.__module__}.{kernel.__name__}"))
    while True:
        order = orders.get()
        try:
            carry_out(order)
        except Exception as error:
            log.exception("%s failed", order.label)
            report(FAILED, order.label, type(error).__name__)
        else:
            report(FINISHED, order.label)


def carry_out(order: Order) -> None:
    """Compile a kernel or a pointer into the cache, or run a task."""
    target: Any = getattr(importlib.import_module(order.module), order.name)
    what: Any = pickle.loads(order.types)
    if order.kind == TASK:
        target(*what)
    elif order.kind == "pointer":
        tiers.Pointer(target, what).compile()
    else:
        target.compile(what)


def _receive(orders: queue.SimpleQueue[Order]) -> None:
    """Read orders; end the process with its parent, also while it compiles."""
    try:
        while True:
            orders.put(pickle.load(sys.stdin.buffer))
    finally:
        os._exit(0)
