"""Calls of a learner as entries of a journal. A call and its replay are the same function of the same entry."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from semibandits._costs import negated
from semibandits._json import strict_json
from semibandits._outcomes import Outcome, about_costs
from semibandits._text import shortened
from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import LARGEST_NUMBER, DecisionSet
from semibandits.errors import InvalidInputError, SemibanditsError, StorageError
from semibandits.learning.availability import Available, available_items
from semibandits.learning.history import MOST_ROUNDS
from semibandits.learning.learner import Learner
from semibandits.learning.round import Round
from semibandits.policies.agents import RuleAgent
from semibandits.policies.plans import Plan

Payload: TypeAlias = dict[str, Any]
LONGEST_NAME: Final = 200
ASK: Final = "ask"
ASK_MANY: Final = "ask_many"
TELL: Final = "tell"
FORGET: Final = "forget"
EXPIRE: Final = "expire"
PLAN: Final = "plan"
_ENCODED: Final = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


class Mark(NamedTuple):
    """An entry without its content: no other entry of the same number has the same mark."""

    seq: int
    checksum: int
    token: str


@dataclass(frozen=True)
class Entry:
    """One call that changed a learner.

    Attributes
    ----------
    seq : int
        Number of the entry in the journal of its learner: 1, 2, 3, ...
    kind : str
        "ask", "ask_many", "tell", "forget", "expire" or "plan".
    text : str
        The arguments or results, as JSON; floats are written so that reading them gives the same bits.
    key : str or None
        The caller's name for this call, under which it is carried out once.
    checksum : int
        CRC-32 of the fields before it.
    time : int or None
        When it was written, milliseconds since 1970, UTC; None if unknown. Nothing but ages depends on it.
    token : str
        Drawn for each call.
    content : dict or None
        The value of `text`, if this process has written it.
    """

    seq: int
    kind: str
    text: str
    key: str | None
    checksum: int
    time: int | None = None
    token: str = ""
    content: Payload | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(
        cls, seq: int, kind: str, payload: Payload, key: str | None = None, *, time: int | None = None, token: str = ""
    ) -> Entry:
        """The entry with this content."""
        text = _ENCODED(payload)
        return cls(seq, kind, text, key, _checksum(seq, kind, text, key), time, token, payload)

    @property
    def mark(self) -> Mark:
        """By which it is recognised."""
        return Mark(self.seq, self.checksum, self.token)

    def payload(self) -> Payload:
        """The content, after validation.

        Raises
        ------
        StorageError
            If the entry was changed or damaged.
        """
        if self.content is not None:
            return self.content
        found = _checksum(self.seq, self.kind, self.text, self.key)
        if found != self.checksum or self.kind not in _CALLS:
            raise StorageError(
                f"entry {self.seq} of the journal must be a known call with the checksum {found}, got {self.kind!r} with "
                f"{self.checksum}: the journal was changed or damaged, or a newer semibandits wrote it; use a copy, or upgrade"
            )
        try:
            payload: Any = strict_json(self.text)
        except ValueError as error:
            raise self._damaged(str(error)) from error
        if not isinstance(payload, dict):
            raise self._damaged(f"a {type(payload).__name__}")
        try:
            is_whole = _SHAPES[self.kind](payload) and _are_counts(payload.get("available", []))
        except (KeyError, TypeError, ValueError):
            is_whole = False
        if not is_whole:
            raise self._damaged(f"other arguments or results than those of {self.kind}")
        return payload

    def _damaged(self, found: str) -> StorageError:
        return StorageError(
            f"entry {self.seq} of the journal must be the JSON object of a call, got {found}: the journal is damaged, use a copy"
        )


def _checksum(seq: int, kind: str, text: str, key: str | None) -> int:
    return zlib.crc32(json.dumps([seq, kind, text, key]).encode())


def checked_name(name: object, *, what: str = "name") -> str:
    """A name or key, if it is a text of usual length.

    Raises
    ------
    InvalidInputError
        If it is not.
    """
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise InvalidInputError(
            f"{what} must be a printable text of 1 to {LONGEST_NAME} characters, got {name!r}: choose another one"
        )
    return name


def new_name(name: object) -> str:
    """A name for a new learner; clients leave the parts . and .. out of the paths of URLs, so that no service can serve these.

    Raises
    ------
    InvalidInputError
        If it is not a text of usual length, or one of these.
    """
    checked = checked_name(name)
    if checked in (".", ".."):
        raise InvalidInputError(f"name must be another one than . and .., got {name!r}: choose another one")
    return checked


def ask_payload(available: Available | None, decision_set: DecisionSet) -> Payload:
    """Indices of the items that are available, unless all are.

    Raises
    ------
    InvalidInputError
        If `available` is malformed.
    """
    mask = None if available is None else available_items(available, decision_set.items)
    return {} if mask is None or mask.all() else {"available": np.flatnonzero(mask).tolist()}


def tell_payload(
    learner: Learner, listed: list[tuple[int, Outcome]], *, in_costs: bool, partial: bool, with_items: bool
) -> Payload:
    """Outcomes of rounds as rewards in the order of their items, null where they are lost; and these items, for `told_again`.

    Raises
    ------
    InvalidInputError
        If an outcome is malformed, a round is not open, or it occurs twice.
    """
    checked = [learner._checked(*pair, in_costs, partial=partial) for pair in listed]
    ids = [asked.id for asked, _ in checked]
    if len(set(ids)) < len(ids):
        raise InvalidInputError(f"outcomes must hold each round once, got the ids {ids}: drop the repetition")
    payload: Payload = {"outcomes": [[asked.id, _listed(values)] for asked, values in checked]}
    return payload | ({"items": [asked.items.tolist() for asked, _ in checked]} if with_items else {})


def told_again(stored: Payload, listed: list[tuple[int, Outcome]], *, in_costs: bool, decision_set: DecisionSet) -> Payload:
    """The outcomes of a repeated call in the form of the stored ones; journals of 1.0.0 have no items to compare them by.

    Raises
    ------
    InvalidInputError
        If an outcome is malformed.
    """
    if [number for number, _ in listed] != [number for number, _ in stored["outcomes"]]:
        return {"outcomes": None}
    if "items" not in stored:
        return {}
    told = []
    for (number, outcome), chosen in zip(listed, stored["items"], strict=True):
        asked = Round.of_items(number, np.array(chosen, dtype=np.int64), decision_set.items)
        with about_costs(in_costs):
            values = asked.rewards(outcome, partial=True)
        told.append([number, _listed(negated(values) if in_costs else values)])
    return {"outcomes": told}


def check_same_call(entry: Entry, kind: str, repeated: Callable[[Payload], Payload]) -> None:
    """Check that a repeated call with a key asks for what the first one has asked for.

    Parameters
    ----------
    entry : Entry
        The entry of the first call.
    kind : str
        Kind of the repeated call.
    repeated : callable
        What the repeated call asks for, by the names in the content of the entry, which it takes.

    Raises
    ------
    InvalidInputError
        If it is another call.
    """
    stored, is_same_kind = entry.payload(), entry.kind == kind
    if not is_same_kind or any(stored.get(name) != value for name, value in repeated(stored).items()):
        raise InvalidInputError(
            f"key must be one for the same call, got {entry.key!r}, which was {entry.kind} of the rounds "
            f"{shortened(repr(round_ids(entry)), 100)}{' with other arguments' if is_same_kind else ''}: choose another key for "
            "each call"
        )


def forget_payload(learner: Learner, round_id: int) -> Payload:
    """The id of an open round.

    Raises
    ------
    InvalidInputError
        If there is no such open round.
    """
    return {"round": learner._open_round(round_id).id}


def expire_payload(learner: Learner, age: int | None, before: int | None) -> Payload:
    """The id below which open rounds are forgotten.

    Raises
    ------
    InvalidInputError
        If both or neither of `age` and `before` are given, or the value is not an integer >= 0.
    """
    return {"before": min(learner._expiry(age, before), learner.rounds)}


def carry_out(learner: Learner, kind: str, payload: Payload) -> Payload:
    """Apply the content of an entry to a learner, and return it with its results."""
    return _CALLS[kind](learner, payload)


def replay(learner: Learner, entry: Entry) -> None:
    """Apply an entry to a learner.

    Raises
    ------
    StorageError
        If the entry is damaged, or does not continue the state of the learner.
    """
    payload = entry.payload()
    try:
        done = carry_out(learner, entry.kind, payload)
        if done != payload:
            raise StorageError(f"the result {payload}, but the policy chooses {done}")
    except (SemibanditsError, IndexError, KeyError, TypeError, ValueError) as error:
        raise StorageError(
            f"entry {entry.seq} of the journal must continue the state of the learner, got {error}: the journal is damaged, or "
            "was written by another version of semibandits or NumPy; open it with that version and call prune(), which leaves "
            "a snapshot to continue from, or use a copy"
        ) from error


def _listed(values: FloatArray) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]


def rounds_of(entry: Entry, decision_set: DecisionSet) -> tuple[Round, ...]:
    """The rounds that an `ask` or `ask_many` opened, or an `expire` closed."""
    payload = entry.payload()
    pairs = [[payload["round"], payload["items"]]] if entry.kind == ASK else payload["rounds"]
    masks = []
    for _, items in pairs:
        x = np.zeros(decision_set.d, dtype=np.bool_)
        try:
            x[items] = True
        except IndexError as error:
            raise entry._damaged(f"a round with {error}") from error
        masks.append(x)
    return tuple(Round.of(number, x, decision_set.items) for (number, _), x in zip(pairs, masks, strict=True))


def round_ids(entry: Entry) -> list[int]:
    """Ids of the rounds that a call opened or closed."""
    payload = entry.payload()
    if entry.kind in (ASK, FORGET):
        return [payload["round"]]
    return [number for number, _ in payload["outcomes" if entry.kind == TELL else "rounds"]]


def _mask(learner: Learner, payload: Payload) -> BoolArray | None:
    """The items that are available, None if all are."""
    if "available" not in payload:
        return None
    mask = np.zeros(learner.decision_set.d, dtype=np.bool_)
    mask[payload["available"]] = True
    return mask


def _ask(learner: Learner, payload: Payload) -> Payload:
    asked = learner.ask(_mask(learner, payload))
    return {**payload, "round": asked.id, "items": asked.items.tolist()}


def _ask_many(learner: Learner, payload: Payload) -> Payload:
    rounds = learner.ask_many(payload["count"], _mask(learner, payload))
    return {**payload, "rounds": [[asked.id, asked.items.tolist()] for asked in rounds]}


def _expire(learner: Learner, payload: Payload) -> Payload:
    old = learner.expire(before=payload["before"])
    return {**payload, "rounds": [[asked.id, asked.items.tolist()] for asked in old]}


def _tell(learner: Learner, payload: Payload) -> Payload:
    for number, rewards in payload["outcomes"]:  # validated when the entry was written
        asked = learner._progress.open_round(number)
        values = np.array(rewards, dtype=np.float64)  # None is NaN
        if values.shape != asked.items.shape:
            raise ValueError(f"{values.size} rewards for {asked.items.size} items")
        learner._progress.observe(asked, values)
    return payload


def _forget(learner: Learner, payload: Payload) -> Payload:
    learner.forget(payload["round"])
    return payload


def _plan(learner: Learner, payload: Payload) -> Payload:
    agent, x = learner._agent, learner.decision_set
    if not isinstance(agent, RuleAgent) or not agent.policy.plans:
        raise ValueError(f"a plan for {learner.policy.name}, which makes none")
    size = len(agent.policy.memory(x.d, x.m)[0])
    learner._progress.adopt(Plan.of(payload, size, x))
    return payload


_CALLS: Final[dict[str, Callable[[Learner, Payload], Payload]]] = {
    ASK: _ask,
    ASK_MANY: _ask_many,
    TELL: _tell,
    FORGET: _forget,
    EXPIRE: _expire,
    PLAN: _plan,
}


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_ROUNDS


def _are_counts(values: Any) -> bool:
    return isinstance(values, list) and all(map(_is_count, values))


def _are_rounds(pairs: Any) -> bool:
    return isinstance(pairs, list) and all(_is_count(number) and _are_counts(items) for number, items in pairs)


def _are_outcomes(pairs: Any) -> bool:
    return isinstance(pairs, list) and all(
        _is_count(number)
        and isinstance(rewards, list)
        and all(value is None or (type(value) in (int, float) and abs(value) <= LARGEST_NUMBER) for value in rewards)
        for number, rewards in pairs
    )


_SHAPES: Final[dict[str, Callable[[Payload], bool]]] = {
    ASK: lambda payload: _are_rounds([[payload["round"], payload["items"]]]),
    ASK_MANY: lambda payload: _are_rounds(payload["rounds"]) and payload["count"] == len(payload["rounds"]),
    TELL: lambda payload: _are_outcomes(payload["outcomes"]),
    FORGET: lambda payload: _is_count(payload["round"]),
    EXPIRE: lambda payload: _are_rounds(payload["rounds"]),
    PLAN: lambda payload: {"memory", "decisions", "optimal"} <= set(payload),
}
"""Whether the content of an entry has the arguments and results of its call, so that its replay does no more than it lists."""
