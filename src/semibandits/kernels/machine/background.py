"""Compilation in a child process, while calls go on as Python.

A kernel that is worth compiling is *ordered* here. A child process of low priority compiles it into the cache on disk; a thread
then loads the code, so that the next call of the kernel is compiled, also within an outer kernel that still runs as Python. No
call waits.

One child at most runs on a machine for each cache folder, by a lock on a file in this folder. It ends when nothing is left to
compile, and as soon as its parent ends, however that ends: its standard input is then closed. `machine.compiler_process` is its
side. ``SEMIBANDITS_BACKGROUND=0`` turns it off, as do daemonic processes of `multiprocessing`, which must not have children, and
programs that are frozen into one file, which cannot start Python. On Windows there is no such child.
"""

from __future__ import annotations

import atexit
import logging
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from semibandits.kernels.machine.cache import kernel_folder, shared_folder
from semibandits.kernels.machine.interrupts import DeferredInterrupts

fcntl: Any
try:
    import fcntl
except ImportError:  # on Windows, which has no locks that a child inherits
    fcntl = None

SWITCH: Final = "SEMIBANDITS_BACKGROUND"
LOCK: Final = "semibandits.lock"
"""Name of the file that the child locks."""
AGAIN: Final = 1.0
"""Seconds between two attempts to start a child, meanwhile that of another process may compile the same."""
IDLE_SECONDS: Final = 3.0
"""Without orders for so long, the child ends, so that another process can have one."""
STOP_SECONDS: Final = 5.0
"""The longest wait at the end of the process for the thread, which may be loading code."""
MOST_DEATHS: Final = 2
"""After more children than this that died, nothing is compiled in the background any more."""
TASK: Final = "task"
SAVED: Final = "saved"
FINISHED: Final = "finished"
FAILED: Final = "failed"
"""Reports of the child: a kernel is on disk, also as a part of an order; an order is carried out; it has failed."""
START: Final = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from semibandits.kernels.machine.compiler_process import main
main()
"""
log = logging.getLogger(__name__)


class Order(NamedTuple):
    """What the child compiles: a kernel for these types, or a pointer to it; or, without types, what a function calls."""

    # Where the kernel or function is.
    module: str
    name: str
    # Pickled: the numba types of the arguments, or the numba signature of a pointer; for a function, its arguments.
    types: bytes
    kind: str  # "kernel", "pointer" or "task"

    @classmethod
    def task(cls, function: str, *arguments: object) -> Order:
        """The order to compile what this function, ``module.name``, calls with these arguments."""
        module, _, name = function.rpartition(".")
        return cls(module, name, pickle.dumps(arguments), TASK)

    @property
    def label(self) -> str:
        """The kernel or function, in reports of the child and in logs: arguments of functions may contain passwords."""
        return f"{self.module}.{self.name}"


class Background:
    """The orders of this process, its threads, and its child."""

    def __init__(self) -> None:
        # Tasks that are not finished, and other orders whose code is not loaded yet. The function loads it from disk, and returns
        # whether it was there.
        self.pending: dict[Order, Callable[[], bool]] = {}
        self.is_off = not _is_possible()  # whether nothing is compiled in the background in this process
        self.saved: set[str] = set()  # `module.name` of the kernels that children have compiled, or found on disk
        self.loaded = 0  # number of orders that were loaded
        self.on_saved: list[Callable[[str], None]] = []  # called with `module.name` of each kernel that a child has saved
        self.lock = threading.RLock()  # held while a child is started: a process forked meanwhile would keep its pipes open
        self._requests: dict[Order, int] = {}
        self._wake, self._done = threading.Event(), threading.Condition()
        self._child: subprocess.Popen[bytes] | None = None
        self._deaths = 0
        self._thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """Whether a child of this process runs."""
        return self._child is not None and self._child.returncode is None

    def request(self, order: Order, load: Callable[[], bool] = lambda: False) -> None:
        """Compile this and load it; returns at once. The more often an order is requested, the sooner it is carried out.

        A task has nothing to load. If it fails, it is dropped.
        """
        if self.is_off:
            return
        asked = self._requests.get(order, 0)
        self._requests[order] = asked + 1
        if asked == 0:
            with DeferredInterrupts():  # events contain locks, which Ctrl-C could leave locked
                with self.lock:
                    if self._thread is None:
                        atexit.register(self.stop)
                        self._thread = threading.Thread(target=self._run, name="semibandits compilation", daemon=True)
                        self._thread.start()
                self.pending[order] = load
                self._wake.set()

    def wait(self, seconds: float) -> bool:
        """Wait until no order is pending, at most so long; whether none is."""
        with self._done:
            return self._done.wait_for(lambda: self.is_off or not self.pending, seconds) and not self.pending

    def _run(self) -> None:
        """Load what is on disk, and have the rest compiled, as long as the process lives."""
        while not self.is_off:
            self._wake.wait()
            self._wake.clear()
            while self.pending and not self.is_off:
                for order in list(self.pending):
                    self._load(order)
                if self.pending and not self._is_compiling_all():
                    self._wake.wait(AGAIN)
        self._remove(None)

    def _load(self, order: Order) -> None:
        """Load the code of a pending order if it is on disk."""
        if self.is_off:
            return
        try:
            is_loaded = self.pending[order]()
        except Exception:
            log.info("the code of %s cannot be loaded", order.label, exc_info=True)
            self._remove(order)
            return
        if is_loaded:
            self.loaded += 1
            self._remove(order)

    def _remove(self, order: Order | None) -> bool:
        """Make an order no longer pending, if one is given, and wake those who wait; whether it was pending."""
        with self._done:
            was_pending = order is not None and self.pending.pop(order, None) is not None
            self._done.notify_all()
        return was_pending

    def _is_compiling_all(self) -> bool:
        """Have a child compile all pending orders, the most requested ones first; False if there can be none now."""
        try:
            child = self._started()
        except OSError as error:
            self._give_up(f"no child can be started: {error}")
            return False
        if child is None:
            return False
        assert child.stdin is not None
        assert child.stdout is not None
        order: Order | None = None
        try:
            with child.stdin, child.stdout:
                pickle.dump(sys.path, child.stdin)
                while not self.is_off:
                    if self.pending:
                        order = max(list(self.pending), key=self._requests.__getitem__)
                        self._carry_out(order, child.stdin, child.stdout)
                    elif not self._wake.wait(IDLE_SECONDS):
                        break
                    self._wake.clear()
        except OSError:
            self._note_death(order)
        child.kill()
        child.wait()
        return True

    def _note_death(self, order: Order | None) -> None:
        """After a child has died: drop the task that it was busy with, or give up after several such deaths."""
        if order is not None and order.kind == TASK:
            self._drop(order, "the child process died")
            return
        self._deaths += 1
        if self._deaths > MOST_DEATHS:
            self._give_up(f"{self._deaths} child processes died")

    def _drop(self, task: Order, reason: str) -> None:
        if self._remove(task) and not self.is_off:
            log.warning("%s was not finished in the background: %s", task.label, reason)

    def _carry_out(self, order: Order, orders: IO[bytes], reports: IO[bytes]) -> None:
        """Have the child compile this, and load all that it reports."""
        pickle.dump(order, orders)
        orders.flush()
        kind = SAVED
        while kind == SAVED:
            report = reports.readline().decode()
            if not report:
                raise BrokenPipeError
            kind, label, *reason = report.split()
            if kind == SAVED:
                self._note_saved(label)
        if order.kind == TASK:
            if kind == FAILED:
                self._drop(order, *reason)
            self._remove(order)
            return
        if order in self.pending:
            self._load(order)
        if not self.is_off and self._remove(order):
            self._give_up(f"{order.label} cannot be compiled, or not be kept")

    def _note_saved(self, label: str) -> None:
        """Load the orders of this kernel, and those of others that were requested after they were saved."""
        self.saved.add(label)
        for order in list(self.pending):
            if order.label in self.saved:
                self._load(order)
        for note in self.on_saved:
            note(label)

    def _started(self) -> subprocess.Popen[bytes] | None:
        """A new child, or None if another process has one."""
        folder = kernel_folder()
        environment = os.environ | {SWITCH: "0", "SEMIBANDITS_TIER": "compiled"} | shared_folder()
        with self.lock, _locked(folder / LOCK) as file:
            if file is None or self.is_off:
                return None
            self._child = subprocess.Popen(
                [sys.executable, "-c", START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                pass_fds=(file,),  # the lock is held until the child ends
                start_new_session=True,  # Ctrl-C in the terminal is for the parent
            )
            log.info("process %d compiles kernels in the background", self._child.pid)
            return self._child

    def _give_up(self, reason: str) -> None:
        self.is_off = True
        log.info("nothing is compiled in the background any more: %s", reason)

    def stop(self) -> None:
        """End the child; nothing is compiled in the background after this."""
        self.is_off = True
        self._wake.set()
        with self.lock:
            if self._child is not None:
                self._child.kill()  # does nothing if it has ended
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(STOP_SECONDS)  # code must not be loaded while Python ends

    def forget(self) -> None:
        """In a process that was forked: leave the child to its parent, and begin anew."""
        child, is_off, on_saved = self._child, self.is_off, self.on_saved
        if child is not None and child.returncode is None:
            child.returncode = 0  # it is no child of this process
            for stream in (child.stdin, child.stdout):
                if stream is not None and not stream.closed:
                    os.close(stream.fileno())
        atexit.unregister(self.stop)
        self.__init__()  # type: ignore[misc]
        self.is_off |= is_off
        self.on_saved = on_saved


def _is_possible() -> bool:
    """Whether this process can and may have a child."""
    is_switched_off = os.environ.get(SWITCH, "1").lower() in ("0", "off", "false", "no")
    is_daemon = multiprocessing.current_process().daemon
    return fcntl is not None and not (is_switched_off or is_daemon or getattr(sys, "frozen", False) or not sys.executable)


@contextmanager
def _locked(path: Path) -> Iterator[int | None]:
    """A file that is locked for this process and those that inherit it, or None if another process has locked it."""
    assert fcntl is not None
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield file
    finally:
        os.close(file)


background: Final = Background()
