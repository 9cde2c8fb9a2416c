"""A policy on the outcomes of logs, as if it had been there."""

from __future__ import annotations

import numpy as np

from semibandits._typing import FloatArray
from semibandits.errors import Infeasible, InvalidInputError
from semibandits.learning.learner import Learner
from semibandits_studies.evaluation.logs import Logs


def replayed(learner: Learner, logs: Logs, *, horizon: int | None, seed: int, in_costs: bool) -> tuple[FloatArray, str | None]:
    """The total reward of each round of the learner, which changes, and why the replay ended before the horizon.

    Each chosen item takes the next outcome of its own in the logs, which is used once; the replay ends when one is missing [the
    queue method, Mandel, Liu, Brunskill and Popović 2016, by item]. Where the probabilities of an item differ between rounds, its
    outcomes are kept with the smallest one over their own, so that they are those of random plays.
    """
    d = learner.decision_set.d
    rows = np.flatnonzero(logs.items < d)
    if logs.probabilities is not None:
        least = np.full(d, np.inf)
        np.minimum.at(least, logs.items[rows], logs.probabilities[rows])
        rate = least[logs.items[rows]] / logs.probabilities[rows]
        rows = rows[np.random.default_rng(seed).random(len(rows)) < rate]
    rows = rows[np.argsort(logs.items[rows], kind="stable")]
    counts = np.bincount(logs.items[rows], minlength=d)
    ends = np.cumsum(counts)
    places = ends - counts
    available, reason = counts > 0, None
    totals: list[float] = []
    while horizon is None or len(totals) < horizon:
        try:
            asked = learner.ask(available)
        except Infeasible as error:
            raise InvalidInputError(f"logs must show the items of a decision, got others: {error}") from error
        missing = np.flatnonzero(places[asked.items] >= ends[asked.items])
        if missing.size:
            reason = (
                f"The replay ended after {len(totals):,} rounds: the logs have no further outcome of "
                f"{asked.labels[missing[0]]!r}, which was next."
            )
            break
        outcomes = logs.rewards[rows[places[asked.items]]]
        places[asked.items] += 1
        learner.tell(asked.id, **{"costs" if in_costs else "rewards": outcomes})
        totals.append(float(outcomes.sum()))
    if len(totals) < 2:
        raise InvalidInputError(
            f"logs must have outcomes for 2 rounds of the policy at least, got {len(totals)}: {reason or 'pass a larger horizon'}"
        )
    return np.array(totals), reason
