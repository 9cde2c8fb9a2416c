"""``semibandits compile``: all compiling at once, ahead of time."""

from __future__ import annotations

import time
from typing import Annotated

import joblib
import numba
import typer

from semibandits.cli.interruption import Interrupted, InterruptWatch
from semibandits.cli.parsing import worker_count
from semibandits.cli.terminal import print_line
from semibandits.compilation import TASKS, cache_folders, compile_kernels
from semibandits.errors import InvalidInputError

HELP = """
Compile all kernels now, for an image whose first rounds must be fast, or before measurements.

Nobody needs this: kernels run as Python until compiling them pays. All of them take two minutes, and are kept on disk for this
environment and CPU; run again, it takes seconds.

What is kept serves only who may write there. After an upgrade what has changed is compiled anew.

[bold]Examples[/bold]

\b
semibandits compile
semibandits compile --workers 1
"""


def command(
    workers: Annotated[
        str, typer.Option("--workers", "-j", metavar="N", help="Processes, of which two are used; auto: one a core.")
    ] = "auto",
) -> None:
    """Compile all kernels now, for images and measurements."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise InvalidInputError("kernels are compiled only with the compiler, got NUMBA_DISABLE_JIT=1: unset it")
    wanted = worker_count(workers)
    start = time.perf_counter()
    with InterruptWatch() as watch:
        try:
            compile_kernels(min(len(TASKS), joblib.cpu_count() if wanted < 0 else wanted))
            watch.check()
        except BaseException as error:
            if not watch.seen and not isinstance(error, KeyboardInterrupt):
                raise
            raise Interrupted("interrupted: what is compiled is kept; go on with: semibandits compile") from None
    print_line(f"All kernels are compiled ({time.perf_counter() - start:.0f} s)")
    print_line(f"Kept in {cache_folders()[0]} and folders like it")
