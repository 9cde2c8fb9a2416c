"""Choice of the tier of a kernel, and calls that are aborted."""

import _thread
import logging
import pickle
import signal
import subprocess
import sys
import threading
import time
from typing import NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semibandits.kernels.arithmetic import hypotenuse
from semibandits.kernels.machine import tiers
from semibandits.kernels.machine.signals import check_signals
from semibandits.kernels.machine.tiers import Pointer, expecting, kernel

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT) or tiers._tier != "auto", reason="the tier is chosen already")


class Pair(NamedTuple):
    left: np.ndarray
    right: tuple


def fresh(function, **options):
    """A kernel that no other test has called and that is not cached."""
    made = kernel(function, **options) if not options else kernel(**options)(function)
    made._cache = numba.core.caching.NullCache()
    made._keep = lambda: None
    made._should_look = lambda: False
    return made


def fresh_pointer(function):
    pointer = Pointer(fresh(function), numba.types.float64(numba.types.float64))
    pointer._keep = lambda: None
    return pointer


def is_compiled(made):
    return bool(made.overloads)


def test_a_short_call_is_not_compiled_and_a_kernel_that_has_cost_enough_is(caplog):
    made = fresh(lambda x: x + 1.0)
    assert [made(1.0), made(2.0)] == [2.0, 3.0]
    assert not is_compiled(made)
    made.spent = 100.0
    with caplog.at_level(logging.INFO, logger=tiers.__name__):
        assert made(3.0) == 4.0
    assert is_compiled(made)
    assert made.spent == 0.0
    assert "compiled" in caplog.text


def test_expected_work_counts_outer_calls_only():
    inner, alone = (fresh(lambda x: x + 1.0) for _ in range(2))
    outer = fresh(lambda x: inner(x))
    with expecting(0.1):
        assert outer(1.0) == 2.0
        assert not is_compiled(outer)
    with expecting(100.0):
        assert outer(1.0) == 2.0
        assert is_compiled(outer)
        assert is_compiled(inner)  # as a part of it
    assert alone(1.0) == 2.0
    assert not is_compiled(alone)


