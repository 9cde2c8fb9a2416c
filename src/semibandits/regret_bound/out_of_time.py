"""The end of the time limit before there are any bounds."""

from __future__ import annotations

from typing import Final

from semibandits.kernels import tiers

GRACE: Final = 1.0
"""Seconds past the time limit that may be used until there are first bounds, so that small problems always have some."""


class OutOfTimeError(Exception):
    """The time limit has passed, and there are no bounds on C(theta)."""


def check_time(deadline: float) -> None:
    """Raise `OutOfTimeError` if `tiers.seconds` has passed the deadline."""
    if tiers.seconds() > deadline:
        raise OutOfTimeError
