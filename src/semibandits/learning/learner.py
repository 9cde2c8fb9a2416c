"""The ask/tell interface to a policy."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Self, TypeAlias, final

import numpy as np

from semibandits._arguments import hinted
from semibandits._costs import about_costs, negated, one_of
from semibandits._html import html_block, html_facts
from semibandits._numbers import number_text
from semibandits._text import shortened
from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits._validation import as_decision, as_floats, checked_answer, variance_vector
from semibandits.decisions.available import best_available
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, PositiveRewardsWarning
from semibandits.families.texts import NamedItems, decision_text
from semibandits.kernels.rounds import Player
from semibandits.laws import Bernoulli, Gaussian, Law, law_from
from semibandits.learning import storage
from semibandits.learning.availability import Available, available_items
from semibandits.learning.exclusion import Uses, exclusive
from semibandits.learning.history import LoggedRound, history_of, history_of_rounds
from semibandits.learning.replacement import SharedItems
from semibandits.learning.round import Outcome, Round
from semibandits.policies.agents import RuleAgent
from semibandits.policies.base import Agent, Policy
from semibandits.policies.glade import GLADE
from semibandits.policies.history import History
from semibandits.policies.prior import Prior
from semibandits.policies.rules import LawPolicy

LoggedRounds: TypeAlias = Iterable[LoggedRound] | Mapping[Any, LoggedRound]
"""Rounds of another system."""
Outcomes: TypeAlias = Mapping[int, Outcome] | Iterable[tuple[int, Outcome]]
"""Outcomes of several rounds, by id."""
SUSPICIOUS: Final = 3
"""Number of rounds from the first on in which only positive rewards on routes cause a warning."""
LONGEST_FACT: Final = 200
"""Maximum number of characters of a cell in notebooks."""


@final
class Learner:
    """Ask for a decision, carry it out, tell its rewards.

    Several rounds may be open at once, and outcomes may be told in any order. A call that fails leaves the learner unchanged.
    With the same seed and rewards it plays the same decisions as :func:`semibandits.simulate`.

    Parameters
    ----------
    decision_set : DecisionSet
        The decisions.
    policy : Policy, optional
        The policy; by default ``GLADE()``.
    variance : array_like of float, scalar or shape (d,)
        Variance of the rewards, > 0, for policies without one of their own; for bounded rewards a sub-Gaussian proxy, which
        is (b - a)^2 / 4 on [a, b]. May be left out if the law determines it, as for Gaussian and Bernoulli rewards, or if the
        policy uses the law.
    seed : int, SeedSequence, or Generator over PCG64
        The only source of randomness. A generator is used without a copy: other draws from it change the decisions.
    rewards : {"gaussian", "bernoulli"}, optional
        "bernoulli" is short for ``law=Bernoulli()``: rewards 0 and 1.
    law : Law or str, optional
        Law of the rewards, if it is known: ``"poisson"`` for counts, ``"gamma:cost"`` for minus exponential times; see
        :mod:`semibandits.laws`. `GLADE`, `OSSB` and `ThompsonSampling` use it, unless they have one of their own.
    prior_means, prior_plays : array_like of float, shape (d,), optional
        Estimates of the mean rewards before the first round, say from a routing engine, and how many observed rewards each of
        them is worth: whole numbers >= 0, one for all items or one per item. The policy counts them as observed rewards.
    prior_costs : array_like of float, shape (d,), optional
        Estimates of the mean costs, instead of `prior_means`.

    Raises
    ------
    InvalidInputError
        If an argument is malformed.
    UnsupportedError
        If your own policy does not support a prior.

    Notes
    -----
    A learner must be used by one thread at a time: a call while another one is running raises `ConcurrentUseError` and changes
    nothing. Your own agents should leave themselves unchanged when they raise an error; the learner can only restore its own
    state and that of the policies of the library.
    """

    @hinted
    def __init__(
        self,
        decision_set: DecisionSet,
        policy: Policy | None = None,
        *,
        variance: ArrayLike | None = None,
        seed: int | np.random.SeedSequence | np.random.Generator,
        rewards: str | None = None,
        law: Law | str | None = None,
        prior_means: ArrayLike | None = None,
        prior_plays: ArrayLike | None = None,
        prior_costs: ArrayLike | None = None,
    ) -> None:
        check_decision_set(decision_set)
        policy = GLADE() if policy is None else policy
        if not isinstance(policy, Policy):
            raise InvalidInputError(f"policy must be a Policy, got {policy!r}: pass for instance CUCB()")
        if rewards not in (None, "gaussian", "bernoulli"):
            raise InvalidInputError(
                f"rewards must be 'gaussian' or 'bernoulli', got {rewards!r}: leave it out if it is neither, or pass a law"
            )
        if law is not None and rewards is not None:
            raise InvalidInputError(
                f"rewards must be left out where a law is given, got {rewards!r} and {law!r}: pass law only"
            )
        known = Bernoulli() if rewards == "bernoulli" else None if law is None else law_from(law)
        policy = policy.for_law(known)
        variance = _default_variance(policy, known) if variance is None else variance
        values = as_floats(variance, "variance")
        variance_vector(values, decision_set.d)
        self._decision_set, self._policy, self._variance = decision_set, policy, values.tolist()
        self._rng = generator_of(seed)
        self._agent: Agent = policy.start(decision_set, variance)
        self._prior = Prior.of(prior_means, prior_plays, decision_set, costs=prior_costs)
        if self._prior is not None:
            self._agent.assume(self._prior)
        self._labels = decision_set.items
        self._open: dict[int, Round] = {}
        self._next = 0
        self._plays, self._sums = np.zeros(decision_set.d), np.zeros(decision_set.d)
        self._fixed_state: dict[str, Any] | None = None
        self._uses = Uses()
        self._positive_rounds = 0

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
        seed: int | np.random.SeedSequence | np.random.Generator,
        law: Law | str | None = None,
        rounds: int | None = None,
        ignore_unknown: bool = False,
    ) -> Self:
        """Start from observed rewards of single items, for instance from the logs of another system.

        Parameters
        ----------
        decision_set, policy, variance, seed, law
            As for :class:`Learner`.
        items : iterable, n entries
            The item of each observation: its label, or its index where no label is an integer.
        rewards : array_like of float, shape (n,)
            The observed rewards, finite.
        costs : array_like of float, shape (n,)
            The observed costs, instead of `rewards`.
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
        with about_costs(in_costs):
            history = history_of(decision_set, items, given, rounds=rounds, ignore_unknown=ignore_unknown)
        history = history.negated() if in_costs else history
        return cls(decision_set, policy, variance=variance, seed=seed, law=law)._recalling(history)

    @classmethod
    def from_rounds(
        cls,
        decision_set: DecisionSet,
        outcomes: LoggedRounds | None = None,
        policy: Policy | None = None,
        *,
        costs: LoggedRounds | None = None,
        variance: ArrayLike | None = None,
        seed: int | np.random.SeedSequence | np.random.Generator,
        law: Law | str | None = None,
        ignore_unknown: bool = False,
    ) -> Self:
        """Start from rounds of another system. The same as :meth:`from_history`, with the number of rounds.

        Parameters
        ----------
        decision_set, policy, variance, seed, law, ignore_unknown
            As for :meth:`from_history`.
        outcomes : iterable of rounds, or mapping from anything to rounds
            Each round is a mapping from item to reward, or a pair ``(items, rewards)``. A round may contain any items, each
            at most once; they need not be a decision.
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
        with about_costs(in_costs):
            history = history_of_rounds(decision_set, given, ignore_unknown=ignore_unknown)
        history = history.negated() if in_costs else history
        return cls(decision_set, policy, variance=variance, seed=seed, law=law)._recalling(history)

    def _recalling(self, history: History) -> Self:
        """The learner, new, with rounds of another system."""
        self._agent.recall(history)
        self._plays, self._sums, self._next = history.plays, history.sums, history.rounds
        return self

    def __repr__(self) -> str:
        return (
            f"Learner({self._decision_set!r}, {self._policy!r}): {self.rounds} rounds, {len(self._open)} of them open"
        )

    def _repr_html_(self) -> str:
        """The state and the best decision so far as a table, for notebooks."""
        return html_block("Learner", html_facts((name, shortened(text, LONGEST_FACT)) for name, text in self._facts()))

    def _facts(self) -> list[tuple[str, str]]:
        """The state and the best decision so far, each with its title."""
        names, best = NamedItems.of(self._decision_set), self.best()
        means = self.means
        value, is_cost = float(means[best].sum()), bool((means <= 0).all() and means.any())
        facts = [
            ("Decisions", repr(self._decision_set)),
            ("Policy", repr(self._policy)),
            ("Rounds", f"{self.rounds:,}, {len(self.open_rounds):,} of them open"),
        ]
        if self.rounds > len(self.open_rounds):
            facts.append((f"Best {names.nouns.decision} so far", decision_text(names, best)))
            noun, amount = ("cost", -value + 0.0) if is_cost else ("reward", value)
            facts.append((f"Its mean {noun} so far", number_text(amount, 4)))
        return facts

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
        """Number of rounds asked for so far, including those of a history."""
        return self._next

    @property
    @exclusive
    def open_rounds(self) -> tuple[Round, ...]:
        """Rounds neither told nor forgotten, oldest first."""
        return tuple(self._open.values())

    @property
    @exclusive
    def plays(self) -> IntArray:
        """Number of observed rewards of each item, shape (d,)."""
        return self._plays.astype(np.int64)

    @property
    @exclusive
    def means(self) -> FloatArray:
        """Mean of the observed rewards of each item, 0 before the first, shape (d,)."""
        return self._means()

    @property
    def costs(self) -> FloatArray:
        """Mean of the observed costs of each item, 0 before the first, shape (d,): minus `means`."""
        return negated(self.means)

    @exclusive
    def best(self, available: Available | None = None) -> BoolArray:
        """Decision of largest estimated mean reward, shape (d,): the one to play if nothing more is to be learned.

        Means of unobserved items count as 0, or as the largest mean that the decision set allows; a prior counts as in rounds.
        The call changes nothing.

        Parameters
        ----------
        available : array_like of bool, shape (d,), collection of labels, or callable, optional
            Items that the decision may use, as for :meth:`ask`; by default all.

        Raises
        ------
        Infeasible
            If every decision uses an item that is not available.
        InvalidInputError
            If `available` is malformed or holds an unknown label.
        """
        x = self._decision_set
        plays, sums = self._plays, self._sums
        if self._prior is not None:
            plays, sums = plays + self._prior.plays, sums + self._prior.plays * self._prior.means
        unseen = np.zeros(x.d) if x.upper is None else x.upper
        means = np.where(plays > 0, sums / np.maximum(plays, 1.0), unseen)
        mask = None if available is None else available_items(available, self._labels)
        if mask is None or mask.all():
            return checked_answer(x.maximize(means), x.d, x.m)
        return best_available(x, mask, means)

    @exclusive
    def ask(self, available: Available | None = None) -> Round:
        """Open a round and return it, with the next decision. `tell` or `forget` closes the round.

        Parameters
        ----------
        available : array_like of bool, shape (d,), collection of labels, or callable, optional
            Items that the decision may use in this round: a mask, their labels (or their indices where no label is an integer),
            or a function that returns for the label of an item whether it is available. By default all.

        Raises
        ------
        Infeasible
            If every decision uses an item that is not available.
        SolverError
            If the policy finds no decision; the message names a remedy.
        InvalidInputError
            If `available` is malformed or holds an unknown label, or if your own policy or decision set returns something that
            is not a decision.
        UnsupportedError
            If some item is not available, and your own policy does not implement `Agent.choose_among`.

        Notes
        -----
        If some items are not available, the policy plays its rule on the decisions that are left, with all that was learnt
        about their items: an item that is not available is neither explored nor compared with. With the same items available
        in every round it plays as a policy that has never had the others.
        """
        mask = None if available is None else available_items(available, self._labels)
        with self._undone_on_error():
            x = self._chosen(mask)
            asked = Round.of(self._next, x.copy(), self._labels)
            self._open[asked.id] = asked
            self._next = asked.id + 1
        return asked

    def _chosen(self, available: BoolArray | None) -> BoolArray:
        """The decision of the next round, checked."""
        is_whole = available is None or bool(available.all())
        agent, x = self._agent, None
        if is_whole:
            x = as_decision(agent.choose(self._rng), self._decision_set.d)
        elif available is not None:
            x = as_decision(agent.choose_among(available.copy(), self._rng), self._decision_set.d)
        trusted = is_whole and isinstance(agent, RuleAgent) and agent.oracle is not None
        if x is None or not (trusted or x in self._decision_set):
            raise InvalidInputError(
                f"policies must choose decisions, got {x!r} in round {self._next}: "
                "fix the policy, or `maximize` of the decision set"
            )
        if available is not None and (x & ~available).any():
            first = int(np.argmax(x & ~available))
            raise InvalidInputError(
                f"policies must choose available items, got {self._labels[first]!r} in round {self._next}: fix `choose_among`"
            )
        return x

    @exclusive
    def tell(
        self, round_id: int, rewards: Outcome | None = None, *, costs: Outcome | None = None, partial: bool = False
    ) -> None:
        """Observe the rewards of a round and close it.

        Parameters
        ----------
        round_id : int
            ``round.id`` of an open round.
        rewards : array_like of float, shape (k,), or mapping from label to float
            Reward of each item of the round: finite, in the order of ``round.items``, or by label.
        costs : array_like of float, shape (k,), or mapping from label to float
            Cost of each item, instead of `rewards`.
        partial : bool
            Whether the outcomes of some items may be lost: items whose reward is NaN, None or masked in a sequence, or whose
            label is absent from a mapping, count as never played. If the outcomes of all are, this is :meth:`forget`.

        Raises
        ------
        InvalidInputError
            If there is no such open round, the outcome is malformed, or both or neither of `rewards` and `costs` are given.
        """
        self._observe(*self._checked(round_id, *one_of(rewards, costs, "rewards"), partial=partial))

    def tell_many(
        self, outcomes: Outcomes | None = None, *, costs: Outcomes | None = None, partial: bool = False
    ) -> None:
        """Observe the rewards of several rounds: of all, or of none if one outcome is malformed.

        Parameters
        ----------
        outcomes : mapping from round id to rewards, or iterable of such pairs
            As for :meth:`tell`, observed in this order.
        costs : mapping from round id to costs, or iterable of such pairs
            The same in costs, instead of `outcomes`.
        partial : bool
            Whether the outcomes of some items may be lost, as for :meth:`tell`.

        Raises
        ------
        InvalidInputError
            If an outcome is malformed, a round occurs twice, or both or neither of `outcomes` and `costs` are given.
        """
        listed, in_costs = listed_outcomes(outcomes, costs)
        self._tell_listed(listed, in_costs=in_costs, partial=partial)

    @exclusive
    def _tell_listed(self, listed: list[tuple[int, Outcome]], *, in_costs: bool, partial: bool) -> None:
        checked = [self._checked(*pair, in_costs, partial=partial) for pair in listed]
        if len({asked.id for asked, _ in checked}) < len(checked):
            raise InvalidInputError(
                f"outcomes must hold each round once, got the ids {[asked.id for asked, _ in checked]}: drop the repetition"
            )
        for asked, values in checked:
            self._observe(asked, values)

    @exclusive
    def forget(self, round_id: int) -> None:
        """Close a round whose outcome is lost.

        Raises
        ------
        InvalidInputError
            If there is no such open round.
        """
        asked = self._open_round(round_id)
        self._forget(asked)

    def _forget(self, asked: Round) -> None:
        with self._closing(asked):
            self._agent.forget(asked.items.copy())

    @exclusive
    def expire(self, *, age: int | None = None, before: int | None = None) -> tuple[Round, ...]:
        """Forget old open rounds, whose outcomes will no longer arrive.

        Parameters
        ----------
        age : int
            >= 0. Forget open rounds after which more than this many rounds were asked for. The latest round has age 0.
        before : int
            >= 0. Forget open rounds whose id is smaller, instead of `age`; ``before=learner.rounds`` forgets all.

        Returns
        -------
        tuple of Round
            The rounds that were forgotten, in the order in which they were asked for.

        Raises
        ------
        InvalidInputError
            If both or neither of `age` and `before` are given, or the value is not an integer >= 0.
        """
        limit = self._expiry(age, before)
        old = tuple(asked for asked in self._open.values() if asked.id < limit)
        for asked in old:
            self._forget(asked)
        return old

    def _expiry(self, age: int | None, before: int | None) -> int:
        """The id below which open rounds are old, >= 0; see `expire`."""
        if (age is None) == (before is None):
            raise InvalidInputError(
                f"expire takes either age or before, got age={age!r} and before={before!r}: pass for instance age=1000"
            )
        return _whole_number(before, "before") if age is None else max(self._next - 1 - _whole_number(age, "age"), 0)

    @exclusive
    def replace(
        self,
        decision_set: DecisionSet,
        policy: Policy | None = None,
        *,
        variance: ArrayLike | None = None,
        prior_means: ArrayLike | None = None,
        prior_plays: ArrayLike | None = None,
        prior_costs: ArrayLike | None = None,
    ) -> tuple[Learner, tuple[Round, ...]]:
        """A new learner on another decision set, which keeps what was learnt about the items that both sets have.

        Items are the same if their labels are equal. They keep their observed rewards and prior; the policy plans anew, as after
        :meth:`from_history`. Rounds, their ids and the generator continue. This learner is not changed; both continue with the
        same random numbers, so use only one of them.

        Parameters
        ----------
        decision_set : DecisionSet
            The new decisions.
        policy : Policy, optional
            The policy; by default the present one. Required if it has parameters per item and the items differ.
        variance : array_like of float, scalar or shape (d,), optional
            Variance of the rewards; by default the present one. Required if it differs from item to item and there are new items.
        prior_means, prior_plays, prior_costs
            As for :class:`Learner`, over the items of the new set. They count for items that this learner does not have.

        Returns
        -------
        learner : Learner
            The new learner. Open rounds whose items all exist in the new set are open in it, under the same id, although their
            items may be in another order; see ``learner.open_rounds``.
        forgotten : tuple of Round
            The other open rounds of this learner.

        Raises
        ------
        InvalidInputError
            If an argument is malformed or missing, or labels of one of the sets are not distinct.
        UnsupportedError
            If your own policy does not support a history.
        """
        check_decision_set(decision_set)
        shared = SharedItems.of(self._decision_set, decision_set)
        learner = Learner(
            decision_set,
            self._policy if policy is None else policy,
            variance=shared.variance(self._variance) if variance is None else variance,
            seed=storage.stored_generator(storage.generator_state(self._rng)),
        )
        given = Prior.of(prior_means, prior_plays, decision_set, costs=prior_costs)
        learner._prior = shared.prior(self._prior, given)
        if learner._prior is not None:
            learner._agent.assume(learner._prior)
        learner._recalling(History(shared.values(self._plays), shared.values(self._sums), self._next))
        forgotten = []
        for asked in self._open.values():
            x = shared.decision(asked.items)
            if x is None:
                forgotten.append(asked)
            else:
                learner._open[asked.id] = Round.of(asked.id, x, learner._labels)
                learner._agent.reopen(learner._open[asked.id].items.copy())
        return learner, tuple(forgotten)

    @exclusive
    def state(self) -> dict[str, Any]:
        """The complete state as a new object of plain JSON, for :meth:`from_state`.

        Raises
        ------
        InvalidInputError
            If the state or specification of your own policy is not plain JSON.
        """
        if self._fixed_state is None:  # neither ever changes
            self._fixed_state = {
                "decision_set": storage.decision_set_state(self._decision_set),
                "policy": storage.policy_state(self._policy),
            }
            if self._prior is not None:
                self._fixed_state["prior"] = storage.prior_state(self._prior)
        return storage.sealed(
            {
                **self._fixed_state,
                "variance": self._variance,
                "generator": storage.generator_state(self._rng),
                "statistics": {"plays": self._plays.tolist(), "sums": self._sums.tolist()},
                "agent": self._agent.state(),
                "open_rounds": [
                    storage.round_state(asked.id, asked.decision, self._decision_set) for asked in self._open.values()
                ],
                "next_id": self._next,
            }
        )

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], decision_set: DecisionSet | None = None, policy: Policy | None = None
    ) -> Self:
        """Restore a learner, which continues from the state bit for bit.

        Parameters
        ----------
        state : mapping
            Return value of :meth:`state`, also after writing it to JSON and reading it.
        decision_set : DecisionSet, optional
            The decision set of the learner. Required if it is your own; sets of the library are rebuilt.
        policy : Policy, optional
            The policy of the learner. Required if it is your own.

        Raises
        ------
        InvalidInputError
            If the state has another format or a newer version, is damaged, or belongs to another decision set or policy.
        """
        content = storage.opened(state)
        x = storage.stored_decision_set(
            content["decision_set"], decision_set, storage.stored_size(content["statistics"])
        )
        played = storage.stored_policy(content["policy"], policy)
        learner = cls(
            x, played, variance=content["variance"], seed=storage.stored_generator(content["generator"]),
            **storage.stored_prior(content.get("prior")),
        )  # fmt: skip
        learner._plays, learner._sums = storage.stored_statistics(content["statistics"], x.d)
        learner._next = storage.stored_integer(content["next_id"], "next_id")
        learner._open = _stored_rounds(content["open_rounds"], x, learner._next)
        learner._agent.restore(content["agent"])
        learner._check_agreement()
        return learner

    def _check_agreement(self) -> None:
        """Check that values which the state holds twice are equal."""
        agent = self._agent
        if not isinstance(agent, RuleAgent):
            return
        pending = sum(
            (asked.decision.astype(np.int64) for asked in self._open.values()), np.zeros(len(self._plays), np.int64)
        )
        known, prior = self._plays > 0, self._prior
        if (
            not np.array_equal(agent.plays, self._plays if prior is None else self._plays + prior.plays)
            or (prior is None and not np.array_equal(agent.means[known], self._means()[known]))
            or not np.array_equal(agent.pending, pending)
            or agent.player.counters[0] != self._next
        ):
            raise InvalidInputError(
                "statistics, open_rounds, next_id and agent must agree, got different values: the state is damaged, use a copy"
            )

    def _means(self) -> FloatArray:
        return self._sums / np.maximum(self._plays, 1.0)

    def _open_round(self, round_id: object) -> Round:
        if isinstance(round_id, bool | np.bool_) or not isinstance(round_id, int | np.integer):
            raise InvalidInputError(f"round_id must be an integer, got {round_id!r}: pass round.id")
        asked = self._open.get(int(round_id))
        if asked is None:
            known = 0 <= round_id < self._next
            reason = "it was told or forgotten already" if known else "it was never asked for"
            raise InvalidInputError(
                f"round_id must be that of an open round, got {round_id}: {reason}; see learner.open_rounds"
            )
        return asked

    def _checked(
        self, round_id: object, outcome: Outcome, in_costs: bool, *, partial: bool
    ) -> tuple[Round, FloatArray]:
        """An open round and the rewards of its items, from rewards or costs, NaN where the outcome is lost."""
        asked = self._open_round(round_id)
        with about_costs(in_costs):
            values = asked.rewards(outcome, partial=partial)
        values = negated(values) if in_costs else values
        self._check_outcomes(asked, values, in_costs=in_costs)
        return asked, values

    def _check_outcomes(self, asked: Round, values: FloatArray, *, in_costs: bool) -> None:
        """Refuse rewards that the law of the policy excludes, and warn of costs on routes that were passed as rewards."""
        law = self._policy.known_law if isinstance(self._policy, LawPolicy) else None
        low, high = (-np.inf, np.inf) if law is None else law.outcomes
        wrong = np.flatnonzero((values < low) | (values > high))
        if len(wrong):
            assert law is not None
            sign, name, ends = (-1.0, "costs", (0.0 - high, 0.0 - low)) if in_costs else (1.0, "rewards", (low, high))
            raise InvalidInputError(
                f"{name} must be from {ends[0]:g} to {ends[1]:g} under the law {law.name}, got {sign * values[wrong[0]]:g} for "
                f"{asked.labels[wrong[0]]!r}: correct it, or use another law"
            )
        known = values[~np.isnan(values)]
        if self._decision_set.upper is None or not len(known) or self._positive_rounds >= SUSPICIOUS:
            return
        self._positive_rounds = self._positive_rounds + 1 if (known > 0.0).all() else SUSPICIOUS
        if self._positive_rounds == SUSPICIOUS and (known > 0.0).all():
            warnings.warn(
                f"all {'costs' if in_costs else 'rewards'} so far are {'negative' if in_costs else 'positive'}, but routes have "
                f"{'positive costs' if in_costs else 'negative rewards'}: pass positive costs as costs=",
                PositiveRewardsWarning,
                stacklevel=6,
            )

    def _observe(self, asked: Round, rewards: FloatArray) -> None:
        lost = np.isnan(rewards)
        items, values = asked.items[~lost], rewards[~lost]
        with self._closing(asked):
            if lost.any():
                self._agent.forget(asked.items[lost])
            if len(items) or not len(asked.items):
                self._plays[items] += 1.0
                self._sums[items] += values
                self._agent.observe(items, values)

    @contextmanager
    def _closing(self, asked: Round) -> Iterator[None]:
        """Close a round at the end of the block; if the block raises, restore the statistics of its items."""
        items, player = asked.items, self._agent.player if isinstance(self._agent, RuleAgent) else None
        before = [array[..., items] for array in self._by_item(player)]
        counters = np.empty(0, dtype=np.int64) if player is None else player.counters.copy()
        try:
            yield
            del self._open[asked.id]
        except BaseException:
            for array, values in zip(self._by_item(player), before, strict=True):
                array[..., items] = values
            if player is not None:
                player.counters[:] = counters
            self._open[asked.id] = asked
            raise

    def _by_item(self, player: Player | None) -> list[FloatArray]:
        """Arrays with a column for each item that outcomes change."""
        return [self._plays, self._sums, *([] if player is None else [player.stats])]

    @contextmanager
    def _undone_on_error(self) -> Iterator[None]:
        """Restore the generator, the policy's state and the open rounds if the block raises."""
        bits, upcoming = self._rng.bit_generator.state, self._next
        agent = self._agent
        player, part = (agent.player, agent.part) if isinstance(agent, RuleAgent) else (None, None)
        if player is not None:
            changing = ("memory", "marks", "rows", "stats", "counters")
            player = player._replace(**{name: getattr(player, name).copy() for name in changing})
        try:
            yield
        except BaseException:
            self._rng.bit_generator.state = bits
            self._open.pop(upcoming, None)
            self._next = upcoming
            if player is not None and isinstance(agent, RuleAgent):
                agent.player, agent.part = player, part
            raise


