"""Ctrl-C while numba installs what is registered leaves nothing half done."""

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from interrupter import interrupted
from semibandits.kernels import tiers
from semibandits.kernels.interrupts import DeferredInterrupts, holding

PRESSED = """
import signal, sys
from numba import njit
from numba.core import base
from semibandits.kernels import tiers

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


def test_a_lock_is_held_while_work_is_done():
    lock = threading.RLock()
    assert holding(lock, lambda: is_free(lock), None) is False
    assert holding(lock, lambda: holding(lock, lambda: is_free(lock), None) or is_free(lock), None) is False
    assert is_free(lock)
    with pytest.raises(ZeroDivisionError):
        holding(lock, lambda: 1 / 0, None)
    assert is_free(lock)
