"""The plays in journals: one row for each item of a round, with its outcome."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from semibandits.decisions.base import DecisionSet
from semibandits.learning.operations import EXPIRE, TELL
from semibandits.learning.round import Round
from semibandits.learning.storage import stored_decision_set, stored_policy, stored_round, stored_size
from semibandits_server.database.entries import Entry, rounds_of
from semibandits_server.database.times import RoundTimes

if TYPE_CHECKING:
    from semibandits_server.database.journal import Snapshot

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
        """Whether the policy is known to draw nothing."""
        policy = self.specification["policy"]
        return policy["built_in"] is True and not getattr(stored_policy(policy, None), "draws", True)


def plays_of(journals: Iterable[Journal], decision_set: DecisionSet, *, sure: bool) -> dict[str, list[Any]]:
    """Columns of the plays in the rounds of journals, each of which continues the one before it, in the order of the rounds.

    The last one is of this decision set, and of a policy that draws nothing if that is `sure`. Earlier ones of sets of the user
    are left out. A reward is None if it was not told. Times are milliseconds since 1970, None if unknown; probabilities are 1
    for policies that draw nothing, else those that were drawn, or None.
    """
    rounds: dict[int, list[dict[str, Any]]] = {}

    def rows_of(asked: Round, time: int | None) -> list[dict[str, Any]]:
        shares = [None] * len(asked.items) if asked.probabilities is None else asked.probabilities.tolist()
        gone = asked.gone or ()
        return [
            {"round": asked.id, "item": label, "reward": None, "probability": share, "asked": time}
            for label, share in zip((*asked.labels, *gone), (*shares, *[None] * len(gone)), strict=True)
        ]

    *before, last = journals
    for journal in (*(one for one in before if one.is_whole), last):
        x, known = (decision_set, sure) if journal is last else (journal.decision_set(), journal.is_sure())
        told: dict[int, list[dict[str, Any]]] = {}  # rows of the open rounds, in the order in which outcomes are told
        if journal.first is not None:
            times = RoundTimes.read(journal.first.times)
            for state in journal.first.state["open_rounds"]:
                asked = stored_round(state, x, np.ones if known else lambda count: None)
                told[asked.id] = rows_of(asked, times.of(asked.id))
                if asked.id in rounds:  # its items were in another order
                    rows = {row["item"]: row for row in rounds[asked.id]}
                    told[asked.id] = [rows[row["item"]] for row in told[asked.id]]
                rounds.setdefault(asked.id, told[asked.id])
        for entry in journal.entries:
            if entry.kind == TELL:
                payload = entry.payload()
                gone = payload.get("gone", [[]] * len(payload["outcomes"]))
                for (number, rewards), others in zip(payload["outcomes"], gone, strict=True):
                    for row, reward in zip(told.get(number, []), (*rewards, *others), strict=False):
                        row["reward"] = reward
            elif entry.kind != EXPIRE:
                for asked in rounds_of(entry, x, sure=known):
                    rounds[asked.id] = told[asked.id] = rows_of(asked, entry.time)
    listed = [row for rows in rounds.values() for row in rows]
    return {name: [row[name] for row in listed] for name in COLUMNS}
