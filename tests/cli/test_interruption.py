"""During compilation, Ctrl-C waits for the end of a step, once."""

import signal
import threading

import pytest
from numba import njit
from numba.core import event
from numba.extending import overload

from semibandits_studies.cli.interruption import COMPILING, PASS, InterruptWatch


def pressing(times):
    """A function that raises Ctrl-C while it is compiled and records that compilation continued."""
    went_on = []

    def inner(x):
        return x

    @overload(inner)
    def compiled(x):
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
            went_on.append(True)
        return lambda x: x + 1

    @njit
    def outer(x):
        return inner(x)

    return outer, went_on


def test_the_first_one_waits_for_the_end_of_a_step():
    function, went_on = pressing(1)
    with InterruptWatch() as watch, pytest.raises(KeyboardInterrupt):
        function(1)
    assert watch.seen
    assert went_on == [True]
    assert not function.signatures  # the rest of the compilation is not waited for


def test_the_second_one_does_not_wait():
    function, went_on = pressing(2)
    with InterruptWatch() as watch:
        with pytest.raises(KeyboardInterrupt):
            function(1)
        assert went_on == [True]
        assert watch.seen


def test_without_compilation_it_comes_at_once():
    before = signal.getsignal(signal.SIGINT)
    listeners = [list(event._registered[kind]) for kind in (COMPILING, PASS)]
    with InterruptWatch() as watch, pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert watch.seen
    assert signal.getsignal(signal.SIGINT) is before
    assert [list(event._registered[kind]) for kind in (COMPILING, PASS)] == listeners


def test_compilation_in_other_threads_does_not_matter():
    function, raised = njit(lambda x: x + 2), []

    def compile_late():
        try:
            watch.seen = True  # as if it were pressed meanwhile: this thread must not be the one that stops
            function(1)
        except KeyboardInterrupt:
            raised.append(True)

    with InterruptWatch() as watch:
        thread = threading.Thread(target=compile_late)
        thread.start()
        thread.join()
        with pytest.raises(KeyboardInterrupt):
            watch.check()
    assert raised == []
    assert function(1) == 3
