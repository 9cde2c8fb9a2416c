"""The ask/tell interface to a policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, final

from semibandits._arguments import hinted
from semibandits._labelled import in_item_order
from semibandits._outcomes import Outcome, Outcomes, listed_outcomes, number_of_rounds, one_of, whole_number
from semibandits._typing import ArrayLike, FloatArray
from semibandits._validation import as_floats, variance_vector
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.laws import Law
from semibandits.learning import storage
from semibandits.learning.arguments import Seed, check_decision_set, check_policy, default_variance, generator_of, known_law
from semibandits.learning.availability import Available, available_items
from semibandits.learning.drift import DriftCheck
from semibandits.learning.exclusion import Uses, exclusive
from semibandits.learning.intervals import law_of
from semibandits.learning.options import NAMES, Options
from semibandits.learning.outcomes import OutcomeCheck
from semibandits.learning.progress import Progress
from semibandits.learning.reading import Readable
from semibandits.learning.replacement import SharedItems, move
from semibandits.learning.restoration import fixed_state, moving_state, restore
from semibandits.learning.round import Round
from semibandits.policies.ageing import Ageing
from semibandits.policies.agents import RuleAgent
from semibandits.policies.base import Agent, Policy
from semibandits.policies.glade import GLADE
from semibandits.policies.many.agent import started
from semibandits.policies.prior import Prior
from semibandits.policies.rules import LawPolicy


@final
class Learner(Readable):
    """Ask for a decision, carry it out, tell its rewards.

    Several rounds may be open at once, and outcomes may be told in any order. A call that fails leaves the learner unchanged.
    With the same seed and rewards it plays the same decisions as :func:`semibandits.simulate`, unless there are very many items
    (50,000 or more with a prior, docs/learner.md).

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
    prior_means, prior_plays : array_like of float, scalar or shape (d,), optional
        Estimates of the mean rewards before the first round, say from a routing engine, and how many observed rewards each of
        them is worth: whole numbers >= 0; one for all items or one per item. The policy counts them as observed rewards.
    prior_costs : array_like of float, scalar or shape (d,), optional
        Estimates of the mean costs, instead of `prior_means`.
    half_life : float, optional
        Number of rounds, > 0, in which outcomes lose half of their weight, for means that change: in each round an outcome counts
        ``2 ** (-age / half_life)`` times, with age the number of rounds asked for after its round (discounted UCB, Garivier and
        Moulines 2011). By default it counts once.
    drift_error : float, optional
        Whether to check each item for changes of its mean reward, and the probability, at most, that any item is ever reported
        although no mean changes. Reports are in `drifts`, and warnings of the logger ``semibandits.learning``; they do not affect
        decisions. By default nothing is checked.
    defer_plans : bool
        Whether `ask` never waits for a plan. A policy that makes plans, as `OSSB`, then goes on with the one it has, and without
        any it plays the best decision at the estimates; `wants_plan` is True until `solve_plan` has made the plan.

    Raises
    ------
    InvalidInputError
        If an argument is malformed.
    UnsupportedError
        If your own policy does not support a prior; with `half_life`, if the policy is your own or makes plans, as `OSSB`.

    Notes
    -----
    A learner must be used by one thread at a time: a call while another one is running raises `ConcurrentUseError` and changes
    nothing. Your own agents should leave themselves unchanged when they raise an error; the learner can only restore its own
    state and that of the policies of the library.

    Examples
    --------
    >>> streets = [("depot", "park"), ("depot", "bridge"), ("park", "shop"), ("bridge", "shop")]
    >>> learner = sb.Learner(sb.Paths(streets, "depot", "shop"), variance=4.0, seed=0)
    >>> today = learner.ask()
    >>> today.labels
    (('depot', 'park'), ('park', 'shop'))
    >>> learner.tell(today.id, costs=[12.0, 7.5])  # minutes, in the order of the labels
    >>> learner.costs.tolist(), learner.plays.tolist()
    ([12.0, 0.0, 7.5, 0.0], [1, 0, 1, 0])
    >>> again = sb.Learner.from_state(learner.state())  # the state is plain JSON
    >>> again.ask().labels == learner.ask().labels
    True
    """

    @hinted
    def __init__(
        self,
        decision_set: DecisionSet,
        policy: Policy | None = None,
        *,
        variance: ArrayLike | None = None,
        seed: Seed,
        rewards: str | None = None,
        law: Law | str | None = None,
        prior_means: ArrayLike | None = None,
        prior_plays: ArrayLike | None = None,
        prior_costs: ArrayLike | None = None,
        half_life: float | None = None,
        drift_error: float | None = None,
        defer_plans: bool = False,
    ) -> None:
        check_decision_set(decision_set)
        policy = GLADE() if policy is None else policy
        check_policy(policy)
        known = known_law(law, rewards)
        policy = policy.for_law(known)
        variance = default_variance(policy, known) if variance is None else variance
        variance = in_item_order(variance, decision_set, "variance")
        values = as_floats(variance, "variance")
        variance_vector(values, decision_set)
        self._decision_set, self._policy, self._variance = decision_set, policy, values.tolist()
        self._rng = generator_of(seed)
        self._outcomes = OutcomeCheck(policy, decision_set, variance)
        prior = Prior.of(prior_means, prior_plays, decision_set, costs=prior_costs, laws=[self._outcomes.law])
        self._agent: Agent = started(policy, decision_set, variance, prior, ages=half_life is not None)
        self._progress = Progress(decision_set, self._agent, self._rng, prior)
        self._options = Options.of(drift_error, half_life, defer_plans)
        if isinstance(self._agent, RuleAgent):
            self._agent.defers = self._options.defer_plans
        if self._options.half_life is not None:
            self._progress.age(Ageing(self._options.half_life, decision_set.d, prior))
        if self._options.drift_error is not None:
            law = law_of(policy, self._agent, self._variance)
            self._progress.drift = DriftCheck(law, decision_set.d, self._options.drift_error)
        self._fixed_state: dict[str, Any] | None = None
        self._uses = Uses()

    @exclusive
    def ask(self, available: Available | None = None) -> Round:
        """Open a round and return it, with the next decision. `tell` or `forget` closes the round.

        Parameters
        ----------
        available : array_like of bool, shape (d,), collection of labels, or callable, optional
            Items that the decision may use in this round: a mask, also by label, their labels (or their indices where no label is
            an integer), or a function that returns for the label of an item whether it is available. By default all.

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
        mask = None if available is None else available_items(available, self._progress.labels)
        (asked,) = self._progress.ask(mask)
        return asked

    @exclusive
    def ask_many(self, count: int, available: Available | None = None) -> tuple[Round, ...]:
        """Open several rounds at once, or none if an error occurs: the same rounds as so many calls of :meth:`ask`.

        Parameters
        ----------
        count : int
            Number of rounds, from 1 to 1,000,000.
        available : array_like of bool, shape (d,), collection of labels, or callable, optional
            Items that the decisions may use, as for :meth:`ask`; by default all.

        Returns
        -------
        tuple of Round, length count
            The rounds, in order.

        Raises
        ------
        InvalidInputError
            If `count` is not such an integer, and as for :meth:`ask`.
        Infeasible, SolverError, UnsupportedError
            As for :meth:`ask`.
        """
        mask = None if available is None else available_items(available, self._progress.labels)
        return self._progress.ask(mask, number_of_rounds(count))

    @exclusive
    def tell(self, round_id: int, rewards: Outcome | None = None, *, costs: Outcome | None = None, partial: bool = False) -> None:
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
        self._observe([self._checked(round_id, *one_of(rewards, costs, "rewards"), partial=partial)])

    def tell_many(self, outcomes: Outcomes | None = None, *, costs: Outcomes | None = None, partial: bool = False) -> None:
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
        self._observe(checked)

    def _observe(self, checked: list[tuple[Round, FloatArray]]) -> None:
        """Observe rewards of open rounds, and log drifts."""
        drift = self._progress.drift
        known = 0 if drift is None else drift.count
        for asked, values in checked:
            self._progress.observe(asked, values)
        if drift is not None:
            drift.log(known)

    @exclusive
    def forget(self, round_id: int) -> None:
        """Close a round whose outcome is lost.

        Parameters
        ----------
        round_id : int
            ``round.id`` of an open round.

        Raises
        ------
        InvalidInputError
            If there is no such open round.
        """
        self._progress.forget(self._open_round(round_id))

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
        old = tuple(asked for asked in self._progress.open.values() if asked.id < limit)
        for asked in old:
            self._progress.forget(asked)
        return old

    def _expiry(self, age: int | None, before: int | None) -> int:
        """The id below which open rounds are old, >= 0; see `expire`."""
        if (age is None) == (before is None):
            raise InvalidInputError(
                f"expire takes either age or before, got age={age!r} and before={before!r}: pass for instance age=1000"
            )
        return whole_number(before, "before") if age is None else max(self._progress.next_id - 1 - whole_number(age, "age"), 0)

    @exclusive
    def solve_plan(self) -> bool:
        """Make the plan that the policy wants, at the present estimates, and follow it from the next round on.

        For learners with ``defer_plans=True``; others make plans in `ask`.

        Returns
        -------
        bool
            Whether a plan was made: False if none is wanted.

        Raises
        ------
        SolverError
            If no plan can be made.
        """
        if not self._progress.wants_plan:
            return False
        self._progress.adopt(self._progress.planner().plan())
        return True

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
            If an argument is malformed or missing, labels of one of the sets are not distinct, or the law of the new policy
            excludes what was observed.
        UnsupportedError
            If your own policy does not support a history.
        """
        check_decision_set(decision_set)
        policy = self._policy if policy is None else policy
        check_policy(policy)
        shared = SharedItems.of(self._decision_set, decision_set)
        laws = [policy.known_law] if isinstance(policy, LawPolicy) else []
        given = Prior.of(prior_means, prior_plays, decision_set, costs=prior_costs, laws=laws)
        prior = shared.prior(self._progress.prior, given)
        learner = Learner(
            decision_set,
            policy,
            variance=shared.variance(self._variance) if variance is None else variance,
            seed=storage.stored_generator(storage.generator_state(self._rng)),
            prior_means=None if prior is None else prior.means,
            prior_plays=None if prior is None else prior.plays,
            **self._options.state(),
        )
        move(self._progress, learner._progress, shared)
        learner._outcomes.statistics(learner._progress)
        open_rounds = learner._progress.open
        return learner, tuple(asked for asked in self._progress.open.values() if asked.id not in open_rounds)

    @exclusive
    def state(self) -> dict[str, Any]:
        """The complete state as a new object of plain JSON, for :meth:`from_state`.

        Raises
        ------
        InvalidInputError
            If the state or specification of your own policy is not plain JSON.
        """
        if self._fixed_state is None:  # neither ever changes
            self._fixed_state = fixed_state(self._decision_set, self._policy, self._progress) | self._options.state()
        return storage.sealed({**self._fixed_state, "variance": self._variance, **moving_state(self._progress)})

    @classmethod
    def from_state(cls, state: Mapping[str, Any], decision_set: DecisionSet | None = None, policy: Policy | None = None) -> Self:
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
        x = storage.stored_decision_set(content["decision_set"], decision_set, storage.stored_size(content["statistics"]))
        played = storage.stored_policy(content["policy"], policy)
        learner = cls(
            x, played, variance=content["variance"], seed=storage.stored_generator(content["generator"]),
            **storage.stored_prior(content.get("prior")),
            **{name: content[name] for name in NAMES if name in content},
        )  # fmt: skip
        restore(learner._progress, content)
        learner._outcomes.statistics(learner._progress)
        return learner

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles hold the state, and the decision set and policy as they are."""
        return type(self).from_state, (self.state(), self._decision_set, self._policy)

    def _open_round(self, round_id: object) -> Round:
        return self._progress.open_round(round_id)

    def _checked(self, round_id: object, outcome: Outcome, in_costs: bool, *, partial: bool) -> tuple[Round, FloatArray]:
        """An open round and the rewards of its items, from rewards or costs, NaN where the outcome is lost."""
        asked = self._open_round(round_id)
        return asked, self._outcomes.rewards(asked, outcome, in_costs=in_costs, partial=partial)