def listed_outcomes(outcomes: Outcomes | None, costs: Outcomes | None) -> tuple[list[tuple[int, Outcome]], bool]:
    """Ids of rounds with their outcomes, and whether these are costs.

    Raises
    ------
    InvalidInputError
        If these are not pairs, or both or neither of `outcomes` and `costs` are given.
    """
    given, in_costs = one_of(outcomes, costs, "outcomes")
    pairs = given.items() if isinstance(given, Mapping) else given
    try:
        listed = [(round_id, outcome) for round_id, outcome in pairs]
    except (TypeError, ValueError) as error:
        name, values = ("costs", "costs") if in_costs else ("outcomes", "rewards")
        raise InvalidInputError(
            f"{name} must be a mapping from round ids to {values} or pairs of them, got {type(given).__name__}: {error}"
        ) from error
    return listed, in_costs


def check_decision_set(decision_set: object) -> None:
    """Refuse anything but a decision set."""
    if not isinstance(decision_set, DecisionSet):
        raise InvalidInputError(
            f"decision_set must be a DecisionSet, got {type(decision_set).__name__}: build one, for instance MSets(20, 4)"
        )


def _whole_number(value: object, name: str) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < 0:
        raise InvalidInputError(f"{name} must be an integer >= 0, got {value!r}: pass a number of rounds")
    return int(value)


