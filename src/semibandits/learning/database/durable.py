"""A learner in a database, shared by processes and threads."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, final

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, StorageError
from semibandits.learning.availability import Available
from semibandits.learning.database import operations
from semibandits.learning.database.operations import Entry, Payload
from semibandits.learning.learner import Learner, Outcomes, listed_outcomes
from semibandits.learning.round import Outcome, Round
from semibandits.policies.base import Policy

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from semibandits.learning.database.backend import Backend
    from semibandits.learning.database.journal import Stored

T = TypeVar("T")
BATCH: Final = 1_000
"""Entries read at once; a learner that is further behind looks for a newer snapshot."""
MOST_GAPS: Final = 3
"""Gaps in the journal, each after reading the latest snapshot, that pruning by other processes may explain."""


@final
class DurableLearner:
    """A :class:`Learner` in a database; :func:`open_learner` creates it.

    Its methods and properties are those of `Learner`, and so are its decisions. Each call is one transaction: it takes over what
    other processes have done, and a call that returns is stored. Any number of processes and threads may use the same learner at
    once.

    Attributes
    ----------
    name : str
        Name of the learner in the database.
    url : str
        URL of the database, without a password.
    """

    def __init__(
        self,
        backend: Backend,
        stored: Stored,
        *,
        decision_set: DecisionSet | None,
        policy: Policy | None,
        snapshot_every: int,
    ) -> None:
        self._backend, self._stored = backend, stored
        self._own_set, self._own_policy = decision_set, policy
        self._snapshot_every = snapshot_every
        self._mutex = threading.RLock()
        self._learner: Learner | None = None
        self._seq = -1
        self._is_ahead = False
        self.name, self.url = stored.name, backend.shown
        self._decision_set, self._policy = self._read(lambda learner: (learner.decision_set, learner.policy))

    def __repr__(self) -> str:
        return f"DurableLearner({self.name!r} in {self.url}): {self._read(repr)}"

    def _repr_html_(self) -> str:
        """The state and the best decision so far as a table, for notebooks."""
        return self._read(lambda learner: learner._repr_html_())

    def __reduce__(self) -> tuple[Callable[..., DurableLearner], tuple[Any, ...]]:
        """Copies and pickles use the same learner in the database; pickles contain its password."""
        arguments = (
            self._backend.full_url, self.name, self._own_set, self._own_policy, self._snapshot_every, self._backend.timeout
        )  # fmt: skip
        return _opened_again, arguments

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. A later call opens new ones."""
        self._backend.close()

    @property
    def decision_set(self) -> DecisionSet:
        """The decisions."""
        return self._decision_set

    @property
    def policy(self) -> Policy:
        """The policy."""
        return self._policy

    @property
    def rounds(self) -> int:
        """Number of rounds asked for so far, by all processes."""
        return self._read(lambda learner: learner.rounds)

    @property
    def open_rounds(self) -> tuple[Round, ...]:
        """Rounds neither told nor forgotten, oldest first, of all processes."""
        return self._read(lambda learner: learner.open_rounds)

    @property
    def plays(self) -> IntArray:
        """Number of observed rewards of each item, shape (d,)."""
        return self._read(lambda learner: learner.plays)

    @property
    def means(self) -> FloatArray:
        """Mean of the observed rewards of each item, 0 before the first, shape (d,)."""
        return self._read(lambda learner: learner.means)

    @property
    def costs(self) -> FloatArray:
        """Mean of the observed costs of each item, 0 before the first, shape (d,): minus `means`."""
        return self._read(lambda learner: learner.costs)

    @property
    def calls(self) -> int:
        """Number of calls so far that changed the learner: the number of the last entry of its journal."""
        return self._read(lambda learner: self._seq)

    def best(self) -> BoolArray:
        """Decision of largest estimated mean reward, shape (d,); see :meth:`Learner.best`."""
        return self._read(lambda learner: learner.best())

    def state(self) -> dict[str, Any]:
        """The complete state, for :meth:`Learner.from_state`; see :meth:`Learner.state`."""
        return self._read(lambda learner: learner.state())

    def ask(self, available: Available | None = None, *, key: str | None = None) -> Round:
        """Open a round and return it; see :meth:`Learner.ask`.

        Parameters
        ----------
        available : array_like of bool, shape (d,), collection of labels, or callable, optional
            As for :meth:`Learner.ask`.
        key : str, optional
            Name of this call. A repeated call with the same key returns the same round.

        Raises
        ------
        Infeasible
            If every decision uses an item that is not available.
        InvalidInputError
            If `available` is malformed, or another call had this key.
        SolverError
            If the policy finds no decision.
        StorageError
            If the call cannot be stored.
        """
        payload = operations.ask_payload(available, self._decision_set)
        entry = self._write(operations.ASK, lambda learner: payload, key=key)
        (asked,) = operations.rounds_of(entry, self._decision_set)
        return asked

    def tell(
        self,
        round_id: int,
        rewards: Outcome | None = None,
        *,
        costs: Outcome | None = None,
        partial: bool = False,
        key: str | None = None,
    ) -> None:
        """Observe the rewards of a round and close it; see :meth:`Learner.tell`.

        Parameters
        ----------
        round_id, rewards, costs, partial
            As for :meth:`Learner.tell`.
        key : str, optional
            Name of this call. A repeated call with the same key for the same round changes nothing.

        Raises
        ------
        InvalidInputError
            If there is no such open round, the outcome is malformed, or another call had this key.
        StorageError
            If the call cannot be stored.
        """
        given = None if rewards is None else [(round_id, rewards)]
        self.tell_many(given, costs=None if costs is None else [(round_id, costs)], partial=partial, key=key)

    def tell_many(
        self,
        outcomes: Outcomes | None = None,
        *,
        costs: Outcomes | None = None,
        partial: bool = False,
        key: str | None = None,
    ) -> None:
        """Observe the rewards of several rounds, of all or of none; see :meth:`Learner.tell_many`.

        Parameters
        ----------
        outcomes, costs, partial
            As for :meth:`Learner.tell_many`.
        key : str, optional
            Name of this call. A repeated call with the same key for the same rounds changes nothing.

        Raises
        ------
        InvalidInputError
            If an outcome is malformed, one round is told twice, or another call had this key.
        StorageError
            If the call cannot be stored.
        """
        listed, in_costs = listed_outcomes(outcomes, costs)
        self._write(
            operations.TELL,
            lambda learner: operations.tell_payload(learner, listed, in_costs=in_costs, partial=partial),
            key=key,
            rounds=[round_id for round_id, _ in listed],
        )

    def forget(self, round_id: int, *, key: str | None = None) -> None:
        """Close a round whose outcome is lost; see :meth:`Learner.forget`.

        Parameters
        ----------
        round_id : int
            As for :meth:`Learner.forget`.
        key : str, optional
            Name of this call. A repeated call with the same key for the same round changes nothing.

        Raises
        ------
        InvalidInputError
            If there is no such open round, or another call had this key.
        StorageError
            If the call cannot be stored.
        """
        self._write(
            operations.FORGET,
            lambda learner: operations.forget_payload(learner, round_id),
            key=key,
            rounds=[round_id],
        )

    def expire(self, *, age: int | None = None, before: int | None = None, key: str | None = None) -> tuple[Round, ...]:
        """Forget old open rounds of all processes, and return them; see :meth:`Learner.expire`.

        Parameters
        ----------
        age, before : int
            As for :meth:`Learner.expire`.
        key : str, optional
            Name of this call. A repeated call with the same key changes nothing and returns the same rounds.

        Raises
        ------
        InvalidInputError
            If not exactly one of `age` and `before` is given, it is not an integer >= 0, or another call had this key.
        StorageError
            If the call cannot be stored.
        """
        entry = self._write(operations.EXPIRE, lambda learner: operations.expire_payload(learner, age, before), key=key)
        return operations.rounds_of(entry, self._decision_set)

    def replace(
        self,
        decision_set: DecisionSet,
        policy: Policy | None = None,
        *,
        name: str,
        variance: ArrayLike | None = None,
        prior_means: ArrayLike | None = None,
        prior_plays: ArrayLike | None = None,
        prior_costs: ArrayLike | None = None,
    ) -> tuple[DurableLearner, tuple[Round, ...]]:
        """A new learner of another name on another decision set, in the same database; see :meth:`Learner.replace`.

        This learner is not changed. Both continue with the same random numbers, so use only the new one.

        Parameters
        ----------
        decision_set, policy, variance, prior_means, prior_plays, prior_costs
            As for :meth:`Learner.replace`.
        name : str
            Name of the new learner.

        Returns
        -------
        learner : DurableLearner
            The new learner.
        forgotten : tuple of Round
            Open rounds of this learner that are not open in the new one.

        Raises
        ------
        InvalidInputError
            If an argument is malformed or missing, or there is a learner of this name.
        StorageError
            If the database cannot be used.
        """
        operations.checked_name(name)

        def work(connection: Connection) -> tuple[Stored, tuple[Round, ...]]:
            learner, forgotten = self._locked(connection).replace(
                decision_set,
                policy,
                variance=variance,
                prior_means=prior_means,
                prior_plays=prior_plays,
                prior_costs=prior_costs,
            )
            return self._stored.added(connection, name, learner.state()), forgotten

        stored, forgotten = self._transaction(work)
        own_policy = self._own_policy if policy is None else policy
        learner = DurableLearner(
            self._backend,
            stored,
            decision_set=decision_set,
            policy=own_policy,
            snapshot_every=self._snapshot_every,
        )
        return learner, forgotten

    def snapshot(self) -> int:
        """Store the state now, and return the number of the journal's last entry.

        Raises
        ------
        StorageError
            If it cannot be stored.
        """
        return self._transaction(self._store_snapshot)

    def prune(self) -> int:
        """Store the state now, delete the journal before it, and return the number of deleted entries.

        Keys of deleted entries are forgotten: a repeated call with such a key is a new one.

        Raises
        ------
        StorageError
            If the database cannot be used.
        """

        def work(connection: Connection) -> int:
            self._store_snapshot(connection)
            return self._stored.prune(connection)

        return self._transaction(work)

    def _store_snapshot(self, connection: Connection) -> int:
        learner = self._locked(connection)
        self._stored.add_snapshot(connection, self._seq, learner.state())
        return self._seq

    def _read(self, work: Callable[[Learner], T]) -> T:
        """A value of the learner in its latest state."""
        return self._transaction(lambda connection: work(self._caught_up(connection)), reads=True)

    def _write(
        self,
        kind: str,
        prepared: Callable[[Learner], Payload],
        *,
        key: str | None,
        rounds: list[int] | None = None,
    ) -> Entry:
        """Carry out a call and store it: the new entry, or the stored one if the call was carried out before.

        Parameters
        ----------
        kind : str
            Kind of the entry.
        prepared : callable
            Its content from the learner, which does not change it; raises an error if the call is malformed.
        key : str or None
            Name of the call.
        rounds : list of int, optional
            Ids of the rounds that a call with the same key must have had.
        """
        if key is not None:
            operations.checked_name(key, what="key")
        token, tries, before = secrets.token_hex(8), 0, self._seq

        def work(connection: Connection) -> Entry:
            nonlocal tries, before
            learner = self._locked(connection)
            tries += 1
            if tries > 1 and (found := self._stored.entry_with_token(connection, token, after=before)):
                return found  # the last attempt was committed, but its answer was lost
            before = self._seq
            if key is not None and (found := self._stored.entry_with_key(connection, key)):
                _check_same_call(found, kind, rounds)
                return found
            return self._carried_out(connection, learner, kind, prepared(learner), key=key, token=token)

        return self._transaction(work)

    def _carried_out(
        self, connection: Connection, learner: Learner, kind: str, payload: Payload, *, key: str | None, token: str
    ) -> Entry:
        """Apply a new entry to the learner, and store it with the state if that is due."""
        self._is_ahead = True
        entry = Entry.of(self._seq + 1, kind, operations.carry_out(learner, kind, payload), key)
        self._seq = entry.seq
        self._stored.append(connection, entry, token=token)
        if entry.seq % self._snapshot_every == 0:
            self._stored.add_snapshot(connection, entry.seq, learner.state())
        return entry

    def _transaction(self, work: Callable[[Connection], T], *, reads: bool = False) -> T:
        """The result of a transaction. Unless it is committed, the learner in memory is read again by the next one."""

        def checked(connection: Connection) -> T:
            if self._is_ahead:
                self._drop()
            return work(connection)

        with self._alone():
            result = self._backend.run(checked, reads=reads)
            self._is_ahead = False
        return result

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One thread of this process at a time."""
        if not self._mutex.acquire(timeout=self._backend.timeout):
            raise StorageError(
                f"other threads must leave the learner within timeout = {self._backend.timeout:g} seconds, got a longer wait: "
                "try again, or pass a longer timeout"
            )
        try:
            yield
        finally:
            self._mutex.release()

    def _locked(self, connection: Connection) -> Learner:
        """The learner in its latest state, which no other process can change until the end of the transaction."""
        self._stored.lock(connection)
        return self._caught_up(connection)

    def _caught_up(self, connection: Connection) -> Learner:
        """The learner after all entries of the journal."""
        gaps = 0
        while True:
            learner = self._learner
            if learner is None:
                learner = self._restored(connection)
            entries = self._stored.entries_after(connection, self._seq, most=BATCH)
            if not entries:
                return learner
            has_gap = entries[0].seq != self._seq + 1
            if has_gap and gaps == MOST_GAPS:
                raise self._incomplete(entries[0])
            if has_gap or (len(entries) == BATCH and self._newest_snapshot(connection) > self._seq):
                self._drop()  # pruned by another process, or far behind: continue from the latest snapshot
                gaps += has_gap
            else:
                self._replay(learner, entries)

    def _incomplete(self, found: Entry) -> StorageError:
        return StorageError(
            f"the journal of {self.name!r} must continue with entry {self._seq + 1}, got {found.seq}: entries were "
            "deleted, use a copy"
        )

    def _newest_snapshot(self, connection: Connection) -> int:
        return self._stored.latest_snapshot_seq(connection)

    def _restored(self, connection: Connection) -> Learner:
        """The learner of the latest snapshot."""
        seq, snapshot = self._stored.latest_snapshot(connection)
        state = self._stored.whole_state(snapshot)
        learner = Learner.from_state(state, self._own_set, self._own_policy)
        self._learner, self._seq = learner, seq
        return learner

    def _replay(self, learner: Learner, entries: list[Entry]) -> None:
        self._is_ahead, before = True, self._is_ahead
        for entry in entries:
            if entry.seq != self._seq + 1:
                raise self._incomplete(entry)
            operations.replay(learner, entry)
            self._seq = entry.seq
        self._is_ahead = before

    def _drop(self) -> None:
        """Forget the learner in memory; the next transaction reads it from the database."""
        self._learner, self._seq, self._is_ahead = None, -1, False


def _check_same_call(entry: Entry, kind: str, rounds: list[int] | None) -> None:
    """Check that a repeated call with a key is the same call."""
    found = operations.round_ids(entry)
    if entry.kind != kind or (rounds is not None and found != rounds):
        raise InvalidInputError(
            f"key must be one for the same call, got {entry.key!r}, which was {entry.kind} of the rounds {found}: choose another "
            "key for each call"
        )


def _opened_again(
    url: str, name: str, decision_set: DecisionSet | None, policy: Policy | None, snapshot_every: int, timeout: float
) -> DurableLearner:
    from semibandits.learning.database.opening import reopened

    return reopened(url, name, decision_set=decision_set, policy=policy, snapshot_every=snapshot_every, timeout=timeout)
