"""An assertion that stays when Python runs with -O."""

from __future__ import annotations


def require(kept: object, promise: str) -> None:
    """Raise AssertionError with `promise` unless it is kept."""
    if not kept:
        raise AssertionError(promise)