def _default_variance(policy: Policy, law: Law | None) -> ArrayLike:
    if isinstance(law, Gaussian):
        return law.variance
    if isinstance(law, Bernoulli):
        return 0.25
    if isinstance(policy, LawPolicy) and policy.known_law is not None and policy.known_law == law:
        return 1.0  # not used
    raise InvalidInputError(
        "variance must be given, got None: pass the variance of the rewards, (b - a)**2 / 4 for rewards in [a, b], or their "
        "law, rewards='bernoulli' for rewards 0 and 1"
    )


def generator_of(seed: object) -> np.random.Generator:
    """The generator of a seed.

    Raises
    ------
    InvalidInputError
        If it is not an integer >= 0, a SeedSequence, or a Generator over PCG64.
    """
    if isinstance(seed, np.random.Generator):
        if isinstance(seed.bit_generator, np.random.PCG64):
            return seed
        raise InvalidInputError(
            f"seed must be a Generator over PCG64, got one over {type(seed.bit_generator).__name__}: "
            "pass numpy.random.default_rng(...) or an integer"
        )
    if isinstance(seed, np.random.SeedSequence):
        return np.random.default_rng(seed)
    if isinstance(seed, bool | np.bool_) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInputError(
            f"seed must be an integer >= 0, a SeedSequence or a Generator, got {seed!r}: pass for instance 0"
        )
    return np.random.default_rng(int(seed))


def _stored_rounds(rounds: Any, decision_set: DecisionSet, n_asked: int) -> dict[int, Round]:
    if not isinstance(rounds, list):
        raise InvalidInputError(f"open_rounds must be a list, got {rounds!r}: the state is damaged, use a copy")
    pairs = [storage.stored_decision(part, decision_set) for part in rounds]
    numbers = [number for number, _ in pairs]
    if numbers != sorted(set(numbers)) or any(number >= n_asked for number in numbers):
        raise InvalidInputError(
            f"ids of open rounds must ascend below next_id = {n_asked}, got {numbers}: the state is damaged, use a copy"
        )
    labels = decision_set.items
    return {number: Round.of(number, x, labels) for number, x in pairs}
