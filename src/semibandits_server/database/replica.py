"""The learner of a database in the memory of one process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, SemibanditsError, StorageError
from semibandits.learning.learner import Learner
from semibandits.learning.operations import REPLACE, Payload, carry_out
from semibandits.policies.base import Policy
from semibandits_server.database.entries import Entry, Mark, replay
from semibandits_server.database.times import RoundTimes, now

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from semibandits_server.database.journal import Stored

BATCH: Final = 1_000
"""Entries read at once; a learner that is further behind looks for a newer snapshot."""
MOST_GAPS: Final = 3
"""Gaps in the journal, each after reading the latest snapshot, that pruning by other processes may explain."""


class Replaced(Exception):  # noqa: N818 (no error: the learner of this name is another one now)
    """The journal has ended, since another learner has taken over the name."""


class Replica:
    """A learner that follows its journal."""

    def __init__(self, stored: Stored, decision_set: DecisionSet | None, policy: Policy | None, *, snapshot_every: int) -> None:
        self._stored = stored
        # What the caller has passed, None if it is rebuilt from the database; and the number of entries after which the state is
        # stored, or of rounds if they are asked for in batches.
        self.own_set, self.own_policy, self.snapshot_every = decision_set, policy, snapshot_every
        self._learner: Learner | None = None
        self._before: Learner | None = None
        # The last entry that this process has seen in the journal; of number 0 if none.
        self.known = self._written = Mark(0, 0, "")
        self.times = RoundTimes({})  # when the open rounds were asked for
        # Number of the entry after which the learner in memory is, -1 if there is none in memory; and whether that learner may
        # have changed by more than committed entries, and must be dropped.
        self.seq, self.is_ahead = -1, False
        self.successor: str | None = None  # the name that another learner has taken over, None while this one has it
        # Logs drifts that calls of this process have found since the last commit.
        self.log_drifts: Callable[[], None] | None = None

    @property
    def has_own_agent(self) -> bool:
        """Whether the policy is the user's, whose agent may be half changed after an error."""
        return self._stored.specification["policy"].get("built_in") is not True

    def drop(self) -> None:
        """Have the next transaction read the learner from the database."""
        self._before = self._before if self._learner is None else self._learner
        self._learner, self.seq, self.is_ahead, self.log_drifts, self.successor = None, -1, False, None, None
        self._written = self.known

    def commit(self) -> None:
        """Note that the transaction is committed."""
        self.is_ahead = False
        self.known = max(self.known, self._written)

    def in_memory(self) -> Learner:
        """A copy of the learner as it was in memory last."""
        learner = self._before if self._learner is None else self._learner
        assert learner is not None
        return Learner.from_state(learner.state(), self.own_set, self.own_policy)

    def locked(self, connection: Connection) -> Learner:
        """The learner in its latest state, which no other process can change until the end of the transaction.

        One that was replaced under its name is refused.
        """
        self._stored.lock(connection)
        learner = self.caught_up(connection)
        if self.successor is not None:
            raise InvalidInputError(
                f"the learner must be current, got {self._stored.name!r}, which was replaced: use {self.successor!r}"
            )
        return learner

    def caught_up(self, connection: Connection) -> Learner:
        """The learner after all entries of the journal; `StorageError` if the journal is damaged or incomplete, or has lost
        entries that this process has seen.
        """
        gaps = 0
        if self.seq != self.known.seq:
            self._check_history(self._stored.entries_after(connection, self.known.seq, most=1, with_mark=True))
        while True:
            learner = self._restored(connection) if self._learner is None else self._learner
            entries = self._stored.entries_after(connection, self.seq, most=BATCH + 1, with_mark=True)
            if self.seq == self.known.seq:
                self._check_history(entries)
            if entries and entries[0].seq == self.seq:
                self.known = max(self.known, entries.pop(0).mark)
            if not entries:
                if self.successor == self._stored.name:
                    raise Replaced
                return learner
            has_gap = entries[0].seq != self.seq + 1
            is_behind = len(entries) >= BATCH and self._stored.latest_snapshot_seq(connection) > self.seq
            if gaps < MOST_GAPS if has_gap else is_behind:
                self.drop()  # pruned by another process, or far behind: continue from the latest snapshot
                gaps += has_gap
            else:
                self._replay(learner, entries)

    def _check_history(self, entries: list[Entry]) -> None:
        """Check that the journal, here from the last known entry on, still contains it; pruning leaves later ones."""
        first = entries[0] if entries else None
        if self.known.seq and (first is None or (first.seq == self.known.seq and first.mark != self.known)):
            raise StorageError(
                f"the journal of {self._stored.name!r} must contain the entry {self.known.seq} that this process has seen, got "
                f"{'an earlier end' if first is None else 'another entry'}: the database lost its last transactions, by a "
                "failover or because a copy was restored; nothing is written, learner.in_memory() returns a copy with all "
                "outcomes; open the learner again to continue from the database"
            )

    def carry_out(
        self, connection: Connection, learner: Learner, kind: str, payload: Payload, *, key: str | None, token: str
    ) -> Entry:
        """Apply a new entry to the learner, and store it with the state if that is due.

        The learner is ahead of the database until the transaction is committed.
        """
        was_ahead, self.is_ahead = self.is_ahead, True
        first, drift = learner.rounds, learner._progress.drift
        known = 0 if drift is None else drift.count
        try:
            done = carry_out(learner, kind, payload)
        except SemibanditsError:
            self.is_ahead = was_ahead or self.has_own_agent  # agents of the library are as before
            raise
        entry = Entry.of(self.seq + 1, kind, done, key, time=now(), token=token)
        self.seq, self._written = entry.seq, entry.mark
        self.times.add(learner, first, entry.time)
        if drift is not None and drift.count > known and self.log_drifts is None:
            self.log_drifts = partial(drift.log, known)  # logs the reports of later calls of the transaction, too
        self._stored.append(connection, entry)
        every, upcoming = self.snapshot_every, learner.rounds
        is_large_batch = upcoming > first + 1 and first // every < upcoming // every  # batches count by rounds
        if self.seq % every == 0 or is_large_batch:
            self.store_snapshot(connection, learner)
        return entry

    def store_snapshot(self, connection: Connection, learner: Learner) -> None:
        """Store the state of the learner."""
        self._stored.add_snapshot(connection, self.seq, learner.state(), times=self.times.text(learner))

    def _restored(self, connection: Connection) -> Learner:
        """The learner of the latest snapshot."""
        found = self._stored.latest_snapshot(connection)
        learner = Learner.from_state(self._stored.whole_state(found.state), self.own_set, self.own_policy)
        self.times = RoundTimes.read(found.times)
        self._learner, self.seq, self._before = learner, found.seq, None
        return learner

    def _replay(self, learner: Learner, entries: list[Entry]) -> None:
        self.is_ahead = True
        for entry in entries:
            if entry.seq != self.seq + 1:
                raise StorageError(
                    f"the journal of {self._stored.name!r} must continue with entry {self.seq + 1}, got {entry.seq}: entries "
                    "were deleted, use a copy"
                )
            first = learner.rounds
            replay(learner, entry)
            if entry.kind == REPLACE:
                self.successor = entry.payload()["name"]
            self.seq, self.known = entry.seq, max(self.known, entry.mark)
            self.times.add(learner, first, entry.time)
        self.is_ahead = False
