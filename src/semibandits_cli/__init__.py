"""Where the program ``semibandits`` begins and ends: without imports, so that Ctrl-C is answered while they are made."""

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
    before = signal.signal(signal.SIGINT, _leave)
    _replace_closed_streams()
    from semibandits.cli import main as run

    signal.signal(signal.SIGINT, before)
    try:
        run()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _hurry()
        raise


def _replace_closed_streams() -> None:
    """What was closed before the start (``>&-``) becomes a stream, or the next file that is opened would take its number.

    Stdout becomes a pipe that nobody reads, so that it ends as one whose reader has left; messages go nowhere.
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
    """A file that worker processes have too."""
    os.set_inheritable(number, True)
    return number


def _leave(number: int, frame: FrameType | None) -> None:
    """Leave at once: half an import is no good to anybody, and may make another error of an exception."""
    os.write(2, b"Error: interrupted, nothing written\n")
    os._exit(INTERRUPTED)


def _hurry() -> None:
    """Stop the workers and leave: to take compiled code apart takes Python half a second, and nothing depends on it."""
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
