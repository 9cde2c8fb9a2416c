"""Entry point of the program ``semibandits``, without heavy imports, so that Ctrl-C works while they run."""

import atexit
import contextlib
import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def main() -> None:
    """Import the library and run the program."""
    before = signal.signal(signal.SIGINT, _exit_at_once)
    _replace_closed_streams()
    from semibandits_studies.cli import main as run

    signal.signal(signal.SIGINT, before)
    try:
        run()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _exit_quickly()
        raise


def _replace_closed_streams() -> None:
    """Replace standard streams that were closed at the start (``>&-``); otherwise the next open file takes their number.

    Stdout becomes a pipe without a reader, which fails as one whose reader has exited; messages on stderr are discarded.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(_inherited(os.open(os.devnull, os.O_RDONLY)), closefd=False)
    if sys.stdout is None:
        unread, written = os.pipe()
        os.dup2(written, 1)
        for number in {unread, written} - {1}:
            os.close(number)
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(_inherited(os.open(os.devnull, os.O_WRONLY)), "w", closefd=False)


def _inherited(number: int) -> int:
    """Make a file available to worker processes."""
    os.set_inheritable(number, True)
    return number


def _exit_at_once(number: int, frame: FrameType | None) -> None:
    """Exit at once: an exception within an import may become another error."""
    os.write(2, b"Error: interrupted, nothing written\n")
    os._exit(INTERRUPTED)


def _exit_quickly() -> None:
    """Stop the workers and exit without the half second in which Python deallocates compiled code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    executors = sys.modules.get("joblib.externals.loky.reusable_executor")
    executor = getattr(executors, "_executor", None)
    if executor is not None:
        executor.shutdown(wait=True, kill_workers=True)
    atexit._run_exitfuncs()  # semaphores and temporary files of the workers
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(INTERRUPTED)
