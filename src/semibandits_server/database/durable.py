"""A learner in a database, shared by processes and threads."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, final

import numpy as np

from semibandits._typing import ArrayLike
from semibandits.decisions.base import DecisionSet
from semibandits.inputs.pandas_objects import new_frame
from semibandits.learning.learner import Learner
from semibandits.learning.operations import Expire, Operation
from semibandits.learning.round import Round
from semibandits.learning.storage import is_rebuilt
from semibandits.policies.base import Policy
from semibandits_server.database import forks
from semibandits_server.database.entries import Entry, check_same_call, checked_name, new_name, rounds_of
from semibandits_server.database.grouping import Apart, Call, CallQueue
from semibandits_server.database.plays import Journal, plays_of
from semibandits_server.database.replica import Replaced, Replica
from semibandits_server.database.times import RoundTimes, checked_seconds, now

if TYPE_CHECKING:
    from pandas import DataFrame
    from sqlalchemy import Connection

    from semibandits_server.database.backend import Backend
    from semibandits_server.database.journal import Stored

T = TypeVar("T")
_OPEN: Final[weakref.WeakSet[DurableLearner]] = weakref.WeakSet()
"""The learners of this process."""


@final
class DurableLearner(Learner):
    """A :class:`Learner` in a database; :func:`open_learner` creates it.

    Each call is part of a transaction: it takes over what other processes have done, and a call that returns is stored. Any
    number of processes and threads may use the same learner at once; calls of threads that wait at the same time share a
    transaction.

    Attributes
    ----------
    name : str
        Name of the learner in the database.
    url : str
        URL of the database, without a password.

    Raises
    ------
    StorageError
        From every call and property that reads or writes the database, if it cannot be used.

    Notes
    -----
    `ask`, `ask_many`, `tell`, `tell_many`, `forget` and `expire` take a `key`, the name of the call: a repeated call with the
    same key returns the first result and changes nothing. The same key for a call that asks for anything else is an error.

    Examples
    --------
    >>> articles = sb.MSets(3, 1, items=["arts", "science", "sport"])
    >>> with sb.open_learner("sqlite:///shop.db", name="articles", decision_set=articles, variance=0.25) as learner:
    ...     shown = learner.ask(key="visitor 17")
    ...     repeated = learner.ask(key="visitor 17")
    ...     learner.tell(shown.id, {shown.labels[0]: 1.0}, key="click of visitor 17")
    ...     print(repeated.id == shown.id, learner.rounds, learner.plays.sum())
    ...     deleted = learner.prune()  # keeps the state, and deletes the journal before it
    True 1 1
    """

    def __init__(
        self, backend: Backend, stored: Stored, *, decision_set: DecisionSet | None, policy: Policy | None, snapshot_every: int
    ) -> None:
        self._backend, self._stored = backend, stored
        self._replica = Replica(stored, decision_set, policy, snapshot_every=snapshot_every)
        self._calls = CallQueue(self._carry_out, timeout=backend.timeout)
        _OPEN.add(self)
        self.name, self.url = stored.name, backend.shown
        self._read(self._look)

    def __repr__(self) -> str:
        return f"DurableLearner({self.name!r} in {self.url}): {self._read(repr)}"

    def __reduce__(self) -> tuple[Callable[[], DurableLearner], tuple[()]]:
        """Copies and pickles use the same learner in the database; pickles contain its password."""
        from semibandits_server.database.opening import reopened

        replica, backend = self._replica, self._backend
        options: dict[str, Any] = {"snapshot_every": replica.snapshot_every, "timeout": backend.timeout}
        own: dict[str, Any] = {"decision_set": replica.own_set, "policy": replica.own_policy}
        return partial(reopened, backend.full_url, self.name, **own, **options), ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. A later call opens new ones."""
        self._backend.close()

    def ages(self) -> dict[int, float | None]:
        """Seconds since each open round was asked for, by its id, oldest first.

        None if unknown: rounds of journals that were written before semibandits stored times. Clocks of the machines count:
        where they differ, so do the ages, and an age is never below 0.
        """
        return self._read(lambda one: self._replica.times.ages(one, now()))

    def log(self) -> DataFrame:
        """All plays, one row per item of a round, for example for :func:`semibandits.evaluate`.

        The log includes the rounds of learners that this one has replaced under the same name, and rewards of items that have
        left. It does not include rounds that were told before `prune`, rounds of a learner that was replaced under another name,
        and rounds of replaced learners whose decision set was your own.

        Returns
        -------
        DataFrame
            Columns ``round``, ``item`` (labels), ``reward`` (NaN if it was not told), ``probability`` (see
            :class:`Round`; NaN if it is not known) and ``asked`` (time in UTC).
        """

        def work(connection: Connection) -> tuple[list[Journal], DecisionSet, bool]:
            one = self._replica.caught_up(connection)
            journals = [
                Journal(stored.specification, stored.first_snapshot(connection), stored.entries_after(connection, -1))
                for stored in (*self._stored.replaced(connection), self._stored)
            ]
            return journals, one.decision_set, one._progress.sure(0) is not None

        journals, decision_set, sure = self._transaction(work, reads=True)
        plays = plays_of(journals, decision_set, sure=sure)
        frame = new_frame(plays | {"asked": np.array(plays["asked"], dtype="datetime64[ms]")})
        return frame.astype({"reward": "float64", "probability": "float64"})

    @property
    def calls(self) -> int:
        """Number of calls so far that changed the learner: the number of the last entry of its journal."""
        return self._read(lambda one: self._replica.seq)

    def in_memory(self) -> Learner:
        """A copy in memory of what this process has asked and told, as far as it knows, without the database.

        If the database has lost its last transactions, this learner still has their outcomes. It may also have the last call that
        failed while it was stored.
        """
        return self._calls.alone(self._replica.in_memory)

    def replace(
        self,
        decision_set: DecisionSet,
        policy: Policy | None = None,
        *,
        name: str | None = None,
        variance: ArrayLike | None = None,
        prior_means: ArrayLike | None = None,
        prior_plays: ArrayLike | None = None,
        prior_costs: ArrayLike | None = None,
        features: Any = None,
    ) -> tuple[DurableLearner, tuple[Round, ...]]:
        """A new learner on another decision set, in the same database; see :meth:`Learner.replace`.

        Without another `name` it takes over the name of this one: all processes that use the name go on with it at their next
        call, and this object does, too. What it replaces is kept as NAME~1 (NAME~2, ...) and can only be read; keys of its calls
        are forgotten. Open rounds stay open, under the same ids.

        With another `name`, this learner is not changed. Both continue with the same random numbers, so use only the new one.
        """
        known = None if name is None else new_name(name)
        prior = {"means": prior_means, "plays": prior_plays, "costs": prior_costs}

        def work(connection: Connection) -> tuple[Stored, tuple[Round, ...]]:
            before, times = self._replica.locked(connection), self._replica.times
            learner, forgotten = before._replaced(decision_set, policy, variance, prior, features)
            mark = None if known is not None else self._stored.archive(connection, self._replica.seq)
            kept = RoundTimes.read(times.text(before)).text(learner)
            return self._stored.added(connection, known or self.name, learner.state(), kept, mark=mark), forgotten

        stored, forgotten = self._transaction(work)
        own_policy = self._replica.own_policy if policy is None else policy
        if known is None:
            self._calls.alone(lambda: self._follow(stored, decision_set, own_policy))
            return self, forgotten
        learner = DurableLearner(
            self._backend, stored, decision_set=decision_set, policy=own_policy, snapshot_every=self._replica.snapshot_every
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
        learner = self._replica.locked(connection)
        self._replica.store_snapshot(connection, learner)
        return self._replica.seq

    def _read(self, work: Callable[[Learner], T], *, alone: bool = True) -> T:
        """See `Learner._read`."""
        return self._transaction(lambda connection: work(self._replica.caught_up(connection)), reads=True)

    def _change(self, operation: Operation, key: str | None) -> tuple[Round, ...]:
        """Carry out and store an operation, unless its key is stored already, and return its rounds."""
        if key is not None:
            checked_name(key, what="key")
        call = Call(operation, key, before=self._replica.seq)
        entry = self._calls.entry_of(call)
        return rounds_of(entry, call.decision_set or self._decision_set, sure=self._is_sure)

    def _look(self, one: Learner) -> None:
        """Note what does not change until the learner is replaced."""
        self._decision_set, self._policy, self._options = one.decision_set, one.policy, one._options
        self._design, self._is_sure = one._design, one._progress.sure(0) is not None
        self._labels = self._decision_set.items

    def _follow(self, stored: Stored, decision_set: DecisionSet | None, policy: Policy | None) -> None:
        """Go on with the learner that has taken over the name; own sets and policies are needed if it cannot be rebuilt."""
        own = (None, None) if is_rebuilt(stored.specification) else (decision_set, policy)
        self._stored, self._replica = stored, Replica(stored, *own, snapshot_every=self._replica.snapshot_every)
        self._backend.run(lambda connection: self._look(self._replica.caught_up(connection)), reads=True)
        self._replica.commit()

    def _older_than(self, seconds: float) -> Expire:
        limit = checked_seconds(seconds)
        return Expire({"seconds": str(limit)}, lambda one: self._replica.times.first_younger(one, limit, now()))

    def _carry_out(self, calls: list[Call]) -> None:
        """Carry out calls in one transaction, and set the entry or the error of each."""

        def work(connection: Connection) -> None:
            learner = self._replica.locked(connection)
            for call in calls:
                call.attempt(lambda call=call: self._entry(connection, learner, call))  # type: ignore[misc]
                if call.error is not None and self._replica.has_own_agent:
                    raise Apart if len(calls) > 1 else call.error

        self._transaction(work)
        if (log := self._replica.log_drifts) is not None:
            self._replica.log_drifts = None
            log()

    def _entry(self, connection: Connection, learner: Learner, call: Call) -> Entry:
        """The entry of a call: the new one, or the stored one if the call was carried out before."""
        call.tries += 1
        if call.tries > 1 and (found := self._stored.entry_with(connection, "token", call.token, after=call.before)):
            return found  # the last attempt was committed, but its answer was lost
        call.before, call.decision_set = self._replica.seq, learner.decision_set
        if call.key is not None and (found := self._stored.entry_with(connection, "key", call.key)):
            check_same_call(found, call.operation, learner)
            return found
        content = call.operation.prepare(learner, has_key=call.key is not None)
        return self._replica.carry_out(connection, learner, call.operation.kind, content, key=call.key, token=call.token)

    def _transaction(self, work: Callable[[Connection], T], *, reads: bool = False) -> T:
        """The result of a transaction. Unless it is committed, the learner in memory is read again by the next one."""

        def checked(connection: Connection) -> T:
            if self._replica.is_ahead:
                self._replica.drop()
            return work(connection)

        def carried_out() -> T:
            from semibandits_server.database.opening import stored_learner

            while True:
                try:
                    result = self._backend.run(checked, reads=reads)
                except Replaced:
                    stored = stored_learner(self._backend, self.name)
                    self._follow(stored, self._replica.own_set, self._replica.own_policy)
                else:
                    self._replica.commit()
                    return result

        return self._calls.alone(carried_out)


def _begin_in_child(is_cut: bool) -> None:
    """In a process that was forked: calls of other threads go on in the parent only; what one left half done is read again."""
    for learner in list(_OPEN):
        learner._calls = CallQueue(learner._carry_out, timeout=learner._backend.timeout)
        if is_cut:
            learner._replica.drop()


forks.in_child.append(_begin_in_child)
