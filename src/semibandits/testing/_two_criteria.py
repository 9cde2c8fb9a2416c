"""Conformance checks of budgeted and index maximisation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import Infeasible, InvalidInputError
from semibandits.testing._require import require, require_decision

FORGIVEN = 1e-12
"""Tolerance of budget constraints, relative to m times the largest budget of an item."""
RATIOS = (0.9, 0.5)


@dataclass(frozen=True)
class _Pair:
    """Rewards and budgets of items, and rival decisions to compare with."""

    decision_set: DecisionSet
    rivals: BoolArray
    rewards: FloatArray
    budgets: FloatArray

    def reward(self, x: BoolArray) -> float:
        return float(self.rewards[x].sum())

    def budget(self, x: BoolArray) -> float:
        return float(self.budgets[x].sum())

    @property
    def forgiven(self) -> float:
        return FORGIVEN * self.decision_set.m * float(np.abs(self.budgets).max())

    @property
    def tolerance(self) -> float:
        return 10 * FORGIVEN * (len(self.rewards) + 1) * float(np.abs(self.rewards).max())

    def best(self, at_least: float) -> float:
        """Largest reward of a rival that meets the budget, -inf if there is none."""
        met = self.rivals @ self.budgets >= at_least - self.forgiven / 2
        return float((self.rivals @ self.rewards)[met].max(initial=-np.inf))


def check_two_criteria(
    decision_set: DecisionSet, rows: BoolArray | None, found: list[BoolArray], all_weights: list[FloatArray]
) -> None:
    """Check P_BLM, P_IM and fronts with each weight vector as rewards and the next one as budgets.

    Results are compared with all decisions, `rows`, if they are listed, or else with those that ``maximize`` has `found`.
    """
    rivals = np.array(found) if rows is None else rows
    for rewards, budgets in zip(all_weights, np.roll(all_weights, 1, axis=0), strict=True):
        pair = _Pair(decision_set, rivals, rewards, budgets)
        totals = np.sort(rivals @ budgets)
        # Bounded sets clip weights, and so do not find the largest budget; all budgets that are met are known from a list.
        largest = pair.budget(decision_set.maximize(budgets)) if decision_set.upper is None else float(totals[-1])
        for at_least in (float(totals[0]), float(totals[len(totals) // 2]), float(totals[-1]), largest):
            _check_budgeted(pair, at_least)
        if decision_set.upper is None or rows is not None:
            _check_infeasible(pair, largest)
        _check_index(pair)
        if rows is not None:
            _check_front(pair)
    _check_refusals(decision_set)


def _result(pair: _Pair, name: str, call: Callable[[], BoolArray]) -> BoolArray:
    """The result of a call: a decision, the same when called twice, found without changing the arguments."""
    kept = pair.rewards.copy(), pair.budgets.copy()
    first = require_decision(call(), pair.decision_set, name)
    if not np.array_equal(kept[0], pair.rewards) or not np.array_equal(kept[1], pair.budgets):
        raise AssertionError(f"{name} must not change its arguments, got {pair.rewards} and {pair.budgets} for {kept}")
    again = call()
    if not np.array_equal(again, first):
        raise AssertionError(f"{name} must break ties the same way, got {first} and {again}")
    return first


def _check_budgeted(pair: _Pair, at_least: float) -> None:
    for ratio in (1.0, *(RATIOS if pair.decision_set.upper is None else ())):  # which need rewards >= 0
        rewards = pair.rewards if ratio == 1.0 else np.abs(pair.rewards)
        asked = _Pair(pair.decision_set, pair.rivals, rewards, pair.budgets)
        call = partial(pair.decision_set.maximize_budgeted, rewards, pair.budgets, at_least, ratio=ratio)
        x = _result(asked, "maximize_budgeted", call)
        missing, value, best = at_least - asked.budget(x), asked.reward(x), asked.best(at_least)
        meets, reaches = missing <= 2 * asked.forgiven, value >= ratio * best - asked.tolerance
        if not meets or not reaches:
            promise = f"reach ratio * {best}, got reward {value}" if meets else f"meet the budget, got {missing} less"
            raise AssertionError(
                f"maximize_budgeted must {promise} by {x} for rewards {rewards}, budgets {pair.budgets}, at_least "
                f"{at_least!r}, ratio {ratio}"
            )


def _check_infeasible(pair: _Pair, largest: float) -> None:
    too_much = largest + max(1.0, abs(largest)) * 1e-3
    for ratio in (1.0, 0.5) if pair.decision_set.upper is None else (1.0,):
        rewards = pair.rewards if ratio == 1.0 else np.abs(pair.rewards)
        try:
            x = pair.decision_set.maximize_budgeted(rewards, pair.budgets, too_much, ratio=ratio)
        except Infeasible:
            continue
        raise AssertionError(
            f"maximize_budgeted must raise Infeasible for at_least {too_much} above {largest}, got {x} for {pair.budgets}"
        )


def _check_index(pair: _Pair) -> None:
    bonuses = np.abs(pair.budgets)
    asked = _Pair(pair.decision_set, pair.rivals, pair.rewards, bonuses)
    index_of = partial(pair.decision_set.index_of, pair.rewards, bonuses)
    best = max(map(index_of, pair.rivals))
    for ratio in (1.0, *RATIOS):
        call = partial(pair.decision_set.maximize_index, pair.rewards, bonuses, ratio=ratio)
        x = _result(asked, "maximize_index", call)
        value = asked.reward(x) + (index_of(x) - asked.reward(x)) / ratio
        slack = asked.tolerance + 10 * FORGIVEN * math.sqrt(bonuses.sum())
        if not value >= best - slack:
            raise AssertionError(
                f"rewards·x + sqrt(bonuses·x) / ratio of maximize_index must reach {best}, got {value} of {x} "
                f"for rewards {pair.rewards}, bonuses {bonuses}, ratio {ratio}"
            )


def _check_front(pair: _Pair) -> None:
    front = pair.decision_set.budget_front(pair.rewards, pair.budgets)
    where = f"for rewards {pair.rewards}, budgets {pair.budgets}"
    require(all(x in pair.decision_set for x in front.decisions), f"budget_front must hold decisions only {where}")
    require(
        np.allclose(front.rewards, front.decisions @ pair.rewards, rtol=0, atol=pair.tolerance)
        and np.allclose(front.budgets, front.decisions @ pair.budgets, rtol=0, atol=10 * pair.forgiven),
        f"budget_front must state rewards·x and budgets·x, got {front.rewards} and {front.budgets} {where}",
    )
    require((np.diff(front.budgets) > 0).all(), f"budgets of a front must increase, got {front.budgets} {where}")
    require((np.diff(front.rewards) < 0).all(), f"rewards of a front must decrease, got {front.rewards} {where}")
    totals = pair.rivals @ pair.budgets
    for at_least in np.unique(totals)[:: max(1, len(totals) // 50)].tolist():
        value, best = pair.reward(front.best(at_least)), pair.best(at_least)
        require(value >= best - pair.tolerance, f"best({at_least}) of a front must have reward {best}, got {value} {where}")


def _check_refusals(decision_set: DecisionSet) -> None:
    d = decision_set.d
    ones, minus = np.ones(d), -np.ones(d)
    bad = np.append(np.zeros(d - 1), np.nan)
    calls: dict[str, Callable[[], object]] = {
        "maximize_budgeted for too many rewards": lambda: decision_set.maximize_budgeted(np.ones(d + 1), ones, 0),
        "maximize_budgeted for NaN among rewards": lambda: decision_set.maximize_budgeted(bad, ones, 0),
        "maximize_budgeted for NaN among budgets": lambda: decision_set.maximize_budgeted(ones, bad, 0),
        "maximize_budgeted for a budget of NaN": lambda: decision_set.maximize_budgeted(ones, ones, math.nan),
        "maximize_budgeted for ratio 0": lambda: decision_set.maximize_budgeted(ones, ones, 0, ratio=0.0),
        "maximize_budgeted for ratio 1.5": lambda: decision_set.maximize_budgeted(ones, ones, 0, ratio=1.5),
        "maximize_budgeted for rewards < 0 at ratio 0.5": lambda: decision_set.maximize_budgeted(minus, ones, 0, ratio=0.5),
        "maximize_index for NaN among rewards": lambda: decision_set.maximize_index(bad, ones),
        "maximize_index for bonuses < 0": lambda: decision_set.maximize_index(ones, minus),
        "maximize_index for ratio 0": lambda: decision_set.maximize_index(ones, ones, ratio=0.0),
        "budget_front for NaN among budgets": lambda: decision_set.budget_front(ones, bad),
    }
    for what, call in calls.items():
        try:
            call()
        except InvalidInputError:
            continue
        raise AssertionError(f"InvalidInputError must be raised by {what}, got a result")
