"""What the service answers, as frozen records. Labels that are tuples in the learner are tuples here."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Self

from semibandits.client.labels import decoded_label, decoded_labels


@dataclass(frozen=True, slots=True)
class Round:
    """A decision to carry out.

    Attributes
    ----------
    id : int
        Number of the round, which `RemoteLearner.tell` takes.
    items : tuple of int
        Indices of the items to play, ascending.
    labels : tuple
        Labels of these items, in the same order.
    """

    id: int
    items: tuple[int, ...]
    labels: tuple[Hashable, ...]

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """The record of a JSON object."""
        return cls(int(data["round"]), tuple(map(int, data["indices"])), decoded_labels(data["items"]))


@dataclass(frozen=True, slots=True)
class OpenRound:
    """A round whose outcome is not yet known.

    Attributes
    ----------
    id : int
        Number of the round.
    labels : tuple
        Labels of its items.
    age : int
        Number of rounds asked for since.
    seconds : float or None
        Seconds since it was asked for, where the storage knows the time.
    """

    id: int
    labels: tuple[Hashable, ...]
    age: int
    seconds: float | None

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """The record of a JSON object."""
        return cls(int(data["round"]), decoded_labels(data["items"]), int(data["age"]), data.get("seconds"))


@dataclass(frozen=True, slots=True)
class ListedLearner:
    """A learner of the service.

    Attributes
    ----------
    name : str
        Its name.
    created : str
        When it was created.
    calls, rounds, open : int
        Number of calls that changed it, of rounds asked for, and of open rounds.
    """

    name: str
    created: str
    calls: int
    rounds: int
    open: int

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """The record of a JSON object."""
        return cls(data["name"], data["created"], int(data["calls"]), int(data["rounds"]), int(data["open"]))


@dataclass(frozen=True, slots=True)
class Best:
    """The best decision so far.

    Attributes
    ----------
    labels : tuple
        Labels of its items.
    text : str
        The decision in words, such as the places along a path.
    value : float or None
        Its estimated total, a cost if `is_cost`, else a reward; None before any observation.
    is_cost : bool
        Whether outcomes are costs.
    """

    labels: tuple[Hashable, ...]
    text: str
    value: float | None
    is_cost: bool

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """The record of a JSON object."""
        return cls(decoded_labels(data["items"]), data["text"], data["value"], bool(data["is_cost"]))


@dataclass(frozen=True, slots=True)
class OpenCounts:
    """The open rounds, counted.

    Attributes
    ----------
    count : int
        Number of open rounds.
    oldest_age : int or None
        Rounds asked for since the oldest one.
    oldest_seconds : float or None
        Seconds since the oldest one was asked for.
    by_age : tuple of (int, int or None, int)
        Smallest age, largest age and number of rounds, for each power of ten.
    """

    count: int
    oldest_age: int | None
    oldest_seconds: float | None
    by_age: tuple[tuple[int, int | None, int], ...]

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """The record of a JSON object."""
        bands = tuple((int(band["from"]), band["to"], int(band["count"])) for band in data["by_age"])
        return cls(int(data["count"]), data["oldest_age"], data["oldest_seconds"], bands)


@dataclass(frozen=True, slots=True)
class Drift:
    """A change of the mean of an item.

    Attributes
    ----------
    label : hashable
        The item.
    text : str
        The item in words.
    round : int
        Round in which it was found.
    before, after : float
        Mean before and after the change.
    """

    label: Hashable
    text: str
    round: int
    before: float
    after: float

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """The record of a JSON object."""
        return cls(decoded_label(data["item"]), data["text"], int(data["round"]), data["before"], data["after"])


@dataclass(frozen=True, slots=True)
class Summary:
    """A learner at a glance.

    Attributes
    ----------
    name, created : str
        Its name, and when it was created.
    decision_set, family, policy : str
        In words.
    law : str or None
        The law of the rewards in words, where it is known.
    items, largest_decision : int
        d and m: number of items, and of the items of the largest decision.
    calls, rounds : int
        Number of calls that changed the learner, and of rounds asked for.
    open : OpenCounts
        The open rounds.
    best : Best
        The best decision so far.
    half_life : float or None
        Rounds after which an outcome counts half; None if outcomes count for ever.
    drift_error : float or None
        Probability of a false alarm per item; None without a drift check.
    drifts : tuple of Drift
        Changes found.
    """

    name: str
    created: str
    decision_set: str
    family: str
    policy: str
    law: str | None
    items: int
    largest_decision: int
    calls: int
    rounds: int
    open: OpenCounts
    best: Best
    half_life: float | None
    drift_error: float | None
    drifts: tuple[Drift, ...]

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """The record of a JSON object."""
        return cls(
            name=data["name"],
            created=data["created"],
            decision_set=data["decision_set"],
            family=data["family"],
            policy=data["policy"],
            law=data["law"],
            items=int(data["items"]),
            largest_decision=int(data["largest_decision"]),
            calls=int(data["calls"]),
            rounds=int(data["rounds"]),
            open=OpenCounts.of(data["open"]),
            best=Best.of(data["best"]),
            half_life=data["half_life"],
            drift_error=data["drift"]["error"],
            drifts=tuple(map(Drift.of, data["drift"]["found"])),
        )


@dataclass(frozen=True, slots=True)
class ItemEstimate:
    """What is known about an item.

    Attributes
    ----------
    label : hashable
        The item.
    text : str
        The item in words.
    plays, open : int
        Number of observed rewards, and of open rounds with it.
    mean, lower, upper : float or None
        Estimated mean reward and its interval; None where nothing is known.
    in_best : bool
        Whether it is part of the best decision so far.
    """

    label: Hashable
    text: str
    plays: int
    open: int
    mean: float | None
    lower: float | None
    upper: float | None
    in_best: bool

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """The record of a JSON object."""
        return cls(
            decoded_label(data["item"]), data["text"], int(data["plays"]), int(data["open"]), data["mean"], data["lower"],
            data["upper"], bool(data["in_best"]),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Estimates:
    """Estimates of all items.

    Attributes
    ----------
    error : float
        Probability per item that its interval ever misses the mean.
    items : tuple of ItemEstimate
        One per item, in the order of the decision set.
    """

    error: float
    items: tuple[ItemEstimate, ...]

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """The record of a JSON object."""
        return cls(data["error"], tuple(map(ItemEstimate.of, data["items"])))


@dataclass(frozen=True, slots=True)
class ItemRate:
    """Exploration of an item, against the plan.

    Attributes
    ----------
    label : hashable
        The item.
    text : str
        The item in words.
    rate : float
        Plays per ln t in the plan.
    wanted : float
        Plays that the plan wants by now: rate · ln t.
    plays : int
        Plays so far.
    """

    label: Hashable
    text: str
    rate: float
    wanted: float
    plays: int

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """The record of a JSON object."""
        return cls(decoded_label(data["item"]), data["text"], data["rate"], data["wanted"], int(data["plays"]))


@dataclass(frozen=True, slots=True)
class Bound:
    """C(θ) at the estimates, which the service computes in the background.

    Attributes
    ----------
    status : str
        "solving", "ready" or "failed".
    at_rounds : int or None
        Number of rounds at whose estimates it was computed.
    value, lower, gap : float or None
        The certified bracket lower <= C(θ) <= value, and its relative width; None before the first result.
    items : tuple of ItemRate
        Exploration of the items against the plan.
    message : str or None
        Why it failed.
    """

    status: str
    at_rounds: int | None
    value: float | None
    lower: float | None
    gap: float | None
    items: tuple[ItemRate, ...]
    message: str | None

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """The record of a JSON object."""
        return cls(
            data["status"],
            data.get("at_rounds"),
            data.get("value"),
            data.get("lower"),
            data.get("gap"),
            tuple(map(ItemRate.of, data.get("items") or ())),
            data.get("message"),
        )
