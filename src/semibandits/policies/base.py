"""What every policy offers: a description, and an agent that plays it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import UnsupportedError
from semibandits.laws.base import Law
from semibandits.policies.prior import Prior


class Agent(ABC):
    """A policy at work on one decision set: what it has seen so far.

    Rounds may overlap: `choose` may be called again before `observe` has told the outcome of earlier rounds, which come in any
    order.
    """

    @abstractmethod
    def choose(self, rng: np.random.Generator) -> BoolArray:
        """Decision of the next round, shape (d,); all randomness comes from `rng`."""

    @abstractmethod
    def observe(self, items: IntArray, rewards: FloatArray) -> None:
        """Take in the rewards of the items of one decision, both of shape (k,), items in ascending order."""

    def forget(self, items: IntArray) -> None:  # noqa: B027 (most agents need not know)
        """Take note that the outcome of a round with these items is lost."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """All that it has learned, as plain JSON: dictionaries, lists, numbers, strings."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state of an agent of the same policy on the same decision set."""

    def assume(self, prior: Prior) -> None:
        """Count prior means as rewards that were observed before the first round.

        Raises
        ------
        UnsupportedError
            If the agent does not support it, as unless overridden.
        """
        raise UnsupportedError(f"{type(self).__name__} does not support prior plays: leave them out, or override `assume`")

    @property
    def calls(self) -> tuple[int, int, int]:
        """Numbers so far of linear maximisations, index maximisations, and plans; zeros unless it counts them."""
        return (0, 0, 0)

    @property
    def undecided(self) -> int:
        """Number so far of index maximisations that spent their budget before a proof; 0 unless it counts them."""
        return 0


class Policy(ABC):
    """A policy for combinatorial semi-bandits: immutable, it can be played on any decision set.

    To write your own, give it `start` and an :class:`Agent`.
    """

    @property
    def name(self) -> str:
        """Name in results: that of the class, unless it knows better."""
        return type(self).__name__

    @abstractmethod
    def start(self, decision_set: DecisionSet, variance: ArrayLike) -> Agent:
        """An agent that has seen nothing.

        Parameters
        ----------
        decision_set : DecisionSet
            What can be played.
        variance : array_like of float, scalar or shape (d,)
            Variance of the rewards, for policies without one of their own.
        """

    def for_law(self, law: Law | None) -> Policy:
        """The policy to play for rewards of a law: itself, unless its parameters leave that open.

        Parameters
        ----------
        law : Law or None
            What is known of the law of the rewards, independent across items, but for the means; None if nothing is.
        """
        return self.for_rewards(None if law is None else law.name)

    def for_rewards(self, family: str | None) -> Policy:
        """The same by the name of the law, "gaussian" or "bernoulli", say; for policies that need no more."""
        return self

    def specification(self) -> dict[str, Any]:
        """What defines it, as plain JSON; for provenance and for fingerprints of stored states."""
        return {"name": self.name, "repr": repr(self)}
