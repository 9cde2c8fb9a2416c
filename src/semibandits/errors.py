"""The errors that semibandits raises, all derived from :class:`SemibanditsError`, and its warnings.

A message states what was expected, what was found, and a remedy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from semibandits.regret_bound.result import GravesLaiResult


LONGEST: Final = 2_000
"""Maximum number of characters of a message; the middle of a longer one is cut out."""


@dataclass(frozen=True)
class Option:
    """An option in an error message: ``size=2`` in Python, ``--size 2`` on the command line, ``size = 2`` in a study file.

    Attributes
    ----------
    name : str
        Name of the argument or field in Python.
    value : str, list of str, True or None
        A value to set, for instance "NODE"; None to name the option only.
    """

    name: str
    value: str | list[str] | bool | None = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class Message(Exception):  # noqa: N818 (the common part of errors and warnings)
    """A message of the library.

    Parameters
    ----------
    *parts : str or Option
        Parts of the message.
    """

    def __str__(self) -> str:
        return self.formatted(str)

    def formatted(self, option_text: Callable[[Option], str]) -> str:
        """The message, with each option replaced by its `option_text`."""
        message = "".join(option_text(part) if isinstance(part, Option) else str(part) for part in self.args)
        half = LONGEST // 2
        return message if len(message) <= LONGEST else f"{message[:half]} ... {message[-half:]}"


class SemibanditsError(Message):
    """Base class of every error that the library raises on purpose.

    Parameters
    ----------
    *parts : str or Option
        Parts of the message.
    """


class PositiveRewardsWarning(UserWarning):
    """Rewards of routes are minus costs, but all rewards so far are positive: probably costs without a minus sign."""


class LongestPathWarning(Message, UserWarning):
    """All mean rewards of a path problem are positive, so that the longest path is best.

    Costs must be passed as costs: ``graves_lai(paths, costs=minutes)``. To ignore the warning:
    ``warnings.simplefilter("ignore", semibandits.LongestPathWarning)``.
    """


class InvalidInputError(SemibanditsError, ValueError):
    """The input is invalid; the message states the requirement, the value found, and the remedy."""


class ConcurrentUseError(SemibanditsError, RuntimeError):
    """Two threads use an object at the same time; the refused call has changed nothing."""


class StorageError(SemibanditsError, RuntimeError):
    """A database of learners cannot be used: it is locked, gone, full or damaged; the message names the remedy."""


class ServiceError(SemibanditsError, RuntimeError):
    """A service of learners does not answer, refuses a request, or answers something unexpected.

    Parameters
    ----------
    message : str
        What was expected, what was found, and a remedy.
    status : int or None
        Status of the answer; None without an answer.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Infeasible(SemibanditsError):  # noqa: N818 (a public name, and a result rather than a mistake)
    """No decision satisfies the constraint."""


class TooManyDecisionsError(SemibanditsError):
    """Enumerating or counting would exceed the limit on the number of decisions."""


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
