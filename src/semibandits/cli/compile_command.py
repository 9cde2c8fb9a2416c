"""``semibandits compile``: compile all kernels ahead of time."""

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
Compile all kernels ahead of time, for container images and benchmarks.

This is optional: kernels run as Python until compiling them pays. Compiling all of them takes two minutes. They are cached \
on disk for this environment and CPU, and the next call takes seconds.

The cache is used only by users who can write to its folder. After an upgrade, kernels that have changed are compiled again.

[bold]Examples[/bold]
semibandits compile
semibandits compile --workers 1
"""


def command(
    workers: Annotated[
        str,
        typer.Option(
            "--workers", "-j", metavar="N", help="Processes, of which at most two are used; auto: one per core."
        ),
    ] = "auto",
) -> None:
    """Compile all kernels ahead of time."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise InvalidInputError("the compiler must be enabled, got NUMBA_DISABLE_JIT=1: unset it")
    wanted = worker_count(workers)
    start = time.perf_counter()
    with InterruptWatch() as watch:
        try:
            compile_kernels(min(len(TASKS), joblib.cpu_count() if wanted < 0 else wanted))
            watch.check()
        except BaseException as error:
            if not watch.seen and not isinstance(error, KeyboardInterrupt):
                raise
            raise Interrupted("interrupted: compiled kernels are kept; continue with: semibandits compile") from None
    print_line(f"All kernels are compiled ({time.perf_counter() - start:.0f} s)")
    print_line(f"Cached in {cache_folders()[0]} and similar folders")
