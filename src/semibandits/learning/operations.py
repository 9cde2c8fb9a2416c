"""Operations that change a learner: applied in memory, or written to a journal as entries that can be replayed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import LARGEST_NUMBER
from semibandits.errors import InvalidInputError
from semibandits.families.labels import decode_labels, encode_labels
from semibandits.features.design import RoundFeatures, seen_of
from semibandits.inputs.costs import negated
from semibandits.inputs.outcomes import Outcome, about_costs
from semibandits.inputs.selection import Available, selected_items
from semibandits.learning.history import MOST_ROUNDS
from semibandits.learning.progress import Progress
from semibandits.learning.round import Round
from semibandits.policies.plans import Plan

if TYPE_CHECKING:
    from semibandits.learning.learner import Learner
    from semibandits.learning.reading import Readable

Payload: TypeAlias = dict[str, Any]
"""Arguments and results of a call as plain JSON."""
ASK: Final = "ask"
ASK_MANY: Final = "ask_many"
TELL: Final = "tell"
FORGET: Final = "forget"
EXPIRE: Final = "expire"
PLAN: Final = "plan"
REPLACE: Final = "replace"
"""The last entry of a learner whose name another one has taken over, which changes nothing."""


class Operation(ABC):
    """One call."""

    kind: ClassVar[str]  # of its entry

    @abstractmethod
    def carry_out(self, learner: Learner) -> tuple[Round, ...]:
        """Apply the operation to a learner in memory, and return the rounds that the call returns."""

    @abstractmethod
    def prepare(self, learner: Learner, *, has_key: bool) -> Payload:
        """Validate the operation and return the content of its entry, without results. The learner is not changed."""

    def repeated(self, stored: Payload, learner: Learner) -> Payload:
        """Return the arguments to compare with `stored`, the content of the entry with the same key."""
        return dict(stored)


class Asked:
    """What the user knows of a round: masks and numbers for the items of a learner, and anew if its items are others by then."""

    def __init__(
        self, owner: Readable, available: Available | None, features: Any, context: Any, *, of_no_round: bool = False
    ) -> None:
        # `of_no_round`: features and a context that are left out are those of no round, for `best`.
        self._given, self._labels = (available, features, context), owner._labels
        self._is_of_no_round = of_no_round and features is None and context is None
        self._known: tuple[BoolArray | None, RoundFeatures | None] | None = None
        with suppress(InvalidInputError):  # raised again by `of`, unless the items are others by then
            self._known = self._read(owner)

    def of(self, learner: Learner) -> tuple[BoolArray | None, RoundFeatures | None]:
        """Mask of the available items, None for all, and what is known of the round."""
        same = learner._labels is self._labels or learner._labels == self._labels
        return self._known if same and self._known is not None else self._read(learner)

    def _read(self, one: Readable) -> tuple[BoolArray | None, RoundFeatures | None]:
        available, features, context = self._given
        mask = None if available is None else selected_items(available, one._labels)
        return mask, None if self._is_of_no_round else seen_of(one._design, features, context, one._decision_set)


@dataclass(frozen=True, eq=False)
class Ask(Operation):
    """Open a round, with the arguments of `Learner.ask`."""

    kind = ASK
    what: Asked

    def carry_out(self, learner: Learner) -> tuple[Round, ...]:
        """See `Operation`."""
        return learner._progress.ask(*self.what.of(learner))

    def prepare(self, learner: Learner, *, has_key: bool) -> Payload:
        """See `Operation`."""
        available, seen = self.what.of(learner)
        payload: Payload = {}
        if available is not None and not available.all():
            payload["available"] = np.flatnonzero(available).tolist()
        return payload if seen is None else {**payload, "seen": seen.state()}

    def repeated(self, stored: Payload, learner: Learner) -> Payload:
        """See `Operation`."""
        return {"available": None, "seen": None, **self.prepare(learner, has_key=True)}


@dataclass(frozen=True, eq=False)
class AskMany(Ask):
    """Open so many rounds."""

    kind = ASK_MANY
    count: int

    def carry_out(self, learner: Learner) -> tuple[Round, ...]:
        """See `Operation`."""
        return learner._progress.ask(*self.what.of(learner), self.count)

    def prepare(self, learner: Learner, *, has_key: bool) -> Payload:
        """See `Operation`."""
        return {"count": self.count, **super().prepare(learner, has_key=has_key)}


@dataclass(frozen=True, eq=False)
class Tell(Operation):
    """Observe outcomes of rounds, all or none."""

    kind = TELL
    listed: list[tuple[int, Outcome]]
    in_costs: bool
    partial: bool

    def carry_out(self, learner: Learner) -> tuple[Round, ...]:
        """See `Operation`."""
        checked, drift = self._checked(learner), learner._progress.drift
        known = 0 if drift is None else drift.count
        for asked, values, _ in checked:
            learner._progress.observe(asked, values)
        if drift is not None:
            drift.log(known)
        return ()

    def prepare(self, learner: Learner, *, has_key: bool) -> Payload:
        """Rewards in the order of the items, null where they are lost, and for the log those of items that have left. A call
        with a key also stores the items, which `repeated` compares.
        """
        checked = self._checked(learner)
        payload: Payload = {"outcomes": [[asked.id, _listed(values)] for asked, values, _ in checked]}
        if has_key:
            payload["items"] = [asked.items.tolist() for asked, _, _ in checked]
        if any(len(gone) for _, _, gone in checked):
            payload["gone"] = [_listed(gone) for _, _, gone in checked]
            if has_key:
                payload["left"] = [encode_labels(asked.gone or ()) for asked, _, _ in checked]
        return payload

    def _checked(self, learner: Learner) -> list[tuple[Round, FloatArray, FloatArray]]:
        """Open rounds, the rewards of their items, and those of items that have left, NaN where they are lost."""
        checked = []
        for number, outcome in self.listed:
            asked = learner._progress.open_round(number)
            values = learner._outcomes.rewards(asked, outcome, learner._progress, in_costs=self.in_costs, partial=self.partial)
            checked.append((asked, values, learner._outcomes.rewards_of_gone(asked, outcome, in_costs=self.in_costs)))
        ids = [asked.id for asked, _, _ in checked]
        if len(set(ids)) < len(ids):
            raise InvalidInputError(f"outcomes must hold each round once, got the ids {ids}: drop the repetition")
        return checked

    def repeated(self, stored: Payload, learner: Learner) -> Payload:
        """The outcomes in the form of the stored ones; journals of 1.0.0 have no items to compare them by."""
        if [number for number, _ in self.listed] != [number for number, _ in stored["outcomes"]]:
            return {"outcomes": None}
        if "items" not in stored:
            return {}
        told, gone = [], []
        left = stored.get("left", [[]] * len(self.listed))
        for (number, outcome), chosen, others in zip(self.listed, stored["items"], left, strict=True):
            labels = tuple(decode_labels(others)) if others else None
            asked = Round.of_items(number, np.array(chosen, dtype=np.int64), learner._labels, gone=labels)
            with about_costs(self.in_costs):
                parts = asked.rewards(outcome, partial=True), asked.rewards_of_gone(outcome) if labels else np.zeros(0)
            values, rest = (_listed(negated(part) if self.in_costs else part) for part in parts)
            told.append([number, values])
            gone.append(rest)
        return {"outcomes": told, "gone": gone} if "gone" in stored else {"outcomes": told}


@dataclass(frozen=True, eq=False)
class Forget(Operation):
    """Close a round whose outcome is lost."""

    kind = FORGET
    round_id: int

    def carry_out(self, learner: Learner) -> tuple[Round, ...]:
        """See `Operation`."""
        learner._progress.forget(learner._progress.open_round(self.round_id))
        return ()

    def prepare(self, learner: Learner, *, has_key: bool) -> Payload:
        """See `Operation`."""
        return {"round": learner._progress.open_round(self.round_id).id}

    def repeated(self, stored: Payload, learner: Learner) -> Payload:
        """See `Operation`."""
        return {"round": self.round_id}


@dataclass(frozen=True, eq=False)
class Expire(Operation):
    """Forget the open rounds below an id."""

    kind = EXPIRE
    asked: Payload  # the limit that was asked for
    limit: Callable[[Learner], int]  # the id, from the learner

    def carry_out(self, learner: Learner) -> tuple[Round, ...]:
        """See `Operation`."""
        return learner._progress.expire(self.limit(learner))

    def prepare(self, learner: Learner, *, has_key: bool) -> Payload:
        """See `Operation`."""
        return {"asked": self.asked, "before": min(self.limit(learner), learner._progress.next_id)}

    def repeated(self, stored: Payload, learner: Learner) -> Payload:
        """See `Operation`."""
        return {"asked": self.asked} if "asked" in stored else {}


@dataclass(frozen=True, eq=False)
class Adopt(Operation):
    """Follow a plan from the next round on."""

    kind = PLAN
    plan: Plan

    def carry_out(self, learner: Learner) -> tuple[Round, ...]:
        """See `Operation`."""
        learner._progress.adopt(self.plan)
        return ()

    def prepare(self, learner: Learner, *, has_key: bool) -> Payload:
        """See `Operation`."""
        return self.plan.state()


def carry_out(learner: Learner, kind: str, payload: Payload) -> Payload:
    """Apply the content of an entry to a learner in memory, and return it with its results."""
    progress, x = learner._progress, learner.decision_set
    if kind in (ASK, ASK_MANY):
        available = None
        if "available" in payload:
            available = np.zeros(x.d, dtype=np.bool_)
            available[payload["available"]] = True
        seen = None
        if "seen" in payload:
            if progress.sharing is None:
                raise ValueError("features of a round of a learner without features")
            seen = progress.sharing.design.read(payload["seen"])
        rounds = progress.ask(available, seen, payload["count"] if kind == ASK_MANY else 1)
        if kind == ASK_MANY:
            return {**payload, "rounds": _pairs(rounds), **_probabilities(progress, rounds)}
        return {**payload, "round": rounds[0].id, "items": rounds[0].items.tolist(), **_probabilities(progress, rounds)}
    if kind == EXPIRE:
        rounds = progress.expire(payload["before"])
        return {**payload, "rounds": _pairs(rounds), **_probabilities(progress, rounds)}
    if kind == TELL:
        for number, rewards in payload["outcomes"]:  # validated when the entry was written
            asked = progress.open_round(number)
            values = np.array(rewards, dtype=np.float64)  # None is NaN
            if values.shape != asked.items.shape:
                raise ValueError(f"{values.size} rewards for {asked.items.size} items")
            progress.observe(asked, values)
    elif kind == FORGET:
        progress.forget(progress.open_round(payload["round"]))
    elif kind == PLAN:
        rule = progress.rule
        if rule is None or not rule.policy.plans:
            raise ValueError(f"a plan for {learner.policy.name}, which makes none")
        progress.adopt(Plan.of(payload, len(rule.policy.memory(x.d, x.m)[0]), x))
    return payload


def is_whole(kind: str, payload: Payload) -> bool:
    """Whether the content of an entry has the arguments and results that its kind requires."""
    try:
        return _SHAPES[kind](payload) and _are_counts(payload.get("available", [])) and isinstance(payload.get("seen", {}), dict)
    except (KeyError, TypeError, ValueError):
        return False


def _listed(values: FloatArray) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]


def _pairs(rounds: tuple[Round, ...]) -> list[list[Any]]:
    return [[asked.id, asked.items.tolist()] for asked in rounds]


def _probabilities(progress: Progress, rounds: tuple[Round, ...]) -> Payload:
    """The probabilities of the items of each round, if they were drawn."""
    if not progress.draws_probabilities:
        return {}
    return {"probabilities": [None if asked.probabilities is None else asked.probabilities.tolist() for asked in rounds]}


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_ROUNDS


def _are_counts(values: Any) -> bool:
    return isinstance(values, list) and all(map(_is_count, values))


def _are_rounds(pairs: Any) -> bool:
    return isinstance(pairs, list) and all(_is_count(number) and _are_counts(items) for number, items in pairs)


def _are_outcomes(payload: Payload) -> bool:
    pairs = payload["outcomes"]
    if not isinstance(pairs, list) or not all(_is_count(number) and _are_rewards(rewards) for number, rewards in pairs):
        return False
    gone, left = (payload.get(name, [[]] * len(pairs)) for name in ("gone", "left"))
    are_lists = all(isinstance(each, list) and len(each) == len(pairs) for each in (gone, left))
    return are_lists and all(map(_are_rewards, gone))


def _are_rewards(values: Any) -> bool:
    return isinstance(values, list) and all(
        value is None or (type(value) in (int, float) and abs(value) <= LARGEST_NUMBER) for value in values
    )


_SHAPES: Final[dict[str, Callable[[Payload], bool]]] = {
    ASK: lambda payload: _are_rounds([[payload["round"], payload["items"]]]),
    ASK_MANY: lambda payload: _are_rounds(payload["rounds"]) and payload["count"] == len(payload["rounds"]),
    TELL: _are_outcomes,
    FORGET: lambda payload: _is_count(payload["round"]),
    EXPIRE: lambda payload: _are_rounds(payload["rounds"]),
    PLAN: lambda payload: {"memory", "decisions", "optimal"} <= set(payload),
    REPLACE: lambda payload: isinstance(payload["name"], str),
}
