"""Base classes of policies and of the agents that play them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.inputs.validation import check_kind
from semibandits.laws.base import Law
from semibandits.policies.attributes import attributes_state, restore_attributes
from semibandits.policies.history import History
from semibandits.policies.prior import Prior
from semibandits.rewards._digest import own_attributes


class Agent(ABC):
    """State of a policy on one decision set.

    To write your own, implement `choose`, which returns a bool array of shape (d,), and `observe`, which receives the k items
    of a decision and their rewards; everything else has a default. Rounds may overlap: `choose` may be called
    before the outcomes of earlier rounds are observed, and outcomes may be observed in any order.

    Examples
    --------
    >>> class Greedy(sb.Agent):
    ...     def __init__(self, decision_set):
    ...         self.decision_set, self.totals = decision_set, np.ones(decision_set.d)
    ...     def choose(self, rng):
    ...         return self.decision_set.maximize(self.totals)
    ...     def observe(self, items, rewards):
    ...         self.totals[items] += rewards
    >>> agent = Greedy(sb.MSets(3, 1))
    >>> agent.observe(np.array([1]), np.array([0.5]))
    >>> agent.choose(np.random.default_rng(0)).tolist()
    [False, True, False]
    """

    @abstractmethod
    def choose(self, rng: np.random.Generator) -> BoolArray:
        """Choose the decision of the next round, shape (d,); all randomness comes from `rng`."""

    @abstractmethod
    def observe(self, items: IntArray, rewards: FloatArray) -> None:
        """Observe the rewards of the items of one decision, both of shape (k,), items in ascending order.

        If the outcomes of some items are lost, these are the other items, and `forget` is called with those first.
        """

    def choose_among(self, available: BoolArray, rng: np.random.Generator) -> BoolArray:
        """Choose the decision of the next round, in which some items cannot be used.

        Parameters
        ----------
        available : ndarray of bool, shape (d,)
            The items that the decision may use; at least one of the others is missing.
        rng : Generator
            The only source of randomness.

        Raises
        ------
        Infeasible
            If no decision uses available items only.
        UnsupportedError
            If the agent does not support it, as unless overridden.
        """
        raise UnsupportedError(
            f"{type(self).__name__} does not support rounds with unavailable items: leave out `available`, or override "
            "`choose_among`"
        )

    def reopen(self, items: IntArray) -> None:  # noqa: B027 (optional)
        """Count a round with these items as open that another agent has chosen, as after :meth:`Learner.replace`."""

    def forget(self, items: IntArray) -> None:  # noqa: B027 (optional)
        """Close a round with these items whose outcome is lost: with all of its items, or before `observe` with some of them."""

    def state(self) -> dict[str, Any]:
        """State as plain JSON: dictionaries, lists, numbers, strings.

        By default all attributes, which must be numbers, texts, arrays, or lists, tuples, sets and dictionaries of these; the
        decision set, policies, laws, priors and functions are left out. Only :meth:`Learner.state` needs it, simulations do not.

        Raises
        ------
        UnsupportedError
            If an attribute is of another type and `state` is not overridden.
        """
        return attributes_state(self, (Policy,))

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from the state of an agent of the same policy on the same decision set.

        Called on a new agent. By default its attributes are replaced by those of the state.

        Raises
        ------
        InvalidInputError
            If it is not such a state.
        """
        restore_attributes(self, state, (Policy,))

    def assume(self, prior: Prior) -> None:
        """Count prior means as rewards that were observed before the first round.

        Parameters
        ----------
        prior : Prior
            Arrays of shape (d,): ``prior.means``, and ``prior.plays``, how many rewards each of them counts as.

        Raises
        ------
        UnsupportedError
            If the agent does not support it, as unless overridden.
        """
        raise UnsupportedError(f"{type(self).__name__} does not support prior plays: leave them out, or override `assume`")

    def recall(self, history: History) -> None:
        """Count rewards as observed before the first round, in rounds of another system.

        Parameters
        ----------
        history : History
            Arrays of shape (d,): ``history.plays`` and ``history.sums``, the numbers of the rewards and their sums; and
            ``history.rounds``, the number of rounds.

        Raises
        ------
        UnsupportedError
            If the agent does not support it, as unless overridden.
        """
        raise UnsupportedError(f"{type(self).__name__} does not support a history: tell it the rounds, or override `recall`")

    @property
    def calls(self) -> tuple[int, int, int]:
        """Numbers of linear maximisations, index maximisations and plans so far; zeros unless the agent counts them."""
        return (0, 0, 0)

    @property
    def undecided(self) -> int:
        """Number of index maximisations so far whose budget ended before a proof; 0 unless the agent counts them."""
        return 0


class Policy(ABC):
    """An immutable policy for combinatorial semi-bandits, which can be played on any decision set.

    To write your own, implement `start` and an :class:`Agent`; docs/policies/own.md has a complete example.

    Examples
    --------
    >>> class Bold(sb.Policy):
    ...     def start(self, decision_set, variance):  # CUCB with bonuses of half the size
    ...         return sb.CUCB().start(decision_set, np.asarray(variance) / 4)
    >>> learner = sb.Learner(sb.MSets(3, 1), Bold(), variance=0.25, seed=0)
    >>> learner.policy.name
    'Bold'
    >>> learner.ask().decision.tolist()
    [True, False, False]
    """

    @property
    def name(self) -> str:
        """Name in results; by default that of the class."""
        return type(self).__name__

    @abstractmethod
    def start(self, decision_set: DecisionSet, variance: ArrayLike) -> Agent:
        """A new agent.

        Parameters
        ----------
        decision_set : DecisionSet
            The decisions.
        variance : array_like of float, scalar or shape (d,)
            Variance of the rewards, for policies that do not set one.
        """

    def for_law(self, law: Law | None) -> Policy:
        """The policy to play for rewards of a law; by default the policy itself.

        Parameters
        ----------
        law : Law or None
            The law of the rewards up to its means, independent across items; None if unknown.
        """
        return self.for_rewards(None if law is None else law.name)

    def for_rewards(self, family: str | None) -> Policy:
        """The same for `family`, the name of a law such as "bernoulli", in policies that need only the name; None if unknown."""
        return self

    def for_horizon(self, horizon: int) -> Policy:
        """The policy to play in a simulation; by default the policy itself.

        Parameters
        ----------
        horizon : int
            Number of rounds of the simulation.
        """
        return self

    def specification(self) -> dict[str, Any]:
        """Name and parameters as plain JSON, for provenance and for fingerprints of stored states.

        The parameters are the text of the policy; those of a class without a text of its own are its attributes.
        """
        if type(self).__repr__ is object.__repr__:
            return {"name": self.name, "attributes": own_attributes(self)}
        return {"name": self.name, "repr": repr(self)}


def not_a_decision(chosen: object, number: int) -> InvalidInputError:
    """The error if a policy chooses anything but a decision in this round."""
    return InvalidInputError(
        f"policies must choose decisions, masks of shape (d,), got {chosen!r} in round {number}: "
        "fix the policy, or `maximize` of the decision set"
    )


def without_own_rule(option: str, name: str) -> UnsupportedError:
    """The error for an option that needs a policy of the library that makes no plans, in place of the one of this name."""
    return UnsupportedError(
        f"{option} needs a policy of the library that makes no plans, got {name}: use GLADE, ThompsonSampling or CUCB, or leave "
        f"{option} out"
    )


def check_policy(value: object, remedy: str = "pass for instance CUCB()") -> None:
    """Refuse anything but a policy."""
    check_kind(value, Policy, "policy", remedy)
