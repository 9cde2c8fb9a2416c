"""Conformance checks of decision sets."""

from __future__ import annotations

import pickle
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, TooManyDecisionsError, UnsupportedError
from semibandits.testing._exchange import check_exchange_graph
from semibandits.testing._require import require, require_decision
from semibandits.testing._two_criteria import check_two_criteria

ROUNDING = 1e-12
"""Sums of weights count as equal if they differ by at most this times (d + 1) times the largest weight."""


@dataclass(frozen=True)
class _Case:
    decision_set: DecisionSet
    rows: BoolArray | None
    """All decisions, if they can be listed within the limit."""
    rng: np.random.Generator

    def best(self, weights: FloatArray) -> BoolArray:
        """A best decision, from the list if there is one."""
        if self.rows is None:
            return self.decision_set.maximize(weights)
        return np.array(self.rows[np.argmax(self.rows @ weights)])


def check_decision_set(decision_set: DecisionSet, *, seed: int = 0, trials: int = 20, limit: int = 5_000) -> None:
    """Check that a decision set keeps the promises of :class:`semibandits.DecisionSet`.

    Deterministic: the same arguments give the same checks.

    Parameters
    ----------
    decision_set : DecisionSet
        Any decision set, built in or your own. It must be picklable, as for parallel simulations. Small sets are checked more
        thoroughly, against the list of their decisions if they can list them.
    seed : int
        Seed of the random weights.
    trials : int
        Number of weight vectors, >= 1: continuous, with many ties, with zeros only, all negative.
    limit : int
        Decisions are listed if there are at most this many.

    Raises
    ------
    InvalidInputError
        If `trials` is less than 1.
    AssertionError
        At the first broken promise, with what was expected, what was got, and for which weights.

    Examples
    --------
    Nothing is printed if all checks pass. A set of your own with a wrong `m`:

    >>> from semibandits.testing import check_decision_set
    >>> check_decision_set(sb.MSets(5, 2), trials=4)
    >>> class OneOfThree(sb.DecisionSet):
    ...     d, m = 3, 2
    ...
    ...     def maximize(self, weights):
    ...         return np.arange(3) == np.argmax(weights)
    >>> check_decision_set(OneOfThree())
    Traceback (most recent call last):
        ...
    AssertionError: m must be the size of the largest decision, got m = 2, but maximize(ones) has 1 items
    """
    if trials < 1:
        raise InvalidInputError(f"trials must be at least 1, got {trials}: the checks need a weight vector")
    rng = np.random.default_rng(seed)
    _check_shape(decision_set)
    rows = _check_listing(decision_set, limit)
    case = _Case(decision_set, rows, rng)
    all_weights = list(_weights(decision_set, trials, rng))
    found = [_check_maximize(case, weights) for weights in all_weights]
    _check_best(case, all_weights, found)
    _check_membership(case, found)
    _check_refusals(decision_set)
    _check_arrays_are_immutable(decision_set)
    _check_pickling(case, all_weights, found)
    for weights in all_weights:
        check_exchange_graph(decision_set, weights, case.best, _tolerance(weights))
    check_two_criteria(decision_set, rows, found, all_weights)


def _tolerance(weights: FloatArray) -> float:
    return ROUNDING * (len(weights) + 1) * float(np.abs(weights).max())


