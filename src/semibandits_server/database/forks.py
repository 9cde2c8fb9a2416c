"""Processes are forked while no transaction is in progress: a copy of it could neither be ended nor be waited for."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Final, TypeAlias

Running: TypeAlias = tuple[int, object]
"""A transaction in progress: its thread, and an object that tells it from others."""
LONGEST_WAIT: Final = 10.0
"""Seconds after which a process is forked nevertheless: a transaction may wait for the thread that forks."""
PAUSE: Final = 0.001
RUNNING: Final[list[Running]] = []
"""Transactions in progress. Each change is one step of the interpreter, as in `grouping`."""
before_fork: Final[list[Callable[[], None]]] = []
"""Functions that are called before a process is forked."""
in_child: Final[list[Callable[[bool], None]]] = []
"""Functions that are called in the new process, with whether another thread of its parent was in a transaction."""
_forking: Final[list[int]] = []


def enter(one: Running) -> None:
    """Add a transaction to `RUNNING`, after waiting while another thread forks; within a transaction there is no wait."""
    while True:
        RUNNING.append(one)
        is_within = any(other[0] == one[0] and other is not one for other in tuple(RUNNING))
        if is_within or not any(thread != one[0] for thread in tuple(_forking)):
            return
        RUNNING.remove(one)
        time.sleep(PAUSE)


def _before() -> None:
    thread, deadline = threading.get_ident(), time.monotonic() + LONGEST_WAIT
    _forking.append(thread)
    while any(other != thread for other, _ in tuple(RUNNING)) and time.monotonic() < deadline:
        time.sleep(PAUSE)
    for function in before_fork:
        function()


def _after_in_parent() -> None:
    thread = threading.get_ident()
    if thread in _forking:
        _forking.remove(thread)


def _after_in_child() -> None:
    thread = threading.get_ident()
    is_cut = any(other != thread for other, _ in RUNNING)
    _forking.clear()
    RUNNING.clear()
    for function in in_child:
        function(is_cut)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
