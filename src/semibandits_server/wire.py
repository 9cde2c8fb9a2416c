"""What a service takes and answers, as records: declared once for the service, for its clients, and for the OpenAPI document.

Labels that are tuples in the learner are lists in JSON, and tuples in the records.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias

from semibandits import errors
from semibandits.inputs.pandas_objects import new_frame

try:
    import msgspec
    from msgspec import UNSET, Meta, Struct, UnsetType, field
except ImportError as error:  # pragma: no cover - tests install it
    message = "services and their clients need msgspec, which is not installed: run pip install httpx msgspec"
    raise ImportError(message, name="msgspec") from error

if TYPE_CHECKING:
    from pandas import DataFrame

LARGEST: Final = 2**53
MOST_ROUNDS: Final = 1_000
"""Largest number of rounds of one ask."""
Whole: TypeAlias = Annotated[int, Meta(ge=0, le=LARGEST)]
"""A number of rounds, plays or items, or an index."""
Label: TypeAlias = Annotated[
    Hashable,
    Meta(
        description="Label of an item: a string, a number, or a list of labels for a tuple.",
        extra_json_schema={"anyOf": [{"type": kind} for kind in ("string", "integer", "number", "boolean", "null", "array")]},
    ),
]
STATUSES: Final[dict[type[errors.SemibanditsError], int]] = {
    errors.Infeasible: 409,
    errors.SolverError: 409,
    errors.InvalidInputError: 422,
    errors.UnsupportedError: 422,
    errors.TooManyDecisionsError: 422,
    errors.StorageError: 503,
    errors.ConcurrentUseError: 503,
}
"""Statuses of answers for errors of the library, which the client raises again by the names of their classes."""


def as_label(value: Any) -> Hashable:
    """The label of a JSON value, with tuples for lists; ValueError if it is none."""
    if isinstance(value, list | tuple):
        return tuple(map(as_label, value))
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError("Expected the label of an item")


json_text = json.JSONEncoder(allow_nan=False, separators=(",", ":"), default=msgspec.to_builtins).encode
"""A record, or plain data, as JSON of ASCII characters only, so that every text can be sent."""


class Record(Struct, frozen=True):
    """A JSON object of known fields; others are ignored."""

    @classmethod
    def of(cls, data: Any) -> Self:
        """The record of a JSON object.

        Raises
        ------
        ValueError
            If it has another form.
        """
        try:
            return msgspec.convert(data, cls, dec_hook=lambda kind, value: as_label(value))
        except msgspec.ValidationError as error:
            raise ValueError(str(error)) from error


class Round(Record, frozen=True):
    """A decision to carry out.

    Attributes
    ----------
    id : int
        Number of the round, which `RemoteLearner.tell` takes.
    items : tuple of int
        Indices of the items to play, ascending.
    labels : tuple
        Labels of these items, in the same order.
    probabilities : tuple of float or None
        With which probability the policy chose a decision with each of these items; None if it is not known.

    Examples
    --------
    >>> from semibandits.client import Round
    >>> Round.of({"round": 1, "items": [["home", "b"], ["b", "work"]], "indices": [1, 4]})  # from the answer of the service
    Round(id=1, items=(1, 4), labels=(('home', 'b'), ('b', 'work')), probabilities=None)
    """

    id: Whole = field(name="round")
    items: tuple[Whole, ...] = field(name="indices")
    labels: tuple[Label, ...] = field(name="items")
    probabilities: tuple[float, ...] | None = None


class Rounds(Record, frozen=True):
    """Rounds to carry out."""

    rounds: tuple[Round, ...]


class OpenRound(Record, frozen=True):
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

    id: Whole = field(name="round")
    labels: tuple[Label, ...] = field(name="items")
    age: Whole
    seconds: float | None


class OpenRounds(Record, frozen=True):
    """A page of open rounds, and the number after which the next page begins, None on the last one."""

    rounds: tuple[OpenRound, ...]
    next: Whole | None


class ListedLearner(Record, frozen=True):
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
    calls: Whole
    rounds: Whole
    open: Whole


class Learners(Record, frozen=True):
    """The learners of the service."""

    learners: tuple[ListedLearner, ...]


class Best(Record, frozen=True):
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
    unknown : int
        Number of its items of which nothing is known: no outcome, prior or features. They are not in `value`.

    Examples
    --------
    >>> from semibandits.client import Best
    >>> best = Best.of({"items": [["home", "b"], ["b", "work"]], "text": "home → b → work", "value": -11.5, "is_cost": True})
    >>> f"{best.text}: {-best.value} minutes"
    'home → b → work: 11.5 minutes'
    """

    labels: tuple[Label, ...] = field(name="items")
    text: str
    value: float | None
    is_cost: bool
    unknown: Whole = 0


