"""The line that shows how far a long solve has come."""

from __future__ import annotations

from typing import Final, TextIO

from semibandits.cli.wording import bracket_text
from semibandits.graves_lai.result import Progress

QUIET_SECONDS: Final = 0.5
"""A solve that is over sooner shows nothing."""


class ProgressLine:
    """Writes rounds, cycles, bracket and gap to a stream, in one line that renews itself on a terminal.

    Parameters
    ----------
    stream : text file
        Usually stderr.
    wanted : bool or None
        None: only on a terminal, and only once half a second has passed.
    """

    def __init__(self, stream: TextIO, wanted: bool | None) -> None:
        self._stream = stream
        self._on_terminal = stream.isatty()
        self._shown = self._on_terminal if wanted is None else wanted
        self._quiet_until = QUIET_SECONDS if wanted is None else 0.0
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        """Show where the solve stands."""
        if not self._shown or progress.seconds < self._quiet_until:
            return
        text = (
            f"round {progress.round}, {progress.cycles:,} cycles, {bracket_text(progress.lower, progress.value)}, "
            f"gap {progress.gap:.1e}, {progress.seconds:.1f} s"
        )
        end = "" if self._on_terminal else "\n"
        start = "\r" if self._on_terminal else ""
        self._stream.write(f"{start}{text:<{self._width}}{end}")
        self._stream.flush()
        self._width = len(text) if self._on_terminal else 0

    def close(self) -> None:
        """Wipe the line from the terminal."""
        if self._width:
            self._stream.write(f"\r{'':{self._width}}\r")
            self._stream.flush()
            self._width = 0
