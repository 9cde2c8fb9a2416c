"""What a learner knows, for reading."""

from __future__ import annotations

from typing import Final

import numpy as np

from semibandits._costs import negated
from semibandits._html import html_block, html_facts
from semibandits._numbers import number_text
from semibandits._text import shortened
from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.families.texts import NamedItems, decision_text
from semibandits.learning.availability import Available, available_items
from semibandits.learning.exclusion import Uses, exclusive
from semibandits.learning.from_logs import FromLogs
from semibandits.learning.round import Round
from semibandits.policies.base import Policy

LONGEST_FACT: Final = 200
"""Maximum number of characters of a cell in notebooks."""


class Readable(FromLogs):
    """The part of :class:`Learner` that changes nothing."""

    _decision_set: DecisionSet
    _policy: Policy
    _uses: Uses

    def __repr__(self) -> str:
        return f"Learner({self._decision_set!r}, {self._policy!r}): {self.rounds} rounds, {len(self._progress.open)} of them open"

    def _repr_html_(self) -> str:
        """The state and the best decision so far as a table, for notebooks."""
        return html_block("Learner", html_facts((name, shortened(text, LONGEST_FACT)) for name, text in self._facts()))

    def _facts(self) -> list[tuple[str, str]]:
        """The state and the best decision so far, each with its title."""
        names, best = NamedItems.of(self._decision_set), self.best()
        means = self.means
        value, is_cost = float(means[best].sum()), bool((means <= 0).all() and means.any())
        facts = [
            ("Decisions", repr(self._decision_set)),
            ("Policy", repr(self._policy)),
            ("Rounds", f"{self.rounds:,}, {len(self.open_rounds):,} of them open"),
        ]
        if self.rounds > len(self.open_rounds):
            facts.append((f"Best {names.nouns.decision} so far", decision_text(names, best)))
            noun, amount = ("cost", -value + 0.0) if is_cost else ("reward", value)
            facts.append((f"Its mean {noun} so far", number_text(amount, 4)))
        return facts

    @property
    def decision_set(self) -> DecisionSet:
        """The decisions."""
        return self._decision_set

    @property
    def policy(self) -> Policy:
        """The policy."""
        return self._policy

    @property
    def rounds(self) -> int:
        """Number of rounds asked for so far, including those of a history."""
        return self._progress.next_id

    @property
    @exclusive
    def open_rounds(self) -> tuple[Round, ...]:
        """Rounds neither told nor forgotten, oldest first."""
        return tuple(self._progress.open.values())

    @property
    @exclusive
    def plays(self) -> IntArray:
        """Number of observed rewards of each item, shape (d,)."""
        return self._progress.plays.astype(np.int64)

    @property
    @exclusive
    def means(self) -> FloatArray:
        """Mean of the observed rewards of each item, 0 before the first, shape (d,)."""
        return self._progress.means

    @property
    def costs(self) -> FloatArray:
        """Mean of the observed costs of each item, 0 before the first, shape (d,): minus `means`."""
        return negated(self.means)

    @exclusive
    def best(self, available: Available | None = None) -> BoolArray:
        """Decision of largest estimated mean reward, shape (d,): the one to play if nothing more is to be learned.

        Means of unobserved items count as 0, or as the largest mean that the decision set allows; a prior counts as in rounds.
        The call changes nothing.

        Parameters
        ----------
        available : array_like of bool, shape (d,), collection of labels, or callable, optional
            Items that the decision may use, as for :meth:`ask`; by default all.

        Raises
        ------
        Infeasible
            If every decision uses an item that is not available.
        InvalidInputError
            If `available` is malformed or holds an unknown label.
        """
        return self._progress.best(None if available is None else available_items(available, self._progress.labels))
