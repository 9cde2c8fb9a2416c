"""Progress of a simulation: a bar on a terminal, a few lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final

MOST_LINES: Final = 10
"""Where there is no terminal, as in notebooks and log files, each of these parts of the replications gives a line."""


@contextlib.contextmanager
def reporter(progress: bool | Callable[[int, int], None], done: int, total: int) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of finished replications, of which `done` are finished already."""
    if callable(progress):
        yield lambda finished: progress(finished, total)
    elif not progress:
        yield lambda finished: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("simulating"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True, force_jupyter=False)) as bar:
            task = bar.add_task("simulating", total=total, completed=done)
            yield lambda finished: bar.update(task, completed=finished)
    else:
        yield _line_printer(done, total)


def _line_printer(done: int, total: int) -> Callable[[int], None]:
    """A function that prints at most `MOST_LINES` lines on the error stream: it needs no terminal and no widgets."""
    start, shown = time.monotonic(), done * MOST_LINES // total

    def show(finished: int) -> None:
        nonlocal shown
        if finished * MOST_LINES // total > shown:
            shown = finished * MOST_LINES // total
            seconds = time.monotonic() - start
            left = seconds * (total - finished) / (finished - done)
            rest = f", about {left:.0f} s left" if finished < total else ""
            print(f"{finished:,} of {total:,} replications, {seconds:.0f} s{rest}", file=sys.stderr, flush=True)

    return show
