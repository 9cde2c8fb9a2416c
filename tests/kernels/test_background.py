"""Compilation in a child process: in fresh processes with an empty cache, whose calls must never wait."""

import json
import os
import signal
import subprocess
import sys
import textwrap

import numba
import numpy as np
import pytest
from test_tiers import fresh, is_compiled

from marks import later
from semibandits.kernels.machine import cache, spending, tiers
from semibandits.kernels.machine.background import LOCK, SWITCH, Background
from semibandits.kernels.machine.spending import FILE

fcntl = pytest.importorskip("fcntl", reason="there is no child on Windows")
pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT) or tiers._tier != "auto", reason="the tier is chosen already")

START = """
import os, sys
import numpy as np
from semibandits.kernels.machine import tiers
from semibandits.kernels.arithmetic import hypotenuse
from semibandits.kernels.machine.background import background
def order():
    hypotenuse.spent = 1.0
    assert hypotenuse(3.0, 4.0) == 5.0 and not hypotenuse.overloads
"""


def start(folder, script, **options):
    environment = {name: value for name, value in os.environ.items() if name not in (SWITCH, tiers.TIER)}
    environment |= {"NUMBA_CACHE_DIR": str(folder)} | options.pop("env", {})
    command = [sys.executable, "-u", "-W", "error", "-c", START + textwrap.dedent(script)]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(command, env=environment, text=True, **pipes, **options)


def run(folder, script, **options):
    """Lines that a process has printed; it must succeed and write nothing else."""
    with start(folder, script, **options) as process:
        out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    return out.split()


def lock_of(folder):
    (lock,) = folder.rglob(LOCK)
    return lock


def wait_for_lock(folder):
    """Wait until no child holds the lock."""
    with open(lock_of(folder)) as file:
        fcntl.flock(file, fcntl.LOCK_EX)


def test_calls_go_on_as_python_until_a_child_has_compiled_and_later_processes_load_at_once(tmp_path):
    """An inner kernel switches within a call of an outer one."""
    script = """
        def outer(x):
            rounds = 0
            while not hypotenuse.overloads and rounds < 10**4:
                hypotenuse(x, 4.0)
                background.wait(0.01)
                rounds += 1
            return rounds
        made = tiers.kernel(outer)
        made._should_look, made.price = lambda: False, lambda arguments: float("inf")  # it stays Python
        order()
        print(0 < made(3.0) < 10**4, len(hypotenuse.overloads), hypotenuse(3.0, 4.0))
        print(background.wait(100), background.loaded)
    """
    assert run(tmp_path, script) == ["True", "1", "5.0", "True", "1"]
    wait_for_lock(tmp_path)
    assert run(tmp_path, "print(hypotenuse(3.0, 4.0), len(hypotenuse.overloads))") == ["5.0", "1"]


def test_a_child_ends_with_its_parent(tmp_path):
    script = """
        order()
        while background._child is None:
            background.wait(0.01)
        print(background._child.pid, flush=True)
        {end}
    """
    for end in ("sys.stdin.read()", "os.kill(os.getpid(), 9)", "sys.exit(0)"):
        with start(tmp_path, script.replace("{end}", end)) as process:
            assert process.stdout.readline()
            if "stdin" in end:
                process.send_signal(signal.SIGTERM)
        wait_for_lock(tmp_path)  # for ever, if the child does not end


def test_one_child_compiles_for_all_processes(tmp_path):
    script = """
        order()
        print(background.wait(100), background._child is not None, len(hypotenuse.overloads))
        sys.stdin.read()
    """
    processes = [start(tmp_path, script) for _ in range(3)]
    found = [process.stdout.readline().split() for process in processes]
    for process in processes:
        process.communicate()
    assert [(done, loaded) for done, _, loaded in found] == [("True", "1")] * 3
    assert [had_child for _, had_child, _ in found].count("True") == 1