class Band(Record, frozen=True):
    """Number of open rounds of a range of ages."""

    low: Whole = field(name="from")
    high: Whole | None = field(name="to")
    count: Whole


class OpenCounts(Record, frozen=True):
    """The open rounds, counted.

    Attributes
    ----------
    count : int
        Number of open rounds.
    oldest_age : int or None
        Rounds asked for since the oldest one.
    oldest_seconds : float or None
        Seconds since the oldest one was asked for.
    bands : tuple of Band
        Their numbers by age, for each power of ten; see `by_age`.

    Examples
    --------
    >>> from semibandits.client import OpenCounts
    >>> bands = [{"from": 0, "to": 9, "count": 3}, {"from": 10, "to": 99, "count": 1}]
    >>> OpenCounts.of({"count": 4, "oldest_age": 12, "oldest_seconds": 60.5, "by_age": bands}).by_age
    ((0, 9, 3), (10, 99, 1))
    """

    count: Whole
    oldest_age: Whole | None
    oldest_seconds: float | None
    bands: tuple[Band, ...] = field(name="by_age")

    @property
    def by_age(self) -> tuple[tuple[int, int | None, int], ...]:
        """Smallest age, largest age and number of rounds, for each power of ten."""
        return tuple((band.low, band.high, band.count) for band in self.bands)


class Item(Record, frozen=True):
    """An item, and the same in words."""

    label: Label = field(name="item")
    text: str


class Drift(Item, frozen=True):
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

    round: Whole
    before: float | None
    after: float | None


class DriftCheck(Record, frozen=True):
    """The drift check: the probability of a false alarm per item, None without a check, and the changes found."""

    error: float | None
    found: tuple[Drift, ...]


class Nouns(Record, frozen=True):
    """What items and decisions are called."""

    item: str
    items: str
    decision: str
    decisions: str


class Summary(Record, frozen=True):
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
    nouns : Nouns
        What items and decisions are called.
    half_life : float or None
        Rounds after which an outcome counts half; None if outcomes count for ever.
    drift : DriftCheck
        Probability of a false alarm per item, and changes found; see `drift_error` and `drifts`.
    features : str or None
        The features of the items, and the context of rounds, in words; None without features.
    prior : float or None
        Number of outcomes that the prior counts as; None without a prior.

    Examples
    --------
    >>> from semibandits.client import Summary
    >>> answer = {"name": "page", "created": "2026-11-25", "decision_set": "MSets(d=3, m=1)", "family": "msets"}
    >>> answer |= {"policy": "GLADE()", "law": "Bernoulli()", "items": 3, "largest_decision": 1, "calls": 2, "rounds": 1}
    >>> answer |= {"open": {"count": 0, "oldest_age": None, "oldest_seconds": None, "by_age": []}, "half_life": None}
    >>> answer |= {"best": {"items": ["arts"], "text": "arts", "value": 1.0, "is_cost": False}}
    >>> answer |= {"nouns": {"item": "item", "items": "items", "decision": "set", "decisions": "sets"}}
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
    items: Whole
    largest_decision: Whole
    calls: Whole
    rounds: Whole
    open: OpenCounts
    best: Best
    nouns: Nouns
    half_life: float | None
    drift: DriftCheck
    features: str | None = None
    prior: float | None = None

    @property
    def drift_error(self) -> float | None:
        """Probability of a false alarm per item; None without a drift check."""
        return self.drift.error

    @property
    def drifts(self) -> tuple[Drift, ...]:
        """Changes found."""
        return self.drift.found


