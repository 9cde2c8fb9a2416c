"""What every decision set offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable

import numpy as np

from semibandits._typing import ArrayLike, BoolArray
from semibandits._validation import as_decision
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.errors import UnsupportedError


class DecisionSet(ABC):
    """A set X of decisions: 0/1 vectors over d items, any of which may be played.

    Decision sets are immutable. To write your own, give it `d`, `m` and `maximize`; everything else has a default
    or says that it is not available.
    """

    @property
    @abstractmethod
    def d(self) -> int:
        """Number of items."""

    @property
    @abstractmethod
    def m(self) -> int:
        """Number of items in the largest decision."""

    @property
    def items(self) -> tuple[Hashable, ...]:
        """Label of each item, in order; 0 .. d - 1 unless the set knows better."""
        return tuple(range(self.d))

    @abstractmethod
    def maximize(self, weights: ArrayLike) -> BoolArray:
        """Decision of largest total weight (P_LM).

        Parameters
        ----------
        weights : array_like of float, shape (d,)
            Weight of each item: finite, of any sign.

        Returns
        -------
        ndarray of bool, shape (d,)
            A maximiser. Ties are broken the same way every time.

        Raises
        ------
        InvalidInputError
            If `weights` has the wrong shape or holds NaN or infinity.
        """

    def __contains__(self, x: object) -> bool:
        """Whether `x` is a decision; a vector of another length or with entries other than 0 and 1 is not."""
        decision = as_decision(x, self.d)
        return decision is not None and self._contains(decision)

    def _contains(self, x: BoolArray) -> bool:
        """Membership of a 0/1 vector; x is the only maximiser of 2x - 1 over {0, 1}^d."""
        return bool(np.array_equal(self.maximize(2.0 * x - 1.0), x))

    def count(self, limit: int = 1_000_000) -> int:
        """Exact number of decisions.

        Parameters
        ----------
        limit : int
            Families without a counting formula list their decisions, up to this many.

        Raises
        ------
        TooManyDecisionsError
            If counting needs listing and there are more than `limit` decisions.
        UnsupportedError
            If the family can neither count nor list.
        """
        return len(self.enumerate(limit))

    def enumerate(self, limit: int = 100_000) -> BoolArray:
        """All decisions, one a row, shape ``(n, d)``, without repetition.

        Raises
        ------
        TooManyDecisionsError
            If there are more than `limit` decisions.
        UnsupportedError
            If the family cannot list its decisions.
        """
        raise UnsupportedError(f"{type(self).__name__} cannot list its decisions")

    def exchange_graph(self, weights: ArrayLike) -> ExchangeGraph:
        """Exchange graph of the optimal decision ``maximize(weights)``, with reduced costs at `weights`.

        Raises
        ------
        UnsupportedError
            If the family has no exchange graph.
        """
        raise UnsupportedError(f"{type(self).__name__} has no exchange graph")
