"""Options of a learner that its decision set and policy do not depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Self

from semibandits._validation import finite_number
from semibandits.errors import InvalidInputError
from semibandits.learning.intervals import checked_error

NAMES: Final = ("drift_error", "half_life")
"""Keys of the options in a state; absent ones have their defaults."""


@dataclass(frozen=True)
class Options:
    """See :class:`semibandits.learning.Learner`.

    Attributes
    ----------
    drift_error : float or None
        Error probability of the drift check, None if there is none.
    half_life : float or None
        Number of rounds in which outcomes lose half of their weight, None if they lose none.
    """

    drift_error: float | None = None
    half_life: float | None = None

    @classmethod
    def of(cls, drift_error: object, half_life: object) -> Self:
        """Validated options.

        Raises
        ------
        InvalidInputError
            If one is malformed.
        """
        rounds = None if half_life is None else finite_number(half_life, "half_life")
        if rounds is not None and rounds <= 0.0:
            raise InvalidInputError(
                f"half_life must be positive, got {rounds:g}: pass a number of rounds, or leave it out"
            )
        return cls(None if drift_error is None else checked_error(drift_error, "drift_error"), rounds)

    def state(self) -> dict[str, Any]:
        """The options that are not defaults, as parts of a state."""
        default = type(self)()
        values = {name: getattr(self, name) for name in NAMES}
        return {name: value for name, value in values.items() if value != getattr(default, name)}
