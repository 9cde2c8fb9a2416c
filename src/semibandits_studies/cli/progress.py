"""The line that shows the progress of a long solve or simulation."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final, TextIO, final

from semibandits.kernels.machine.tiers import announcing, finish
from semibandits.regret_bound.result import Progress
from semibandits_studies.reporting.formatting import bracket_text

QUIET_SECONDS: Final = 0.5
"""A solve that ends earlier shows nothing on a terminal."""
FIRST_SECONDS: Final = 4.0
MINUTE: Final = 60.0
"""Elsewhere the first line comes after `FIRST_SECONDS`, then one a minute, unless more or none are requested."""
TERMINAL_SECONDS: Final = 0.1
LOG_SECONDS: Final = 5.0
"""Time between two counts of replications on a terminal, and elsewhere if requested: there each count is a line."""
TICK_SECONDS: Final = 1.0
"""Time between two renewals of the line without new progress."""


class StatusLine:
    """A line with a state and the seconds since the start: renewed in place on a terminal, one line each elsewhere.

    If `wanted` is None, the line is shown on a terminal once half a second has passed, elsewhere after four seconds and then once
    a minute. `clock` returns seconds since any fixed time.
    """

    initial = ""

    def __init__(self, stream: TextIO, wanted: bool | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock, self._start = stream, clock, clock()
        self._on_terminal = stream.isatty()
        self._rarely = wanted is None and not self._on_terminal
        quiet = FIRST_SECONDS if self._rarely else QUIET_SECONDS
        self._quiet_until = math.inf if wanted is False else 0.0 if wanted else quiet
        self._state, self._compiling, self._width = self.initial, "", 0

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._start

    def tick(self) -> None:
        """Show the state and the time again, where the line is renewed or comes once a minute."""
        if self._on_terminal or self._rarely:
            self._show(f"{self._compiling or self._state}, {self.seconds:.1f} s", self.seconds)

    def compiling(self, text: str) -> None:
        """Show a text instead of the state until it is ``""``."""
        self._compiling = text

    def close(self) -> None:
        """Clear the line on a terminal."""
        if self._width:
            self._write(f"\r{'':{self._width}}\r")
            self._width = 0

    def _show(self, text: str, seconds: float) -> None:
        """Show a text at this time after the start."""
        if seconds < self._quiet_until:
            return
        if self._rarely:
            self._quiet_until = seconds + MINUTE
        self._write(f"\r{text:<{self._width}}" if self._on_terminal else f"{text}\n")
        self._width = len(text) if self._on_terminal else 0

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


@final
class ProgressLine(StatusLine):
    """Shows rounds, cycles, bracket and gap of a solve."""

    initial = "computing C(θ)"

    def __call__(self, progress: Progress) -> None:
        """Show the progress of the solve."""
        self._start = self._clock() - progress.seconds
        self._state = (
            f"round {progress.round}, {progress.cycles:,} cycles, {bracket_text(progress.lower, progress.value, 15)}, "
            f"gap {progress.gap:.1e}"
        )
        self._show(f"{self._state}, {progress.seconds:.1f} s", progress.seconds)


@final
class ReplicationLine(StatusLine):
    """Counts finished replications, and estimates the time left."""

    initial = "computing C(θ), then playing the first replications"

    def __init__(self, stream: TextIO, wanted: bool | None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(stream, wanted, clock)
        self._first: tuple[int, float] | None = None
        self._shown_at = -LOG_SECONDS
        self._show(self._state, QUIET_SECONDS)  # at once: the first replication takes longer than QUIET_SECONDS anyway

    def __call__(self, finished: int, total: int) -> None:
        """Show the number of finished replications."""
        now, left = self.seconds, ""
        self._first = self._first or (finished, now)
        self._state = f"{finished:,} of {total:,} replications"
        before, then = self._first
        if before < finished < total:  # the first one waited for compilation
            left = f", about {(now - then) / (finished - before) * (total - finished):.0f} s left"
        interval = TERMINAL_SECONDS if self._on_terminal or self._rarely else LOG_SECONDS
        if now - self._shown_at >= interval or finished == total:
            self._shown_at = now
            self._show(f"{self._state}, {now:.1f} s{left}", now)


@final
class TestPlanLine(StatusLine):
    """Shows the seconds of a solve."""

    initial = "computing T*(θ)"


@final
class CompilingLine(StatusLine):
    """Shows that a command only compiles for later ones."""

    initial = "done; compiling what the next command needs (Ctrl-C skips this)"


def finish_compiling(wanted: bool | None) -> None:
    """After the results of a short command: compile what earlier ones would have needed as well, see `tiers.finish`."""
    sys.stdout.flush()
    line = CompilingLine(sys.stderr, wanted)
    with suppress(KeyboardInterrupt), ticking(line):
        finish()
    line.close()


@contextmanager
def ticking(line: StatusLine) -> Iterator[None]:
    """Renew a line every second, also while a kernel runs or is compiled: an alarm interrupts these, a thread does not."""
    with announcing(line.compiling), _renewing(line):
        yield


@contextmanager
def _renewing(line: StatusLine) -> Iterator[None]:
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def tick(number: int, frame: FrameType | None) -> None:
        with suppress(RuntimeError):  # the alarm interrupted a write to the same stream
            line.tick()

    before = signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, TICK_SECONDS, TICK_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
