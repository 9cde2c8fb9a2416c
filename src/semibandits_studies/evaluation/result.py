"""The result of an offline evaluation."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from semibandits.formats.text import brief
from semibandits.inputs.pandas_objects import new_frame

if TYPE_CHECKING:
    from pandas import DataFrame


class ValueEstimate(NamedTuple):
    """An estimate with its interval.

    Attributes
    ----------
    value : float
        The estimate.
    low, high : float
        Ends of the interval.

    Examples
    --------
    >>> sb.ValueEstimate(0.42, 0.4, 0.44).high
    0.44
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What other choices would have earned, by logs; :func:`semibandits.evaluate` returns it. ``str()`` is the text for people.

    Attributes
    ----------
    estimates : dict from str to ValueEstimate
        Reward of a round by estimator: "doubly_robust", "self_normalised" and "ips" (inverse propensity scores) with logged
        probabilities, "direct" by the means of the items, and "replay" for a policy or a learner.
    method : str
        The one of them that is reported.
    logged : ValueEstimate
        Reward of a round of the logs.
    lift : ValueEstimate or None
        Reward of the choices over that of the logs, minus 1; None if the logs cannot support a comparison.
    confidence : float
        Confidence level of the intervals.
    rounds : int
        Number of rounds of the logs, or of the replay.
    support : float
        Share of the plays of the choices whose items are in the logs; the others count 0.
    unsupported : tuple
        Labels of items of the choices that are not in the logs.
    weight : ValueEstimate or None
        Mean weight of a play, 1 if the probabilities fit and each item could be chosen in each round; a smaller one is the share
        of plays whose items could. None without probabilities.
    plays : float
        Number of plays with equal weights that are as informative: (sum of weights)^2 / sum of squares (Kish 1965).
    in_costs : bool
        Whether rewards are costs.
    notes : tuple of str
        What limits the estimates.

    Examples
    --------
    >>> log = {"round": [1, 2, 3, 4], "item": ["a", "b", "a", "b"], "reward": [1, 0, 1, 1], "probability": [0.5] * 4}
    >>> result = sb.evaluate(log, ["a"])
    >>> result.method, result.estimates["ips"].value, result.logged.value
    ('doubly_robust', 1.0, 0.75)
    """

    estimates: dict[str, ValueEstimate]
    method: str
    logged: ValueEstimate
    lift: ValueEstimate | None
    confidence: float
    rounds: int
    support: float
    unsupported: tuple[Hashable, ...]
    weight: ValueEstimate | None
    plays: float
    in_costs: bool
    notes: tuple[str, ...]

    @property
    def value(self) -> float:
        """The reported estimate: reward (or cost) of a round."""
        return self.estimates[self.method].value

    @property
    def low(self) -> float:
        """Lower end of the interval of `value`."""
        return self.estimates[self.method].low

    @property
    def high(self) -> float:
        """Upper end of the interval of `value`."""
        return self.estimates[self.method].high

    def __repr__(self) -> str:
        return brief(self)

    def __str__(self) -> str:
        verb = "cost" if self.in_costs else "earned"
        at_least = "at least " if self.support < 1.0 and not self.in_costs else ""
        text = f"Would have {verb} {at_least}{self.value:.4g} a round ({self.low:.4g} to {self.high:.4g})"
        text += f", against {self.logged.value:.4g} in the logs"
        if self.lift is not None:
            text += f": {at_least}{_lift(self.lift)}"
        method = self.method.replace("_", " ")
        lines = [f"{text}.", f"Estimator: {method}, {self.confidence:.0%} intervals, {self.rounds:,} rounds.", *self.notes]
        return "\n".join(lines)

    def to_frame(self) -> DataFrame:
        """A row for each estimator, and one for the logs.

        Returns
        -------
        DataFrame
            Columns ``estimator``, ``value``, ``low`` and ``high``.
        """
        rows = {"logged": self.logged, **self.estimates}
        return new_frame(
            {"estimator": list(rows), **{name: [getattr(row, name) for row in rows.values()] for name in ValueEstimate._fields}}
        )


def _lift(lift: ValueEstimate) -> str:
    """Text such as "4 % more (1 to 7 %)"."""
    sign, word = (1.0, "more") if lift.value >= 0.0 else (-1.0, "less")
    low, high = sorted((sign * lift.low, sign * lift.high))
    digits = 0 if max(abs(low), abs(high)) >= 0.1 or high - low >= 0.02 else 1
    texts = (f"{100 * number:.{digits}f}".replace("-", "−") for number in (abs(lift.value), low, high))
    return "{} % {} ({} to {} %)".format(next(texts), word, *texts)
