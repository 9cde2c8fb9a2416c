"""Outcomes that lose weight with age."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.kernels.rules.statistics import COUNTS, PLAYS
from semibandits.policies.prior import MOST_PLAYS, Prior
from semibandits.policies.states import read_floats, weighted_statistics

LEAST: Final = 1e-3
"""Items whose observations together have less weight than this share of one count as unobserved again."""
OBSERVED, SUMS, ASSUMED = 0, 1, 2
"""Rows of `numbers`."""
_KEYS: Final = ("plays", "sums", "prior_plays")


class Ageing:
    """Counts and sums of rewards in which the outcome of a round has the weight ``2 ** (-age / half_life)``.

    The age of a round is the number of rounds asked for after it; `half_life`, > 0, is in rounds. Late outcomes are already old
    when they arrive. The plays of a prior, which count as observed before the first round, have the age of the learner.
    """

    def __init__(self, half_life: float, d: int, prior: Prior | None) -> None:
        self.half_life, self._factor = half_life, 2.0 ** (-1.0 / half_life)
        self.prior_means = np.zeros(d) if prior is None else prior.means
        # Sum of the weights of the observed rewards of each item, weighted sum of these rewards, and weight of its prior.
        self.numbers: FloatArray = np.zeros((len(_KEYS), d))
        if prior is not None:
            self.numbers[ASSUMED] = prior.plays
        self.rounds = 0.0  # sum of the weights of all rounds

    @property
    def plays(self) -> FloatArray:
        """Weight of all rewards of each item, with its prior, shape (d,)."""
        plays: FloatArray = self.numbers[OBSERVED] + self.numbers[ASSUMED]
        return plays

    @property
    def sums(self) -> FloatArray:
        """Weighted sum of the same rewards, shape (d,)."""
        sums: FloatArray = self.numbers[SUMS] + self.numbers[ASSUMED] * self.prior_means
        return sums

    @property
    def means(self) -> FloatArray:
        """Weighted mean of the observed rewards of each item, without its prior, 0 where there are none, shape (d,)."""
        observed = self.numbers[OBSERVED]
        means: FloatArray = np.divide(self.numbers[SUMS], observed, out=np.zeros(len(observed)), where=observed > 0.0)
        return means

    def advance(self) -> None:
        """Open a round."""
        numbers = self.numbers * self._factor
        numbers[:, numbers[OBSERVED] + numbers[ASSUMED] < LEAST] = 0.0
        self.numbers, self.rounds = numbers, self.rounds * self._factor + 1.0

    def observe(self, items: IntArray, rewards: FloatArray, age: int) -> None:
        """Observe rewards of the items of a round of this age."""
        weight = 2.0 ** (-age / self.half_life)
        self.numbers[OBSERVED, items] += weight
        self.numbers[SUMS, items] += weight * rewards

    def statistics(self, stats: FloatArray, variance: FloatArray, upper: FloatArray | None) -> FloatArray:
        """Statistics for rules in place of `stats`, which count every observation once; open rounds count fully."""
        return weighted_statistics(self.plays, self.sums, stats[COUNTS] - stats[PLAYS], variance, upper)

    def follow(self, old: Ageing, places: IntArray) -> None:
        """Take over the items of another learner; `places` are their indices there, -1 for new items, which keep their prior."""
        kept = np.flatnonzero(places >= 0)
        self.numbers[:, kept] = old.numbers[:, places[kept]]
        self.rounds = old.rounds

    def state(self) -> dict[str, Any]:
        """The numbers as plain JSON."""
        return {**{key: row.tolist() for key, row in zip(_KEYS, self.numbers, strict=True)}, "rounds": self.rounds}

    def restore(self, state: Any) -> None:
        """Continue from a state."""
        try:
            numbers = np.array([read_floats(state, key, self.numbers.shape[1]) for key in _KEYS])
            (rounds,) = read_floats({"rounds": [state["rounds"]]}, "rounds", 1).tolist()
            weights = np.append(numbers[[OBSERVED, ASSUMED]], rounds)
            is_valid = bool(np.isfinite(numbers).all() and ((weights >= 0.0) & (weights <= MOST_PLAYS)).all())
        except (InvalidInputError, KeyError, TypeError):
            is_valid = False
        if not is_valid:
            raise InvalidInputError(
                "ageing must hold weights and weighted sums of all items, but it does not: the state is damaged, use a copy"
            )
        self.numbers, self.rounds = numbers, rounds
