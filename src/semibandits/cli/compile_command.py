"""``semibandits compile``: all compiling at once, ahead of time."""

from __future__ import annotations

import os
import time
from typing import Annotated

import numba
import typer

from semibandits.cli.parsing import worker_count
from semibandits.compilation import TASKS, compile_kernels
from semibandits.errors import InvalidInputError

HELP = """
Compile all kernels now, so that nothing waits for it later.

What is computed most is compiled on first use, which takes a minute or two in all, and kept on disk for this environment and CPU.
Run this once after installing, or when an image is built that will serve decisions. Run again, it takes seconds.

[bold]Examples[/bold]

\b
semibandits compile
semibandits compile --workers 1
"""


def compile_all(
    workers: Annotated[
        str, typer.Option("--workers", "-j", metavar="N", help="Processes, of which two are used; auto: one a core.")
    ] = "auto",
) -> None:
    """Compile all kernels now, so that nothing waits for it later."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise InvalidInputError("kernels are compiled only with the compiler, got NUMBA_DISABLE_JIT=1: unset it")
    wanted = worker_count(workers)
    start = time.perf_counter()
    compile_kernels(min(len(TASKS), (os.cpu_count() or 1) if wanted < 0 else wanted))
    typer.echo(f"All kernels are compiled ({time.perf_counter() - start:.0f} s)")
