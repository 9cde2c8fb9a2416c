"""What rules know of items that share effects: statistics that contain what all items tell of each."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.errors import InvalidInputError
from semibandits.features.design import Design
from semibandits.features.model import Effects, Posterior, Seen, Spreads, effects_of, learnt, posterior
from semibandits.kernels.machine.threads import one_thread
from semibandits.kernels.rules.statistics import COUNTS, PLAYS, SUMS
from semibandits.laws import Law
from semibandits.policies.states import read_counts, read_floats, weighted_statistics

GROWTH: Final = 1.05
"""The spreads are learnt anew whenever the number of observed rewards has grown by this factor."""
MARGIN: Final = 1e-3
"""Means that the effects give are kept at this share of the mean of all away from the ends of their range."""
FIRST: Final = Spreads(0.5, 0.5)
"""Spreads squared without any observation, in variances of a reward: where their prior density is largest."""
_KEYS: Final = ("due", "unit", "residual", "effects")


class Sharing:
    """The model of :mod:`semibandits.features.model` for the items of an agent.

    Optimistic rules see the posterior of each item as if it were that many rewards of its mean. Rules that draw means first draw
    the effects; given these, items are independent, and those that were never observed have the prior that the effects give.
    """

    def __init__(self, design: Design, law: Law | None, variance: FloatArray) -> None:
        self.design, self._law, self._variance = design, law, variance
        unit = float(np.mean(variance))
        # Number of rewards at which the spreads are learnt next; the variance of a reward; and the spreads squared.
        self.numbers = (0.0, unit, FIRST.residual * unit, FIRST.effects * unit)
        self.before = 0  # number of rounds of a history, which rules count no more than those of a prior

    @property
    def spreads(self) -> Spreads:
        """The spreads of the residuals and of the effects, squared."""
        return Spreads(*self.numbers[2:])

    def _variances(self, plays: FloatArray, sums: FloatArray) -> FloatArray:
        """Variance of a reward of each item, by the law at means that lean to the mean of all."""
        if self._law is None or self._law.is_quadratic:
            return self._variance
        total = max(float(plays.sum()), 1.0)
        if not plays.any():
            return self._variance
        mean, few = float(sums.sum()) / total, self.numbers[1] / self.numbers[2]
        return self._law.estimated_variance((sums + few * mean) / (plays + few), plays + few)

    def _seen(self, plays: FloatArray, sums: FloatArray, variances: FloatArray) -> Seen:
        items = np.flatnonzero(plays > 0.0)
        return Seen(self.design.matrix[items], sums[items] / plays[items], variances[items] / plays[items])

    def _learn(self, plays: FloatArray, sums: FloatArray) -> None:
        """Learn the spreads if enough rewards were observed since they were learnt."""
        total = float(plays.sum())
        due, unit = self.numbers[:2]
        if not total or total < due:
            return
        variances = self._variances(plays, sums)
        seen = self._seen(plays, sums, variances)
        now = float(plays @ variances) / total
        start = Spreads(*(square * now / unit for square in self.spreads))
        self.numbers = (GROWTH * total, now, *learnt(seen, start, now))

    def effects(self, plays: FloatArray, sums: FloatArray) -> Effects:
        """The posterior of the effects."""
        with one_thread():
            return self._effects(plays, sums)

    def posterior(self, plays: FloatArray, sums: FloatArray) -> Posterior:
        """The posterior of the mean of each item."""
        with one_thread():
            return self._posterior(plays, sums)

    def _effects(self, plays: FloatArray, sums: FloatArray) -> Effects:
        return self._effects_of(self._seen(plays, sums, self._variances(plays, sums)))

    def _effects_of(self, seen: Seen) -> Effects:
        return effects_of(seen, self.spreads, self.numbers[1])

    def _posterior(self, plays: FloatArray, sums: FloatArray) -> Posterior:
        seen, items = self._seen(plays, sums, self._variances(plays, sums)), plays > 0.0
        noise, means = np.full(len(plays), np.inf), np.zeros(len(plays))
        noise[items], means[items] = seen.noise, seen.means
        return posterior(self.design.matrix, means, noise, self._effects_of(seen), self.spreads)

    def statistics(
        self, stats: FloatArray, variance: FloatArray, upper: FloatArray | None, rng: np.random.Generator | None
    ) -> FloatArray:
        """Statistics for rules in place of `stats`; with a generator for rules that draw all means."""
        with one_thread():
            return self._statistics(stats, variance, upper, rng)

    def _statistics(
        self, stats: FloatArray, variance: FloatArray, upper: FloatArray | None, rng: np.random.Generator | None
    ) -> FloatArray:
        plays, sums, pending = stats[PLAYS], stats[SUMS], stats[COUNTS] - stats[PLAYS]
        self._learn(plays, sums)
        if rng is None:
            means, variances = self._posterior(plays, sums)
            plays, sums = np.zeros(len(means)), np.zeros(len(means))
        else:
            normals = rng.standard_normal((len(self.design.names),))
            means = self.design.matrix @ self._effects(plays, sums).drawn(normals)
            variances = np.full(len(means), self.spreads.residual)
        spread = variance
        if self._law is not None and not self._law.is_quadratic:
            means = self._inside(self._law, means, stats)
            spread = self._law.variance_at(means)
        if upper is not None:
            means = np.minimum(means, upper)
        weights = spread / variances
        return weighted_statistics(plays + weights, sums + weights * means, pending, variance, upper)

    @staticmethod
    def _inside(law: Law, means: FloatArray, stats: FloatArray) -> FloatArray:
        """Means within the range of the law."""
        plays, sums = stats[PLAYS], stats[SUMS]
        low, high = law.outcomes
        centre = float(sums.sum()) / max(float(plays.sum()), 1.0)
        for bound, nearest in ((low, np.maximum), (high, np.minimum)):
            if np.isfinite(bound).all():
                means = nearest(means, bound + MARGIN * (centre - bound if plays.any() else np.subtract(0.5, bound)))
        return means

    def state(self) -> dict[str, Any]:
        """The numbers as plain JSON."""
        return {"numbers": list(self.numbers), "before": self.before}

    def restore(self, state: Any) -> None:
        """Continue from a state."""
        try:
            due, unit, residual, effects = read_floats(state, "numbers", len(_KEYS)).tolist()
            (before,) = read_counts({"before": [state["before"]]}, "before", 1, least=0).tolist()
            is_valid = due >= 0.0 and min(unit, residual, effects) > 0.0 and max(due, unit, residual, effects) < np.inf
        except (InvalidInputError, KeyError, TypeError, ValueError):
            is_valid = False
        if not is_valid:
            raise InvalidInputError("sharing must hold five numbers, but it does not: the state is damaged, use a copy")
        self.numbers, self.before = (due, unit, residual, effects), before
