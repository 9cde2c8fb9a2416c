"""The ask/tell interface to a policy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from semibandits._typing import ArrayLike
from semibandits.decisions.base import DecisionSet, check_decision_set
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.features.design import Design
from semibandits.inputs.arguments import hinted
from semibandits.inputs.labelled import in_item_order
from semibandits.inputs.outcomes import Outcome, Outcomes, listed_outcomes, number_of_rounds, one_of, whole_number
from semibandits.inputs.selection import Available
from semibandits.inputs.validation import as_floats, variance_vector
from semibandits.laws import Law
from semibandits.learning import storage
from semibandits.learning.arguments import Seed, default_variance, generator_of, known_law
from semibandits.learning.drift import DriftCheck
from semibandits.learning.exclusion import Uses, exclusive
from semibandits.learning.intervals import law_of
from semibandits.learning.operations import Adopt, Ask, Asked, AskMany, Expire, Forget, Operation, Tell
from semibandits.learning.options import NAMES, Options
from semibandits.learning.outcomes import OutcomeCheck
from semibandits.learning.progress import Progress
from semibandits.learning.reading import Readable
from semibandits.learning.replacement import SharedItems, move
from semibandits.learning.restoration import fixed_state, moving_state, restore
from semibandits.learning.round import Round
from semibandits.policies.ageing import Ageing
from semibandits.policies.base import Agent, Policy, check_policy
from semibandits.policies.glade import GLADE
from semibandits.policies.many.few import started
from semibandits.policies.prior import Prior
from semibandits.policies.rules import LawPolicy

T = TypeVar("T")


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
        The only source of randomness, 0 by default. A generator is used without a copy: other draws from it change the decisions.
    rewards : {"gaussian", "bernoulli"}, optional
        "bernoulli" is short for ``law=Bernoulli()``: rewards 0 and 1.
    law : Law or str, optional
        Law of the rewards, if it is known: ``"poisson"`` for counts, ``"gamma:cost"`` for minus exponential times; see
        :mod:`semibandits.laws`. `GLADE`, `OSSB` and `ThompsonSampling` use it, unless they have one of their own.
    prior_means, prior_plays : array_like of float, scalar or shape (d,), optional
        Estimates of the mean rewards before the first round, say from a routing engine, and how many observed rewards each of
        them is worth: whole numbers >= 0; one for all items or one per item. The policy counts them as observed rewards. A gap
        (NaN or None) is an item of which nothing is known.
    prior_costs : array_like of float, scalar or shape (d,), optional
        Estimates of the mean costs, instead of `prior_means`.
    features : array_like of shape (d, k), frame, mapping by label, mapping of columns, or {"pooled", "additive"}, optional
        What is known of each item, so that items tell of each other: numbers, or texts, which stand for categories, in the order
        of the items or by label, or d values for each name. "pooled": an item that was never observed is expected to be like the
        others. "additive", for items that are pairs: like the others of its first part and of its second part. How far items
        differ from what their features say is learnt. With a table, `GLADE` may overlook an item unlike its features;
        `ThompsonSampling` does not. See docs/features.md.
    context : frame, or mapping from name to values, optional
        Examples of what is known of a round, as of a user or an hour, for instance ``{"device": ["phone", "desktop"], "hour":
        [0, 23]}`` or a frame of earlier rounds: numbers are centred and scaled by these, texts are categories. `ask` then takes
        ``context={"device": "phone", "hour": 8}``. It counts by itself and multiplied by each feature of the items. It needs
        `features`, a table or "additive".
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

    probability_draws : int, optional
        For `ThompsonSampling`: draw each decision so many times more and store, as ``round.probabilities``, how often each item
        of the round was in it; for :func:`semibandits.evaluate`. Each draw takes the time of an `ask`. The decisions are the same
        as without.

    Raises
    ------
    InvalidInputError
        If an argument is malformed.
    UnsupportedError
        If your own policy does not support a prior; with `half_life` or `features`, if the policy is your own or makes plans, as
        `OSSB`, and with both of them.

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
        seed: Seed = 0,
        rewards: str | None = None,
        law: Law | str | None = None,
        prior_means: ArrayLike | None = None,
        prior_plays: ArrayLike | None = None,
        prior_costs: ArrayLike | None = None,
        features: Any = None,
        context: Any = None,
        half_life: float | None = None,
        drift_error: float | None = None,
        defer_plans: bool = False,
        probability_draws: int | None = None,
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
        self._labels = decision_set.items
        self._rng = generator_of(seed)
        self._outcomes = OutcomeCheck(policy, decision_set, variance)
        prior = Prior.of(prior_means, prior_plays, decision_set, costs=prior_costs, laws=[self._outcomes.law])
        if prior is not None and prior.is_in_costs:
            self._outcomes.expect_costs()
        if context is not None and features is None:
            raise InvalidInputError("context needs features=, which it is multiplied by, got none: pass a table, or 'additive'")
        design = None if features is None else Design.of(features, decision_set, context)
        if design is not None and half_life is not None:
            raise UnsupportedError("features and half_life cannot be given together yet: leave one of them out")
        whole = half_life is not None or design is not None
        self._agent: Agent = started(policy, decision_set, variance, prior, ages=whole)
        self._progress = Progress(decision_set, self._agent, self._rng, prior)
        self._options = Options.of(drift_error, half_life, defer_plans, probability_draws)
        self._progress.probability_draws = self._options.probability_draws or 0
        if self._progress.rule is not None:
            self._progress.rule.defers = self._options.defer_plans
        self._design = design
        if design is not None:
            self._progress.share(design)
        if self._options.half_life is not None:
            self._progress.age(Ageing(self._options.half_life, decision_set.d, prior))
        if self._options.drift_error is not None:
            law = law_of(policy, self._progress.rule, self._variance)
            self._progress.drift = DriftCheck(law, decision_set.d, self._options.drift_error)
        self._fixed_state: dict[str, Any] | None = None
        self._uses = Uses()

    def ask(
        self, available: Available | None = None, *, features: Any = None, context: Any = None, key: str | None = None
    ) -> Round:
        """Open a round and return it, with the next decision. `tell` or `forget` closes the round.

        Parameters
        ----------
        available : array_like of bool, shape (d,), collection of labels, or callable, optional
            Items that the decision may use in this round: a mask, also by label, their labels (or their indices where no label is
            an integer), or a function that returns for the label of an item whether it is available. By default all.
        features : array_like of shape (d, k), frame, or mapping by label, optional
            Features of items in this round, in the columns that the learner was created with. Items that a mapping leaves out
            keep their own. Unknown categories are none.
        context : mapping from name to value, optional
            What is known of this round, by the names that the learner was created with, which it then needs; what is left out
            is not known. An outcome counts with the features and the context of its round, however late it arrives.
        key : str, optional
            In a database, the name of this call: a repeated call with the same key returns the same round.

        Raises
        ------
        Infeasible
            If every decision uses an item that is not available.
        SolverError
            If the policy finds no decision; the message names a remedy.
        InvalidInputError
            If `available` is malformed or holds an unknown label, or if your own policy or decision set returns something that
            is not a decision; if the key is malformed, was used for another call, or the learner is not in a database.
        UnsupportedError
            If some item is not available, and your own policy does not implement `Agent.choose_among`.

        Notes
        -----
        If some items are not available, the policy plays its rule on the decisions that are left, with all that was learnt
        about their items: an item that is not available is neither explored nor compared with. With the same items available
        in every round it plays as a policy that has never had the others.
        """
        (asked,) = self._change(Ask(Asked(self, available, features, context)), key)
        return asked

    def ask_many(
        self, count: int, available: Available | None = None, *, features: Any = None, context: Any = None, key: str | None = None
    ) -> tuple[Round, ...]:
        """Open several rounds at once, or none if an error occurs: the same rounds as so many calls of :meth:`ask`.

        Parameters
        ----------
        count : int
            Number of rounds, from 1 to 1,000,000.
        available : array_like of bool, shape (d,), collection of labels, or callable, optional
            Items that the decisions may use, as for :meth:`ask`; by default all.
        features, context, key
            As for :meth:`ask`, the same in all rounds.

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
        return self._change(AskMany(Asked(self, available, features, context), number_of_rounds(count)), key)

    def tell(
        self,
        round_id: int,
        rewards: Outcome | None = None,
        *,
        costs: Outcome | None = None,
        partial: bool = False,
        key: str | None = None,
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
        key : str, optional
            In a database, the name of this call: a repeated call with the same key for the same outcome changes nothing.

        Raises
        ------
        InvalidInputError
            If there is no such open round, the outcome is malformed, or both or neither of `rewards` and `costs` are given; if
            the key is malformed, was used for another call, or the learner is not in a database.
        """
        outcome, in_costs = one_of(rewards, costs, "rewards")
        self._change(Tell([(round_id, outcome)], in_costs, partial), key)

    def tell_many(
        self, outcomes: Outcomes | None = None, *, costs: Outcomes | None = None, partial: bool = False, key: str | None = None
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
        key : str, optional
            As for :meth:`tell`.

        Raises
        ------
        InvalidInputError
            If an outcome is malformed, a round occurs twice, or both or neither of `outcomes` and `costs` are given; about the
            key as for :meth:`tell`.
        """
        self._change(Tell(*listed_outcomes(outcomes, costs), partial), key)

    def forget(self, round_id: int, *, key: str | None = None) -> None:
        """Close a round whose outcome is lost.

        Parameters
        ----------
        round_id : int
            ``round.id`` of an open round.
        key : str, optional
            As for :meth:`tell`.

        Raises
        ------
        InvalidInputError
            If there is no such open round; about the key as for :meth:`tell`.
        """
        self._change(Forget(round_id), key)

    def expire(
        self, *, age: int | None = None, before: int | None = None, seconds: float | None = None, key: str | None = None
    ) -> tuple[Round, ...]:
        """Forget old open rounds, whose outcomes will no longer arrive.

        Parameters
        ----------
        age : int
            >= 0. Forget open rounds after which more than this many rounds were asked for. The latest round has age 0.
        before : int
            >= 0. Forget open rounds whose id is smaller; ``before=learner.rounds`` forgets all.
        seconds : float
            >= 0, in a database. Forget the open rounds up to the last one that was asked for more than so many seconds ago.
            Rounds from the first one on that is younger are kept, so that a wrong clock makes rounds expire later.
        key : str, optional
            In a database, the name of this call: a repeated call with the same key returns the same rounds.

        Returns
        -------
        tuple of Round
            The rounds that were forgotten, in the order in which they were asked for.

        Raises
        ------
        InvalidInputError
            Unless exactly one of `age`, `before` and `seconds` is given, an integer >= 0 or a number of seconds >= 0; about the
            key as for :meth:`tell`.
        """
        if (age is not None) + (before is not None) + (seconds is not None) != 1:
            raise InvalidInputError(
                f"expire takes one of age, before and seconds, got age={age!r}, before={before!r} and seconds={seconds!r}: pass "
                "for instance age=1000"
            )
        if seconds is not None:
            return self._change(self._older_than(seconds), key)
        if before is not None:
            limit = whole_number(before, "before")
            return self._change(Expire({"before": min(limit, sys.maxsize)}, lambda one: limit), key)
        most = whole_number(age, "age")
        oldest = Expire({"age": min(most, sys.maxsize)}, lambda one: max(one._progress.next_id - 1 - most, 0))
        return self._change(oldest, key)

    def _older_than(self, seconds: float) -> Expire:
        raise InvalidInputError(
            f"seconds must be left out, got {seconds!r}: only learners in a database store times; pass age or before, or use "
            "sb.open_learner"
        )

    def solve_plan(self) -> bool:
        """Make the plan that the policy wants, at the present estimates, and follow it from the next round on.

        For learners with ``defer_plans=True``; others make plans in `ask`. In a database, other threads and processes ask and
        tell while the plan is solved. It is stored as it is, so that nobody solves it again; if several processes solve one, they
        follow the last.

        Returns
        -------
        bool
            Whether a plan was made: False if none is wanted.

        Raises
        ------
        SolverError
            If no plan can be made.
        """
        planner = self._read(lambda one: one._progress.planner() if one._progress.wants_plan else None)
        if planner is None:
            return False
        self._change(Adopt(planner.plan()), None)
        return True

    def _read(self, work: Callable[[Learner], T], *, alone: bool = True) -> T:
        """Apply `work` to the up-to-date learner in memory; without `alone`, also while another call is running."""
        return self._alone(work) if alone else work(self)

    @exclusive
    def _alone(self, work: Callable[[Learner], T]) -> T:
        return work(self)

    @exclusive
    def _change(self, operation: Operation, key: str | None) -> tuple[Round, ...]:
        """Carry out an operation and return its rounds."""
        if key is not None:
            raise InvalidInputError(
                f"key must be left out, got {key!r}: only learners in a database store keys; use sb.open_learner"
            )
        return operation.carry_out(self)

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
        name : str, optional
            In a database, where it is required: name of the new learner, in the same database.
        variance : array_like of float, scalar or shape (d,), optional
            Variance of the rewards; by default the present one. Required if it differs from item to item and there are new items.
        prior_means, prior_plays, prior_costs
            As for :class:`Learner`, over the items of the new set. They count for items that this learner does not have.
        features
            As for :class:`Learner`, over the items of the new set; by default those of this learner if they have a name. Required
            if they are a table, whose numbers and categories then count as in the first one. The context stays the same.

        Returns
        -------
        learner : Learner
            The new learner. Rounds that are open stay open in it, under the same id, with the items that are left. Tell their
            outcomes by label, also for items that have left: these outcomes are only written to the log of a database. A list
            is refused if items have left or moved.
        forgotten : tuple of Round
            Open rounds of this learner all of whose items have left.

        Raises
        ------
        InvalidInputError
            If an argument is malformed or missing, labels of one of the sets are not distinct, or the law of the new policy
            excludes what was observed; if there is a learner of this name.
        UnsupportedError
            If your own policy does not support a history.
        """
        if name is not None:
            raise InvalidInputError(f"name must be left out, got {name!r}: only learners in a database have names")
        prior = {"means": prior_means, "plays": prior_plays, "costs": prior_costs}
        return self._read(lambda one: one._replaced(decision_set, policy, variance, prior, features))

    def _replaced(
        self, decision_set: DecisionSet, policy: Policy | None, variance: ArrayLike | None, prior: dict[str, Any], features: Any
    ) -> tuple[Learner, tuple[Round, ...]]:
        """See `replace`."""
        check_decision_set(decision_set)
        policy = self._policy if policy is None else policy
        check_policy(policy)
        shared = SharedItems.of(self._decision_set, decision_set)
        laws = [policy.known_law] if isinstance(policy, LawPolicy) else []
        given = Prior.of(prior["means"], prior["plays"], decision_set, costs=prior["costs"], laws=laws)
        kept = shared.prior(self._progress.prior, given)
        learner = Learner(
            decision_set,
            policy,
            variance=shared.variance(self._variance) if variance is None else variance,
            seed=storage.stored_generator(storage.generator_state(self._rng)),
            prior_means=None if kept is None else kept.means,
            prior_plays=None if kept is None else kept.plays,
            features=self._features_of_new_items(features, decision_set),
            **self._options.state(),
        )
        move(self._progress, learner._progress, shared)
        learner._outcomes.statistics(learner._progress)
        open_rounds = learner._progress.open
        return learner, tuple(asked for asked in self._progress.open.values() if asked.id not in open_rounds)

    def _features_of_new_items(self, features: Any, decision_set: DecisionSet) -> Any:
        """See `replace`."""
        design = self._design
        if design is None:
            return features
        if features is None and design.kind is None:
            raise InvalidInputError("features must be given for the new items, got None: this learner has a table of them")
        return design.for_items(design.kind if features is None else features, decision_set)

    def state(self) -> dict[str, Any]:
        """The complete state as a new object of plain JSON, for :meth:`from_state`.

        Raises
        ------
        InvalidInputError
            If the state or specification of your own policy is not plain JSON.
        """
        return self._read(Learner._state)

    def _state(self) -> dict[str, Any]:
        if self._fixed_state is None:  # neither ever changes
            self._fixed_state = fixed_state(self._decision_set, self._policy, self._progress) | self._options.state()
        return storage.sealed({**self._fixed_state, "variance": self._variance, **moving_state(self._progress)})

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], decision_set: DecisionSet | None = None, policy: Policy | None = None
    ) -> Learner:
        """Restore a learner in memory, which continues from the state bit for bit.

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
        learner = Learner(
            x, played, variance=content["variance"], seed=storage.stored_generator(content["generator"]),
            **storage.stored_prior(content.get("prior")),
            features=Design.restored(content["features"], x) if "features" in content else None,
            **{name: content[name] for name in NAMES if name in content},
        )  # fmt: skip
        restore(learner._progress, content)
        learner._outcomes.statistics(learner._progress)
        return learner

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles hold the state, and the decision set and policy as they are."""
        return Learner.from_state, (self.state(), self._decision_set, self._policy)
