"""A learner that starts from the logs of another system."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from semibandits._typing import ArrayLike
from semibandits.decisions.base import DecisionSet
from semibandits.inputs.outcomes import about_costs, one_of
from semibandits.laws import Law
from semibandits.learning.arguments import LoggedRounds, Seed, known_law, known_variance
from semibandits.learning.history import estimated_variance, history_of, history_of_rounds
from semibandits.learning.outcomes import OutcomeCheck
from semibandits.learning.progress import Progress
from semibandits.policies.base import Policy
from semibandits.policies.glade import GLADE
from semibandits.policies.history import History

if TYPE_CHECKING:
    from semibandits.learning.learner import Learner


class FromLogs(ABC):
    """The part of :class:`Learner` that creates it from logs."""

    _progress: Progress
    _outcomes: OutcomeCheck

    @classmethod
    def from_history(
        cls,
        decision_set: DecisionSet,
        items: Iterable[Any],
        rewards: ArrayLike | None = None,
        policy: Policy | None = None,
        *,
        costs: ArrayLike | None = None,
        variance: ArrayLike | None = None,
        seed: Seed = 0,
        law: Law | str | None = None,
        features: Any = None,
        context: Any = None,
        contexts: Any = None,
        rounds: int | None = None,
        ignore_unknown: bool = False,
    ) -> Learner:
        """Start from observed rewards of single items, for instance from the logs of another system.

        Parameters
        ----------
        decision_set, policy, variance, seed, law, features, context
            As for :class:`Learner`; if neither the variance nor a law that determines it is given, the variance of the repeated
            rewards of items is used, one number for all: `variance` of the learner.
        items : iterable, n entries
            The item of each observation: its label, or its index where no label is an integer.
        rewards : array_like of float, shape (n,)
            The observed rewards, finite. Series of pandas are joined by their index.
        costs : array_like of float, shape (n,)
            The observed costs, instead of `rewards`.
        contexts : frame, or mapping from name to n values, optional
            What was known of the round of each observation, in the order of `items`; also the examples of a learner that is
            created without `context`. Names that it lacks were not known.
        rounds : int, optional
            Number of rounds of the other system; by default the smallest number in which a policy can make these observations:
            the largest number of plays of an item, or n / m if that is larger.
        ignore_unknown : bool
            Whether to skip observations of items that the decision set does not have; by default they are an error.

        Raises
        ------
        InvalidInputError
            If an argument is malformed.
        UnsupportedError
            If your own policy does not support a history.

        Notes
        -----
        The observations count as told, in this order, in rounds before the first `ask`: `plays` and `means` contain them,
        `rounds` is their number of rounds, and the policy continues with the next one. The policy of the other system need not be
        known. Means of observations converge to those of the items if it chose items without knowledge of the rewards to come, if
        observations are not kept or dropped according to their rewards, and if the means have not changed since.

        The exploration that policies require grows as ln t. The default t is at most the true number of rounds T, so that they
        explore at most as much as with T, and less by what grows as ln(T / t). It is at least the number of plays of each item.
        """
        given, in_costs = one_of(rewards, costs, "rewards")
        context = contexts if context is None else context
        read = partial(history_of, decision_set, items, given, rounds=rounds, ignore_unknown=ignore_unknown, in_costs=in_costs)
        with about_costs(in_costs):
            learner, history = _started(read, decision_set, policy, variance, law, seed=seed, features=features, context=context)
        learner._progress.recall(history, contexts)
        return learner

    @classmethod
    def from_rounds(
        cls,
        decision_set: DecisionSet,
        outcomes: LoggedRounds | None = None,
        policy: Policy | None = None,
        *,
        costs: LoggedRounds | None = None,
        variance: ArrayLike | None = None,
        seed: Seed = 0,
        law: Law | str | None = None,
        features: Any = None,
        context: Any = None,
        ignore_unknown: bool = False,
    ) -> Learner:
        """Start from rounds of another system. The same as :meth:`from_history`, with the number of rounds.

        Parameters
        ----------
        decision_set, policy, variance, seed, law, features, context, ignore_unknown
            As for :meth:`from_history`.
        outcomes : iterable of rounds, or mapping from anything to rounds
            Each round is a mapping from item to reward, or a pair ``(items, rewards)``. A round may contain any items, each
            at most once and not more of them than the largest decision; they need not be a decision.
        costs : iterable of rounds, or mapping from anything to rounds
            The same in costs, instead of `outcomes`.

        Raises
        ------
        InvalidInputError
            If an argument is malformed.
        UnsupportedError
            If your own policy does not support a history.

        Notes
        -----
        `CUCB` and `ThompsonSampling` keep nothing but counts, sums and the number of rounds: they continue as if they had chosen
        these rounds; so do `ESCB` and `AESCB`, unless a search ends without a proof. `GLADE` and `OSSB` plan anew at the first
        `ask`.
        """
        given, in_costs = one_of(outcomes, costs, "outcomes")
        read = partial(history_of_rounds, decision_set, given, ignore_unknown=ignore_unknown, in_costs=in_costs)
        with about_costs(in_costs):
            learner, history = _started(read, decision_set, policy, variance, law, seed=seed, features=features, context=context)
        learner._progress.recall(history)
        return learner


def _started(
    read: Callable[..., History],
    decision_set: DecisionSet,
    policy: Policy | None,
    variance: ArrayLike | None,
    law: Law | str | None,
    **options: Any,
) -> tuple[Learner, History]:
    """A new learner, and its history, which tells the variance if neither that nor a law that determines it is given."""
    history = None
    if variance is None and known_variance(GLADE() if policy is None else policy, known_law(law, None)) is None:
        history = read(law=None)
        variance = estimated_variance(history)
    learner = _new()(decision_set, policy, variance=variance, law=law, **options)
    return learner, read(law=learner._outcomes.law) if history is None else history


def _new() -> type[Learner]:
    """`Learner`, imported late because it is a subclass of `FromLogs`."""
    from semibandits.learning.learner import Learner

    return Learner
