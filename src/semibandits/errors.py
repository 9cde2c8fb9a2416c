"""The errors that semibandits raises, all derived from :class:`SemibanditsError`, and its warnings.

A message states what was expected, what was found, and a remedy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

LONGEST: Final = 2_000
"""Maximum number of characters of a message; the middle of a longer one is cut out."""


@dataclass(frozen=True)
class Option:
    """An option in an error message: ``size=2`` in Python, ``--size 2`` on the command line, ``size = 2`` in a study file."""

    name: str  # of the argument or field in Python
    value: str | float | list[str] | bool | None = None  # a value to set, for instance "NODE"; None to name the option only

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class Message(Exception):  # noqa: N818 (the common part of errors and warnings)
    """A message of the library.

    Parameters
    ----------
    *parts : str or Option
        Parts of the message.
    """

    def __str__(self) -> str:
        return self.formatted(str)

    def formatted(self, option_text: Callable[[Option], str]) -> str:
        """The message, with each option replaced by its `option_text`."""
        message = "".join(option_text(part) if isinstance(part, Option) else str(part) for part in self.args)
        half = LONGEST // 2
        return message if len(message) <= LONGEST else f"{message[:half]} ... {message[-half:]}"


class SemibanditsError(Message):
    """Base class of every error that the library raises on purpose.

    Parameters
    ----------
    *parts : str or Option
        Parts of the message.

    Examples
    --------
    >>> try:
    ...     articles = sb.MSets(3, 5)  # 5 of 3 articles
    ... except sb.SemibanditsError as error:
    ...     print(f"{type(error).__name__}: {error}")
    InvalidInputError: m must be at most d = 3, got 5: lower m, or add items
    """


class PositiveRewardsWarning(UserWarning):
    """The rewards told to a learner on routes are positive in each of its first rounds, although they are minus costs.

    They are probably costs without a minus sign, which must be passed as costs: ``learner.tell(round.id, costs=minutes)``. The
    warning is also issued if all costs are negative.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", sb.PositiveRewardsWarning)
    >>> streets = sb.Routes([("home", "park"), ("park", "office")], "home", "office")
    >>> learner = sb.Learner(streets, variance=4.0, seed=0)
    >>> for day in range(3):
    ...     learner.tell(learner.ask().id, [10.0, 15.0])  # minutes
    Traceback (most recent call last):
        ...
    semibandits.errors.PositiveRewardsWarning: all rewards so far are positive, but routes have negative rewards: pass positive
    costs as costs=
    """


class SparseLogWarning(UserWarning):
    """Items have a single logged outcome, which counts as their mean: one click of one view is a click rate of 1.

    Leave these items out, or simulate with a mean between theirs and that of the others. A learner that starts from the same log
    (:meth:`Learner.from_history`) knows how few outcomes it has, and ``features="pooled"`` lets it expect the mean of the others.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", sb.SparseLogWarning)
    >>> sb.ReplayedRewards([[0.0, 1.0, 0.0], [1.0]])
    Traceback (most recent call last):
        ...
    semibandits.errors.SparseLogWarning: 1 of 2 items have a single outcome (first: index 1), which counts as their mean: leave \
