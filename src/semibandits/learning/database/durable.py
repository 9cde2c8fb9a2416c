"""A learner in a database, shared by processes and threads."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, final

from semibandits._outcomes import Outcome, Outcomes, listed_outcomes, number_of_rounds, whole_number
from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.learning.availability import Available
from semibandits.learning.database import forks, operations
from semibandits.learning.database.grouping import Apart, Call, CallQueue
from semibandits.learning.database.operations import Entry, Payload
from semibandits.learning.database.replica import Replica
from semibandits.learning.database.times import checked_seconds, now
from semibandits.learning.drift import Drift
from semibandits.learning.intervals import Estimates
from semibandits.learning.learner import Learner
from semibandits.learning.round import Round
from semibandits.policies.base import Policy

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from semibandits.learning.database.backend import Backend
    from semibandits.learning.database.journal import Stored

T = TypeVar("T")
_OPEN: Final[weakref.WeakSet[DurableLearner]] = weakref.WeakSet()
"""The learners of this process."""


@final
class DurableLearner:
    """A :class:`Learner` in a database; :func:`open_learner` creates it.

    Its methods and properties are those of `Learner`, and so are its decisions. Each call is part of a transaction: it takes over
    what other processes have done, and a call that returns is stored. Any number of processes and threads may use the same
    learner at once; calls of threads that wait at the same time share a transaction.

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
        self._decision_set, self._policy = self._read(lambda learner: (learner.decision_set, learner.policy))

    def __repr__(self) -> str:
        return f"DurableLearner({self.name!r} in {self.url}): {self._read(repr)}"

    def _repr_html_(self) -> str:
        """The state and the best decision so far as a table, for notebooks."""
        return self._read(lambda learner: learner._repr_html_())

    def __reduce__(self) -> tuple[Callable[..., DurableLearner], tuple[Any, ...]]:
        """Copies and pickles use the same learner in the database; pickles contain its password."""
        arguments = (
            self._backend.full_url, self.name, self._replica.own_set, self._replica.own_policy,
            self._replica.snapshot_every, self._backend.timeout,
        )  # fmt: skip
        return _opened_again, arguments

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
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

    def ages(self) -> dict[int, float | None]:
        """Seconds since each open round was asked for, by its id, oldest first.

        None if unknown: rounds of journals that were written before semibandits stored times. Clocks of the machines count:
        where they differ, so do the ages, and an age is never below 0.
        """
        return self._read(lambda learner: self._replica.times.ages(learner, now()))

    @property
    def calls(self) -> int:
        """Number of calls so far that changed the learner: the number of the last entry of its journal."""
        return self._read(lambda learner: self._replica.seq)

    def best(self, available: Available | None = None) -> BoolArray:
        """Decision of largest estimated mean reward, shape (d,); see :meth:`Learner.best`."""
        return self._read(lambda learner: learner.best(available))

    @property
    def wants_plan(self) -> bool:
        """Whether the policy wants a plan that `ask` has deferred, see :meth:`solve_plan`."""
        return self._read(lambda learner: learner.wants_plan)

    @property
    def half_life(self) -> float | None:
        """Number of rounds in which outcomes lose half of their weight, None if they lose none."""
        return self._read(lambda learner: learner.half_life)

    @property
    def drift_error(self) -> float | None:
        """Error probability of the drift check, None if there is none."""
        return self._read(lambda learner: learner.drift_error)

    @property
    def drifts(self) -> tuple[Drift, ...]:
        """Reports that the mean reward of an item has changed, newest last; see :attr:`Learner.drifts`."""
        return self._read(lambda learner: learner.drifts)

    def estimates(self, error: float = 0.05) -> Estimates:
        """Mean reward of each item, with an interval that may be read at any time; see :meth:`Learner.estimates`."""
        return self._read(lambda learner: learner.estimates(error))

    def state(self) -> dict[str, Any]:
        """The complete state, for :meth:`Learner.from_state`; see :meth:`Learner.state`."""
        return self._read(lambda learner: learner.state())

    def in_memory(self) -> Learner:
        """A copy in memory of what this process has asked and told, as far as it knows, without the database.

        If the database has lost its last transactions, this learner still has their outcomes. It may also have the last call that
        failed while it was stored.
        """
        return self._calls.alone(self._replica.in_memory)

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
            If `available` is malformed, or the key was used for another call.
        SolverError
            If the policy finds no decision.
        StorageError
            If the call cannot be stored.
        """
        payload = operations.ask_payload(available, self._decision_set)
        entry = self._write(
            operations.ASK, lambda learner: payload, key=key, repeated=lambda stored: {"available": None, **payload}
        )
        (asked,) = operations.rounds_of(entry, self._decision_set)
        return asked

    def ask_many(self, count: int, available: Available | None = None, *, key: str | None = None) -> tuple[Round, ...]:
        """Open several rounds in one transaction; see :meth:`Learner.ask_many`.

        Parameters
        ----------
        count : int
            Number of rounds, >= 1.
        available : array_like of bool, shape (d,), collection of labels, or callable, optional
            As for :meth:`Learner.ask`.
        key : str, optional
            Name of this call. A repeated call with the same key returns the same rounds.

        Raises
        ------
        Infeasible
            If every decision uses an item that is not available.
        InvalidInputError
            If `count` or `available` is malformed, or the key was used for another call.
        SolverError
            If the policy finds no decision.
        StorageError
            If the call cannot be stored.
        """
        number = number_of_rounds(count)
        payload = {"count": number, **operations.ask_payload(available, self._decision_set)}
        entry = self._write(
            operations.ASK_MANY, lambda learner: payload, key=key, repeated=lambda stored: {"available": None, **payload}
        )
        return operations.rounds_of(entry, self._decision_set)

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
            Name of this call. A repeated call with the same key for the same outcome changes nothing.

        Raises
        ------
        InvalidInputError
            If there is no such open round, the outcome is malformed, or the key was used for another call.
        StorageError
            If the call cannot be stored.
        """
        given = None if rewards is None else [(round_id, rewards)]
        self.tell_many(given, costs=None if costs is None else [(round_id, costs)], partial=partial, key=key)

    def tell_many(
        self, outcomes: Outcomes | None = None, *, costs: Outcomes | None = None, partial: bool = False, key: str | None = None
    ) -> None:
        """Observe the rewards of several rounds, of all or of none; see :meth:`Learner.tell_many`.

        Parameters
        ----------
        outcomes, costs, partial
            As for :meth:`Learner.tell_many`.
        key : str, optional
            Name of this call. A repeated call with the same key for the same outcomes changes nothing.

        Raises
        ------
        InvalidInputError
            If an outcome is malformed, a round occurs twice, or the key was used for another call.
        StorageError
            If the call cannot be stored.
        """
        listed, in_costs = listed_outcomes(outcomes, costs)
        self._write(
            operations.TELL,
            lambda learner: operations.tell_payload(
                learner, listed, in_costs=in_costs, partial=partial, with_items=key is not None
            ),
            key=key,
            repeated=lambda stored: operations.told_again(stored, listed, in_costs=in_costs, decision_set=self._decision_set),
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
            If there is no such open round, or the key was used for another call.
        StorageError
            If the call cannot be stored.
        """
        self._write(
            operations.FORGET,
            lambda learner: operations.forget_payload(learner, round_id),
            key=key,
            repeated=lambda stored: {"round": round_id},
        )

    def expire(
        self, *, age: int | None = None, before: int | None = None, seconds: float | None = None, key: str | None = None
    ) -> tuple[Round, ...]:
        """Forget old open rounds of all processes, and return them; see :meth:`Learner.expire`.

        Parameters
        ----------
        age, before : int
            As for :meth:`Learner.expire`.
        seconds : float
            >= 0. Forget the open rounds up to the last one that was asked for more than so many seconds ago, instead of `age`
            or `before`. Rounds from the first one on that is younger are kept, so that a wrong clock makes rounds expire later.
        key : str, optional
            Name of this call. A repeated call with the same key changes nothing and returns the same rounds.

        Raises
        ------
        InvalidInputError
            Unless exactly one of `age`, `before` and `seconds` is given, an integer >= 0 or a number of seconds >= 0; or if the
            key was used for another call.
        StorageError
            If the call cannot be stored.
        """
        if (age is not None) + (before is not None) + (seconds is not None) != 1:
            raise InvalidInputError(
                f"expire takes one of age, before and seconds, got age={age!r}, before={before!r} and seconds={seconds!r}: pass "
                "for instance seconds=3600"
            )
        limit = None if seconds is None else checked_seconds(seconds)
        numbers = {name: whole_number(one, name) for name, one in (("age", age), ("before", before)) if one is not None}
        asked: Payload = {name: min(number, sys.maxsize) for name, number in numbers.items()} or {"seconds": str(limit)}

        def prepared(learner: Learner) -> Payload:
            younger = None if limit is None else self._replica.times.first_younger(learner, limit, now())
            return {"asked": asked} | operations.expire_payload(learner, age, before if younger is None else younger)

        entry = self._write(
            operations.EXPIRE, prepared, key=key, repeated=lambda stored: {"asked": asked} if "asked" in stored else {}
        )
        return operations.rounds_of(entry, self._decision_set)

    def solve_plan(self) -> bool:
        """Make the plan that the policy wants, and store it; see :meth:`Learner.solve_plan`.

        The plan is solved outside the transaction, from a copy of the estimates, while other threads and processes ask and tell.
        It is stored as it is, so that nobody solves it again. If several processes solve one, they follow the last.

        Returns
        -------
        bool
            Whether a plan was made: False if none is wanted.

        Raises
        ------
        SolverError
            If no plan can be made.
        StorageError
            If it cannot be stored.
        """
        planner = self._read(lambda learner: learner._progress.planner() if learner.wants_plan else None)
        if planner is None:
            return False
        plan = planner.plan()
        self._write(operations.PLAN, lambda learner: plan.state(), key=None)
        return True

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
        operations.new_name(name)

        def work(connection: Connection) -> tuple[Stored, tuple[Round, ...]]:
            learner, forgotten = self._replica.locked(connection).replace(
                decision_set, policy, variance=variance, prior_means=prior_means, prior_plays=prior_plays, prior_costs=prior_costs
            )
            return self._stored.added(connection, name, learner.state()), forgotten

        stored, forgotten = self._transaction(work)
        own_policy = self._replica.own_policy if policy is None else policy
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

    def _read(self, work: Callable[[Learner], T]) -> T:
        """A value of the learner in its latest state."""
        return self._transaction(lambda connection: work(self._replica.caught_up(connection)), reads=True)

    def _write(
        self, kind: str, prepared: Callable[[Learner], Payload], *, key: str | None, repeated: Callable[[Payload], Payload] = dict
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
        repeated : callable, optional
            See `Call`.
        """
        if key is not None:
            operations.checked_name(key, what="key")
        return self._calls.entry_of(Call(kind, prepared, key, repeated, before=self._replica.seq))

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
        if call.tries > 1 and (found := self._stored.entry_with_token(connection, call.token, after=call.before)):
            return found  # the last attempt was committed, but its answer was lost
        call.before = self._replica.seq
        if call.key is not None and (found := self._stored.entry_with_key(connection, call.key)):
            operations.check_same_call(found, call.kind, call.repeated)
            return found
        return self._replica.carry_out(connection, learner, call.kind, call.prepared(learner), key=call.key, token=call.token)

    def _transaction(self, work: Callable[[Connection], T], *, reads: bool = False) -> T:
        """The result of a transaction. Unless it is committed, the learner in memory is read again by the next one."""

        def checked(connection: Connection) -> T:
            if self._replica.is_ahead:
                self._replica.drop()
            return work(connection)

        def carried_out() -> T:
            result = self._backend.run(checked, reads=reads)
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


def _opened_again(
    url: str, name: str, decision_set: DecisionSet | None, policy: Policy | None, snapshot_every: int, timeout: float
) -> DurableLearner:
    from semibandits.learning.database.opening import reopened

    return reopened(url, name, decision_set=decision_set, policy=policy, snapshot_every=snapshot_every, timeout=timeout)
