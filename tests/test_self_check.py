"""``python -m semibandits.testing`` passes, and an error makes it fail."""

import re
import subprocess
import sys
import types

import pytest

import semibandits as sb
from semibandits.errors import ServiceError
from semibandits.families.registry import FAMILIES
from semibandits.testing import __main__ as self_check


@pytest.mark.verify
def test_all_checks_pass():
    done = subprocess.run([sys.executable, "-m", "semibandits.testing"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) > 25
    assert all(" passed" in line and "without" not in line for line in lines[1:])


@pytest.mark.parametrize(
    ("name", "check"), [case for case in self_check.checks() if case[0].startswith(("C(", "examples", "laws"))]
)
def test_bounds_laws_and_examples_of_docstrings(name, check):
    """Its checks of decision sets and policies are those of the conformance tests."""
    assert check() is None


def test_checks_of_sets_and_policies():
    """For one of each; conformance tests have all."""
    assert self_check._sets(FAMILIES["msets"]) is self_check._policy(sb.CUCB) is None


def made_up(monkeypatch, **documented):
    """A module of functions with these docstrings, by their names."""
    module = types.ModuleType("made_up")
    for name, text in documented.items():
        function = types.FunctionType((lambda: None).__code__, vars(module), name)
        function.__doc__ = text
        setattr(module, name, function)
    monkeypatch.setitem(sys.modules, "made_up", module)
    return module


def test_an_example_that_is_wrong_is_not_taken_for_a_missing_extra(monkeypatch):
    module = made_up(
        monkeypatch,
        wrong='>>> 1 + 1\n3\n>>> raise ModuleNotFoundError("pip install nothing")',
        lacking=">>> import a_package_that_nobody_has",
        lacking_too='>>> raise OSError("run pip install nothing")\nTraceback (most recent call last):\n    ...\nOSError: full',
        without=None,
    )
    module.__all__ = ["lacking", "wrong"]
    with pytest.raises(AssertionError, match="1 \\+ 1"):
        self_check._examples("made_up")
    module.__all__ = ["lacking", "lacking_too"]
    assert self_check._examples("made_up") == "without lacking, lacking_too, whose extras are not installed"
    module.__all__ = ["without"]
    with pytest.raises(AssertionError, match="the docstring of without must have an example"):
        self_check._examples("made_up")


def test_the_examples_of_a_client_are_left_out_without_httpx(monkeypatch):
    for name in [name for name in sys.modules if re.match(r"semibandits(_server)?\.client", name)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "httpx", None)
    module = made_up(monkeypatch)
    module.ServiceError, module.__all__ = ServiceError, ["ServiceError"]
    assert self_check._examples("made_up") == "without ServiceError, whose extras are not installed"
    assert self_check._examples("semibandits.client") == "without the module, whose extra is not installed"


def test_a_failure_is_named_and_the_exit_code_tells(monkeypatch, capsys):
    def wrong():
        raise AssertionError("1 must be 2")

    monkeypatch.setattr(self_check, "checks", lambda: iter([("arithmetic", wrong), ("nothing", lambda: None)]))
    assert self_check.main() == 1
    out = capsys.readouterr().out
    assert "FAILED: AssertionError: 1 must be 2" in out
    assert "1 of 2 checks passed" in out
