"""When open rounds were asked for: for people and for `expire`, never for decisions."""

from __future__ import annotations

import json
import time
from typing import Final

from semibandits.errors import InvalidInputError, StorageError
from semibandits.formats.json import strict_json
from semibandits.learning.expecting import Expecting
from semibandits.learning.learner import Learner

SPARE: Final = 1_000
"""Number of closed rounds whose times may be kept until they are dropped together."""
LATEST: Final = 2**53


def now() -> int:
    """Milliseconds since 1970, UTC, by the clock of this machine."""
    return time.time_ns() // 1_000_000


class RoundTimes:
    """Times at which rounds were asked for, as far as they are known: milliseconds since 1970 by id of the round."""

    def __init__(self, known: dict[int, int]) -> None:
        self._known = known
        self._most = len(known) + SPARE

    @classmethod
    def read(cls, text: str | None) -> RoundTimes:
        """The times of :meth:`text`; none if there is no text. `StorageError` if it is damaged."""
        with Expecting("times of rounds must be JSON", "they are damaged, use a copy", StorageError):
            known = {} if text is None else {int(number): time for number, time in strict_json(text).items()}
            if not all(type(time) is int and 0 <= time < LATEST for time in known.values()):
                raise ValueError("a time that is no number of milliseconds")
        return cls(known)

    def text(self, learner: Learner) -> str:
        """The times of open rounds as JSON."""
        self._drop_closed(learner)
        return json.dumps(self._known, separators=(",", ":"))

    def of(self, number: int) -> int | None:
        """When this round was asked for, None if unknown."""
        return self._known.get(number)

    def add(self, learner: Learner, first: int, asked_at: int | None) -> None:
        """Note when rounds from the id `first` on were asked for."""
        if asked_at is None:
            return
        for number in range(first, learner.rounds):
            self._known[number] = asked_at
        if len(self._known) > self._most:
            self._drop_closed(learner)

    def ages(self, learner: Learner, at: int) -> dict[int, float | None]:
        """Age of each open round in seconds at this time, None if unknown; at least 0 if the clock went back."""
        known = ((asked.id, self._known.get(asked.id)) for asked in learner.open_rounds)
        return {number: None if asked_at is None else max(at - asked_at, 0) / 1_000 for number, asked_at in known}

    def first_younger(self, learner: Learner, seconds: float, at: int) -> int:
        """The id below which open rounds are older than so many seconds, as far as is known.

        Rounds of unknown age are as old as a round after them. No round that is known to be younger is below the id, nor any
        round after it, so that a clock that went back, or is wrong on one machine, makes rounds expire later, not earlier.
        """
        limit = 0
        for number, age in self.ages(learner, at).items():
            if age is None:
                continue
            if age <= seconds:
                break
            limit = number + 1
        return limit

    def _drop_closed(self, learner: Learner) -> None:
        self._known = {asked.id: self._known[asked.id] for asked in learner.open_rounds if asked.id in self._known}
        self._most = 2 * len(self._known) + SPARE


def checked_seconds(seconds: object) -> float:
    """A number of seconds, >= 0."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        raise InvalidInputError(f"seconds must be a number >= 0, got {seconds!r}: pass for instance 3600")
    return float(seconds)
