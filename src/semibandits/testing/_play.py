"""Play policies round by round, for conformance suites."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.policies.base import Agent, Policy
from semibandits.testing._require import require, require_decision


@dataclass(frozen=True)
class Case:
    """A policy on a decision set, with random means and variances, all different."""

    policy: Policy
    decision_set: DecisionSet
    seed: int
    horizon: int
    theta: FloatArray
    variance: FloatArray

    @property
    def d(self) -> int:
        return self.decision_set.d

    def start(self) -> Agent:
        """A fresh agent."""
        return self.policy.start(self.decision_set, self.variance.copy())

    def rng(self, *key: int) -> np.random.Generator:
        """The generator of a key, in its initial state."""
        return np.random.default_rng([self.seed, *key])

    def outcomes(self) -> FloatArray:
        """Rewards of all items in all rounds, shape (horizon, d)."""
        return self.theta + np.sqrt(self.variance) * self.rng(1).normal(size=(self.horizon, self.d))


def case_of(policy: Policy, decision_set: DecisionSet, seed: int, horizon: int) -> Case:
    """A case whose means and variances depend on the seed and d alone."""
    rng = np.random.default_rng([seed, 0])
    d, upper = decision_set.d, decision_set.upper
    theta = rng.normal(size=d)
    return Case(policy, decision_set, seed, horizon, theta if upper is None else upper - np.abs(theta), 0.2 + rng.random(d))


def choose(agent: Agent, decision_set: DecisionSet, rng: np.random.Generator) -> BoolArray:
    """A copy of the next decision of the agent; the returned array is overwritten."""
    return require_decision(agent.choose(rng), decision_set, "choose")


def tell(agent: Agent, x: BoolArray, outcomes: FloatArray) -> None:
    """Pass the outcomes of decision x to the agent; its arguments are overwritten afterwards, as a caller might do."""
    items = np.flatnonzero(x)
    rewards = outcomes[items]
    given = items.copy(), rewards.copy()
    agent.observe(*given)
    if not np.array_equal(given[0], items) or not np.array_equal(given[1], rewards):
        raise AssertionError(f"observe must not change its arguments, got {given} for {(items, rewards)}")
    given[0][:], given[1][:] = 0, 1e9


def play(agent: Agent, decision_set: DecisionSet, outcomes: FloatArray, rng: np.random.Generator, batch: int = 1) -> BoolArray:
    """Decisions of the agent, one per row, as it observes the `outcomes` of shape (n, d) in batches."""
    chosen: list[BoolArray] = []
    for start in range(0, len(outcomes), batch):
        rounds = range(start, min(start + batch, len(outcomes)))
        chosen += [choose(agent, decision_set, rng) for _ in rounds]
        for t in rounds:
            tell(agent, chosen[t], outcomes[t])
    return np.array(chosen)


def require_same(expected: ArrayLike, got: ArrayLike, promise: str) -> None:
    """Require equal numbers in every round, one per row; otherwise report the first round that differs."""
    a, b = np.asarray(expected), np.asarray(got)
    require(a.shape == b.shape, f"{promise}: got {len(b)} rounds instead of {len(a)}")
    rows = (a != b).reshape(len(a), -1).any(axis=1)
    if rows.any():
        t = int(np.argmax(rows))
        raise AssertionError(f"{promise}: got {b[t]} instead of {a[t]} in round {t + 1}")


def coverable(decision_set: DecisionSet) -> BoolArray:
    """Items that the first rounds must cover, shape (d,): those in some decision, none if means have an upper bound."""
    found = np.zeros(decision_set.d, dtype=np.bool_)
    while decision_set.upper is None:
        fresh = decision_set.maximize((~found).astype(np.float64)) & ~found
        if not fresh.any():
            return found
        found |= fresh
    return found


def as_text(state: Any) -> str:
    """The state as strict JSON."""
    try:
        return json.dumps(state, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"state must be plain JSON without NaN or infinity, got {error}") from error


def tied(decision_set: DecisionSet, decisions: Sequence[BoolArray]) -> FloatArray:
    """Integer means under which the first two different `decisions` have exactly the same reward."""
    x = decisions[0]
    y = next((other for other in decisions if (other != x).any()), x)
    theta = np.full(decision_set.d, -1.0)
    theta[x & y] = 1.0
    theta[x & ~y] = np.count_nonzero(y & ~x)
    theta[y & ~x] = np.count_nonzero(x & ~y)
    return theta


class OrderedNormals(np.random.Generator):
    """A generator that permutes the normal numbers of each round, d per round."""

    def __init__(self, seed: np.random.SeedSequence, order: IntArray) -> None:
        super().__init__(np.random.PCG64(seed))
        self._order = order
        self._left: list[float] = []

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """The next normal numbers."""
        if size is not None:
            return np.reshape([self.standard_normal() for _ in range(int(np.prod(size)))], size)
        if not self._left:
            self._left = super().standard_normal(len(self._order))[self._order].tolist()
        return self._left.pop(0)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """The next normal numbers, shifted and scaled."""
        shape = np.broadcast(loc, scale).shape if size is None else size
        return loc + scale * self.standard_normal(shape if shape != () else None)
