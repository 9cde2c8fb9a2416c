"""Every public name has an example in its docstring, and what the example prints is right."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module

import numpy as np
import pytest

import semibandits as sb

MODULES = (
    "semibandits",
    "semibandits.datasets",
    "semibandits.laws",
    "semibandits.matroids",
    "semibandits.plotting",
    "semibandits.testing",
)
NAMES = sorted(
    f"{module}.{name}"
    for module in MODULES
    for name in import_module(module).__all__
    if not name.startswith("_") and not inspect.ismodule(getattr(import_module(module), name))
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_a_public_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module, _, short = name.rpartition(".")
    value = getattr(import_module(module), short)
    known = {"sb": sb, "np": np}
    tests = [test for test in doctest.DocTestFinder().find(value, short, globs=known) if test.examples]
    assert any(test.name == short for test in tests), f"the docstring of {name} has no example"
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in tests:
        report: list[str] = []
        runner.run(test, out=report.append)
        assert not report, "".join(report)
