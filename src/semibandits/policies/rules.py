"""Policies whose rounds are kernels, and the agent that plays them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Final

import numpy as np
from numba import types

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits._validation import as_floats, checked_answer, variance_vector
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.compiled import CompiledOracle, pointer
from semibandits.errors import InvalidInputError, SolverError
from semibandits.kernels import rounds
from semibandits.kernels.rules.actions import INDEX, LINEAR, PLAY, RATIO, REPLAN
from semibandits.kernels.rules.statistics import MEANS, PLAYS, ROOTS, SCALES, SUMS, fresh_statistics, observe
from semibandits.policies.base import Agent, Policy
from semibandits.policies.radius import Radius

_FLOATS = types.Array(types.float64, 1, "C")
_ROWS = types.Array(types.boolean, 2, "C")
RULE: Final = types.int64(
    types.int64, _FLOATS, types.Array(types.float64, 2, "C"), _FLOATS, _FLOATS, types.Array(types.int64, 1, "C"), _ROWS,
    _FLOATS, _FLOATS, types.Array(types.boolean, 1, "C"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class RulePolicy(Policy):
    """A policy that is one of the rules in :mod:`semibandits.kernels.rules`.

    Parameters
    ----------
    variance : float or sequence of float, shape (d,), optional
        Variance of the rewards that it reckons with, > 0; by default what the environment or the learner states.
    """

    variance: float | tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.variance is not None:
            values = as_floats(self.variance, "variance")
            variance_vector(values, max(values.size, 1))
            object.__setattr__(self, "variance", float(values) if values.ndim == 0 else tuple(values.tolist()))

    @property
    @abstractmethod
    def rule(self) -> Any:
        """The kernel."""

    @abstractmethod
    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """The numbers that the kernel reads, for decisions of at most m items and variances (d,)."""

    @property
    def samples(self) -> bool:
        """Whether the kernel wants a normal number per item."""
        return False

    def memory(self, d: int) -> tuple[FloatArray, IntArray, BoolArray]:
        """What the kernel keeps at the start: floats, integers, decisions one a row."""
        return np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros((0, d), dtype=np.bool_)

    def plan(self, agent: RuleAgent) -> None:
        """Do what the rule asked for by ``REPLAN``."""
        raise SolverError(f"{self.name} asked for a plan but makes none: an error of the library")

    def accepts(self, player: rounds.Player) -> bool:
        """Whether a player that was read from a file can be played: kernels trust what it keeps, so check places in arrays."""
        return True

    def start(self, decision_set: DecisionSet, variance: ArrayLike) -> RuleAgent:
        """An agent that has seen nothing; see :meth:`Policy.start`."""
        own = variance if self.variance is None else self.variance
        return RuleAgent(self, decision_set, variance_vector(own, decision_set.d))

    def specification(self) -> dict[str, Any]:
        """Its parameters as plain JSON."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        plain = {
            name: {f.name: getattr(value, f.name) for f in fields(value)} if isinstance(value, Radius) else value
            for name, value in values.items()
        }
        return {"name": self.name, **{k: list(v) if isinstance(v, tuple) else v for k, v in plain.items()}}