them out, or log more
    """


class OutlierWarning(UserWarning):
    """An outcome told to a learner is thousands of standard deviations away from all outcomes before.

    Such numbers often stand for a timeout, or for something forbidden. As an outcome, one of them rules its item out for ever.
    Pass ``partial=True`` and leave the outcome out, or NaN, where nothing was measured, and ``available=`` to `ask` where an item
    must not be used. A learner warns once, from the fourth round on, if the variance of the rewards is known.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", sb.OutlierWarning)
    >>> learner = sb.Learner(sb.MSets(3, 1, items=["north", "south", "west"]), variance=4.0, seed=0)
    >>> for minutes in (12.0, 15.0, 11.0, 1e9):
    ...     learner.tell(learner.ask().id, costs=[minutes])
    Traceback (most recent call last):
        ...
    semibandits.errors.OutlierWarning: costs so far are at most 15 in size, got 1e+09 for 'north', which is 5e+08 standard
    deviations away: pass partial=True and leave out what was not measured, or make items unavailable in ask
    """


class SignChangeWarning(UserWarning):
    """The outcomes of a round have the opposite sign of earlier outcomes of the same items, as if costs were passed as rewards.

    Outcomes cannot be undone; the section "Outcomes that were told wrongly" of the page on learners in a database shows how to
    create a new learner from a corrected log. Each learner warns once per process. There is no warning if the variance of the
    rewards is unknown, if rewards are close to 0, if means of other items have the opposite sign, or if rounds have features or a
    context of their own. If the variance is right and means do not change, at most one of 3e6 rounds causes a false warning.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", sb.SignChangeWarning)
    >>> learner = sb.Learner(sb.MSets(3, 2, items=["north", "south", "west"]), variance=4.0, seed=0)
    >>> for _ in range(3):
    ...     learner.tell(learner.ask().id, costs=[12.0, 15.0])  # minutes
    >>> learner.tell(learner.ask().id, [12.5, 14.0])
    Traceback (most recent call last):
        ...
    semibandits.errors.SignChangeWarning: rewards of the same items must keep their sign, got 13.25 on average in round 3, and
    -13.5 before: pass what is better small as costs=, everything else as rewards, in every round
    """


class LongestPathWarning(Message, UserWarning):
    """All mean rewards of a path problem are positive, so that the longest path is best.

    Costs must be passed as costs: ``graves_lai(paths, costs=minutes)``. To ignore the warning:
    ``warnings.simplefilter("ignore", semibandits.LongestPathWarning)``.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", sb.LongestPathWarning)
    >>> routes = sb.Paths([("home", "office"), ("home", "park"), ("park", "office")], "home", "office")
    >>> sb.graves_lai(routes, [30.0, 10.0, 15.0])  # minutes
    Traceback (most recent call last):
        ...
    semibandits.errors.LongestPathWarning: all mean rewards are positive and rewards are maximised, so the longest path is best:
    for the shortest one, pass costs instead, or ignore this
    >>> sb.graves_lai(routes, costs=[30.0, 10.0, 15.0]).optimal_decision.tolist()
    [False, True, True]
    """


class EmptyDecisionWarning(Message, UserWarning):
    """No mean reward is positive, as of costs, and the best decision is the one without items.

    ``Matchings(pairs, saturate="none")`` contains the empty decision; decision sets of your own may, too. A learner warns
    once, at the first positive costs.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", sb.EmptyDecisionWarning)
    >>> pairs = [("Ann", "park"), ("Bob", "park"), ("Bob", "port"), ("Eve", "port")]
    >>> sb.graves_lai(sb.Matchings(pairs, saturate="none"), costs=[20.0, 15.0, 10.0, 25.0])  # minutes
    Traceback (most recent call last):
        ...
    semibandits.errors.EmptyDecisionWarning: no mean reward, which is minus the cost, is positive, so the best decision has no
    items: pass saturate='most' to match as many as possible, or ignore this
    >>> sb.graves_lai(sb.Matchings(pairs, saturate="most"), costs=[20.0, 15.0, 10.0, 25.0]).optimal_decision.tolist()
    [True, False, True, False]
    """


class InvalidInputError(SemibanditsError, ValueError):
    """The input is invalid; the message states the requirement, the value found, and the remedy.

    It is also a ValueError.

    Examples
    --------
    >>> learner = sb.Learner(sb.MSets(3, 2), variance=0.25, seed=0)
    >>> learner.tell(learner.ask().id, [1.0])  # two articles were shown
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: rewards of round 0 must have shape (k,) = (2,), got (1,): pass one reward per item of
    round.items, in that order
    """


class ConcurrentUseError(SemibanditsError, RuntimeError):
    """A learner is used while another call of it is running, in another thread or from a callback.

    The call that is refused changes nothing. A :class:`DurableLearner` may be shared by threads.

    Examples
    --------
    >>> class Curious(sb.Policy, sb.Agent):
    ...     def start(self, decision_set, variance):
    ...         return self
    ...     def choose(self, rng):
    ...         return learner.plays < 100  # `plays` is read while `ask` is running
    ...     def observe(self, items, rewards):
    ...         pass
    >>> learner = sb.Learner(sb.MSets(3, 3), Curious(), variance=0.25, seed=0)
    >>> learner.ask()
    Traceback (most recent call last):
        ...
    semibandits.errors.ConcurrentUseError: a Learner must be used by one thread at a time, got a call while another one was
    running: hold one lock of your own around each call, or give each thread its own
    """


class StorageError(SemibanditsError, RuntimeError):
    """A database of learners cannot be used: it is locked, gone, full or damaged; the message names the remedy.

    Examples
    --------
    >>> articles = sb.MSets(3, 1)
    >>> sb.open_learner("sqlite:///no-such-folder/shop.db", name="articles", decision_set=articles, variance=0.25, timeout=0)
    Traceback (most recent call last):
        ...
    semibandits.errors.StorageError: sqlite:///no-such-folder/shop.db must be a readable and writable database, got: unable to
    open database file: check the URL, the rights, and the file or the server
    """


class ServiceError(SemibanditsError, RuntimeError):
    """A service of learners does not answer, refuses a request, or answers something unexpected.

    Parameters
    ----------
    message : str
        What was expected, what was found, and a remedy.
    status : int or None
        HTTP status of the answer; None without an answer. It is also an attribute.

    Examples
    --------
    >>> from semibandits.client import Client
    >>> client = Client("http://127.0.0.1:9", retries=0)  # no service runs there
    >>> try:
    ...     client.learners()
    ... except sb.ServiceError as error:
    ...     print(error)
    the service at http://127.0.0.1:9 must answer, got no answer in 1 attempt (...): check the URL and that the service runs, and
    repeat the call with its key
    >>> client.close()
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Infeasible(SemibanditsError):  # noqa: N818 (a public name, and a result rather than a mistake)
    """No decision satisfies the constraint.

    Examples
    --------
    >>> routes = sb.Paths([("depot", "park"), ("depot", "bridge"), ("park", "shop"), ("bridge", "shop")], "depot", "shop")
    >>> learner = sb.Learner(routes, variance=4.0, seed=0)
    >>> try:
    ...     today = learner.ask(available=[("depot", "park"), ("bridge", "shop")])
    ... except sb.Infeasible:
    ...     print("no route is open today")
    no route is open today
    """


