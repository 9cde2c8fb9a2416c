"""Check an installed copy of the library in a minute or less: ``python -m semibandits.testing``.

Decision sets of every family, laws and policies pass the checks of this package; C(theta) by every fast method agrees with a list
of all decisions; and the examples in the docstrings of public names print what they say. Needs nothing but the library; examples
of extras that are not installed are left out, and named. The exit code is 0 if all checks pass.
"""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import logging
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, Final

import numpy as np

import semibandits as sb
from semibandits.decisions.routes import Routes
from semibandits.families.registry import FAMILIES
from semibandits.laws import Bernoulli, Gamma, Gaussian, Poisson
from semibandits.policies.base import Policy
from semibandits.policies.registry import POLICIES
from semibandits.regret_bound.solve import solve_bound
from semibandits.testing import check_decision_set, check_law, check_policy

Check = tuple[str, Callable[[], str | None]]
"""What is checked, and the check; it returns a remark, or raises."""

MODULES: Final = (
    "semibandits", "semibandits.client", "semibandits.datasets", "semibandits.laws", "semibandits.matroids",
    "semibandits.plotting", "semibandits.studies", "semibandits.testing",
)  # fmt: skip
GAP: Final = 1e-4
WAIVERS: Final = {
    sb.OSSB: {"labels": "its counts tie", "python": "a set of a user has its plans made by another solver"},
    sb.Identify: {"labels": "it compares with the decisions of one item after the other"},
    sb.GLADE: {"python": "any gain is an answer, and another search comes upon another one"},
}
"""Checks that a policy leaves out, and why."""


def checks() -> Iterator[Check]:
    """All checks, in the order in which they run."""
    for name, family in FAMILIES.items():
        yield f"decision sets: {name}", partial(_sets, family)
        yield f"C(theta): {name}", partial(_bounds, family)
    yield "laws", _laws
    for policy in POLICIES:
        yield f"policy: {policy.__name__}", partial(_policy, policy)
    for module in MODULES:
        yield f"examples: {module}", partial(_examples, module)


def _sets(family: Any) -> None:
    for space in family.examples():
        check_decision_set(space)


def _policy(policy: type[Policy]) -> None:
    pairs = [(row, column) for row in range(3) for column in range(3)]
    for space in (sb.MSets(5, 2), sb.Matchings(pairs), sb.SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (3, 0)])):
        check_policy(policy(), space, waivers=WAIVERS.get(policy))


def _bounds(family: Any) -> None:
    """C(theta) by the fastest method and from a list of all decisions: the brackets must meet."""
    for space in family.examples():
        if isinstance(space, Routes):  # walks may widen the bracket
            continue
        theta = np.random.default_rng(0).random(space.d)
        fast, listed = (solve_bound(space, theta, method=method, gap=GAP) for method in ("auto", "enumeration"))
        if max(fast.lower, listed.lower) > min(fast.value, listed.value) * (1.0 + 1e-9):
            raise AssertionError(f"brackets must meet, got {fast} and {listed} for {space}")


def _laws() -> None:
    for law, theta in (
        (Gaussian(0.5), [-1.0, 0.0, 3.0]), (Bernoulli(), [1e-6, 0.1, 0.9]), (Poisson(), [1e-6, 1e-3, 40.0]),
        (Poisson(cost=True), [-1e-3, -2.0]), (Gamma(2.0, cost=True), [-1e-3, -2.0]), (Gamma(1.0), [1e-3, 2.0]),
    ):  # fmt: skip
        check_law(law, theta)


class _Runner(doctest.DocTestRunner):
    """Runs examples and notices whether the first one that failed lacks a package."""

    is_lacking: bool = False
    has_failed: bool = False

    def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
        """Called where an example prints something else, or raises an exception with another message."""
        if not self.has_failed and example.exc_msg and "pip install" in got:
            self.is_lacking = True
        self.has_failed = True
        super().report_failure(out, test, example, got)

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
        """Called at an exception that an example does not expect."""
        error = exc_info[1]
        is_hint = isinstance(error, sb.SemibanditsError | ImportError) and "pip install" in str(error)
        if not self.has_failed and (isinstance(error, ModuleNotFoundError) or is_hint):
            self.is_lacking = True
        self.has_failed = True
        super().report_unexpected_exception(out, test, example, exc_info)


def _examples(name: str) -> str | None:
    """Run the examples of all public names of a module; return those left out."""
    try:
        module, left_out = import_module(name), []
        values = {short: getattr(module, short) for short in module.__all__}
    except ImportError as error:
        if "pip install" not in str(error):
            raise
        return "without the module, whose extra is not installed"
    for short, value in values.items():
        if short.startswith("_") or inspect.ismodule(value):
            continue
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        runner, report = _Runner(optionflags=flags), io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            tests = [test for test in doctest.DocTestFinder().find(value, short, globs={"sb": sb, "np": np}) if test.examples]
            for test in tests:
                runner.run(test, out=report.write)
        if all(test.name != short for test in tests):
            raise AssertionError(f"the docstring of {short} must have an example, got none: run Python without -OO")
        if runner.is_lacking:
            left_out.append(short)
        elif runner.failures:
            raise AssertionError(report.getvalue())
    return f"without {', '.join(left_out)}, whose extras are not installed" if left_out else None


def main() -> int:
    """Run all checks and print a line for each."""
    print(f"semibandits {sb.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}", flush=True)
    begin, outcomes = time.perf_counter(), []
    logging.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcomes = [_passes(name, check) for name, check in checks()]
    finally:
        logging.disable(logging.NOTSET)
    print(f"{sum(outcomes)} of {len(outcomes)} checks passed in {time.perf_counter() - begin:.0f} s")
    return 0 if all(outcomes) else 1


def _passes(name: str, check: Callable[[], str | None]) -> bool:
    """Run a check and print its line."""
    start = time.perf_counter()
    try:
        remark = check()
        passed, said = True, f"passed, {remark}" if remark else "passed"
    except Exception as error:
        passed, said = False, f"FAILED: {type(error).__name__}: {error}"
    print(f"{name:34} {time.perf_counter() - start:5.1f} s  {said}", flush=True)
    return passed


if __name__ == "__main__":
    sys.exit(main())
