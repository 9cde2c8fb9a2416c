"""A policy on the outcomes of logs, as if it had been there."""

from __future__ import annotations

from typing import Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.errors import Infeasible, InvalidInputError
from semibandits.learning.learner import Learner
from semibandits_studies.evaluation.logs import Logs

FEW: Final = 100
"""Replays that end for an item with fewer outcomes are better without such items."""


def replayed(
    learner: Learner, logs: Logs, *, least: int, horizon: int | None, seed: int, in_costs: bool
) -> tuple[FloatArray, BoolArray, str | None]:
    """The reward of each round of the learner, which changes; the available items; and why the replay ended before the horizon.

    The reward is the mean of a play if the logs have no rounds. Items with less than `least` outcomes are not available.

    Each chosen item takes the next outcome of its own in the logs, which is used once; the replay ends when one is missing [the
    queue method, Mandel, Liu, Brunskill and Popović 2016, by item]. Where the probabilities of an item differ between rounds, its
    outcomes are kept with the smallest one over their own, so that they are those of random plays.
    """
    d = learner.decision_set.d
    rows = np.flatnonzero(logs.items < d)
    if logs.probabilities is not None:
        smallest = np.full(d, np.inf)
        np.minimum.at(smallest, logs.items[rows], logs.probabilities[rows])
        rate = smallest[logs.items[rows]] / logs.probabilities[rows]
        rows = rows[np.random.default_rng(seed).random(len(rows)) < rate]
    rows = rows[np.argsort(logs.items[rows], kind="stable")]
    counts = np.bincount(logs.items[rows], minlength=d)
    ends = np.cumsum(counts)
    places = ends - counts
    available, reason = counts >= least, None
    totals: list[float] = []
    while horizon is None or len(totals) < horizon:
        try:
            asked = learner.ask(available)
        except Infeasible as error:
            raise InvalidInputError(f"logs must show the items of a decision, got others: {error}") from error
        missing = np.flatnonzero(places[asked.items] >= ends[asked.items])
        if missing.size:
            place = missing[0]
            count = counts[asked.items[place]]
            reason = f"The replay ended after {len(totals):,} rounds: all {count:,} outcomes of {asked.labels[place]!r} are used."
            if count < FEW:
                reason += " With least= it goes on longer, without items of few outcomes."
            break
        outcomes = logs.rewards[rows[places[asked.items]]]
        places[asked.items] += 1
        learner.tell(asked.id, **{"costs" if in_costs else "rewards": outcomes})
        totals.append(float(outcomes.sum() if logs.has_rounds else outcomes.mean()))
    if len(totals) < 2:
        raise InvalidInputError(
            f"logs must have outcomes for 2 rounds of the policy at least, got {len(totals)}: {reason or 'pass a larger horizon'}"
        )
    return np.array(totals), available, reason
