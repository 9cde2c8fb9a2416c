"""Threads use a learner in turn. Calls that wait at the same time share one transaction, and thus one wait for the disk."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Final, TypeVar, final

from semibandits.decisions.base import DecisionSet
from semibandits.errors import SemibanditsError, StorageError
from semibandits.learning.operations import Operation
from semibandits_server.database.entries import Entry

T = TypeVar("T")
LONGEST_NAP: Final = 0.1
"""Seconds after which a waiting thread looks by itself: Ctrl-C may have ended the thread that should have woken it."""


class Apart(Exception):  # noqa: N818 (not an error)
    """The calls of a transaction must be carried out one by one."""


@final
@dataclass(eq=False)
class Call:
    """A call that changes a learner."""

    operation: Operation
    key: str | None  # name of the call
    before: int  # number of the last entry before the latest try
    # Identifies its entry if the answer of a commit was lost.
    token: str = field(default_factory=lambda: secrets.token_hex(8))
    tries: int = 0  # so far
    decision_set: DecisionSet | None = None  # of the learner that carried it out
    entry: Entry | None = None  # once it is stored
    error: BaseException | None = None  # once the call has failed
    is_done: bool = False  # whether `entry` or `error` is final: the transaction has ended
    _free: list[None] = field(default_factory=lambda: [None])

    def claim(self) -> bool:
        """Whether this thread alone may carry out the call, or withdraw it: not if another one does, which `release` ends."""
        try:
            self._free.pop()
        except IndexError:
            return False
        return True

    def release(self) -> None:
        """Let any thread claim the call again."""
        self._free = [None]

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
@dataclass(eq=False)
class _Ticket:
    """A place in the queue: its call, or None for other work; its thread, and what wakes this thread."""

    call: Call | None
    thread: int = field(default_factory=threading.get_ident)
    wakes: SimpleQueue[None] = field(default_factory=SimpleQueue)


@final
class CallQueue:
    """Threads that wait for their turn, in the order of their arrival. The first one carries out the calls of all: `run` carries
    out a list of calls in one transaction, and sets the entry or the error of each. `timeout` is the number of seconds to wait
    for other threads.

    A lock could stay locked for ever, and so could a condition: Ctrl-C may come after `acquire` returns and before `try` begins.
    Here a thread has the turn while its ticket is the first; `try` is entered before the ticket is added, and each change of the
    list is one step of the interpreter, as in `exclusion`.
    """

    def __init__(self, run: Callable[[list[Call]], None], *, timeout: float) -> None:
        self._run, self._timeout = run, timeout
        self._tickets: list[_Ticket] = []

    def entry_of(self, call: Call) -> Entry:
        """Carry out a call, possibly with others; `StorageError` after the timeout, or if the call cannot be stored."""
        self._in_turn(lambda: self._carry_out_claimed(call), call)
        return call.result()

    def alone(self, work: Callable[[], T]) -> T:
        """The result of other work, which may itself use the queue; `StorageError` after the timeout."""
        results: list[T] = []
        self._in_turn(lambda: results.append(work()), None)
        return results[0]

    def _in_turn(self, work: Callable[[], None], call: Call | None) -> None:
        """Work in the turn of this thread, unless another thread has carried out the call before."""
        tickets = self._tickets
        if [one.thread for one in tickets[:1]] == [threading.get_ident()]:
            work()
            return
        ticket = _Ticket(call)
        try:
            tickets.append(ticket)
            if self._has_turn(ticket):
                work()
        finally:
            if ticket in tickets:
                tickets.remove(ticket)
            for one in tuple(tickets):
                if one in tickets[:1] or (one.call is not None and one.call.is_done):
                    one.wakes.put(None)

    def _has_turn(self, ticket: _Ticket) -> bool:
        """Wait for the turn of a ticket; False if its call is done before."""
        deadline, call = time.monotonic() + self._timeout, ticket.call
        while self._tickets[0] is not ticket:
            if call is not None and call.is_done:
                return False
            left = deadline - time.monotonic()
            if left <= 0.0 and (call is None or call.claim()):
                raise StorageError(
                    f"other threads must leave the learner within timeout = {self._timeout:g} seconds, got a longer wait: try "
                    "again, or pass a longer timeout"
                )
            with suppress(Empty):
                ticket.wakes.get(timeout=min(left, LONGEST_NAP) if left > 0.0 else LONGEST_NAP)
        return call is None or not call.is_done

    def _carry_out_claimed(self, own: Call) -> None:
        """Carry out a call of this thread with those that others wait for and nobody has claimed."""
        calls: list[Call] = []
        try:
            for one in (own, *(one.call for one in tuple(self._tickets))):
                if one is not None and not one.is_done and (one.claim() or (one is own and not calls)):
                    calls.append(one)
            self._carry_out(calls)
        finally:
            for one in calls:
                one.release()

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