def test_seconds_of_inner_kernels_count_for_both_and_seconds_of_compiling_for_none(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(tiers, "perf_counter", lambda: clock[0])

    def work():
        clock[0] += 0.05

    inner = fresh(work)
    outer = fresh(lambda: inner())
    outer()
    assert [inner.spent, outer.spent] == pytest.approx([0.05, 0.05])
    with tiers._timed(outer, "a test"):
        work()
    start = tiers.seconds()
    with tiers._timed(outer, "a test"):
        work()
    assert tiers.seconds() == pytest.approx(start, abs=1e-9)


def test_a_call_that_lasts_longer_than_compiling_begins_again_with_all_as_it_was(monkeypatch):
    monkeypatch.setattr(tiers, "SECONDS_A_KERNEL", 0.02)
    monkeypatch.setattr(tiers, "LEAST_PRICE", 0.02)
    monkeypatch.setattr(tiers, "FIRST_SECONDS", 0.02)
    begun = []

    @fresh
    def made(pair, rng):
        begun.append(pair.left.copy())
        pair.left[0] += rng.random()
        pair.right[0][:] = 7.0
        end = time.perf_counter() + (10.0 if len(begun) == 1 else 0.0)
        while time.perf_counter() < end:
            check_signals()
        return pair.left[0]

    made._pays = lambda arguments: False  # what this kernel does cannot be compiled
    pair, rng = Pair(np.array([0.5, 0.0]), (np.zeros(3),)), np.random.default_rng(0)
    assert made(pair, rng) == 0.5 + np.random.default_rng(0).random()
    assert [each.tolist() for each in begun] == [[0.5, 0.0], [0.5, 0.0]]


def test_ctrl_c_at_a_poll_restores_the_arguments():
    @fresh
    def made(target, rng):
        target[:] = 1.0
        rng.random()
        _thread.interrupt_main()
        for _ in range(1_000):
            target[0] += 1.0  # not heard here
        reached.append(target[0])
        check_signals()
        reached.append(None)

    reached, target, rng = [], np.zeros(2), np.random.default_rng(3)
    with pytest.raises(KeyboardInterrupt):
        made(target, rng)
    assert reached == [1001.0]
    assert target.tolist() == [0.0, 0.0]
    assert rng.random() == np.random.default_rng(3).random()


def test_ctrl_c_without_a_poll_is_raised_after_the_call():
    reached = []

    @fresh
    def made():
        _thread.interrupt_main()
        for _ in range(1_000):
            pass
        reached.append(True)

    with pytest.raises(KeyboardInterrupt):
        made()
    assert reached == [True]


def test_exceptions_come_through_and_leave_all_as_it_was():
    @fresh
    def made(target):
        target[0] = 1.0
        raise ValueError("no")

    target = np.zeros(1)
    with pytest.raises(ValueError, match="no"):
        made(target)
    assert target[0] == 0.0
    assert fresh(lambda x: x)(2.0) == 2.0  # nothing is left over from the call before


def test_divisions_by_zero_are_silent_as_when_compiled():
    made = fresh(lambda x, y: x[0] / y[0], error_model="numpy")
    zero, one = np.zeros(1), np.ones(1)
    assert made(one, zero) == np.inf
    assert np.isnan(made(zero, zero))


def test_large_arguments_are_compiled_for_at_once():
    @fresh
    def made(values):
        found = 0.0
        for k in range(len(values)):
            found += values[k]
        return found

    assert made(np.ones(10)) == 10.0
    assert not is_compiled(made)
    assert made(np.ones(tiers.MOST_COPIED // 8 + 1)) == tiers.MOST_COPIED // 8 + 1
    assert is_compiled(made)


def test_any_number_of_arguments():
    inner = fresh(lambda x, y: x - y)
    outer = fresh(lambda *both: inner(*both))
    assert outer(5.0, 3.0) == 2.0
    outer.spent = 100.0
    assert outer(5.0, 3.0) == 2.0
    assert is_compiled(outer)


def test_who_takes_pointers_waits_for_their_compilation_only_if_that_pays():
    caller = fresh(lambda function, x: function(x), calls=True)
    pointers = fresh_pointer(lambda x: x + 1.0), fresh_pointer(lambda x: x + 2.0)
    with expecting(100.0):
        assert caller(pointers[0], 1.0) == 2.0
    assert pointers[0].is_compiled
    assert is_compiled(caller)
    assert caller(pointers[1], 1.0) == 3.0  # as Python: the pointer's code would take a while
    assert not pointers[1].is_compiled
    assert caller(pointers[0], 2.0) == 3.0
    with expecting(100.0):
        assert caller(pointers[1], 1.0) == 3.0
    assert pointers[1].is_compiled


def test_constants_in_calls_have_no_version_of_their_own():
    inner = fresh(lambda values, i: values[i])
    outer = fresh(lambda values, i: inner(values, 0) + inner(values, i))
    outer.spent = 100.0
    assert outer(np.array([1.0, 2.0]), 1) == 3.0
    assert is_compiled(outer)
    assert len(inner.overloads) == 1


def test_once_the_child_has_saved_a_kernel_its_next_call_requests_it(monkeypatch):
    made, other = (fresh(lambda x: x + 1.0) for _ in range(2))
    requested = []
    monkeypatch.setattr(tiers.background, "is_off", False)
    for one in (made, other):
        monkeypatch.setattr(one, "request", lambda arguments, one=one: requested.append(one) or True)
    monkeypatch.setattr(tiers, "_used", [made, other])
    other.__name__ = "other"
    made(1.0)
    assert requested == []
    tiers._request_soon(tiers._name(made))
    for _ in range(2):
        assert made(1.0) == other(1.0) == 2.0
    assert requested == [made]


class Pointers(NamedTuple):
    """A number and two pointers."""

    number: int
    first: Pointer
    second: Pointer


def test_an_exception_at_the_address_of_a_pointer_comes_through(monkeypatch):
    """As that of a signal: the addresses of the pointers after it are not asked for."""
    caller = fresh(lambda both, x: both.first(x) + both.second(x), calls=True)
    both = Pointers(0, fresh_pointer(lambda x: x + 1.0), fresh_pointer(lambda x: x + 1.0))
    with expecting(100.0):
        assert caller(both, 1.0) == 4.0
    asked = []

    def address(pointer):
        asked.append(pointer)
        raise KeyboardInterrupt

    monkeypatch.setattr(Pointer, "address", property(address))
    with pytest.raises(KeyboardInterrupt):
        caller(both, 1.0)
    assert asked == [both.first]
    monkeypatch.undo()
    assert caller(both, 1.0) == 4.0


def test_threads_run_as_python_while_another_compiles():
    made = fresh(lambda x: x + 1.0)
    made.spent = 100.0
    held, release = threading.Event(), threading.Event()

    def compiling():
        with tiers._compiler:
            held.set()
            release.wait(10.0)

    other = threading.Thread(target=compiling)
    other.start()
    held.wait(10.0)
    try:
        assert made(1.0) == 2.0
        assert not is_compiled(made)
    finally:
        release.set()
        other.join()
    assert made(1.0) == 2.0
    assert is_compiled(made)


def test_threads_have_tiers_of_their_own():
    made, found = fresh(lambda: tiers._thread.running), []
    other = threading.Thread(target=lambda: found.append(made()))
    other.start()
    other.join()
    assert found == [True]
    assert not tiers._thread.running


def test_kernels_are_pickled():
    from semibandits.kernels.search.selection import select_into

    again = pickle.loads(pickle.dumps(select_into))
    assert again.py_func.__name__ == "select_into"


class Dies:
    """Presses Ctrl-C where its exception is ignored."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_that_is_lost_while_numba_compiles_or_loads_is_raised_afterwards():
    done = []

    def press():
        Dies()
        done.append(True)

    def compile_timed():
        with tiers._timed(fresh(lambda: 0), "a test"):
            press()

    for call in (compile_timed, lambda: tiers._is_found(press)):
        with pytest.raises(KeyboardInterrupt):
            call()
    assert done == [True, True]
    assert not tiers._thread.is_compiling
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_unknown_tier_is_refused(monkeypatch):
    monkeypatch.setenv(tiers.TIER, "fast")
    with pytest.raises(ValueError, match="SEMIBANDITS_TIER must be 'auto', 'python' or 'compiled', got 'fast'"):
        tiers.chosen_tier()


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_the_hypotenuse_is_right_to_two_units(one, other):
    assert hypotenuse(one, other) == pytest.approx(float(np.hypot(one, other)), rel=5e-16, abs=1e-323)


def test_a_pointer_is_typed_first_of_all_in_a_fresh_process():
    code = """
import numpy as np, numba, semibandits as sb
oracle = sb.MSets(4, 2).compiled()
assert str(numba.typeof(oracle.family.linear)) == str(oracle.family.linear._numba_type_)
call = numba.njit(lambda linear, data, weights, x: linear(data, weights, x))
x = np.zeros(4, dtype=bool)
call(oracle.family.linear, oracle.data, np.array([3.0, 1.0, 2.0, 0.0]), x)
print(x.tolist())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[True, False, True, False]\n", done.stderr


def test_of_many_calls_one_in_so_many_is_timed(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(tiers, "perf_counter", lambda: clock[0])

    @kernel
    def small(array, i):
        clock[0] += 1e-4
        return array[i]

    @kernel
    def many(array, n):
        total = 0.0
        for _ in range(n):
            total += small(array, 0)
        return total

    many(np.ones(2), 2000)
    assert small._sample == tiers.SAMPLE
    assert many.spent == pytest.approx(0.2)
    assert small.spent == pytest.approx(0.2, rel=0.02)
