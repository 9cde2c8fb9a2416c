"""The line that shows how far a long solve or simulation has come."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final, Protocol, TextIO, final

from semibandits.kernels.tiers import announcing
from semibandits.regret_bound.result import Progress
from semibandits.reporting.formatting import bracket_text

QUIET_SECONDS: Final = 0.5
"""A solve that is over sooner shows nothing on a terminal."""
FIRST_SECONDS: Final = 4.0
MINUTE: Final = 60.0
"""Elsewhere there is a line after so many seconds, and then one a minute, unless more or none are asked for."""
TERMINAL_SECONDS: Final = 0.1
LOG_SECONDS: Final = 5.0
"""How often finished replications are counted on a terminal, and elsewhere if asked for: each count is then a line of its own."""
TICK_SECONDS: Final = 1.0
"""How often the line is renewed while nothing is told."""


class Line(Protocol):
    """What shows how far something has come."""

    def tick(self) -> None:
        """Show it again, with the time that has passed."""

    def compiling(self, text: str) -> None:
        """Show this in its place, until nothing is told."""


@contextmanager
def ticking(line: Line) -> Iterator[None]:
    """Renews a line every second, also while a kernel runs or is compiled: an alarm is heard there, a thread is not."""
    with announcing(line.compiling), _renewing(line):
        yield


@contextmanager
def _renewing(line: Line) -> Iterator[None]:
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def tick(number: int, frame: FrameType | None) -> None:
        with suppress(RuntimeError):  # the alarm came in the middle of writing to the same stream
            line.tick()

    before = signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, TICK_SECONDS, TICK_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@final
class StatusLine:
    """Writes text to a stream, in one line that renews itself on a terminal and in one line each elsewhere.

    Parameters
    ----------
    stream : text file
        Usually stderr.
    wanted : bool or None
        None: on a terminal once half a second has passed, elsewhere after four seconds and then once a minute.
    """

    def __init__(self, stream: TextIO, wanted: bool | None) -> None:
        self._stream = stream
        self.on_terminal = stream.isatty()
        self._shown = wanted is not False
        self.rarely = wanted is None and not self.on_terminal
        """Whether there is to be one line a minute."""
        self._quiet_until = 0.0 if wanted else FIRST_SECONDS if self.rarely else QUIET_SECONDS
        self._width = 0

    def show(self, text: str, seconds: float) -> None:
        """Show a text, so many seconds after the start."""
        if not self._shown or seconds < self._quiet_until:
            return
        if self.rarely:
            self._quiet_until = seconds + MINUTE
        end = "" if self.on_terminal else "\n"
        start = "\r" if self.on_terminal else ""
        self._stream.write(f"{start}{text:<{self._width}}{end}")
        self._stream.flush()
        self._width = len(text) if self.on_terminal else 0

    def close(self) -> None:
        """Wipe the line from the terminal."""
        if self._width:
            self._stream.write(f"\r{'':{self._width}}\r")
            self._stream.flush()
            self._width = 0


@final
class ProgressLine:
    """Shows rounds, cycles, bracket and gap of a solve.

    Parameters
    ----------
    stream, wanted
        As for :class:`StatusLine`.
    clock : callable
        Seconds since whenever.
    """

    def __init__(self, stream: TextIO, wanted: bool | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._line = StatusLine(stream, wanted)
        self._clock = clock
        self._start = clock()
        self._state, self._compiling = "computing C(θ)", ""
        self._offset: float | None = None

    def __call__(self, progress: Progress) -> None:
        """Show where the solve stands."""
        self._offset = progress.seconds - self._clock()
        self._state = (
            f"round {progress.round}, {progress.cycles:,} cycles, {bracket_text(progress.lower, progress.value)}, "
            f"gap {progress.gap:.1e}"
        )
        self._line.show(f"{self._state}, {progress.seconds:.1f} s", progress.seconds)

    def tick(self) -> None:
        """Show the last text again, where a line renews itself or comes once a minute."""
        if self._line.on_terminal or self._line.rarely:
            seconds = self._clock() - self._start if self._offset is None else self._clock() + self._offset
            self._line.show(f"{self._compiling or self._state}, {seconds:.1f} s", seconds)

    def compiling(self, text: str) -> None:
        """Show this in place of the state, until nothing is told."""
        self._compiling = text

    def close(self) -> None:
        """Wipe the line from the terminal."""
        self._line.close()


@final
class ReplicationLine:
    """Counts finished replications, and says how long the rest may take.

    Parameters
    ----------
    stream, wanted
        As for :class:`StatusLine`.
    clock : callable
        Seconds since whenever.
    """

    def __init__(self, stream: TextIO, wanted: bool | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._line = StatusLine(stream, wanted)
        self._clock = clock
        self._start = clock()
        self._first: tuple[int, float] | None = None
        self._shown_at = -LOG_SECONDS
        self._state, self._compiling, self._left = "computing C(θ), then playing the first replications", "", ""
        self.told = 0
        """How often a finished replication was told of."""
        # Half a second of silence would not be over before the first replication is: hence that many seconds.
        self._line.show(self._state, QUIET_SECONDS)

    def __call__(self, finished: int, total: int) -> None:
        """Show how many replications are finished."""
        now = self._clock() - self._start
        self.told += 1
        self._first = self._first or (finished, now)
        self._state, self._left = f"{finished:,} of {total:,} replications", ""
        before, then = self._first
        if before < finished < total:  # the first one waited for compilation
            self._left = f", about {(now - then) / (finished - before) * (total - finished):.0f} s left"
        interval = TERMINAL_SECONDS if self._line.on_terminal or self._line.rarely else LOG_SECONDS
        if now - self._shown_at < interval and finished < total:
            return
        self._shown_at = now
        self._line.show(f"{self._state}, {now:.1f} s{self._left}", now)

    def tick(self) -> None:
        """Show the last text again, where a line renews itself or comes once a minute."""
        if self._line.on_terminal or self._line.rarely:
            self._line.show(f"{self._compiling or self._state}, {self.seconds:.1f} s", self.seconds)

    def compiling(self, text: str) -> None:
        """Show this in place of the state, until nothing is told."""
        self._compiling = text

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._start

    def close(self) -> None:
        """Wipe the line from the terminal."""
        self._line.close()
