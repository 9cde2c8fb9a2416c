"""Ctrl-C while numba installs what is registered leaves nothing half done."""

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest
from llvmlite.binding import ffi, get_process_triple
from numba.core import compiler_lock

from interrupter import interrupted
from semibandits.kernels.machine import interrupts, tiers
from semibandits.kernels.machine.interrupts import DeferredInterrupts, holding

PRESSED = """
import signal, sys
from numba import njit
from numba.core import base
from semibandits.kernels.machine import tiers

presses = []
install = base.BaseContext.insert_func_defn

def pressed(context, items):
    def each():
        for item in items:
            if len(presses) < 3:
                presses.append(None)
                signal.raise_signal(signal.SIGINT)
            yield item
    install(context, each())

base.BaseContext.insert_func_defn = pressed
made = tiers.kernel(lambda x: x + abs(x)) if sys.argv[1] == "kernel" else njit(lambda x: x + abs(x))
for tried in range(9):
    try:
        with tiers.expecting(100.0):
            made(1.0)
    except KeyboardInterrupt:
        continue
    break
print(len(presses), tried, made(-2.0), len(made.overloads))
"""


@pytest.mark.parametrize("kind", ["kernel", "njit"])
def test_numba_knows_everything_after_ctrl_c_while_it_installs_it(tmp_path, kind):
    (tmp_path / "pressed.py").write_text(PRESSED)
    done = subprocess.run([sys.executable, "pressed.py", kind], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "3 1 0.0 1\n", done.stderr


def test_ctrl_c_waits_for_the_end_of_the_outer_context():
    reached = []

    def press():
        with DeferredInterrupts():
            with DeferredInterrupts():
                signal.raise_signal(signal.SIGINT)
                reached.append("inner")
            reached.append("outer")
        reached.append("after")

    with pytest.raises(KeyboardInterrupt):
        press()
    assert reached == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def is_free(lock):
    """Whether another thread can acquire the lock."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(holding, lock, lambda: True, otherwise=False).result()


@pytest.mark.parametrize("name", ["holding", "is_free", "is_found"])
def test_ctrl_c_at_any_moment_leaves_a_lock_free(name):
    lock = threading.RLock()
    calls = {
        "holding": lambda: holding(lock, lambda: None, None, wait=True),
        "is_free": tiers._is_free,
        "is_found": lambda: tiers._is_found(lambda: None, wait=True),
    }
    n = 1
    while interrupted(calls[name], n, Path(tiers.__file__).parent):
        assert is_free(lock), f"at moment {n}"
        assert is_free(tiers._compiler), f"at moment {n}"
        n += 1
    assert n > 5


@pytest.mark.parametrize("module", [ffi, compiler_lock, interrupts])
def test_ctrl_c_at_any_moment_leaves_the_locks_of_llvm_and_numba_free_and_no_handler(monkeypatch, module):
    call_llvm, heard, sent_again = compiler_lock.global_compiler_lock(get_process_triple), [], []
    monkeypatch.setattr(interrupts._thread, "start_new_thread", lambda work, arguments: sent_again.append(work))
    for n in count(1):
        left = n

        def press(frame, event, argument):
            nonlocal left
            left -= event != "c_call" and frame.f_code.co_filename == module.__file__
            if left == 0:
                left = -1
                signal.raise_signal(signal.SIGINT)

        try:
            sys.setprofile(press)
            tiers._is_found(call_llvm, wait=True)
        except KeyboardInterrupt:
            heard.append(n)
        finally:
            sys.setprofile(None)
        if left > 0:
            break
        assert is_free(ffi.lib._lock._lock), f"at moment {n}"
        assert is_free(compiler_lock.global_compiler_lock._lock), f"at moment {n}"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, f"at moment {n}"
    assert len(heard) + len(sent_again) == n - 1 > 5
    assert set(sent_again) <= {interrupts._send_again}
    assert (bool(heard), bool(sent_again)) == (module is not ffi, module is not interrupts)


def test_a_ctrl_c_that_is_sent_again_is_heard():
    with pytest.raises(KeyboardInterrupt):
        interrupts._send_again()


def test_a_lock_is_held_while_work_is_done():
    lock = threading.RLock()
    assert holding(lock, lambda: is_free(lock), None) is False
    assert holding(lock, lambda: holding(lock, lambda: is_free(lock), None) or is_free(lock), None) is False
    assert is_free(lock)
    with pytest.raises(ZeroDivisionError):
        holding(lock, lambda: 1 / 0, None)
    assert is_free(lock)
