"""Parameters that take too long for the suite."""

import pytest


def later(*values):
    """These values of a parameter, with which a test runs in `make verify` only."""
    return [pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.verify) for value in values]


def half_of_pairs(rows, columns):
    """Pairs of a row and a column, as on a board whose black squares are in the suite, and its white ones in `make verify`."""
    return [
        pytest.param(row, column, marks=[pytest.mark.verify] * ((i + j) % 2), id=f"{row}-{column}")
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
    ]
