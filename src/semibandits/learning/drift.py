"""A sequential test of whether the mean reward of an item has changed."""

from __future__ import annotations

import logging
import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.decisions.base import LARGEST_NUMBER
from semibandits.families.labels import plain_list
from semibandits.laws import Gaussian, Law
from semibandits.learning.expecting import reading
from semibandits.learning.storage import JSON, stored_integer
from semibandits.policies.states import read_counts, read_floats

LOGGER: Final = logging.getLogger("semibandits.learning")

SMALLEST: Final = 16
"""Length of the shortest blocks."""
MOST_KEPT: Final = 1_000
"""Number of reports that are kept; older ones are dropped."""
OFFSET: Final = 2.0 * math.log(2.0)


@dataclass(frozen=True)
class Drift:
    """A report that the mean reward of an item has changed.

    Attributes
    ----------
    item : int
        Index of the item.
    label : hashable
        Its label.
    round : int
        Id of the round whose outcome led to the report.
    before, after : float
        Mean of its rewards before the block of observations that differs, since its last report; and in this block. If costs
        are told, rewards are minus costs.

    Notes
    -----
    `Learner.drifts` holds these reports if the learner has a `drift_error`. The test compares blocks of 16, 32, 64, ... rewards
    of an item with all rewards before them, by the generalised likelihood ratio (Besson, Kaufmann, Maillard, Seznec 2022).

    Examples
    --------
    >>> streets = sb.Paths([("home", "bridge"), ("bridge", "office")], "home", "office")
    >>> learner = sb.Learner(streets, variance=4.0, seed=0, drift_error=0.01)
    >>> for day in range(64):
    ...     learner.tell(learner.ask().id, costs=[10.0 if day < 32 else 20.0, 5.0])  # works on the bridge from day 32 on
    >>> learner.drifts
    (Drift(item=0, label=('home', 'bridge'), round=47, before=-10.0, after=-20.0),)
    """

    item: int
    label: Hashable
    round: int
    before: float
    after: float


