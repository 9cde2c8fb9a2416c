"""Parameters that take too long for the suite."""

import pytest


def later(*values):
    """These values of a parameter, with which a test runs in `make verify` only."""
    return [pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.verify) for value in values]
