"""What is done today, as a policy that learns nothing: to compare with in simulations and reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.available import best_available
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.inputs.selection import selected_items
from semibandits.kernels.rounds import UNSEEN
from semibandits.kernels.rules.committed import committed
from semibandits.policies.agents import RuleAgent
from semibandits.policies.base import Agent, Policy
from semibandits.policies.history import History
from semibandits.policies.prior import Prior
from semibandits.policies.rules import RulePolicy
from semibandits.rewards._digest import own_attributes


class Baseline(Policy):
    """A fixed decision, a rule, or logged decisions, to compare policies that learn with.

    Parameters
    ----------
    choice : collection of labels, mask, callable, or sequence of decisions
        What is played. A decision: the labels of its items (or their indices where no label is an integer), or a mask of shape
        (d,). Or a function from the number of the round, 0, 1, 2, ..., to a decision. Or decisions in turn, again and again, as
        of a log: a bool array of shape (n, d), or a list of lists of labels.
    name : str
        Name in results.

    Raises
    ------
    InvalidInputError
        When it is started, if a decision is not one of the decision set; for a function, in the round in which it is not.

    Notes
    -----
    In rounds in which some of its items are not available, it plays a decision with as many of them as possible. It
    knows nothing and learns nothing.

    Examples
    --------
    >>> articles, clicks = sb.MSets(4, 2, items=list("abcd")), sb.BernoulliRewards([0.1, 0.3, 0.5, 0.7])
    >>> today = sb.Baseline(["b", "d"], name="today")
    >>> result = sb.simulate(articles, clicks, [today, sb.GLADE()], horizon=1_000, replications=5)
    >>> [f"{row.policy}: {row.regret:.0f} clicks lost" for row in result.summary()]
    ['today: 200 clicks lost', 'GLADE: 25 clicks lost']
    """

    def __init__(self, choice: Any, *, name: str = "Baseline") -> None:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise InvalidInputError(f"name must be a text, got {name!r}: pass for instance 'today'")
        self._choice, self._name = choice, name

    @property
    def name(self) -> str:
        """Name in results."""
        return self._name

    def __repr__(self) -> str:
        return f"Baseline(name={self._name!r})"

    def specification(self) -> dict[str, Any]:
        """See `Policy.specification`: the name, and what is played."""
        return {"name": self.name, "baseline": own_attributes(self)["_choice"]}

    def start(self, decision_set: DecisionSet, variance: ArrayLike) -> Agent:
        """See `Policy.start`."""
        if callable(self._choice):
            return BaselineAgent(decision_set, self._choice)
        listed = [self._choice] if _is_one(self._choice, decision_set) else list(self._choice)
        if not listed:
            raise InvalidInputError("choice must hold a decision, got none: pass the items that are chosen today")
        decisions = [_decision(each, decision_set, "choice") for each in listed]
        return BaselineAgent(decision_set, lambda number: decisions[number % len(decisions)], np.array(decisions))


class BaselineAgent(Agent):
    """See `Baseline`; `decisions` are its rows if they are known before the first round."""

    def __init__(self, decision_set: DecisionSet, choice: Callable[[int], Any], decisions: BoolArray | None = None) -> None:
        self.decision_set, self.choice, self.rounds = decision_set, choice, 0
        self._known: Callable[[], BoolArray | None] = lambda: decisions  # a function, so that it is no part of the state

    @property
    def decisions(self) -> BoolArray | None:
        """Decisions that are played in turn, shape (n, d); None if a function chooses them."""
        return self._known()

    def choose(self, rng: np.random.Generator) -> BoolArray:
        """The decision of today's system."""
        x = _decision(self.choice(self.rounds), self.decision_set, f"the choice in round {self.rounds}")
        self.rounds += 1
        return x

    def choose_among(self, available: BoolArray, rng: np.random.Generator) -> BoolArray:
        """The available decision with the most of its items."""
        x = self.choose(rng)
        return (
            x if not (x & ~available).any() else best_available(self.decision_set, available, x.astype(float), np.zeros(len(x)))
        )

    def observe(self, items: IntArray, rewards: FloatArray) -> None:
        """Learn nothing."""

    def assume(self, prior: Prior) -> None:
        """Know nothing."""

    def recall(self, history: History) -> None:
        """Go on with the number of rounds."""
        self.rounds = history.rounds


@dataclass(frozen=True, kw_only=True, repr=False)
class Committed(RulePolicy):
    """Play the decisions of the rows in turn, whatever is observed: a `Baseline` in kernels, and the end of a test."""

    @property
    def rule(self) -> Any:
        """The kernel."""
        return committed

    @property
    def searches(self) -> bool:
        """No."""
        return False

    @property
    def kept(self) -> int:
        """One."""
        return 1

    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Ratio 1."""
        return np.ones(1)


def committed_agent(
    decision_set: DecisionSet, variance: ArrayLike, decisions: BoolArray, prior: Prior | None = None
) -> RuleAgent:
    """An agent of kernels that plays these decisions in turn, shape (n, d), and does not try unseen items."""
    agent = Committed().start(decision_set, variance)
    if prior is not None:  # counted, as by all agents
        agent.assume(prior)
    agent.player = agent.player._replace(rows=decisions.copy())
    agent.player.counters[UNSEEN] = 0
    return agent


def _is_one(choice: Any, decision_set: DecisionSet) -> bool:
    """Whether this is one decision, and not several of them."""
    if isinstance(choice, np.ndarray):
        return choice.ndim == 1
    if not isinstance(choice, Sequence) or not choice:
        return True
    try:
        return not isinstance(choice[0], list | set | frozenset | tuple | np.ndarray) or choice[0] in set(decision_set.items)
    except TypeError:  # a list is no label
        return False


def _decision(given: Any, decision_set: DecisionSet, name: str) -> BoolArray:
    if isinstance(given, np.ndarray) and given.dtype == np.bool_ and given in decision_set:
        return given
    x = selected_items(given, decision_set.items, name)
    if x not in decision_set:
        raise InvalidInputError(
            f"{name} must be a decision of {decision_set!r}, got the items {np.flatnonzero(x).tolist()}: pass the items that are "
            "chosen together"
        )
    return x
