"""When a replication stops: checks of the confidence at set rounds, and the policy that plays one decision to the end."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.ordered import estimated_objectives, maximize_in_order
from semibandits.identification.evidence import Evidence, Observed, Sizes, Stop, needed_evidence
from semibandits.simulation.specification import Specification

GROWTH: Final = 1.01
"""A check follows the one before once the number of rounds has grown by this factor, so that no seconds play a part."""


class Watch:
    """Checks whether a replication may stop."""

    def __init__(self, specification: Specification, stop: Stop) -> None:
        self._set, self._prior, self._stop = specification.decision_set, specification.prior, stop
        self._sizes = Sizes(specification.decision_set)
        self._law, self._horizon = specification.assumed_law, specification.horizon
        self.due = 1  # the round after which the next check is made
        self.decision: BoolArray | None = None  # the one to which the replication is committed
        self._hint: BoolArray | None = None  # a decision against which there was the least evidence
        self._rounds = 0  # the round after which it stopped

    def stopped(self, rounds: int, plays: FloatArray, sums: FloatArray) -> BoolArray | None:
        """The decision to stop with, None to go on; from observed rewards, shape (d,) each, without a prior."""
        self.due = max(rounds + 1, math.ceil(GROWTH * rounds))
        means = sums / np.maximum(plays, 1.0)
        counted, total = (plays, sums) if self._prior is None else self._prior.added_to(plays, sums)
        best = maximize_in_order(self._set, *estimated_objectives(counted, total))
        needed = needed_evidence(self._stop)
        evidence = Evidence(self._set, best, Observed(means, plays, rounds, self._law), self._stop, needed, self._sizes)
        is_sure = evidence.least(self._hint) >= needed
        self._hint = evidence.weakest
        if not is_sure:
            return None
        self.decision, self._rounds, self.due = best, rounds, self._horizon + 1
        return best

    def stops(self, checkpoints: IntArray, gap: float) -> IntArray:
        """Rounds after the stop up to each checkpoint, and those of a decision that is not good enough, shape (c, 2).

        `gap` is that of the decision, beyond what counts as a tie.
        """
        after = np.zeros((len(checkpoints), 2), dtype=np.int64)
        if self.decision is not None:
            after[:, 0] = np.maximum(checkpoints - self._rounds, 0)
            after[:, 1] = after[:, 0] * (gap > self._stop.within)
        return after
