"""Outcomes of a comparison of two policies on one instance, and all tests of a comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray
from panel import Instance
from statistics_of_ratios import (
    Interval,
    holm,
    largest_over_mean,
    mean_interval,
    p_above,
    p_ratio_above,
    p_ratio_below,
    paired_ratio,
)

from semibandits.simulation.statistics import in_last_decades, log_slopes

OLD, NEW = "ThompsonSampling", "GLADE"
MOST_RATIO: Final = 1.05
"""Largest ratio of mean regrets, NEW over OLD, in the tested hypothesis."""
MOST_SLOPE: Final = 1.1
"""Largest slope of the last decade over C(theta) in the tested hypothesis."""
LEVEL: Final = 0.05
LATE: Final = 0.01
"""Share of rounds that the plan explores, up to which a slope is compared with C(theta) as if T were infinite."""
SLOPE: Final = "slope"


def short_name(instance: Instance) -> str:
    """The name of the instance without its half, which the page states once."""
    return instance.name.removesuffix("-held").removesuffix("-tune")


@dataclass(frozen=True, eq=False)
class Outcome:
    """Regret of both policies on one instance.

    `bound` is the certified bracket of C(theta), and `plan_rate` the rounds that the Graves-Lai plan explores, per ln T. Regret
    has a row per replication and a column per checkpoint, of which the last is the horizon; row k of both policies has the same
    rewards. There may be more rows of NEW than of OLD.
    """

    instance: Instance
    bound: tuple[float, float]
    plan_rate: float
    checkpoints: NDArray[np.int64]
    regret: Mapping[str, NDArray[np.float64]]

    @property
    def name(self) -> str:
        """Name of the instance without its half."""
        return short_name(self.instance)

    @property
    def horizon(self) -> int:
        """Rounds."""
        return int(self.checkpoints[-1])

    @property
    def pairs(self) -> int:
        """Number of replications of both policies."""
        return min(len(rows) for rows in self.regret.values())

    @property
    def replications(self) -> int:
        """Number of replications of NEW."""
        return len(self.regret[NEW])

    @property
    def plan_share(self) -> float:
        """Share of all rounds that the plan explores at the horizon; above 1 if it needs more rounds than there are."""
        return self.plan_rate * math.log(self.horizon) / self.horizon

    @property
    def is_late(self) -> bool:
        """Whether the last decade counts as asymptotic: the plan explores little of it."""
        return self.plan_share <= LATE

    @property
    def rounds(self) -> tuple[int, ...]:
        """The powers of ten from 10^3 on, at which regrets are compared."""
        return tuple(10**k for k in range(3, 1 + math.floor(math.log10(self.horizon) + 1e-9)))

    def at(self, policy: str, rounds: int) -> NDArray[np.float64]:
        """Regret of every replication after `rounds` rounds."""
        column = int(np.searchsorted(self.checkpoints, rounds))
        if self.checkpoints[column] != rounds:
            raise ValueError(f"checkpoints must contain round {rounds}, but do not")
        return self.regret[policy][:, column]

    def paired(self, rounds: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same for NEW and OLD, for the replications with the same rewards."""
        return self.at(NEW, rounds)[: self.pairs], self.at(OLD, rounds)[: self.pairs]

    @cached_property
    def ratios(self) -> dict[int, Interval]:
        """Ratio of the mean regrets by round."""
        return {t: paired_ratio(*self.paired(t)) for t in self.rounds}

    def slopes(self, policy: str) -> NDArray[np.float64]:
        """Slope of regret against ln T over the last decade, of every replication."""
        window = in_last_decades(self.checkpoints, 1.0)
        return log_slopes(self.checkpoints[window], self.regret[policy][:, window])

    def slope(self, policy: str) -> Interval:
        """Slope of the mean regret, with an interval."""
        return mean_interval(self.slopes(policy))

    def slope_ratio(self, policy: str) -> Interval:
        """Slope over C(theta), nan where that is 0."""
        c = self.bound[1]
        return Interval(*(end / c if c > 0 else math.nan for end in self.slope(policy)))

    def largest_over_mean(self, policy: str) -> float:
        """Largest regret at the horizon over the mean."""
        return largest_over_mean(self.regret[policy][:, -1])

    @cached_property
    def tests(self) -> dict[int | str, tuple[float, float]]:
        """By round, and for the slope: p-values of "at most the limit" and of "at least the limit".

        Small values of the first kind show that NEW exceeds the limit, small values of the second that it does not.
        """
        found: dict[int | str, tuple[float, float]] = {}
        for t in self.rounds:
            new, old = self.paired(t)
            found[t] = p_ratio_above(new, old, MOST_RATIO), p_ratio_below(new, old, MOST_RATIO)
        lower, upper = self.bound
        if lower > 0:
            slopes = self.slopes(NEW)
            found[SLOPE] = p_above(slopes, MOST_SLOPE * upper), p_above(-slopes, -MOST_SLOPE * lower)
        return found

    @property
    def close(self) -> tuple[str, ...]:
        """Policies that need more replications, because a one-sided 95 % interval reaches above its limit."""
        undecided = {what for what, (_, below) in self.tests.items() if below > LEVEL}
        return (OLD, NEW) if undecided - {SLOPE} else (NEW,) if undecided else ()


@dataclass(frozen=True)
class Test:
    """One comparison, with p-values adjusted for multiple tests."""

    name: str
    what: int | str
    p: float
    p_worse: float
    p_not_worse: float

    __test__ = False  # not for pytest


def all_tests(outcomes: Sequence[Outcome]) -> list[Test]:
    """All comparisons, by Holm's method.

    Close results get additional replications once. This second look does not favour tests that show "worse": results without
    additional replications were below all limits. It favours tests that show "not worse", so their p-values are doubled.
    """
    rows = [(outcome.name, what, *pair) for outcome in outcomes for what, pair in outcome.tests.items()]
    worse = holm([row[2] for row in rows])
    not_worse = holm([min(1.0, 2 * row[3]) for row in rows])
    return [
        Test(name, what, p, float(p_worse), float(p_not))
        for (name, what, p, _), p_worse, p_not in zip(rows, worse, not_worse, strict=True)
    ]
