"""The errors that semibandits raises, all below :class:`SemibanditsError`.

A message says what was expected, what was got, and what to do about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from semibandits.regret_bound.result import GravesLaiResult


LONGEST: Final = 2_000
"""Characters of a message; longer ones quote what is too long to be read, and lose their middle."""


class SemibanditsError(Exception):
    """Base class of every error that the library raises on purpose."""

    def __str__(self) -> str:
        message = super().__str__()
        half = LONGEST // 2
        return message if len(message) <= LONGEST else f"{message[:half]} ... {message[-half:]}"


class InvalidInputError(SemibanditsError, ValueError):
    """The input breaks a rule that its message states, with what was got and the remedy."""


class ConcurrentUseError(SemibanditsError, RuntimeError):
    """An object for one thread at a time is used by two; nothing has changed by the call that is refused."""


class Infeasible(SemibanditsError):  # noqa: N818 (a public name, and a fact rather than a fault)
    """No decision meets the constraint that was asked for."""


class TooManyDecisionsError(SemibanditsError):
    """Listing or counting would need more decisions than the stated limit."""


class UnsupportedError(SemibanditsError, NotImplementedError):
    """The operation does not exist for this family of decisions."""


class SolverError(SemibanditsError, RuntimeError):
    """A solver stopped before it reached the precision that was asked for.

    Parameters
    ----------
    message : str
        What was asked for, what was reached, and what to try.
    result : GravesLaiResult or None
        What was reached: ``result.lower <= C(theta) <= result.value`` still holds.
    """

    def __init__(self, message: str, result: GravesLaiResult | None = None) -> None:
        super().__init__(message)
        self.result = result
