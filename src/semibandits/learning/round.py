"""One round: its decision, and the validation of its rewards."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import LARGEST_NUMBER
from semibandits.errors import InvalidInputError
from semibandits.formats.html import html_block, html_remark, html_table
from semibandits.formats.text import brief
from semibandits.inputs.labelled import arranged, has_labels
from semibandits.inputs.outcomes import Outcome, as_numbers
from semibandits.inputs.validation import check_shape

MOST_ROWS: Final = 20
"""Items of a round that a notebook shows."""


@dataclass(frozen=True, eq=False)
class Round:
    """A decision to carry out; :meth:`Learner.ask` opens a round and returns it.

    Attributes
    ----------
    id : int
        Number of the round, which `Learner.tell` takes: 0, 1, 2, ... in the order of the calls of `Learner.ask`.
    items : ndarray of int, shape (k,)
        Indices of the items to play, ascending; read-only.
    labels : tuple
        Labels of these items, in the same order.
    d : int
        Number of items of the decision set.
    probabilities : ndarray of float, shape (k,), or None
        With which probability the policy chose a decision with each of these items, given all that it knew: 1 for policies that
        draw nothing. For `ThompsonSampling`, with the option `probability_draws` of the learner, the share of so many draws of
        the decision, the played one included, that have the item; without the option, and for your own policies, None. Store
        them with the outcomes for :func:`semibandits.evaluate`.
    gone : tuple, or None
        After `Learner.replace`, if items have left or are in another order: labels of the items that have left. Outcomes are then
        told by label; outcomes of items that have left are only written to the log of a learner in a database. Otherwise None.

    Examples
    --------
    >>> articles = sb.MSets(4, 2, items=["arts", "science", "sport", "travel"])
    >>> shown = sb.Learner(articles, law="bernoulli", seed=0).ask()
    >>> shown
    Round(id=0, items=[0, 1], labels=('arts', 'science'), d=4)
    >>> shown.decision.tolist()
    [True, True, False, False]
    >>> shown.rewards({"science": 1.0, "arts": 0.0}).tolist()  # in the order of the items
    [0.0, 1.0]
    """

    id: int
    items: IntArray
    labels: tuple[Hashable, ...]
    d: int
    probabilities: FloatArray | None = field(default=None, repr=False)
    gone: tuple[Hashable, ...] | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return brief(self)

    def _repr_html_(self) -> str:
        """The items to play as a table, for notebooks."""
        rows = [(str(item), str(label)) for item, label in zip(self.items[:MOST_ROWS], self.labels, strict=False)]
        left = len(self.items) - len(rows)
        return html_block(
            f"Round {self.id}", html_table(("item", "label"), rows), html_remark(f"and {left:,} more" if left else "")
        )

    def __post_init__(self) -> None:
        self.items.setflags(write=False)
        if self.probabilities is not None:
            self.probabilities.setflags(write=False)

    @cached_property
    def decision(self) -> BoolArray:
        """Mask of the items to play, shape (d,); read-only."""
        x = np.zeros(self.d, dtype=np.bool_)
        x[self.items] = True
        x.setflags(write=False)
        return x

    @staticmethod
    def of(number: int, decision: BoolArray, labels: tuple[Hashable, ...]) -> Round:
        """The round with this decision over items with these labels."""
        return Round.of_items(number, np.flatnonzero(decision), labels)

    @staticmethod
    def of_items(
        number: int,
        items: IntArray,
        labels: tuple[Hashable, ...],
        probabilities: FloatArray | None = None,
        gone: tuple[Hashable, ...] | None = None,
    ) -> Round:
        """The round with these items, ascending, in an array that is not copied, of the items with these labels."""
        return Round(number, items, tuple(labels[i] for i in items.tolist()), len(labels), probabilities, gone)

    def rewards(self, outcome: Outcome, *, partial: bool = False) -> FloatArray:
        """Rewards of the items as a new float64 array of shape (k,).

        Parameters
        ----------
        outcome : array_like of float, shape (k,), or mapping from label to float
            Rewards in the order of `items`, or by label, as in a mapping or a Series of pandas with an index of labels.
        partial : bool
            Whether items may be unobserved: NaN, None or masked in a sequence, or without a label in a mapping. They are NaN in
            the result.

        Raises
        ------
        InvalidInputError
            Unless there is one finite number per item, at most 1e100 in absolute value, apart from unobserved items.
        """
        if self.gone is not None:
            outcome = self._part(outcome, of_gone=False)
        listed = arranged(outcome, self.labels, f"rewards of round {self.id}", missing=_MISSING)
        values = as_numbers(listed)
        remedy = "pass one reward per item of round.items, in that order"
        check_shape(values, (len(self.items),), "(k,)", f"rewards of round {self.id}", remedy)
        sizes = np.abs(values)
        if sizes.max(initial=0.0) <= LARGEST_NUMBER:  # false for NaN and infinity
            return values
        if np.isnan(values).any() and not partial:
            # One error, however the item is marked.
            index = int(np.argmax(np.isnan(values)))
            value = listed[index] if isinstance(listed, list | tuple | np.ma.MaskedArray) else math.nan
            mark = "a masked entry" if value is np.ma.masked else "None" if value is None else "nan"
            raise InvalidInputError(
                f"rewards of round {self.id} must be finite, one for each item, got "
                f"{'no reward' if value is _MISSING else f'{mark} at index {index}'} for {self.labels[index]!r}: if some items "
                f"were not observed, pass partial=True; if none was, call forget({self.id})"
            )
        too_large = np.flatnonzero(sizes > LARGEST_NUMBER)
        if too_large.size:
            index = int(too_large[0])
            remedy = "scale them down" if math.isfinite(values[index]) else "pass finite rewards"
            raise InvalidInputError(
                f"rewards of round {self.id} must be finite and at most {LARGEST_NUMBER:g} in size, got {values[index]:g} at "
                f"index {index} for {self.labels[index]!r}: {remedy}"
            )
        return values

    def rewards_of_gone(self, outcome: Outcome) -> FloatArray:
        """The rewards of the items that have left, NaN where they are lost, shape (len(gone),); errors as for `rewards`."""
        gone = self.gone or ()
        return Round.of_items(self.id, np.arange(len(gone)), gone).rewards(self._part(outcome, of_gone=True), partial=True)

    def _part(self, outcome: Outcome, *, of_gone: bool) -> dict[Hashable, Any]:
        """The rewards by label of the items that have left, or of all others."""
        if not has_labels(outcome):
            raise InvalidInputError(
                f"rewards of round {self.id} must be by label, since its items have left or moved when the decision set was "
                f"replaced, got a {type(outcome).__name__}: pass {{label: reward}}"
            )
        labelled: Any = outcome
        pairs = labelled.items() if isinstance(outcome, Mapping) else zip(labelled.index, labelled.to_numpy(), strict=True)
        return {label: value for label, value in pairs if (label in (self.gone or ())) == of_gone}


_MISSING: Final = float("nan")
"""The reward of a label that a mapping lacks; told apart from a NaN of the user by identity."""
