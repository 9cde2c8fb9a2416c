"""Ctrl-C at chosen moments instead of those of a clock."""

import gc
import signal
import sys
import threading

kept = []
"""The last exception, with all variables of its traceback, as an interactive session keeps it."""


class Interrupter:
    """Raises KeyboardInterrupt at the n-th moment at which Python does, in code of some files.

    Python looks for signals where a function begins, and after each call; a profiler is called at these moments.
    """

    def __init__(self, n, files):
        self.left, self.files = n, str(files)

    def __call__(self, frame, event, argument):
        if event != "c_call" and frame.f_code.co_filename.startswith(self.files):
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt


def interrupted(call, n, files):
    """Whether the call is interrupted at its n-th moment in these files, a folder or a file; False if it has fewer."""
    handler = signal.getsignal(signal.SIGINT)  # a real Ctrl-C would not be raised where it is being replaced
    gc.disable()  # a finaliser would ignore the exception
    sys.setprofile(Interrupter(n, files))
    try:
        call()
    except KeyboardInterrupt as error:
        kept[:] = [error]
        return True
    finally:
        sys.setprofile(None)
        gc.enable()
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)
    return False
