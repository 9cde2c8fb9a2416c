"""Options of a learner that its decision set and policy do not depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Self

from semibandits.learning.intervals import checked_error

NAMES: Final = ("drift_error",)
"""Keys of the options in a state; absent ones have their defaults."""


@dataclass(frozen=True)
class Options:
    """See :class:`semibandits.learning.Learner`.

    Attributes
    ----------
    drift_error : float or None
        Error probability of the drift check, None if there is none.
    """

    drift_error: float | None = None

    @classmethod
    def of(cls, drift_error: object) -> Self:
        """Validated options.

        Raises
        ------
        InvalidInputError
            If one is malformed.
        """
        return cls(None if drift_error is None else checked_error(drift_error, "drift_error"))

    def state(self) -> dict[str, Any]:
        """The options that are not defaults, as parts of a state."""
        default = type(self)()
        values = {name: getattr(self, name) for name in NAMES}
        return {name: value for name, value in values.items() if value != getattr(default, name)}