class ItemEstimate(Item, frozen=True):
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
    shrunk, shrunk_sd : float or None
        With features: what is expected of the item from the outcomes of all, and its standard deviation; None without.
    prior, prior_plays : float or None
        The mean reward that the learner started with, and how many outcomes it counts as; None without.

    Examples
    --------
    >>> from semibandits.client import ItemEstimate
    >>> answer = {"item": "arts", "text": "arts", "plays": 2, "open": 1, "mean": 0.5, "lower": 0.1, "upper": 0.9}
    >>> ItemEstimate.of(answer | {"in_best": True}).plays
    2
    """

    plays: Whole
    open: Whole
    mean: float | None
    lower: float | None
    upper: float | None
    in_best: bool
    shrunk: float | None = None
    shrunk_sd: float | None = None
    prior: float | None = None
    prior_plays: float | None = None


class Estimates(Record, frozen=True):
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

    def to_frame(self) -> DataFrame:
        """One row an item: item (its label), plays, open, mean, lower, upper, in_best, and what is known of the others.

        These are shrunk and shrunk_sd with features, and prior and prior_plays with a prior.

        Raises
        ------
        SemibanditsError
            If pandas is not installed.
        """
        names = ["plays", "open", "mean", "lower", "upper", "in_best"]
        for pair in (("shrunk", "shrunk_sd"), ("prior", "prior_plays")):
            names += pair if any(getattr(item, pair[0]) is not None for item in self.items) else ()
        columns = {name: [getattr(item, name) for item in self.items] for name in names}
        return new_frame({"item": [item.label for item in self.items], **columns})


class Coefficient(Record, frozen=True):
    """An effect of the features of a learner; see `Learner.coefficients`.

    Attributes
    ----------
    name : str
        Name of the effect; the last one is "spread of items".
    mean, sd : float or None
        Its value, and the standard deviation of that, None for the spread.

    Examples
    --------
    >>> from semibandits.client import Coefficient
    >>> minutes = Coefficient.of({"name": "minutes", "mean": -0.5, "sd": 0.25})
    >>> f"{minutes.name}: {minutes.mean} ± {2 * minutes.sd}"
    'minutes: -0.5 ± 0.5'
    """

    name: str
    mean: float | None
    sd: float | None


class Coefficients(Record, frozen=True):
    """The effects of the features of a learner."""

    coefficients: tuple[Coefficient, ...]


class Confidence(Record, frozen=True):
    """How sure it is that the best decision so far is the best one, in [0, 1]; see `Learner.confidence`."""

    confidence: float


class ItemRate(Item, frozen=True):
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

    rate: float
    wanted: float
    plays: Whole


class Bound(Record, frozen=True):
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

    status: Literal["solving", "ready", "failed"]
    at_rounds: Whole | None = None
    value: float | None = None
    lower: float | None = None
    gap: float | None = None
    items: tuple[ItemRate, ...] = ()
    message: str | None = None


class Told(Record, frozen=True):
    """Number of outcomes that were observed."""

    told: Whole


class Forgotten(Record, frozen=True):
    """Numbers of the rounds that were forgotten."""

    forgotten: tuple[Whole, ...]


class Health(Record, frozen=True):
    """State of the service and of its storage."""

    status: str
    storage: str


class Compilation(Record, frozen=True):
    """What a service compiles in the background: kernels to do, done by its child process, and loaded."""

    status: Literal["done", "compiling", "waiting", "off"]
    pending: Whole
    kernels: Whole
    loaded: Whole


class Problem(Record, frozen=True):
    """Class of an error, and one sentence."""

    type: str
    message: str


class Error(Record, frozen=True):
    """A request that is refused."""

    error: Problem


Outcome: TypeAlias = Annotated[
    list[float | tuple[Label, float | None] | None] | dict[str, float | None],
    Meta(
        description="Numbers in the order of the items of the round, pairs [label, number], or an object from labels to numbers; "
        "null where the outcome of an item is lost."
    ),
]


class Request(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A JSON object of known fields."""

    call: ClassVar[str]  # last part of the path of requests with this body
    answer: ClassVar[type[Record]]  # record of their answer
    example: ClassVar[dict[str, Any]]  # a body for the OpenAPI document