@pytest.mark.verify
def test_while_another_process_compiles_nothing_is_started(tmp_path):
    script = """
        order()
        print(background.wait(0.5), background._child is None, flush=True)
        sys.stdin.readline()
        print(background.wait(100), len(hypotenuse.overloads))
    """
    run(tmp_path, "from semibandits.kernels.machine.cache import kernel_folder; print(kernel_folder())")
    (folder,) = tmp_path.iterdir()
    with open(folder / LOCK, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with start(tmp_path, script) as process:
            assert process.stdout.readline().split() == ["False", "True"]
            fcntl.flock(file, fcntl.LOCK_UN)
            assert process.communicate("\n", timeout=120)[0].split() == ["True", "1"]


@pytest.mark.verify
def test_a_fork_leaves_the_child_to_its_parent_and_has_one_of_its_own(tmp_path):
    script = """
        order()
        while background._child is None:
            background.wait(0.01)
        pid = os.fork()
        if pid == 0:
            assert not background.pending and background._child is None
            hypotenuse.spent = 1.0
            hypotenuse(3.0, 4.0)
            done = background.wait(100) and len(hypotenuse.overloads) == 1
            os._exit(0 if done else 1)
        print(os.waitpid(pid, 0)[1], background.wait(100), len(hypotenuse.overloads))
    """
    assert run(tmp_path, script) == ["0", "True", "1"]


def test_it_is_off_where_there_must_be_no_child(tmp_path, monkeypatch):
    calls = """
        hypotenuse.spent = 1.0
        print(background.is_off, hypotenuse(3.0, 4.0), len(hypotenuse.overloads))
        with tiers.promptly():
            hypotenuse.spent = 100.0
            print(hypotenuse(3.0, 4.0), len(hypotenuse.overloads))
        print(hypotenuse(3.0, 4.0), len(hypotenuse.overloads))
    """
    assert run(tmp_path, calls, env={SWITCH: "0"}) == ["True", "5.0", "0", "5.0", "0", "5.0", "1"]
    assert not Background().is_off
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert Background().is_off
    monkeypatch.undo()
    monkeypatch.setattr("multiprocessing.process._current_process._config", {"daemon": True})
    assert Background().is_off


@pytest.mark.parametrize(
    "trouble", ["resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))", *later("sys.executable = '/nowhere/python'")]
)
def test_with_a_full_disk_or_without_a_child_calls_stay_python_without_a_word(tmp_path, trouble):
    script = f"""
        import resource
        hypotenuse(3.0, 4.0)
        {trouble}
        order()
        print(background.wait(100), background.is_off, hypotenuse(3.0, 4.0), len(hypotenuse.overloads))
    """
    assert run(tmp_path, script)[1:] == ["True", "5.0", "0"]


def test_without_a_folder_that_can_be_written_kernels_are_kept_in_a_temporary_one(tmp_path):
    script = """
        from semibandits.kernels.machine import cache
        del cache._Results._locator_classes[:-1]
        order()
        print(background.wait(100), len(hypotenuse.overloads), cache.kernel_folder())
    """
    *seen, folder = run(tmp_path, script)
    assert seen == ["True", "1"]
    assert not os.path.exists(folder)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_imported_is_compiled_in_the_process_but_not_while_a_caller_must_not_wait():
    """Nor are large arguments, which begin no call again, compiled for then."""
    made, of_many = fresh(lambda x: x + 1.0), fresh(lambda values: values[0])
    made.spent = 100.0
    with tiers.promptly():
        assert (made(1.0), of_many(np.ones(tiers.MOST_COPIED // 8 + 1))) == (2.0, 1.0)
        assert not is_compiled(made)
        assert not is_compiled(of_many)
    assert made(1.0) == 2.0
    assert is_compiled(made)


def test_seconds_of_earlier_processes_count(tmp_path):
    script = """
        from semibandits.kernels.machine.spending import spent_before
        print(spent_before("semibandits.kernels.arithmetic.hypotenuse") >= {least})
        hypotenuse(3.0, 4.0)
        hypotenuse.spent += 0.1
    """
    off = {SWITCH: "0"}
    assert run(tmp_path, script.format(least=1e-9), env=off) == ["False"]
    assert run(tmp_path, script.format(least=0.1), env=off) == ["True"]
    (file,) = tmp_path.rglob(FILE)
    listed = json.loads(file.read_text())
    (stamp, seconds) = listed["semibandits.kernels.arithmetic.hypotenuse"]
    assert seconds >= 0.2
    assert stamp == cache.digest(cache.FOLDER / "arithmetic.py")
    run(tmp_path, "order()\nbackground.wait(100)")
    assert json.loads(file.read_text()) == {}


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"a.b": 1}', '{"a.b": ["x", "y"]}', '{"semibandits.kernels.graphs.heap.push": ["0", 1.0]}']
)
def test_a_damaged_or_outdated_list_of_seconds_counts_nothing(tmp_path, monkeypatch, content):
    monkeypatch.setattr(spending, "kernel_folder", lambda: tmp_path)
    (tmp_path / FILE).write_text(content)
    spending._listed.cache_clear()
    push, pop = "semibandits.kernels.graphs.heap.push", "semibandits.kernels.graphs.heap.pop"
    assert [spending.spent_before(name) for name in (push, "a.b")] == [0.0, 0.0]
    spending.keep({push: 2.0, pop: 0.001})
    assert [spending.spent_before(name) for name in (push, pop)] == [2.0, 0.0]
    spending.keep({pop: 3.0})
    assert [spending.spent_before(name) for name in (push, pop)] == [2.0, 3.0]
    spending.keep({push: 0.0})
    assert [spending.spent_before(name) for name in (push, pop)] == [0.0, 3.0]
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    spending._listed.cache_clear()


@pytest.mark.verify
def test_short_processes_wait_at_their_end_as_long_as_earlier_ones_have_spent(tmp_path):
    spend = """
        hypotenuse(3.0, 4.0)
        hypotenuse.spent += 100.0
    """
    call = """
        hypotenuse(3.0, 4.0)
        before = len(background.pending)
        tiers.finish()
        print(before, len(background.pending), len(hypotenuse.overloads))
    """
    assert run(tmp_path, f"        order(){call}") == ["1", "1", "0"]  # nothing was spent before
    run(tmp_path, spend, env={SWITCH: "0"})
    assert run(tmp_path, call) == ["1", "0", "1"]
    assert run(tmp_path, call) == ["0", "0", "1"]
