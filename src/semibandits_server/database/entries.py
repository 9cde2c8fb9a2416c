"""Entries of the journal of a learner; `learning.operations` applies and replays them."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, StorageError
from semibandits.formats.json import strict_json
from semibandits.formats.text import shortened
from semibandits.learning.expecting import Expecting
from semibandits.learning.learner import Learner
from semibandits.learning.operations import ASK, ASK_MANY, EXPIRE, FORGET, REPLACE, TELL, Operation, Payload, carry_out, is_whole
from semibandits.learning.round import Round
from semibandits.learning.storage import stored_probabilities

LONGEST_NAME: Final = 200
FIELDS: Final = ("seq", "kind", "text", "key", "checksum", "time", "token")
"""What is stored of an entry."""
_ENCODED: Final = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


class Mark(NamedTuple):
    """An entry without its content: no other entry of the same number has the same mark."""

    seq: int
    checksum: int
    token: str


@dataclass(frozen=True)
class Entry:
    """One call that changed a learner."""

    seq: int  # number of the entry in the journal of its learner: 1, 2, 3, ...
    kind: str  # "ask", "ask_many", "tell", "forget", "expire", "plan" or "replace"
    text: str  # the arguments or results, as JSON; floats are written so that reading them gives the same bits
    key: str | None  # the caller's name for this call, under which it is carried out once
    checksum: int  # CRC-32 of the fields before it
    # When it was written, milliseconds since 1970, UTC; None if unknown. Nothing but ages depends on it.
    time: int | None = None
    token: str = ""  # drawn for each call
    content: Payload | None = field(default=None, repr=False, compare=False)  # the value of `text`, if this process wrote it

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
        """The content, after validation; `StorageError` if the entry was changed or damaged."""
        if self.content is not None:
            return self.content
        remedy = "it was changed or damaged, or a newer semibandits wrote it; use a copy, or upgrade"
        with self.expecting("be a known call, as it was written", remedy):
            payload: Payload = strict_json(self.text)
            if self.checksum != _checksum(self.seq, self.kind, self.text, self.key):
                raise ValueError("another checksum")
            if not isinstance(payload, dict) or not is_whole(self.kind, payload):
                raise ValueError(f"other arguments or results than those of {self.kind!r}")
        return payload

    def expecting(self, what: str, remedy: str) -> Expecting:
        """The block in which what goes wrong is an error of this entry."""
        return Expecting(f"entry {self.seq} of the journal must {what}", remedy, StorageError)


def _checksum(seq: int, kind: str, text: str, key: str | None) -> int:
    return zlib.crc32(json.dumps([seq, kind, text, key]).encode())


def checked_name(name: object, *, what: str = "name") -> str:
    """A name or key, if it is a printable text of 1 to `LONGEST_NAME` characters."""
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise InvalidInputError(
            f"{what} must be a printable text of 1 to {LONGEST_NAME} characters, got {name!r}: choose another one"
        )
    return name


def new_name(name: object) -> str:
    """A name for a new learner, except . and ..: clients leave these parts out of the paths of URLs, so that no service can serve
    them.
    """
    checked = checked_name(name)
    if checked in (".", ".."):
        raise InvalidInputError(f"name must be another one than . and .., got {name!r}: choose another one")
    return checked


def check_same_call(entry: Entry, operation: Operation, learner: Learner) -> None:
    """Check that a repeated call with the key of an entry asks for what the first one asked for."""
    stored, is_same_kind = entry.payload(), entry.kind == operation.kind
    if not is_same_kind or any(stored.get(name) != value for name, value in operation.repeated(stored, learner).items()):
        raise InvalidInputError(
            f"key must be one for the same call, got {entry.key!r}, which was {entry.kind} of the rounds "
            f"{shortened(repr(round_ids(entry)), 100)}{' with other arguments' if is_same_kind else ''}: choose another key for "
            "each call"
        )


def replay(learner: Learner, entry: Entry) -> None:
    """Apply an entry to a learner; `StorageError` if it is damaged, or does not continue the state of the learner."""
    payload = entry.payload()
    remedy = (
        "the journal is damaged, or was written by another version of semibandits or NumPy; open it with that version and call "
        "prune(), which leaves a snapshot to continue from, or use a copy"
    )
    with entry.expecting("continue the state of the learner", remedy):
        done = carry_out(learner, entry.kind, payload)
        if done != payload:
            raise ValueError(f"the result {payload}, but the policy chooses {done}")


def rounds_of(entry: Entry, decision_set: DecisionSet, *, sure: bool = False) -> tuple[Round, ...]:
    """The rounds that an `ask` or `ask_many` opened, or an `expire` closed; none for other calls.

    If the policy is `sure`, which draws nothing, probabilities are 1.
    """
    payload = entry.payload()
    if entry.kind not in (ASK, ASK_MANY, EXPIRE):
        return ()
    pairs = [[payload["round"], payload["items"]]] if entry.kind == ASK else payload["rounds"]
    labels, drawn = decision_set.items, payload.get("probabilities", [None] * len(pairs))
    with entry.expecting("hold rounds of the decision set", "the journal is damaged, use a copy"):
        return tuple(
            Round.of_items(
                number,
                np.array(items, dtype=np.int64),
                labels,
                np.ones(len(items)) if sure else stored_probabilities(values, len(items)),
            )
            for (number, items), values in zip(pairs, drawn, strict=True)
        )


def round_ids(entry: Entry) -> list[int]:
    """Ids of the rounds that a call opened or closed."""
    payload = entry.payload()
    if entry.kind == REPLACE:
        return []
    if entry.kind in (ASK, FORGET):
        return [payload["round"]]
    return [number for number, _ in payload["outcomes" if entry.kind == TELL else "rounds"]]