def _weights(decision_set: DecisionSet, trials: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Weights up to the upper bound of the set, if it has one."""
    d, upper = decision_set.d, np.inf if decision_set.upper is None else decision_set.upper
    for trial in range(trials):
        match trial % 4:
            case 0:
                weights = rng.normal(size=d)
            case 1:
                weights = rng.integers(-2, 3, d).astype(np.float64)
            case 2:
                weights = np.zeros(d) if trial == 2 else rng.integers(0, 2, d).astype(np.float64)
            case _:
                weights = -rng.random(d)
        yield np.minimum(weights, upper)


def _check_shape(decision_set: DecisionSet) -> None:
    d, m, items = decision_set.d, decision_set.m, decision_set.items
    require(isinstance(d, int) and d >= 1, f"d must be an int >= 1, got {d!r}")
    require(isinstance(m, int) and 0 <= m <= d, f"m must be an int in 0 .. d = {d}, got {m!r}")
    require(isinstance(items, tuple) and len(items) == d, f"items must be a tuple of d = {d} labels, got {items!r}")
    require(all(isinstance(item, Hashable) for item in items), f"items must be hashable, got {items!r}")
    require(len(set(items)) == d, f"items must be distinct, got {items!r}")
    most = int(np.count_nonzero(decision_set.maximize(np.ones(d))))
    is_bound = decision_set.upper is not None and most < m  # ones are clipped: m may be larger than any decision that is found
    require(
        most == m or is_bound, f"m must be the size of the largest decision, got m = {m}, but maximize(ones) has {most} items"
    )


def _check_listing(decision_set: DecisionSet, limit: int) -> BoolArray | None:
    try:
        rows = decision_set.enumerate(limit)
    except (UnsupportedError, TooManyDecisionsError):
        return None
    n, d = len(rows), decision_set.d
    require(
        isinstance(rows, np.ndarray) and rows.dtype == np.bool_ and rows.shape == (n, d) and n >= 1,
        f"enumerate must return a bool array of shape (n, d = {d}) with n >= 1, got {rows!r}",
    )
    require(n <= limit, f"enumerate(limit) must not return more than limit = {limit} rows, got {n}")
    require(len({row.tobytes() for row in rows}) == n, "enumerate must list every decision once, got some twice")
    require(all(row in decision_set for row in rows), "every row of enumerate must be in the set, got one that is not")
    require(np.array_equal(decision_set.enumerate(n), rows), f"enumerate(limit={n}) must list the same {n} decisions")
    largest = int(rows.sum(axis=1).max())
    is_bound = decision_set.upper is not None and largest < decision_set.m
    require(largest == decision_set.m or is_bound, f"m must be the size of the largest decision {largest}, got {decision_set.m}")
    count = decision_set.count()
    require(isinstance(count, int) and count == n, f"count must be the number of decisions {n}, got {count!r}")
    for work in (0, 10**9):
        exact, more_than = decision_set.count_within(work)
        require(
            exact in (None, n) and (more_than is None or (exact is None and more_than < n)),
            f"count_within must return the number of decisions {n} or fewer, got {exact!r} and more than {more_than!r}",
        )
    try:
        decision_set.enumerate(n - 1)
    except TooManyDecisionsError:
        return rows
    raise AssertionError(f"enumerate(limit={n - 1}) must raise TooManyDecisionsError for {n} decisions, got a list")


def _check_maximize(case: _Case, weights: FloatArray) -> BoolArray:
    decision_set, given = case.decision_set, weights.copy()
    x = decision_set.maximize(given)
    if not np.array_equal(given, weights):
        raise AssertionError(f"maximize must not change its argument, got {given} for {weights}")
    kept = require_decision(x, decision_set, "maximize", f" for weights {weights}")
    size = int(np.count_nonzero(kept))
    require(size <= decision_set.m, f"decisions must have at most m = {decision_set.m} items, got {size}")
    given.setflags(write=False)
    for again in (given, weights.tolist(), np.repeat(weights, 2)[::2]):
        y = decision_set.maximize(again)
        if not np.array_equal(y, kept):
            raise AssertionError(f"maximize must break ties the same way, got {kept} and {y} for {weights}")
    return kept


def _check_best(case: _Case, all_weights: list[FloatArray], found: list[BoolArray]) -> None:
    rivals = np.array(found) if case.rows is None else case.rows
    for weights, x in zip(all_weights, found, strict=True):
        rival = rivals[np.argmax(rivals @ weights)]
        value, better = float(weights @ x), float(weights @ rival)
        if not value >= better - _tolerance(weights):
            raise AssertionError(
                f"maximize must return a best decision, got {x} of value {value} for weights {weights}, "
                f"but {rival} has value {better}"
            )


def _check_membership(case: _Case, found: list[BoolArray]) -> None:
    decision_set, d = case.decision_set, case.decision_set.d
    x = found[0]
    junk: tuple[object, ...] = (
        None, "decision", 0, [], np.append(x, False), x[:-1], x[np.newaxis], np.full(d, 2), np.full(d, 0.5), np.full(d, np.nan),
    )  # fmt: skip
    for value in junk:
        require(value not in decision_set, f"{value!r} must not be in the set: it is not a 0/1 vector of shape ({d},)")
    for form in (x.astype(np.int64), x.astype(np.float64), x.tolist()):
        require(form in decision_set, f"decisions must be found as {type(form).__name__} of 0 and 1, too, got {form!r}")
    if case.rows is None:
        return
    listed = {row.tobytes() for row in case.rows}
    for base in (*found, *(case.rng.random((20, d)) < 0.5)):
        flip = base.copy()
        flip[case.rng.integers(d)] ^= True
        swap = flip.copy()
        swap[case.rng.integers(d)] ^= True
        for y in (base, flip, swap):
            require((y in decision_set) == (y.tobytes() in listed), f"membership of {y} must agree with enumerate")


def _check_refusals(decision_set: DecisionSet) -> None:
    d = decision_set.d
    nan, infinite = np.zeros(d), np.zeros(d)
    nan[-1], infinite[0] = np.nan, -np.inf
    for weights in (np.zeros(d + 1), np.zeros((1, d)), nan, infinite, 1.0, "weights", None):
        try:
            decision_set.maximize(weights)  # type: ignore[arg-type]
        except InvalidInputError:
            continue
        raise AssertionError(f"maximize must raise InvalidInputError for weights {weights!r}, got a decision")


def _check_arrays_are_immutable(decision_set: DecisionSet) -> None:
    for name in dir(decision_set):
        value = None if name.startswith("_") else getattr(decision_set, name)
        if isinstance(value, np.ndarray):
            require(not value.flags.writeable, f"arrays of a decision set must be read-only, got a writeable {name}")


def _check_pickling(case: _Case, all_weights: list[FloatArray], found: list[BoolArray]) -> None:
    decision_set = case.decision_set
    again = pickle.loads(pickle.dumps(decision_set))
    for name in ("d", "m", "items"):
        got, expected = getattr(again, name), getattr(decision_set, name)
        require(got == expected, f"{name} must survive pickling, got {got!r} instead of {expected!r}")
    for weights, x in zip(all_weights, found, strict=True):
        y = again.maximize(weights)
        require(np.array_equal(x, y), f"maximize must survive pickling, got {y} instead of {x} for weights {weights}")
    if case.rows is not None:
        require(np.array_equal(again.enumerate(len(case.rows)), case.rows), "enumerate must survive pickling")
