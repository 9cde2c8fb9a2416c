"""Calls of threads that wait at the same time share one transaction, and thus one wait for the disk."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

from semibandits.errors import SemibanditsError, StorageError
from semibandits.learning.database.operations import Entry, Payload
from semibandits.learning.learner import Learner


class Apart(Exception):  # noqa: N818 (not an error)
    """The calls of a transaction must be carried out one by one."""


@final
@dataclass(eq=False)
class Call:
    """A call that changes a learner.

    Attributes
    ----------
    kind : str
        Kind of its entry.
    prepared : callable
        The content of its entry from the learner, which does not change it; raises an error if the call is malformed.
    key : str or None
        Name of the call.
    rounds : list of int or None
        Ids of the rounds that a call with the same key must have had.
    before : int
        Number of the last entry before the latest try.
    token : str
        By which its entry is found if the answer of a commit was lost.
    tries : int
        Number of tries so far.
    entry : Entry or None
        Its entry, once it is stored.
    error : BaseException or None
        Its error, once it has failed.
    is_done : bool
        Whether `entry` or `error` is final: the transaction has ended.
    """

    kind: str
    prepared: Callable[[Learner], Payload]
    key: str | None
    rounds: list[int] | None
    before: int
    token: str = field(default_factory=lambda: secrets.token_hex(8))
    tries: int = 0
    entry: Entry | None = None
    error: BaseException | None = None
    is_done: bool = False

    def attempt(self, work: Callable[[], Entry]) -> None:
        """Set the entry, or the error of the library; other errors are raised."""
        self.entry = self.error = None
        try:
            self.entry = work()
        except StorageError:
            raise
        except SemibanditsError as error:
            self.error = error

    def result(self) -> Entry:
        """The entry, or the error raised."""
        if self.error is not None:
            raise self.error
        assert self.entry is not None
        return self.entry


@final
class CallQueue:
    """Calls that wait for their transaction. One thread at a time carries out all that have arrived, the others wait for it.

    Parameters
    ----------
    run : callable
        Carries out a list of calls in one transaction, and sets the entry or the error of each.
    timeout : float
        Number of seconds to wait for other threads.
    """

    def __init__(self, run: Callable[[list[Call]], None], *, timeout: float) -> None:
        self._run, self._timeout = run, timeout
        self._changed = threading.Condition()
        self._waiting: list[Call] = []
        self._is_running = False

    def entry_of(self, call: Call) -> Entry:
        """Carry out a call, possibly with others.

        Raises
        ------
        StorageError
            If other threads need longer than the timeout, or the call cannot be stored.
        """
        calls = self._taken(call)
        if calls:
            try:
                self._carry_out(calls)
            finally:
                with self._changed:
                    self._is_running = False
                    self._waiting[:0] = [one for one in calls if one is not call and not one.is_done]
                    self._changed.notify_all()
        return call.result()

    def _taken(self, call: Call) -> list[Call]:
        """The calls that this thread must carry out, among them `call`; none if another thread has done so."""
        deadline = time.monotonic() + self._timeout
        with self._changed:
            self._waiting.append(call)
            try:
                while self._is_running and not call.is_done:
                    left = deadline - time.monotonic()
                    if left <= 0.0 and call in self._waiting:
                        raise StorageError(
                            f"other threads must leave the learner within timeout = {self._timeout:g} seconds, got a longer "
                            "wait: try again, or pass a longer timeout"
                        )
                    self._changed.wait(max(left, 0.1))
            except BaseException:
                if call in self._waiting:
                    self._waiting.remove(call)
                raise
            if call.is_done:
                return []
            self._is_running = True
            calls, self._waiting = self._waiting, []
            return calls

    def _carry_out(self, calls: list[Call]) -> None:
        """Carry out calls; one that fails in code of the user fails alone."""
        try:
            self._run(calls)
        except SemibanditsError as error:
            for call in calls:
                call.error = error
        except Exception as error:
            if len(calls) > 1:
                for call in calls:
                    self._carry_out([call])
                return
            calls[0].error = error
        for call in calls:
            call.is_done = True