class Available(Request, frozen=True, kw_only=True):
    """Items that can be chosen: all but some, or those with true."""

    excepted: list[Label] | UnsetType = field(name="except", default=UNSET)
    by_label: list[tuple[Label, bool | int]] | UnsetType = UNSET


FeatureRow: TypeAlias = list[float | str | None] | dict[str, float | str | None]
"""Features of an item, in the order of the columns or by their names."""


Numbers: TypeAlias = float | list[tuple[Label, float]] | dict[str, float]
"""One number for all items, or numbers by label."""


class Replace(Request, frozen=True, kw_only=True):
    """Go on with another decision set, under the same name, with all that is known of the items that both sets have.

    `decision_set` is what :func:`semibandits.instances.describe` returns. The others are as for `Learner.replace`.
    """

    call = "replace"
    answer = Forgotten
    example = {"decision_set": {"family": "msets", "d": 3, "m": 1, "items": ["arts", "science", "sport"]}}
    decision_set: dict[str, Any]
    variance: Numbers | None = None
    prior_means: Numbers | None = None
    prior_costs: Numbers | None = None
    prior_plays: Numbers | None = None


class Ask(Request, frozen=True, kw_only=True):
    """Open rounds. `available` lists labels of the items that can be chosen, or is a mask in their order; by default all.

    `features` has a row for each item whose features are others in this round, and `context` what is known of the round.
    """

    call = "ask"
    answer = Rounds
    example = {"count": 1}
    available: list[Label] | Available | None = None
    features: list[tuple[Label, FeatureRow]] | dict[str, FeatureRow] | None = None
    context: dict[str, float | str | None] | None = None
    count: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 1


class Observed(Request, frozen=True, kw_only=True):
    """The outcome of a round, as rewards or as costs."""

    round: Whole
    rewards: Outcome | UnsetType = UNSET
    costs: Outcome | UnsetType = UNSET


class Tell(Observed, frozen=True, kw_only=True):
    """Observe the outcome of a round; with `partial`, the outcomes of some items may be lost."""

    call = "tell"
    answer = Told
    example = {"round": 0, "costs": [6.5, 8.0]}
    partial: bool = False


class TellMany(Request, frozen=True, kw_only=True):
    """Observe the outcomes of several rounds, all in rewards or all in costs."""

    call = "tell-many"
    answer = Told
    example = {"outcomes": [{"round": 0, "costs": [6.5, 8.0]}]}
    outcomes: list[Observed]
    partial: bool = False


class Forget(Request, frozen=True, kw_only=True):
    """Close a round whose outcome is lost."""

    call = "forget"
    answer = Forgotten
    example = {"round": 0}
    round: Whole


class Expire(Request, frozen=True, kw_only=True):
    """Forget open rounds by one limit: their age in rounds, their id, or their age in seconds."""

    call = "expire"
    answer = Forgotten
    example = {"seconds": 3600}
    age: Whole | UnsetType = UNSET
    before: Whole | UnsetType = UNSET
    seconds: Annotated[float, Meta(ge=0, le=LARGEST)] | UnsetType = UNSET
