"""Rewards resampled from logged outcomes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, TypeAlias, cast, final

import numpy as np

from semibandits._typing import ArrayLike, FloatArray
from semibandits.errors import InvalidInputError, SparseLogWarning
from semibandits.inputs.arguments import hinted
from semibandits.inputs.costs import negated
from semibandits.inputs.outcomes import one_of
from semibandits.kernels.rewards import REPLAY_ITEMS, REPLAY_ROUNDS
from semibandits.laws import Bernoulli, Law
from semibandits.rewards._checks import bounded_floats, variance_proxy
from semibandits.rewards._digest import described
from semibandits.rewards.base import CompiledRewards, KernelRewards

Outcomes: TypeAlias = FloatArray | Sequence[ArrayLike]


@final
class ReplayedRewards(KernelRewards):
    """Rewards resampled with replacement from logged outcomes; rounds are independent.

    Parameters
    ----------
    outcomes : ndarray of float, shape (n, d), or sequence of d array_like of float
        A table (an array or data frame with two dimensions) holds n joint rounds: each round of the simulation is one of its
        rows, which preserves the dependence between items. Any other sequence, including a list of lists, holds one log per
        item, each of any length: items are resampled from their own logs, independently.
    costs : ndarray of float, shape (n, d), or sequence of d array_like of float, optional
        The log in costs instead of `outcomes`: rewards are minus costs.
    variance : float or array_like of float, shape (d,), optional
        Variance that policies receive, > 0. By default max_i (b_i - a_i)**2 / 4, where [a_i, b_i] is the range of the outcomes
        of item i. By Hoeffding's lemma that is a sub-Gaussian proxy for every item, so that guarantees of policies that require
        only a proxy hold; it is one number for all items, so that it does not reveal their order. Rare extreme outcomes make it
        large and policies slow to learn: a smaller one, such as the largest sample variance, often plays better, without a
        guarantee.

    Raises
    ------
    InvalidInputError
        Unless exactly one of `outcomes` and `costs` is given; if there are no outcomes, or some item has none, or they are not
        finite or exceed 1e100; if `variance` has the wrong shape or is not positive; or if it is left out and every log is
        constant.

    Warns
    -----
    SparseLogWarning
        If some items have a single outcome and others have more.

    Notes
    -----
    The means `theta` are those of the logged outcomes: exact for the resampled law, estimates for the source of the log.

    Examples
    --------
    >>> logs = [[12.0, 15.0, 11.0], [9.0, 21.0]]  # minutes of three trips by one route and two by another
    >>> trips = sb.ReplayedRewards(costs=logs, variance=20.0)
    >>> trips.theta.round(2).tolist()
    [-12.67, -15.0]
    >>> trips.draw([0, 1], np.random.default_rng(0)).tolist()
    [-15.0, -9.0]
    >>> days = sb.ReplayedRewards(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]))  # a table: clicks on two articles, by day
    >>> days.is_joint, days.variance
    (True, 0.25)

    References
    ----------
    Hoeffding (1963), "Probability inequalities for sums of bounded random variables", equation 4.16.
    """

    @hinted
    def __init__(
        self, outcomes: Outcomes | None = None, *, costs: Outcomes | None = None, variance: ArrayLike | None = None
    ) -> None:
        given, in_costs = one_of(outcomes, costs, "outcomes")
        read = _joint_rounds if getattr(given, "ndim", 1) == 2 else _item_logs
        means, largest_range, law = read(given, in_costs=in_costs)
        proxy = largest_range**2 / 4 if variance is None else variance_proxy(variance, len(means))
        if variance is None and proxy == 0.0:
            raise InvalidInputError(
                f"{'costs' if in_costs else 'outcomes'} must vary for some item if variance is left out, "
                f"got {largest_range:g} as the largest range: pass the variance that policies receive"
            )
        super().__init__(means, proxy, law)

    @property
    def is_joint(self) -> bool:
        """Whether joint rounds are resampled, which preserves the dependence between items."""
        return self._compiled.kind == REPLAY_ROUNDS

    @property
    def told_law(self) -> Law | None:
        """Bernoulli if all outcomes are 0 or 1, or else None."""
        return Bernoulli() if np.isin(self._compiled.floats, (0.0, 1.0)).all() else None

    def _parameters(self) -> dict[str, Any]:
        variance, outcomes = described(self._variance), self._compiled.floats
        if self.is_joint:
            return {"rounds": described(outcomes.reshape(-1, self.d)), "variance": variance}
        counts = np.diff(self._compiled.ints).astype(np.float64)
        return {"outcomes": described(outcomes), "counts": described(counts), "variance": variance}

    def __repr__(self) -> str:
        head, numbers = super().__repr__().removesuffix(")"), len(self._compiled.floats)
        what = f"{numbers // self.d} joint rounds" if self.is_joint else f"{numbers} outcomes of single items"
        return f"{head}, {what})"


def _outcomes(values: object, name: str, *, in_costs: bool) -> FloatArray:
    """Validated outcomes as rewards."""
    array = bounded_floats(cast("ArrayLike", values), name)
    return negated(array) if in_costs else array


def _joint_rounds(table: Outcomes, *, in_costs: bool) -> tuple[FloatArray, float, CompiledRewards]:
    """Means, largest range and law of a table of joint rounds."""
    name = "costs" if in_costs else "outcomes"
    rounds = _outcomes(table, name, in_costs=in_costs)
    n, d = rounds.shape
    if rounds.size == 0:
        raise InvalidInputError(
            f"{name} must have shape (n, d) with n >= 1 and d >= 1, got {rounds.shape}: "
            "pass one row per round and one column per item"
        )
    law = CompiledRewards(REPLAY_ROUNDS, rounds.ravel(), np.array([d, n], dtype=np.int64))
    return rounds.mean(axis=0), float(np.ptp(rounds, axis=0).max()), law


def _item_logs(outcomes: Outcomes, *, in_costs: bool) -> tuple[FloatArray, float, CompiledRewards]:
    """Means, largest range and law of one log per item."""
    name = "costs" if in_costs else "outcomes"
    unordered = isinstance(outcomes, str | bytes | Mapping | Set)
    if unordered or getattr(outcomes, "ndim", 1) == 0 or not isinstance(outcomes, Iterable):
        raise InvalidInputError(
            f"{name} must be a sequence of d arrays or an array of shape (n, d), got {type(outcomes).__name__}: "
            "pass one log per item, or one row per round"
        )
    logs = [_outcomes(log, f"{name}[{i}]", in_costs=in_costs) for i, log in enumerate(outcomes)]
    for i, log in enumerate(logs):
        if log.ndim != 1 or log.size == 0:
            raise InvalidInputError(
                f"{name}[{i}] must have shape (n,) with n >= 1, got {log.shape}: pass the outcomes of item {i}, "
                "or an array of shape (n, d) with one row per round"
            )
    if not logs:
        raise InvalidInputError(f"{name} must hold one log per item, got none: pass at least one")
    single = [i for i, log in enumerate(logs) if len(log) == 1]
    if single and len(logs) > len(single):
        warnings.warn(
            f"{len(single)} of {len(logs)} items have a single outcome (first: index {single[0]}), which counts as their mean: "
            "leave them out, or log more",
            SparseLogWarning,
            stacklevel=4,
        )
    pointers = np.cumsum([0, *map(len, logs)], dtype=np.int64)
    means = np.array([log.mean() for log in logs])
    law = CompiledRewards(REPLAY_ITEMS, np.concatenate(logs), pointers)
    return means, max(float(np.ptp(log)) for log in logs), law
