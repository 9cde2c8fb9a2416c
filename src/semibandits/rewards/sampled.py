"""Rewards from a user's function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, final

import numpy as np

from semibandits._typing import ArrayLike, FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.arguments import hinted
from semibandits.inputs.costs import negated
from semibandits.laws import Law, law_from
from semibandits.laws.checks import check_law
from semibandits.rewards._checks import checked_rewards, item_indices, mean_vector, variance_proxy
from semibandits.rewards._digest import described, full_repr
from semibandits.rewards.base import StoredRewards

Sampler: TypeAlias = Callable[[IntArray, np.random.Generator], ArrayLike]


@final
class SampledRewards(StoredRewards):
    """Rewards from your own function. Simulations play them in Python, slower than the compiled models.

    Parameters
    ----------
    theta : array_like of float, shape (d,)
        Mean reward of each item, from which the regret is computed. It is not checked that the sampler has these means.
    sampler : callable
        ``sampler(items, rng)`` returns the rewards of one round, k finite numbers in the order of `items`, an int64 array of
        shape (k,). The Generator `rng` must be its only source of randomness, and rounds must be independent. It must be
        defined at module level if simulations run in several processes.
    costs : array_like of float, shape (d,), optional
        Mean cost of each item instead of `theta`: the sampler returns costs, and rewards are minus costs.
    variance : float or array_like of float, shape (d,)
        Variance that policies receive, > 0: a sub-Gaussian proxy that does not depend on the means.
    law : Law or str, optional
        The law of the rewards, if they follow one and are independent across items, so that C(theta) bounds the regret; also as
        text, such as "poisson:cost" (:func:`semibandits.laws.law_from`). It is not checked that the sampler follows it.

    Raises
    ------
    InvalidInputError
        Unless exactly one of `theta` and `costs` is given; if it or `variance` has the wrong shape, is not finite, or exceeds
        1e100, if a variance is not positive, if `sampler` is not callable, or if `law` is not a law or does not allow these
        means.

    Examples
    --------
    >>> def waiting_minutes(items, rng):
    ...     return np.array([3.0, 5.0])[items] + rng.uniform(-1.0, 1.0, len(items))
    >>> waits = sb.SampledRewards(costs=[3.0, 5.0], sampler=waiting_minutes, variance=1.0)
    >>> waits.theta.tolist()
    [-3.0, -5.0]
    >>> waits.draw([0, 1], np.random.default_rng(0)).round(2).tolist()  # rewards are minus the minutes
    [-3.27, -4.54]
    """

    @hinted
    def __init__(
        self,
        theta: ArrayLike | None = None,
        sampler: Sampler | None = None,
        *,
        costs: ArrayLike | None = None,
        variance: ArrayLike,
        law: Law | str | None = None,
    ) -> None:
        means = mean_vector(theta, costs)
        if not callable(sampler):
            raise InvalidInputError(
                f"sampler must be a function of items and rng, got {type(sampler).__name__}: "
                "pass one that draws the rewards of one round"
            )
        if law is not None:
            law = law_from(law)
            check_law(law, means, in_costs=costs is not None)
        self._sampler, self._law, self._in_costs = sampler, law, costs is not None
        super().__init__(means, variance_proxy(variance, len(means)))

    @property
    def law(self) -> Law | None:
        """The law that was given."""
        return self._law

    def draw(self, items: IntArray, rng: np.random.Generator) -> FloatArray:
        """Rewards of the chosen items in one round.

        Parameters
        ----------
        items : array_like of int, shape (k,)
            Indices of the chosen items.
        rng : numpy.random.Generator
            The only source of randomness.

        Returns
        -------
        ndarray of float, shape (k,)
            Rewards, in the order of `items`.

        Raises
        ------
        InvalidInputError
            If `items` are not indices of items, `rng` is not a Generator, or the sampler does not return k finite numbers.
        """
        indices = item_indices(items, self.d, rng)
        outcomes = checked_rewards(self._sampler(indices, rng), len(indices), "the sampler")
        return negated(outcomes) if self._in_costs else outcomes

    def _parameters(self) -> dict[str, Any]:
        kind = self._sampler if hasattr(self._sampler, "__qualname__") else type(self._sampler)
        known: dict[str, Any] = {} if self._law is None else {"law": full_repr(self._law)}
        if self._in_costs:
            known["in_costs"] = True
        return {
            "theta": described(self._theta),
            "variance": described(self._variance),
            "sampler": f"{kind.__module__}.{kind.__qualname__}",
            **known,
        }
