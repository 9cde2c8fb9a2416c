"""Kernels handle signals, whatever numba does around them."""

import ctypes
import signal
import subprocess
import sys
import threading
import time

import numba
import numpy as np
import pytest
from numba import njit
from numba.core.runtime import _nrt_python, rtsys

from semibandits.kernels.machine.signals import check_signals, interrupted, raise_interrupt
from semibandits.kernels.solver.verification import ClosedWalk

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="Python hears by itself")


@njit
def forever(polite):
    """Loop until a signal arrives, whose exception is raised at once or after a return."""
    steps = 0
    while True:
        steps += 1
        if polite:
            if interrupted():
                return np.full(3, steps)
        else:
            check_signals()


@njit
def forever_and_raise(polite):
    found = forever(polite)
    raise_interrupt()
    return found


@njit
def forever_and_return(polite):
    return ClosedWalk(0.0, forever(polite), 1, False)


class AlarmError(Exception):
    """Exception of the handler of these tests."""


@pytest.fixture
def alarm():
    """Call a function, and raise two milliseconds later."""

    def ring(number, frame):
        raise AlarmError("as the handler said")

    def call(function, *arguments):
        signal.setitimer(signal.ITIMER_REAL, 0.002)
        return function(*arguments)

    before = signal.signal(signal.SIGALRM, ring)
    yield call
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


@compiled
@pytest.mark.parametrize("kernel", [forever_and_raise, forever_and_return])
@pytest.mark.parametrize("polite", [False, True])
def test_exceptions_of_handlers_leave_kernels_unchanged(alarm, kernel, polite):
    kernel.compile((numba.types.boolean,))
    for _ in range(20):
        with pytest.raises(AlarmError, match="as the handler said"):
            alarm(kernel, polite)


@compiled
def test_named_tuples_of_interrupted_kernels_are_freed(alarm):
    forever_and_return.compile((numba.types.boolean,))
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        for _ in range(20):
            with pytest.raises(AlarmError):
                alarm(forever_and_return, True)
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free == 20


@compiled
def test_kernels_continue_after_a_handler_that_raises_nothing():
    rang = np.zeros(1, dtype=np.int64)

    def ring(number, frame):
        rang[0] += 1

    @njit
    def until(rang, times):
        while rang[0] < times:
            check_signals()
        return rang[0]

    before = signal.signal(signal.SIGALRM, ring)
    try:
        until(rang, 0)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        assert until(rang, 3) >= 3
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@compiled
def test_kernels_of_other_threads_hear_nothing(alarm):
    done = []

    @njit
    def many(n):
        for i in range(n):
            if i % 8 == 0:
                check_signals()
        return n

    many(1)
    thread = threading.Thread(target=lambda: done.append(many(3_000_000)))
    thread.start()
    with pytest.raises(AlarmError):
        alarm(time.sleep, 60.0)
    thread.join()
    assert done == [3_000_000]


SCRIPT = """
from numba import njit
from semibandits.kernels.machine.signals import check_signals

@njit(cache=True)
def count(n):
    for _ in range(n):
        check_signals()
    return n

assert count(10) == 10
print(sum(count.stats.cache_hits.values()))
"""


@compiled
def test_kernels_that_hear_are_kept_on_disk(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-W", "error", "script.py"]
    runs = [subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True) for _ in range(2)]
    assert [run.stdout.strip() for run in runs] == ["0", "1"]
    assert [run.stderr for run in runs] == ["", ""]


@njit
def drawn(generator):
    return generator.random()


@compiled
@pytest.mark.parametrize("moment", range(3))
def test_handlers_may_raise_while_numba_takes_a_generator_apart(alarm, monkeypatch, moment):
    """It asks Python for three addresses."""
    generator = np.random.default_rng(3)
    before = [drawn(generator), sys.getrefcount(generator), sys.getrefcount(generator.bit_generator)]
    cast, left = ctypes.cast, [moment]

    def interrupted_cast(*arguments):
        if not left[0]:
            signal.raise_signal(signal.SIGALRM)
        left[0] -= 1
        return cast(*arguments)

    for _ in range(3):
        left[0] = moment
        monkeypatch.setattr(ctypes, "cast", interrupted_cast)
        with pytest.raises(AlarmError, match="as the handler said"):
            drawn(generator)
        monkeypatch.undo()
    assert [np.random.default_rng(3).random(), sys.getrefcount(generator), sys.getrefcount(generator.bit_generator)] == before
    assert [drawn(generator) for _ in range(2)] == np.random.default_rng(3).random(3)[1:].tolist()
