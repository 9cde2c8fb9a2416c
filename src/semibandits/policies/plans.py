"""Exploration plans as data, so that they can be solved elsewhere and stored."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.families.labels import plain_list
from semibandits.policies.states import damaged, read_decisions, read_floats


class Plan(NamedTuple):
    """What a rule needs to follow a plan."""

    memory: FloatArray  # the numbers of the rule: for OSSB inverse rates, means, tolerances and plays of the d items
    decisions: BoolArray  # (k, d): to explore with
    optimal: BoolArray  # (d,): the optimal decision at the means

    def state(self) -> dict[str, Any]:
        """The plan as plain JSON; null for infinite numbers."""
        return {
            "memory": [value if np.isfinite(value) else None for value in self.memory.tolist()],
            "decisions": [np.flatnonzero(row).tolist() for row in self.decisions],
            "optimal": np.flatnonzero(self.optimal).tolist(),
        }

    @classmethod
    def of(cls, state: dict[str, Any], size: int, decision_set: DecisionSet) -> Self:
        """The plan of a state, with `size` numbers."""
        numbers = ["inf" if value is None else value for value in plain_list(state["memory"])]
        memory = read_floats({"memory": numbers}, "memory", size)
        if np.isnan(memory).any():
            raise damaged("memory", "numbers")
        decisions = read_decisions(state["decisions"], "decisions", decision_set)
        (optimal,) = read_decisions([state["optimal"]], "optimal", decision_set)
        return cls(memory, decisions, optimal)
