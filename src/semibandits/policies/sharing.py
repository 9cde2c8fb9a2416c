"""What rules know of items that share effects: statistics that contain what all items tell of each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.features.design import Design, RoundFeatures, finite
from semibandits.features.items import Counts, Items, Known
from semibandits.features.model import Effects, Posterior, Seen, Spreads, effects_of, learnt
from semibandits.features.rows import Rows
from semibandits.kernels.machine.threads import one_thread
from semibandits.kernels.rules.statistics import COUNTS, PLAYS, SUMS
from semibandits.laws import Law
from semibandits.policies.history import History
from semibandits.policies.states import read_counts, read_floats, weighted_statistics

GROWTH: Final = 1.05
"""The spreads are learnt anew whenever the number of observed rewards has grown by this factor."""
STALE: Final = 1.01
"""The effects are learnt anew whenever it has grown by this factor."""
FIRST: Final = 0.5
"""Both spreads squared without any observation, in variances of a reward."""
SURE: Final = 50.0
"""Largest logarithm of odds."""
LEAST: Final = 1e-3
"""Smallest number of rewards that an item counts as."""


class Learnt(NamedTuple):
    """What has been learnt from all items."""

    due: float  # number of rewards at which the spreads are learnt next
    unit: float  # variance of a reward, see `Items.unit`
    residual: float  # the spreads, squared
    effects: float
    at: float  # number of rewards from which the effects were learnt
    beta: Effects | None  # None before that


class Sharing:
    """The model of :mod:`semibandits.features.model` for the items of an agent.

    Optimistic rules see the posterior of each item as if it were that many rewards of its mean. Rules that draw means first draw
    the effects; given these, items are independent, and those that were never observed have the prior that the effects give.
    """

    def __init__(self, design: Design, law: Law | None, variance: FloatArray) -> None:
        self.design, self.rows = design, Rows(design)
        self._items = Items(self.rows, law, variance)
        unit = self._items.unit(Counts(np.zeros(len(variance)), np.zeros(len(variance))))
        self.learnt = Learnt(0.0, unit, FIRST * unit, FIRST * unit, 0.0, None)
        self.before = 0  # number of rounds of a history, which rules count no more than those of a prior
        self._known: Known | None = None  # what `learnt.beta` says of each item
        self._stats: FloatArray | None = None  # those of the last round: large new arrays take longer than their numbers

    @property
    def spreads(self) -> Spreads:
        """The spreads of the residuals and of the effects, squared, and that of the mean of all."""
        now = self.learnt
        return Spreads(now.residual, now.effects, self._items.free(now.unit))

    def _seen(self, counts: Counts) -> Seen:
        """Observations of the effects; items that seem unlike the others say less."""
        items, seen = self._items.seen(counts, self.spreads)
        beta, residual = self.learnt.beta, self.learnt.residual
        against = None if beta is None else self._items.evidence(counts, beta.mean, residual)
        if against is None:
            return seen
        like = 1.0 / (1.0 + np.exp(-np.clip(against[items], -SURE, SURE)))
        return seen._replace(noise=(seen.noise + residual) / np.maximum(like, 1e-6) - residual)

    def _learn(self, counts: Counts) -> Effects:
        """The effects; they and the spreads are learnt anew if enough rewards were observed since."""
        total = float(counts.plays.sum())
        if total and total >= self.learnt.due:
            unit = self._items.unit(counts)
            scale = unit / self.learnt.unit
            self.learnt = self.learnt._replace(
                due=GROWTH * total, unit=unit, residual=self.learnt.residual * scale, effects=self.learnt.effects * scale
            )
            for _ in range(1 if self._items.link.is_identity else 2):  # observations on a scale depend on the spreads
                spreads = learnt(self._seen(counts), self.spreads, unit)
                self.learnt = self.learnt._replace(residual=spreads.residual, effects=spreads.effects, at=-1.0)
        beta, at = self.learnt.beta, self.learnt.at
        if beta is None or not at <= total <= STALE * at:
            beta = effects_of(self._seen(counts), self.spreads)
            if total:  # before the first reward, nothing is known that items could be unlike
                self.learnt = self.learnt._replace(at=total, beta=beta)
            self._known = None
        return beta

    def effects(self, plays: FloatArray, sums: FloatArray) -> tuple[Effects, float]:
        """The posterior of the effects, and the standard deviation of the rests."""
        counts = Counts(plays, sums)
        with self._informed(counts):
            return effects_of(self._seen(counts), self.spreads), math.sqrt(self.learnt.residual)

    def posterior(self, plays: FloatArray, sums: FloatArray, seen: RoundFeatures | None = None) -> Posterior:
        """The posterior of the mean of each item, in a round of which this is known."""
        counts = Counts(plays, sums)
        self.rows.begin(seen)
        with self._informed(counts):
            effects = effects_of(self._seen(counts), self.spreads)
            return self._items.posterior(counts, effects, self.learnt.residual)

    @contextmanager
    def _informed(self, counts: Counts) -> Iterator[None]:
        """Within the block, the spreads are those that the next round will have; nothing is learnt for good."""
        known = self.learnt, self._known
        try:
            with one_thread():
                self._learn(counts)
                yield
        finally:
            self.learnt, self._known = known

    def statistics(
        self, stats: FloatArray, variance: FloatArray, upper: FloatArray | None, rng: np.random.Generator | None, t: int
    ) -> FloatArray:
        """Statistics for rules in round t in place of `stats`; with a generator for rules that draw all means."""
        counts, pending = Counts(stats[PLAYS], stats[SUMS]), stats[COUNTS] - stats[PLAYS]
        with one_thread():
            plays, means = self._believed(counts, t) if rng is None else self._drawn(counts, rng)
        means = means if upper is None else np.minimum(means, upper)
        link, sums = self._items.link, plays * means
        if rng is not None and link.curve <= 0.0 and not link.is_identity:  # the rule adds Jeffreys' prior
            plays, sums = np.maximum(plays + link.curve, LEAST), link.towards_end(sums, 0.5)
        self._stats = weighted_statistics(plays, sums, pending, variance, upper, self._stats)
        return self._stats

    def _believed(self, counts: Counts, t: int) -> tuple[FloatArray, FloatArray]:
        """Number and mean of the rewards that stand for the posterior. Items count as unlike the others if that is plausible."""
        effects, items, residual = self._learn(counts), self._items, self.learnt.residual
        known = None
        if self.rows.next is None:
            known = self._known = self._known or Known(items.prior(effects.mean, residual), effects.variances(self.design.matrix))
        against = items.evidence(counts, effects.mean, residual)
        odd = None if against is None else against < math.log(max(t, 1))
        means, variances = items.posterior(counts, effects, residual, odd, known)
        at = items.variance if items.law is None or items.link.is_identity else items.law.variance_at(means)
        return np.maximum(at / variances + items.link.curve, LEAST), means

    def _drawn(self, counts: Counts, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Number and mean of the rewards of each item, with the prior that drawn effects give."""
        beta = self._learn(counts).drawn(rng.standard_normal((len(self.design.names),)))
        against = self._items.evidence(counts, beta, self.learnt.residual)
        odd = None
        if against is not None:
            odds = np.exp(-np.clip(against, -SURE, SURE))
            odd = rng.random(len(odds)) * (1.0 + odds) < odds
        _, plays, means = self._items.given(counts, beta, self.learnt.residual, odd)
        return plays, means

    def recall(self, history: History, contexts: Any) -> None:
        """Take note of what was known in the rounds of a history."""
        assert history.items is not None
        assert history.rewards is not None
        encoded, known = self.design.contexts(contexts, len(history.items)), history.items >= 0
        self._items.recall(Counts(history.plays, history.sums), history.items[known], history.rewards[known], encoded[known])

    def observe(self, round_id: int, items: IntArray, rewards: FloatArray, told: BoolArray, stats: FloatArray) -> None:
        """Take note with which features items are observed in a round, before their rewards enter the statistics; `told` marks
        those of its items that are not lost.
        """
        rows = self.rows.open.get(round_id)
        self._items.observe(Counts(stats[PLAYS], stats[SUMS]), items, rewards, None if rows is None else rows[told])

    def undo(self, known: Learnt, upcoming: int) -> None:
        """Take back the rounds from this one on, and what was learnt since."""
        self.learnt, self._known = known, None
        for number in [number for number in self.rows.open if number >= upcoming]:
            self.rows.close(number)

    def state(self) -> dict[str, Any]:
        """The numbers as plain JSON."""
        *numbers, beta = self.learnt
        effects = {} if beta is None else {"effects": {"mean": beta.mean.tolist(), "factor": beta.factor.tolist()}}
        return {"numbers": numbers, "before": self.before, **effects, **self.rows.state()}

    def restore(self, state: Any, sizes: dict[int, int]) -> None:
        """Continue from a state; `sizes` are the numbers of items of the open rounds."""
        k, beta = len(self.design.names), None
        try:
            numbers = read_floats(state, "numbers", 5).tolist()
            (before,) = read_counts({"before": [state["before"]]}, "before", 1, least=0).tolist()
            if "effects" in state:
                beta = Effects(finite(state["effects"]["mean"], (k,)), finite(state["effects"]["factor"], (k, k)))
            rows = self.rows.restored(state, sizes)
            is_valid = min(numbers[0], numbers[4] + 1.0) >= 0.0 and min(numbers[1:4]) > 0.0 and max(numbers) < np.inf
        except (InvalidInputError, IndexError, KeyError, OverflowError, TypeError, ValueError):
            is_valid = False
        if not is_valid:
            raise InvalidInputError(
                "sharing must hold what was learnt of the features, but it does not: the state is damaged, use a copy"
            )
        due, unit, residual, effects, at = numbers
        self.learnt = Learnt(due, unit, residual, effects, at, beta)
        self.before, self.rows, self._known = before, rows, None
        self._items.rows = rows
