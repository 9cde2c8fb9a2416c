"""Rounds of a rule in which some items are not available: rounds of the same rule on the decisions that are left."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from semibandits._typing import BoolArray, IntArray
from semibandits.decisions.available import available_decisions
from semibandits.errors import Infeasible
from semibandits.kernels import rounds
from semibandits.policies.states import damaged

if TYPE_CHECKING:
    from semibandits.policies.agents import RuleAgent

KEPT = ("memory", "marks", "rows")
"""State of a rule that is kept from one round to the next with the same available items."""


@dataclass(frozen=True, eq=False)
class Part:
    """The decisions that use the same items only, and an agent that plays them. It is not changed: rounds return another one."""

    items: IntArray  # (k,): the available items, ascending, at least one
    agent: RuleAgent  # of the same policy over these items, with the statistics of the whole agent at its last round

    def is_alike(self, whole: RuleAgent) -> bool:
        """Whether its decisions are decisions of the whole set."""
        left, decision_set = self.agent.decision_set, whole.decision_set
        return not decision_set.best_effort or left.m == decision_set.m

    @classmethod
    def of(cls, whole: RuleAgent, available: BoolArray) -> Part:
        """A part whose rule has decided nothing; `Infeasible` if every decision uses another item."""
        items = np.flatnonzero(available)
        left = available_decisions(whole.decision_set, available)
        agent = whole.policy.for_items(items).start(left, whole.variance[items])
        agent.follow(whole, items)
        return cls(items, agent)

    def chosen(self, whole: RuleAgent, rng: np.random.Generator) -> tuple[IntArray, Part]:
        """The items of the decision of the next round of the whole agent, ascending, and the part after it."""
        agent, policy, alike = copy.copy(self.agent), whole.policy, self.is_alike(whole)
        agent.player = agent.player._replace(**{name: getattr(agent.player, name).copy() for name in KEPT})
        agent.follow(whole, self.items)
        if whole.ageing is not None or whole.sharing is not None:
            policy.distrust(agent.player, anew=whole.sharing is not None and whole.sharing.rows.next is not None)
        policy.lend(whole.player, agent.player, self.items, alike=alike)
        if whole.defers:
            policy.share(whole.player, agent, self.items)
        chosen = self.items[agent.chosen(rng)]
        whole.wants_plan |= agent.wants_plan
        counted = slice(rounds.LINEAR_CALLS, None)
        whole.player.counters[counted] = agent.player.counters[counted]
        policy.collect(whole.player, agent.player, self.items, alike=alike)
        return chosen, Part(self.items, agent)

    def state(self) -> dict[str, Any]:
        """The items, and what the rule keeps, as plain JSON."""
        state = self.agent.state()
        return {"items": self.items.tolist(), **{name: state[name] for name in KEPT}}

    @classmethod
    def restored(cls, whole: RuleAgent, state: object) -> Part:
        """The part of a state; `InvalidInputError` if it is malformed, or the rule does not accept its own state."""
        malformed = damaged("part", "the state of rounds with unavailable items")
        d = whole.decision_set.d
        if not isinstance(state, dict) or sorted(map(str, state)) != sorted(["items", *KEPT]):
            raise malformed
        items = state["items"]
        if not isinstance(items, list) or not all(type(item) is int and 0 <= item < d for item in items):
            raise malformed
        if not 0 < len(items) < d or items != sorted(set(items)):
            raise malformed
        available = np.zeros(d, dtype=np.bool_)
        available[items] = True
        try:
            part = cls.of(whole, available)
        except Infeasible:
            raise malformed from None
        part.agent.restore({**part.agent.state(), **{name: state[name] for name in KEPT}})
        return part