class DriftCheck:
    """Compares, for each item, blocks of its rewards with all rewards before them.

    Whenever the i-th block of ``b = 16 * 2**j`` rewards of an item is complete, i >= 2, its mean m_2 is compared with the mean
    m_1 of the ``n_1 = (i - 1) b`` rewards before it, by ``E = n_1 d(m_1, p) + b d(m_2, p)``, with p the mean of all n_1 + b and d
    the divergence of the law. A drift is reported if ``4 (1 + E - 2 ln 2) exp(-E)`` is at most
    ``2 alpha / ((j + 1) (j + 2) i (i + 1))``, with ``alpha = error / d``. Then the test of the item starts anew. `error` is the
    probability, at most, that any item is ever reported although no mean changes; between reports of the same item it is
    ``error / d``.

    For n independent rewards of mean theta, ``P(n d(mean, theta) >= x) <= 2 exp(-x)`` (Chernoff 1952), in any exponential family,
    and with the Gaussian divergence for sub-Gaussian deviations. As p minimises ``n_1 d(m_1, .) + b d(m_2, .)``, E is at most the
    sum of two such independent numbers, each dominated by ln 2 plus an exponential variable; so
    ``P(E >= x) <= P(2 ln 2 + Gamma(2) >= x) = 4 (1 + x - 2 ln 2) exp(-x)``. The levels of all tests of an item add up to alpha.
    Rewards of an item are independent whenever the policy chooses it, also after a report.

    A change is found once a block after it is long enough. If it comes so early that the rewards before it do not suffice, it
    becomes part of them and may never be found.

    The blocks of doubling length are those of ADWIN (Bifet and Gavalda 2007), the statistic is that of the GLR test for changes
    (Besson, Kaufmann, Maillard and Seznec 2022).
    """

    def __init__(self, law: Law, d: int, error: float) -> None:
        self._law, self.error = law, error
        self._variance = np.broadcast_to(np.asarray(law.variance), d) if isinstance(law, Gaussian) else None
        self._is_known = law.compiled(d) is not None
        self._logs = math.log(2.0 * error / max(d, 1))
        # Number and sum of the rewards in the test of each item; `starts`, shape (levels, d): sums at the start of the present
        # block of each level.
        self.plays, self.sums, self.starts = np.zeros(d), np.zeros(d), np.zeros((0, d))
        self.found: tuple[Drift, ...] = ()  # the last `MOST_KEPT` reports
        self.count = 0  # number of all reports

    def reserve(self, items: IntArray) -> None:
        """Make room for one more reward of each of these items; the state does not change."""
        if len(items) and self.plays[items].max() + 1.0 >= SMALLEST * 2.0 ** len(self.starts):
            self.starts = np.concatenate((self.starts, np.zeros((1, len(self.plays)))))

    def observe(self, items: IntArray, rewards: FloatArray, labels: tuple[Hashable, ...], round_id: int) -> None:
        """Add rewards of the items of a round, and report drifts; `reserve` comes first."""
        n = self.plays[items] + 1.0
        self.plays[items] = n
        self.sums[items] += rewards
        for k in np.flatnonzero(n % SMALLEST == 0.0).tolist():
            item = int(items[k])
            means = self._changed(item, float(n[k]))
            if means is not None:
                self.plays[item] = self.sums[item] = 0.0
                self.starts[:, item] = 0.0
                self.found = (*self.found, Drift(item, labels[item], round_id, *means))[-MOST_KEPT:]
                self.count += 1

    def _changed(self, item: int, n: float) -> tuple[float, float] | None:
        """End the blocks of an item that n rewards complete; the means before and in the first of them that differs."""
        block, level, total = float(SMALLEST), 0, float(self.sums[item])
        while n % block == 0.0:
            start, earlier, i = float(self.starts[level, item]), n - block, n / block
            self.starts[level, item] = total
            if earlier > 0.0:
                bound = self._logs - math.log((level + 1) * (level + 2) * i * (i + 1.0))
                before, after = start / earlier, (total - start) / block
                if self._is_drift(item, before, after, earlier, block, bound):
                    return before, after
            block, level = 2.0 * block, level + 1
        return None

    def _is_drift(self, item: int, before: float, after: float, earlier: float, block: float, bound: float) -> bool:
        """Whether the logarithm of the tail of E is at most a bound.

        For other laws E is at most that of Gaussian rewards with the smallest variance between the two means, which is at one of
        them: variances of the laws of the library are concave or monotone in the mean. That is fast, and mostly enough.
        """
        weight = 0.5 * earlier * block / (earlier + block) * (after - before) ** 2
        if self._variance is not None:
            return log_tail(weight / self._variance[item]) <= bound
        if self._is_known:
            law = self._law if self._law.size is None else self._law.take(np.array([item]))
            least = min(float(law.variance_at(np.array([mean]))[0]) for mean in (before, after))
            if least > 0.0 and log_tail(weight / least) > bound:
                return False
        found = self._statistic(np.array([item]), np.array([before]), np.array([after]), np.array([earlier]), block)
        return log_tail(float(found[0])) <= bound

    def _statistic(self, items: IntArray, before: FloatArray, after: FloatArray, earlier: FloatArray, block: float) -> FloatArray:
        """E, see the class; shape (k,)."""
        share = block / (earlier + block)
        if self._variance is not None:
            return np.asarray(earlier * share * np.square(after - before) / (2.0 * self._variance[items]))
        law = self._law if self._law.size is None else self._law.take(items)
        pooled = before + share * (after - before)
        is_rise = after >= before
        low, high = np.minimum(before, after), np.maximum(before, after)
        few, many = np.where(is_rise, earlier, block), np.where(is_rise, block, earlier)
        with np.errstate(all="ignore"):
            value = few * law.divergence(low, pooled - low) + many * law.divergence_below(high, high - pooled)
        return np.nan_to_num(value, nan=0.0, posinf=LARGEST_NUMBER)  # no information where a law knows none

    def follow(self, old: DriftCheck, places: IntArray, labels: tuple[Hashable, ...]) -> None:
        """Take over the tests of another check, and its reports of items that still exist. `places`, shape (d,): index of each
        item there, -1 if it is new.
        """
        kept = np.flatnonzero(places >= 0)
        self.starts = np.zeros((len(old.starts), len(places)))
        for mine, other in ((self.plays, old.plays), (self.sums, old.sums), (self.starts, old.starts)):
            mine[..., kept] = other[..., places[kept]]
        new_places = {int(places[item]): int(item) for item in kept}
        self.found = tuple(
            replace(drift, item=new_places[drift.item], label=labels[new_places[drift.item]])
            for drift in old.found
            if drift.item in new_places
        )
        self.count = old.count

    def log(self, known: int) -> None:
        """Log the reports since there were `known` of them."""
        for drift in self.found[len(self.found) - min(self.count - known, MOST_KEPT) :]:
            LOGGER.warning(
                "the mean reward of %r has changed from %.6g to %.6g, as observed in round %d",
                drift.label, drift.before, drift.after, drift.round,
            )  # fmt: skip

    def state(self) -> JSON:
        """The tests and the reports as plain JSON."""
        levels = _levels(self.plays.max(initial=0.0))
        return {
            "plays": self.plays.tolist(),
            "sums": self.sums.tolist(),
            "starts": self.starts[:levels].tolist(),
            "found": [[drift.item, drift.round, drift.before, drift.after] for drift in self.found],
            "count": self.count,
        }

    def restore(self, state: Any, labels: tuple[Hashable, ...]) -> None:
        """Continue from a state."""
        d = len(self.plays)
        with reading("drift"):
            plays, sums = read_counts(state, "plays", d, least=0).astype(np.float64), read_floats(state, "sums", d)
            levels = [read_floats({"starts": row}, "starts", d) for row in plain_list(state["starts"])]
            starts = np.array(levels).reshape(-1, d)
            found = tuple(
                Drift(
                    stored_integer(item, "item"),
                    labels[item],
                    stored_integer(number, "round"),
                    *read_floats({"means": means}, "means", 2).tolist(),
                )
                for item, number, *means in plain_list(state["found"])
            )
            count = stored_integer(state["count"], "count")
            means = [value for one in found for value in (one.before, one.after)]
            if not all(np.isfinite(values).all() for values in (sums, starts, means)):
                raise ValueError("infinite numbers")
            if len(levels) != _levels(plays.max(initial=0.0)) or len(found) > min(count, MOST_KEPT):
                raise ValueError("other numbers of levels or reports")
        self.plays, self.sums, self.starts = plays, sums, starts
        self.found, self.count = found, count


def _levels(plays: float) -> int:
    """Number of levels of which a block can be complete after so many rewards."""
    return max(int(plays) // SMALLEST, 0).bit_length()


def log_tail(x: float) -> float:
    """Logarithm of ``4 (1 + x - 2 ln 2) exp(-x)``, a bound on the probability of a statistic of x or more; 0 below 2 ln 2."""
    excess = max(x - OFFSET, 0.0)
    return math.log1p(excess) - excess
