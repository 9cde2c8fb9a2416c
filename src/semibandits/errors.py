"""The errors that semibandits raises, all derived from :class:`SemibanditsError`.

A message states what was expected, what was found, and a remedy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from semibandits.regret_bound.result import GravesLaiResult


LONGEST: Final = 2_000
"""Largest number of characters of a message; longer messages, which quote long values, are cut in the middle."""


class SemibanditsError(Exception):
    """Base class of every error that the library raises on purpose."""

    def __str__(self) -> str:
        message = super().__str__()
        half = LONGEST // 2
        return message if len(message) <= LONGEST else f"{message[:half]} ... {message[-half:]}"


class InvalidInputError(SemibanditsError, ValueError):
    """The input is invalid; the message states the requirement, the value found, and the remedy."""


class ConcurrentUseError(SemibanditsError, RuntimeError):
    """Two threads use an object at the same time; the refused call has changed nothing."""


class Infeasible(SemibanditsError):  # noqa: N818 (a public name, and a result rather than a mistake)
    """No decision satisfies the constraint."""


class TooManyDecisionsError(SemibanditsError):
    """Listing or counting would need more decisions than the stated limit."""


class UnsupportedError(SemibanditsError, NotImplementedError):
    """The operation is not available for this family of decisions."""


class SolverError(SemibanditsError, RuntimeError):
    """A solver stopped before it reached the requested precision.

    Parameters
    ----------
    message : str
        The requested precision, the precision reached, and a remedy.
    result : GravesLaiResult or None
        The result reached, for which ``result.lower <= C(theta) <= result.value`` still holds.
    """

    def __init__(self, message: str, result: GravesLaiResult | None = None) -> None:
        super().__init__(message)
        self.result = result
