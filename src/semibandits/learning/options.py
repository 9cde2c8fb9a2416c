"""Options of a learner that its decision set and policy do not depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

from semibandits.errors import InvalidInputError
from semibandits.inputs.outcomes import whole_number
from semibandits.inputs.validation import number_in
from semibandits.learning.intervals import checked_error

NAMES: Final = ("drift_error", "half_life", "defer_plans", "probability_draws")
"""Keys of the options in a state; absent ones have their defaults."""
MOST_DRAWS: Final = 1_000_000


@dataclass(frozen=True)
class Options:
    """See :class:`semibandits.learning.Learner`."""

    drift_error: float | None = None  # error probability of the drift check, None if there is none
    half_life: float | None = None  # number of rounds in which outcomes lose half of their weight, None if they lose none
    defer_plans: bool = False  # whether `ask` goes on without the plans that the policy requests
    probability_draws: int | None = None  # number of draws by which probabilities of a round are estimated, None if they are not

    @classmethod
    def of(cls, drift_error: object, half_life: object, defer_plans: object, probability_draws: object) -> Self:
        """Validated options."""
        remedy = "pass a number of rounds, or leave it out"
        rounds = None if half_life is None else number_in(half_life, "half_life", 0.0, np.inf, remedy, ends="()")
        if not isinstance(defer_plans, bool | np.bool_):
            raise InvalidInputError(f"defer_plans must be True or False, got {defer_plans!r}: True leaves plans to solve_plan")
        error = None if drift_error is None else checked_error(drift_error, "drift_error")
        if probability_draws is not None:
            remedy = "100 draws tell probabilities from 0.01 on"
            probability_draws = whole_number(probability_draws, "probability_draws", least=1, most=MOST_DRAWS, remedy=remedy)
        return cls(error, rounds, bool(defer_plans), probability_draws)

    def state(self) -> dict[str, Any]:
        """The options that are not defaults, as parts of a state."""
        default = type(self)()
        values = {name: getattr(self, name) for name in NAMES}
        return {name: value for name, value in values.items() if value != getattr(default, name)}
