"""Progress of a solve as lines of text, for ``graves_lai(..., progress=True)``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from semibandits.formats.numbers import bracket_text
from semibandits.regret_bound.result import Progress

LINE_SECONDS: Final = 2.0
"""Time between two lines; solves that end earlier print nothing."""


def reporter(progress: bool | Callable[[Progress], None] | None) -> Callable[[Progress], None] | None:
    """The function to call with each progress: the given one, one that prints a line on the error stream every few seconds, which
    needs no terminal and no widgets, or none.
    """
    if callable(progress):
        return progress
    if not progress:
        return None
    due = LINE_SECONDS

    def print_line(progress: Progress) -> None:
        nonlocal due
        if progress.seconds >= due:
            due = progress.seconds + LINE_SECONDS
            bracket = bracket_text(progress.lower, progress.value)
            print(f"round {progress.round}, {bracket}, {progress.seconds:.0f} s", file=sys.stderr, flush=True)

    return print_line