class TooManyDecisionsError(SemibanditsError):
    """Enumerating or counting would exceed the limit on the number of decisions.

    Examples
    --------
    >>> articles = sb.MSets(30, 10)
    >>> articles.enumerate(limit=1_000)
    Traceback (most recent call last):
        ...
    semibandits.errors.TooManyDecisionsError: there must be at most limit = 1,000 decisions to list, got 30,045,015: raise limit,
    or avoid listing
    """


class UnsupportedError(SemibanditsError, NotImplementedError):
    """The operation is not available for these decisions, this policy or this law.

    Examples
    --------
    >>> routes = sb.Paths([("home", "office"), ("home", "park"), ("park", "office")], "home", "office")
    >>> sb.graves_lai(routes, costs=[30.0, 10.0, 15.0], method="closed-form")
    Traceback (most recent call last):
        ...
    semibandits.errors.UnsupportedError: the closed form holds for matroid bases, got Paths: use method='cycles' or 'auto'
    """


class SolverError(SemibanditsError, RuntimeError):
    """A solver stopped before it reached the requested precision.

    Parameters
    ----------
    message : str
        The requested precision, the precision reached, and a remedy.
    result : GravesLaiResult or None
        The result reached, for which ``result.lower <= C(theta) <= result.value`` still holds; None if there is none. It is
        also an attribute.

    Examples
    --------
    >>> drivers = sb.Matchings([(driver, tour) for driver in "ABC" for tour in range(3)])
    >>> scores = [0.9, 0.5, 0.3, 0.4, 0.8, 0.2, 0.1, 0.6, 0.7]
    >>> try:
    ...     sb.graves_lai(drivers, scores, time_limit=1e-9)  # seconds
    ... except sb.SolverError as error:
    ...     print(f"{error.result.lower:.2f} <= C(theta) <= {error.result.value:.2f}")
    5.71 <= C(theta) <= 10.64
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result
