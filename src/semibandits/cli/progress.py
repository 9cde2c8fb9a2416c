"""The line that shows how far a long solve or simulation has come."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TextIO, final

from semibandits.graves_lai.result import Progress
from semibandits.reporting.wording import bracket_text

QUIET_SECONDS: Final = 0.5
"""A solve that is over sooner shows nothing."""
TERMINAL_SECONDS: Final = 0.1
LOG_SECONDS: Final = 5.0
"""How often finished replications are counted on a terminal, and elsewhere, where each count is a line of its own."""


@final
class StatusLine:
    """Writes text to a stream, in one line that renews itself on a terminal and in one line each elsewhere.

    Parameters
    ----------
    stream : text file
        Usually stderr.
    wanted : bool or None
        None: only on a terminal, and only once half a second has passed.
    """

    def __init__(self, stream: TextIO, wanted: bool | None) -> None:
        self._stream = stream
        self.on_terminal = stream.isatty()
        self._shown = self.on_terminal if wanted is None else wanted
        self._quiet_until = QUIET_SECONDS if wanted is None else 0.0
        self._width = 0

    def show(self, text: str, seconds: float) -> None:
        """Show a text, so many seconds after the start."""
        if not self._shown or seconds < self._quiet_until:
            return
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
    """

    def __init__(self, stream: TextIO, wanted: bool | None) -> None:
        self._line = StatusLine(stream, wanted)

    def __call__(self, progress: Progress) -> None:
        """Show where the solve stands."""
        text = (
            f"round {progress.round}, {progress.cycles:,} cycles, {bracket_text(progress.lower, progress.value)}, "
            f"gap {progress.gap:.1e}, {progress.seconds:.1f} s"
        )
        self._line.show(text, progress.seconds)

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
        self.told = 0
        """How often a finished replication was told of."""
        # Half a second of silence would not be over before the first replication is: hence that many seconds.
        self._line.show("computing C(θ) and compiling, which takes a minute on the first run", QUIET_SECONDS)

    def __call__(self, finished: int, total: int) -> None:
        """Show how many replications are finished."""
        now = self._clock() - self._start
        self.told += 1
        self._first = self._first or (finished, now)
        interval = TERMINAL_SECONDS if self._line.on_terminal else LOG_SECONDS
        if now - self._shown_at < interval and finished < total:
            return
        self._shown_at = now
        text = f"{finished:,} of {total:,} replications, {now:.1f} s"
        before, then = self._first
        if before < finished < total:  # the first one waited for compilation
            text += f", about {(now - then) / (finished - before) * (total - finished):.0f} s left"
        self._line.show(text, now)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._start

    def close(self) -> None:
        """Wipe the line from the terminal."""
        self._line.close()
