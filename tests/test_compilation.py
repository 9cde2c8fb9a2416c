"""Compiling ahead of time leaves nothing to compile."""

import subprocess
import sys

import numba
import pytest

from semibandits import compilation
from semibandits.cli import main

LOADED = """
import importlib, pkgutil
import semibandits
from numba.core.dispatcher import Dispatcher
from semibandits.compilation import compile_kernels

compile_kernels()
for info in pkgutil.walk_packages(semibandits.__path__, "semibandits."):
    if not info.name.startswith("semibandits.kernels") and not info.name.endswith("__main__"):
        for name, kernel in vars(importlib.import_module(info.name)).items():
            if isinstance(kernel, Dispatcher):
                print(name, len(kernel.overloads), kernel.py_func.__module__)
"""
POINTERS = ("semibandits.kernels.oracles.", "semibandits.kernels.rules.")
RARE = {"descend_orthant", "project_on_msets"}
"""For GLPG as published, and on m-sets of which all items are left."""
OTHERS = {"call_index", "draw"}
"""What compiled rounds call, and Python only for decision sets without kernels."""


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="without the compiler there is nothing to compile")
def test_afterwards_every_kernel_that_python_calls_has_been_called():
    lines = subprocess.run(
        [sys.executable, "-c", LOADED], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    rows = [line.split() for line in lines]
    called = {name: int(overloads) for name, overloads, module in rows if not module.startswith(POINTERS)}
    assert len(called) > 50
    assert {name for name, overloads in called.items() if overloads == 0} <= RARE | OTHERS
    assert {name for name, overloads in called.items() if overloads > 1} <= {"cycle_sums"}


def test_command(run_with, capsys):
    assert run_with(["compile", "--workers", "1"]) == 0
    assert capsys.readouterr().out.startswith("All kernels are compiled (")


@pytest.mark.parametrize("workers", ["0", "many", "-2"])
def test_command_refuses_numbers_of_workers(run_with, capsys, workers):
    assert run_with(["compile", "--workers", workers]) == 2
    assert "--workers must be a number from 1 to" in capsys.readouterr().err


def test_command_without_the_compiler(run_with, capsys, monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert run_with(["compile"]) == 2
    assert "NUMBA_DISABLE_JIT=1" in capsys.readouterr().err


@pytest.fixture
def run_with(monkeypatch):
    """Runs the program, with nothing to compile: exit code."""
    monkeypatch.setattr(compilation, "TASKS", (dict,))

    def run_with(arguments):
        with pytest.raises(SystemExit) as leave:
            main(arguments)
        return leave.value.code

    return run_with
