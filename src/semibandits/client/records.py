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

    Examples
    --------
    >>> from semibandits.client import Round
    >>> Round.of({"round": 1, "items": [["home", "b"], ["b", "work"]], "indices": [1, 4]})  # from the answer of the service
    Round(id=1, items=(1, 4), labels=(('home', 'b'), ('b', 'work')))
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

    Examples
    --------
    >>> from semibandits.client import OpenRound
    >>> OpenRound.of({"round": 1, "items": ["arts", "sport"], "age": 2, "seconds": 0.5})
    OpenRound(id=1, labels=('arts', 'sport'), age=2, seconds=0.5)
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

    Examples
    --------
    >>> from semibandits.client import ListedLearner
    >>> ListedLearner.of({"name": "courier", "created": "2026-11-25T03:48:30+00:00", "calls": 9, "rounds": 6, "open": 1}).rounds
    6
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
    value : float
        Its estimated total mean reward: minus the cost if `is_cost`.
    is_cost : bool
        Whether outcomes are costs.

    Examples
    --------
    >>> from semibandits.client import Best
    >>> best = Best.of({"items": [["home", "b"], ["b", "work"]], "text": "home → b → work", "value": -11.5, "is_cost": True})
    >>> f"{best.text}: {-best.value} minutes"
    'home → b → work: 11.5 minutes'
    """

    labels: tuple[Hashable, ...]
    text: str
    value: float
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

    Examples
    --------
    >>> from semibandits.client import OpenCounts
    >>> bands = [{"from": 0, "to": 9, "count": 3}, {"from": 10, "to": 99, "count": 1}]
    >>> OpenCounts.of({"count": 4, "oldest_age": 12, "oldest_seconds": 60.5, "by_age": bands}).by_age
    ((0, 9, 3), (10, 99, 1))
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

    Examples
    --------
    >>> from semibandits.client import Drift
    >>> Drift.of({"item": ["home", "a"], "text": "home → a", "round": 47, "before": -10.0, "after": -20.0}).label
    ('home', 'a')
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

    Examples
    --------
    >>> from semibandits.client import Summary
    >>> answer = {"name": "page", "created": "2026-11-25", "decision_set": "MSets(d=3, m=1)", "family": "msets"}
    >>> answer |= {"policy": "GLADE()", "law": "Bernoulli()", "items": 3, "largest_decision": 1, "calls": 2, "rounds": 1}
    >>> answer |= {"open": {"count": 0, "oldest_age": None, "oldest_seconds": None, "by_age": []}, "half_life": None}
    >>> answer |= {"best": {"items": ["arts"], "text": "arts", "value": 1.0, "is_cost": False}}
    >>> summary = Summary.of(answer | {"drift": {"error": 0.01, "found": []}})
    >>> summary.best.labels, summary.open.count, summary.drifts
    (('arts',), 0, ())
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

    Examples
    --------
    >>> from semibandits.client import ItemEstimate
    >>> answer = {"item": "arts", "text": "arts", "plays": 2, "open": 1, "mean": 0.5, "lower": 0.1, "upper": 0.9}
    >>> ItemEstimate.of(answer | {"in_best": True}).plays
    2
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

    Examples
    --------
    >>> from semibandits.client import Estimates
    >>> arts = {"item": "arts", "text": "arts", "plays": 0, "open": 1, "mean": None, "lower": None, "upper": None}
    >>> [item.mean for item in Estimates.of({"error": 0.05, "items": [arts | {"in_best": True}]}).items]
    [None]
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
        Plays that the plan requires by now: rate · ln t.
    plays : int
        Plays so far.

    Examples
    --------
    >>> from semibandits.client import ItemRate
    >>> rate = ItemRate.of({"item": "arts", "text": "arts", "rate": 5.0, "wanted": 9.0, "plays": 3})
    >>> rate.wanted - rate.plays  # plays that are missing by now
    6.0
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

    Examples
    --------
    >>> from semibandits.client import Bound
    >>> Bound.of({"status": "solving"}).value  # not known yet
    >>> bound = Bound.of({"status": "ready", "at_rounds": 6, "value": 10.5, "lower": 10.4, "gap": 0.01, "items": []})
    >>> f"{bound.lower} <= C(θ) <= {bound.value}"
    '10.4 <= C(θ) <= 10.5'
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
