"""One round: its decision, and the validation of its rewards."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from semibandits._text import brief
from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits._validation import as_floats
from semibandits.decisions.base import LARGEST_NUMBER
from semibandits.errors import InvalidInputError
from semibandits.rewards._checks import refuse_masked

Outcome: TypeAlias = ArrayLike | Mapping[Hashable, float]
"""Rewards in the order of the items of a round, or by their labels."""


@dataclass(frozen=True, eq=False)
class Round:
    """A decision to carry out.

    Attributes
    ----------
    id : int
        Number of the round, which `Learner.tell` takes: 0, 1, 2, ... in the order of the calls of `Learner.ask`.
    decision : ndarray of bool, shape (d,)
        Mask of the items to play; read-only.
    items : ndarray of int, shape (k,)
        Indices of these items, ascending; read-only.
    labels : tuple
        Labels of these items, in the same order.
    """

    id: int
    decision: BoolArray
    items: IntArray
    labels: tuple[Hashable, ...]

    def __repr__(self) -> str:
        return brief(self)

    def __post_init__(self) -> None:
        for array in (self.decision, self.items):
            array.setflags(write=False)

    @staticmethod
    def of(number: int, decision: BoolArray, labels: tuple[Hashable, ...]) -> Round:
        """The round with this decision, an array that is not copied, over items with these labels."""
        items = np.flatnonzero(decision)
        return Round(number, decision, items, tuple(labels[i] for i in items.tolist()))

    def rewards(self, outcome: Outcome) -> FloatArray:
        """Rewards of the items as a new float64 array of shape (k,).

        Raises
        ------
        InvalidInputError
            Unless there is one finite number per item, at most 1e100 in absolute value.
        """
        values = np.array(as_floats(_numbers(self._ordered(outcome)), "rewards"), order="C")
        if values.shape != (len(self.items),):
            raise InvalidInputError(
                f"rewards of round {self.id} must have shape (k,) = ({len(self.items)},), got {values.shape}: "
                "pass one reward per item of round.items, in that order"
            )
        if (np.abs(values) > LARGEST_NUMBER).any():
            raise InvalidInputError(
                f"rewards must be at most {LARGEST_NUMBER:g} in size, got {values[np.abs(values).argmax()]:g}: scale them down"
            )
        return values

    def _ordered(self, outcome: Outcome) -> ArrayLike:
        if not isinstance(outcome, Mapping):
            return outcome
        if len(set(self.labels)) < len(self.labels):
            raise InvalidInputError(
                f"labels must differ for rewards by label, got {self.labels!r}: pass a sequence in the order of round.items"
            )
        if outcome.keys() != set(self.labels):
            missing = [label for label in self.labels if label not in outcome]
            wrong = missing or [label for label in outcome if label not in set(self.labels)]
            raise InvalidInputError(
                f"rewards must be those of the items of round {self.id}, {self.labels!r}, "
                f"got {'no reward' if missing else 'one too many'} for {wrong[0]!r}: pass one reward per item"
            )
        return [outcome[label] for label in self.labels]


def _numbers(values: ArrayLike) -> ArrayLike:
    """The values if they are numbers; NumPy would also convert texts, dates and masked entries."""
    refuse_masked(values, "rewards")
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"rewards must be a sequence of numbers, got {type(values).__name__}: {error}"
        ) from error
    texts = array.dtype.kind == "O" and any(isinstance(value, str | bytes) for value in array.ravel().tolist())
    if texts or array.dtype.kind not in "biufcO":
        raise InvalidInputError(f"rewards must be a sequence of numbers, got {values!r}: convert them first")
    return array
