"""The plays in journals: one row for each item of a round, with its outcome."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.learning.operations import EXPIRE, FORGET, TELL
from semibandits.learning.round import Round
from semibandits.learning.storage import stored_decision_set, stored_policy, stored_round, stored_size
from semibandits_server.database.entries import Entry, round_ids, rounds_of
from semibandits_server.database.times import RoundTimes

if TYPE_CHECKING:
    from semibandits_server.database.journal import Snapshot

Row: TypeAlias = dict[str, Any]
COLUMNS: Final = ("round", "item", "reward", "probability", "asked")


class Journal(NamedTuple):
    """All that is stored of a learner."""

    specification: dict[str, Any]
    first: Snapshot | None
    entries: list[Entry]  # which continue it

    @property
    def is_whole(self) -> bool:
        """Whether the decision set is stored, and not the user's own."""
        return self.first is not None and self.specification["decision_set"]["description"] is not None

    def decision_set(self) -> DecisionSet:
        """The stored decision set."""
        assert self.first is not None
        return stored_decision_set(self.specification["decision_set"], None, stored_size(self.first.state["statistics"]))

    def is_sure(self) -> bool:
        """Whether the policy draws nothing; False if that is unknown, as for policies and laws of the user."""
        try:
            return not getattr(stored_policy(self.specification["policy"], None), "draws", True)
        except InvalidInputError:  # the policy or its law is the user's own
            return False


def plays_of(journals: Sequence[Journal], decision_set: DecisionSet, *, sure: bool) -> dict[str, list[Any]]:
    """Columns of the plays in the rounds of journals, each of which continues the one before it, in the order of the rounds.

    `decision_set` is that of the last journal; `sure` states whether its policy draws nothing. Earlier journals are skipped if
    their decision set is the user's own. A round that is open when a skipped or pruned part begins is left out if it is closed
    within that part. Rewards are None if they were not told, times are milliseconds since 1970 or None, and probabilities are 1
    for policies that draw nothing, the drawn ones, or None.
    """
    plays, last = _Plays(), journals[-1]
    for journal in journals:
        is_same = journal.specification["policy"] == last.specification["policy"]
        if journal is last:
            plays.read(journal, decision_set, sure=sure)
        elif journal.is_whole:
            plays.read(journal, journal.decision_set(), sure=sure if is_same else journal.is_sure())
        else:
            plays.has_gap = True
    listed = [row for rows in plays.rounds.values() for row in rows]
    return {name: [row[name] for row in listed] for name in COLUMNS}


class _Plays:
    """Rows by round; those of open rounds in the order in which outcomes are told."""

    def __init__(self) -> None:
        self.rounds: dict[int, list[Row]] = {}
        self.open: dict[int, list[Row]] = {}
        self.has_gap = False  # whether calls are missing since the last journal

    def read(self, journal: Journal, x: DecisionSet, *, sure: bool) -> None:
        """Add the rounds of a journal."""
        before, self.open = self.open, {}
        if journal.first is not None:
            times = RoundTimes.read(journal.first.times)
            for state in journal.first.state["open_rounds"]:
                asked = stored_round(state, x, np.ones if sure else lambda count: None)
                self._ask(asked, times.of(asked.id), {row["item"]: row for row in before.get(asked.id, [])})
            if self.has_gap or journal.first.seq > 0:
                for number in before.keys() - self.open.keys():
                    del self.rounds[number]
        self.has_gap = False
        for entry in journal.entries:
            if entry.kind == TELL:
                payload = entry.payload()
                gone = payload.get("gone", [[]] * len(payload["outcomes"]))
                for (number, rewards), others in zip(payload["outcomes"], gone, strict=True):
                    for row, reward in zip(self.open.pop(number, []), (*rewards, *others), strict=False):
                        row["reward"] = reward
            elif entry.kind in (FORGET, EXPIRE):
                for number in round_ids(entry):
                    self.open.pop(number, None)
            else:
                for asked in rounds_of(entry, x, sure=sure):
                    self._ask(asked, entry.time, {})

    def _ask(self, asked: Round, time: int | None, known: Mapping[Hashable, Row]) -> None:
        """Open a round. `known` are the rows that an earlier journal has for it, by item."""
        gone = asked.gone or ()
        shares = [None] * len(asked.items) if asked.probabilities is None else asked.probabilities.tolist()
        rows = [
            known.get(label) or {"round": asked.id, "item": label, "reward": None, "probability": share, "asked": time}
            for label, share in zip((*asked.labels, *gone), (*shares, *[None] * len(gone)), strict=True)
        ]
        self.open[asked.id] = rows
        if not known:
            self.rounds[asked.id] = rows
