"""Exploration plans as data, so that they can be solved elsewhere and stored."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError


class Plan(NamedTuple):
    """What a rule needs to follow a plan.

    Attributes
    ----------
    memory : ndarray of float
        The numbers of the rule: for OSSB inverse rates, means, tolerances and plays of the d items.
    decisions : ndarray of bool, shape (k, d)
        Decisions to explore with.
    optimal : ndarray of bool, shape (d,)
        The optimal decision at the means.
    """

    memory: FloatArray
    decisions: BoolArray
    optimal: BoolArray

    def state(self) -> dict[str, Any]:
        """The plan as plain JSON; null for infinite numbers."""
        return {
            "memory": [value if np.isfinite(value) else None for value in self.memory.tolist()],
            "decisions": [np.flatnonzero(row).tolist() for row in self.decisions],
            "optimal": np.flatnonzero(self.optimal).tolist(),
        }

    @classmethod
    def of(cls, state: dict[str, Any], size: int, decision_set: DecisionSet) -> Self:
        """The plan of a state, with so many numbers.

        Raises
        ------
        InvalidInputError
            If it is damaged.
        """
        d = decision_set.d
        memory = np.array([np.inf if value is None else value for value in state["memory"]], dtype=np.float64)
        rows = np.zeros((len(state["decisions"]) + 1, d), dtype=np.bool_)
        for row, items in zip(rows, (*state["decisions"], state["optimal"]), strict=True):
            if not all(type(item) is int and 0 <= item < d for item in items):
                raise InvalidInputError(f"plans must hold items below d = {d}, got {items!r}: the plan is damaged")
            row[items] = True
        if memory.shape != (size,) or np.isnan(memory).any() or not all(row in decision_set for row in rows):
            raise InvalidInputError(
                f"plans must hold {size} numbers and decisions of the set, got others: the plan is damaged"
            )
        return cls(memory, rows[:-1], rows[-1])
