"""Results of compiled kernels are made without Python code, where the exception of a signal handler would be lost."""

import sys
from collections import namedtuple

import numba
import numpy as np
import pytest
from numba import njit

from semibandits.kernels.solver.newton import Tree, spanning_tree

Foreign = namedtuple("Foreign", ["a"])


def python_calls(function, *arguments):
    """The result of a call, and the Python functions that ran meanwhile."""
    names = []
    sys.setprofile(lambda frame, event, _: names.append(frame.f_code.co_name) if event == "call" else None)
    try:
        found = function(*arguments)
    finally:
        sys.setprofile(None)
    return found, names


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="Python hears by itself")
def test_named_tuples_and_arrays_are_made_without_python():
    make = njit(spanning_tree.py_func)
    arguments = 3, np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([2, 0, 1])
    make(*arguments)
    (tree, members), names = python_calls(make, *arguments)
    assert names == ["spanning_tree"]  # which numba reports as if it were Python
    assert type(tree) is Tree
    assert members.tolist() == [True, False, True]
    assert tree.parent.tolist() == [-1, 0, 0]


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_named_tuples_of_other_packages_are_made_by_numba():
    @njit
    def make(x):
        return Foreign(x)

    made = make(2.5)
    assert (type(made), made.a) == (Foreign, 2.5)
