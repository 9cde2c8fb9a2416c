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
    has_rounds : bool
        Whether values are per round; otherwise they are per play.
    notes : tuple of str
        What limits the estimates.
    limit : {"", "at least", "at most"}
        Plays without support count 0. The true value is then "at least" the estimate if no item of the logs has a negative mean,
        and "at most" the estimate if no item has a positive mean; "" otherwise, and if all plays have support.

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
    has_rounds: bool
    notes: tuple[str, ...]
    limit: str = ""

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
        verb, each = "cost" if self.in_costs else "earned", "a round" if self.has_rounds else "a play"
        limit = f"{self.limit} " if self.limit else ""
        value, low, high, logged = map(_number, (self.value, self.low, self.high, self.logged.value))
        text = f"Would have {verb} {limit}{value} {each} ({low} to {high}), against {logged} in the logs"
        if self.lift is not None:
            text += f": {('at least ' if self.lift.value >= 0.0 else 'at most ') if limit else ''}{_lift(self.lift)}"
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


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def _lift(lift: ValueEstimate) -> str:
    """Text such as "4 % more (1 to 7 %)", or "4 % more (2 % less to 10 % more)"."""
    digits = 0 if lift.high - lift.low >= 0.02 or max(abs(lift.low), abs(lift.high)) >= 0.1 else 1

    def text(number: float) -> str:
        return f"{100 * abs(number):.{digits}f} %"

    def words(number: float) -> str:
        return f"{text(number)} {'more' if number >= 0.0 else 'less'}"

    if lift.low < 0.0 < lift.high:
        return f"{words(lift.value)} ({words(lift.low)} to {words(lift.high)})"
    low, high = sorted((lift.low, lift.high), key=abs)
    return f"{words(lift.value)} ({text(low).removesuffix(' %')} to {text(high)})"