class RuleAgent(Agent):
    """Statistics of each item, and a rule that chooses from them.

    Attributes
    ----------
    decision_set : DecisionSet
        What can be played.
    oracle : CompiledOracle or None
        How kernels see it; None if they cannot, and rounds are played in Python.
    player : Player
        All state, as arrays that kernels change in place.
    """

    def __init__(self, policy: RulePolicy, decision_set: DecisionSet, variance: FloatArray) -> None:
        d = decision_set.d
        self.policy, self.decision_set, self.variance = policy, decision_set, variance
        self.oracle: CompiledOracle | None = decision_set.compiled()
        covers, cover = covering(self)
        memory, marks, rows = policy.memory(d)
        counters = np.zeros(rounds.COUNTERS, dtype=np.int64)
        counters[rounds.UNSEEN] = np.count_nonzero(cover >= 0)
        self.player = rounds.Player(
            params=policy.params(decision_set.m, variance),
            spread=2.0 * variance,
            stats=fresh_statistics(variance),
            memory=memory,
            marks=marks,
            rows=rows,
            cover=cover,
            covers=covers,
            pending=np.zeros(d, dtype=np.int64),
            counters=counters,
        )
        self._work = rounds.scratch(d, samples=policy.samples)

    @property
    def means(self) -> FloatArray:
        """Mean of the rewards seen of each item, 0 before the first; shape (d,)."""
        means: FloatArray = self.player.stats[MEANS].copy()
        return means

    @property
    def plays(self) -> FloatArray:
        """How often each item was seen, shape (d,)."""
        plays: FloatArray = self.player.stats[PLAYS].copy()
        return plays

    @property
    def calls(self) -> tuple[int, int, int]:
        """Numbers so far of linear maximisations, index maximisations, and plans."""
        linear, index, plans = self.player.counters[rounds.LINEAR_CALLS :].tolist()
        return linear, index, plans

    def choose(self, rng: np.random.Generator) -> BoolArray:
        """Decision of the next round, by the kernel that simulations call; its items count as open until they are observed."""
        x = self._chosen(rng)
        self.player.counters[rounds.ROUND] += 1
        self.player.pending[x] += 1
        return x

    def observe(self, items: IntArray, rewards: FloatArray) -> None:
        """Take in the rewards of the items of one decision."""
        self.forget(items)
        self.player.counters[rounds.UNSEEN] -= observe(
            self.player.stats, self.player.spread, items, len(items), rewards
        )

    def forget(self, items: IntArray) -> None:
        """Take note that a round with these items is open no more."""
        self.player.pending[items] -= 1

    def replan(self) -> None:
        """Do outside the kernels what the rule asked for."""
        self.policy.plan(self)
        self.player.counters[rounds.PLANS] += 1

    def maximize(self, weights: FloatArray) -> BoolArray:
        """P_LM, by the oracle that kernels call if there is one."""
        if self.oracle is not None:
            return self.oracle.maximize(weights)
        return checked_answer(self.decision_set.maximize(weights.copy()), self.decision_set.d, self.decision_set.m)

    @cached_property
    def rule(self) -> Any:
        """Pointer to the rule, for kernels."""
        return pointer(self.policy.rule, RULE)

    def _chosen(self, rng: np.random.Generator) -> BoolArray:
        if self.oracle is None:
            return self._chosen_in_python(rng)
        oracle = rounds.Oracle(self.oracle.data, self.oracle.m, self.oracle.searched)
        while True:
            status = rounds.choose(
                self.rule, self.oracle.linear, self.oracle.index, oracle, self.player, self._work, rng
            )
            if status == rounds.DONE:
                return self._work.x.copy()
            self.answer(status)

    def answer(self, status: int) -> None:
        """Go on after a kernel has stopped without a decision."""
        if status != REPLAN:
            raise SolverError(
                f"{self.policy.name} found no decision in round {self.player.counters[rounds.ROUND] + 1}: "
                "the search was broken off, or rewards are too large to be summed; try AESCB instead of ESCB"
            )
        self.replan()

    def _chosen_in_python(self, rng: np.random.Generator) -> BoolArray:
        """What the kernel ``rounds.choose`` does, for decision sets that kernels cannot see."""
        player, counters = self.player, self.player.counters
        unseen = (player.cover >= 0) & (player.stats[PLAYS] == 0) & (player.pending == 0)
        if unseen.any():
            return np.array(player.covers[player.cover[np.argmax(unseen)]])
        d = self.decision_set.d
        x, weights, bonuses = np.zeros(d, dtype=np.bool_), np.zeros(d), np.zeros(d)
        z = np.array([rng.standard_normal() for _ in range(d)]) if self.policy.samples else np.zeros(0)
        action = REPLAN
        while action == REPLAN:
            action = self.policy.rule(
                int(counters[rounds.ROUND]) + 1, player.params, player.stats, z, player.memory, player.marks, player.rows,
                weights, bonuses, x,
            )  # fmt: skip
            if action == REPLAN:
                self.replan()
                player = self.player
        if action == LINEAR:
            counters[rounds.LINEAR_CALLS] += 1
            return self.maximize(weights)
        if action == INDEX:
            counters[rounds.INDEX_CALLS] += 1
            return self.decision_set.maximize_index(weights, bonuses, float(player.params[RATIO]))
        assert action == PLAY
        return x

    def state(self) -> dict[str, Any]:
        """Statistics, counters, and what the rule keeps, as plain JSON."""
        player = self.player
        return {
            "plays": player.stats[PLAYS].tolist(),
            "sums": player.stats[SUMS].tolist(),
            "pending": player.pending.tolist(),
            "counters": player.counters.tolist(),
            "memory": [_plain(value) for value in player.memory.tolist()],
            "marks": player.marks.tolist(),
            "rows": [np.flatnonzero(row).tolist() for row in player.rows],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state of an agent of the same policy on the same decision set.

        Raises
        ------
        InvalidInputError
            If it is no such state; then nothing has changed.
        """
        d = self.decision_set.d
        _check_names(state)
        plays = _counts(state, "plays", d, least=0)
        sums = _floats(state, "sums", d)
        if not np.isfinite(sums).all() or (sums[plays == 0] != 0).any():
            raise _damaged("sums", "finite, and 0 for items never seen")
        memory, marks, _ = self.policy.memory(d)
        restored = self.player._replace(
            stats=self._statistics(plays, sums),
            pending=_counts(state, "pending", d, least=0),
            counters=_counts(state, "counters", rounds.COUNTERS, least=0),
            memory=_floats(state, "memory", len(memory)),
            marks=_counts(state, "marks", len(marks), least=None),
            rows=self._rows(state),
        )
        unseen = np.count_nonzero((restored.cover >= 0) & (plays == 0))
        played = int((plays + restored.pending).max())
        if restored.counters[rounds.UNSEEN] != unseen or restored.counters[rounds.ROUND] < played:
            raise _damaged("counters", "those of the plays")
        if not self.policy.accepts(restored):
            raise _damaged("marks", f"those of {self.policy.name}")
        self.player = restored

    def _statistics(self, plays: IntArray, sums: FloatArray) -> FloatArray:
        """Statistics as the kernel keeps them, by the same arithmetic."""
        stats, seen = fresh_statistics(self.variance), plays > 0
        stats[PLAYS], stats[SUMS] = plays, sums
        stats[MEANS, seen] = sums[seen] / plays[seen]
        stats[SCALES, seen] = self.player.spread[seen] / plays[seen]
        stats[ROOTS] = np.sqrt(stats[SCALES])
        return stats

    def _rows(self, state: dict[str, Any]) -> BoolArray:
        """The decisions that the rule keeps, from the places of their items."""
        places = state["rows"]
        if not isinstance(places, list):
            raise _damaged("rows", "a list")
        rows = np.zeros((len(places), self.decision_set.d), dtype=np.bool_)
        for row, items in zip(rows, places, strict=True):
            chosen = _counts({"rows": items}, "rows", None, least=0)
            if len(chosen) and chosen.max() >= len(row):
                raise _damaged("rows", f"items below d = {len(row)}")
            row[chosen] = True
            if row not in self.decision_set:
                raise _damaged("rows", "decisions of the decision set")
        return rows


def covering(agent: RuleAgent) -> tuple[BoolArray, IntArray]:
    """Decisions that together hold every item that is in any, at most d, and for each item the first of them that has it.

    One after the other, the decision with the most items that none before it has.
    """
    d = agent.decision_set.d
    cover = np.full(d, -1, dtype=np.int64)
    rows: list[BoolArray] = []
    while True:
        x = agent.maximize((cover < 0).astype(np.float64))
        fresh = x & (cover < 0)
        if not fresh.any():
            return np.array(rows, dtype=np.bool_).reshape(len(rows), d), cover
        cover[fresh] = len(rows)
        rows.append(x)


_TEXTS: Final = ("inf", "-inf", "nan")
"""Floats that JSON has no numbers for, as `_plain` writes them."""


def _plain(value: float) -> float | str:
    """A float as JSON has it: infinities as text."""
    return value if np.isfinite(value) else str(value)


def _damaged(name: str, wanted: str) -> InvalidInputError:
    return InvalidInputError(
        f"{name} in the state of an agent must be {wanted}, got others: the state is damaged, or that of another policy or "
        "decision set; go back to one that state() returned"
    )


def _check_names(state: object) -> None:
    names = ["plays", "sums", "pending", "counters", "memory", "marks", "rows"]
    if not isinstance(state, dict) or sorted(map(str, state)) != sorted(names):
        got = list(state) if isinstance(state, dict) else type(state).__name__
        raise InvalidInputError(
            f"the state of an agent must be a dict of {', '.join(names)}, got {got}: pass it unchanged"
        )


def _floats(state: dict[str, Any], name: str, length: int | None) -> FloatArray:
    """Numbers, infinities as text, one-dimensional; of that length unless it is None."""
    values = state[name]
    if not isinstance(values, list) or (length is not None and len(values) != length):
        raise _damaged(name, "a list" if length is None else f"{length} numbers")
    if not all(type(value) in (int, float) or (type(value) is str and value in _TEXTS) for value in values):
        raise _damaged(name, "numbers")
    try:
        return np.array([float(value) for value in values], dtype=np.float64)
    except OverflowError as error:
        raise _damaged(name, "numbers that a float can hold") from error


def _counts(state: dict[str, Any], name: str, length: int | None, *, least: int | None) -> IntArray:
    """Whole numbers up to 2^53 in size, at least `least`."""
    values = _floats(state, name, length)
    whole = (np.abs(values) <= 2.0**53) & (values == np.floor(values))
    if not whole.all() or (least is not None and (values < least).any()):
        raise _damaged(name, "whole numbers" if least is None else f"whole numbers >= {least}")
    return values.astype(np.int64)
