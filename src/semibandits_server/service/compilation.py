"""Kernels for the learners that are served, compiled in the background from the start."""

from __future__ import annotations

from typing import Final, Literal

from semibandits.kernels.machine.background import Order, background
from semibandits_server.wire import Compilation

TASK: Final = "semibandits_server.compilation.compile_for_served_learner"


def compile_for(url: str, name: str) -> None:
    """Have the kernels of a learner compiled; returns at once, and does nothing if it was called for the learner before."""
    background.request(Order.task(TASK, url, name))


def state() -> Compilation:
    """What the child process of this process does, and how much it has done."""
    pending = len(background.pending)
    busy: Literal["compiling", "waiting"] = "compiling" if background.is_running else "waiting"
    status = "off" if background.is_off else busy if pending else "done"
    return Compilation(status, pending, len(background.saved), background.loaded)
