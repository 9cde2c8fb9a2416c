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
    from semibandits.cli import main as run

    signal.signal(signal.SIGINT, before)
    try:
        run()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _hurry()
        raise


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
