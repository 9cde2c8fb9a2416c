"""Read the numbers in the options of ``semibandits simulate`` and ``semibandits run``."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final

from semibandits.errors import InvalidInputError
from semibandits.simulation.checkpoints import LONGEST_HORIZON
from semibandits.simulation.lateness import Geometric
from semibandits.studies.fields import ALL_CORES, MOST_WORKERS

MOST_DIGITS: Final = 100
"""Longer numbers are refused; they are never converted to integers."""


def whole_number(text: str, option: str, least: int, largest: int | None = None) -> int:
    """A whole number, also in the forms 1e6 and 1_000_000.

    Raises
    ------
    InvalidInputError
        If it is not a whole number from `least` to `largest`.
    """
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite() or number.adjusted() > MOST_DIGITS or number != int(number) or number < least:
        raise InvalidInputError(
            f"{option} must be a whole number of at least {least}, got {text!r}: write a number such as {max(least, 20)} or 2e4"
        )
    if largest is not None and number > largest:
        raise InvalidInputError(f"{option} must be at most {largest:,}, got {text!r}: choose fewer")
    return int(number)


def delay_of(text: str) -> int | str:
    """A number of rounds, or geometric:MEAN.

    Raises
    ------
    InvalidInputError
        If it is neither.
    """
    return str(Geometric.of(text)) if ":" in text else whole_number(text, "--delay", 0, LONGEST_HORIZON)


def share(text: str, option: str) -> float:
    """A number from 0 to below 1.

    Raises
    ------
    InvalidInputError
        If it is not.
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number < 1.0:
        raise InvalidInputError(f"{option} must be a number from 0 to below 1, got {text!r}: write for instance 0.1")
    return number


def worker_count(text: str) -> int:
    """Number of worker processes, -1 for one per core.

    Raises
    ------
    InvalidInputError
        If it is neither a number of at least 1, and at most `MOST_WORKERS`, nor ``auto``.
    """
    if text.strip().casefold() in (ALL_CORES, "-1"):
        return -1
    digits = text.strip()
    if not digits.isdecimal() or len(digits) > MOST_DIGITS or not 1 <= int(digits) <= MOST_WORKERS:
        raise InvalidInputError(
            f"--workers must be a number from 1 to {MOST_WORKERS:,} or {ALL_CORES}, got {text!r}: {ALL_CORES} uses one per core"
        )
    return int(digits)
