"""Gaussian rewards that depend on one another within a round."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from semibandits._typing import ArrayLike, FloatArray
from semibandits.errors import InvalidInputError
from semibandits.kernels.rewards import CORRELATED
from semibandits.rewards._checks import bounded_floats, mean_vector
from semibandits.rewards._digest import described
from semibandits.rewards.base import CompiledRewards, KernelRewards

TOLERANCE = 1e-12
"""How asymmetric, and how far below 0 per item, a covariance may be, relative to its largest number: rounding."""


@final
class CorrelatedGaussianRewards(KernelRewards):
    """Gaussian rewards with a covariance across items; rounds are independent.

    All items' rewards are drawn in each round, whatever is chosen, so that two policies under one seed meet the same rewards.

    Parameters
    ----------
    theta : array_like of float, shape (d,)
        Mean reward of each item, of any sign.
    covariance : array_like of float, shape (d, d)
        Covariance of the rewards: symmetric, positive semidefinite, with a positive diagonal. Policies are told the diagonal
        alone; those whose proofs assume independent items lose their guarantee.

    Raises
    ------
    InvalidInputError
        If `theta` or `covariance` has the wrong shape, is not finite, or exceeds 1e100; or if `covariance` is not symmetric, not
        positive semidefinite, or has a diagonal that is not positive.
    """

    def __init__(self, theta: ArrayLike, covariance: ArrayLike) -> None:
        means = mean_vector(theta)
        d = len(means)
        self._covariance = _covariance(covariance, d)
        self._covariance.flags.writeable = False
        numbers = np.concatenate((means, _factor(self._covariance).ravel()))
        law = CompiledRewards(CORRELATED, numbers, np.array([d], dtype=np.int64))
        super().__init__(means, np.diag(self._covariance).copy(), law)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._covariance.flags.writeable = False

    @property
    def covariance(self) -> FloatArray:
        """Covariance of the rewards, shape (d, d), read-only."""
        return self._covariance

    @property
    def is_independent_gaussian(self) -> bool:
        """Whether the covariance is diagonal, and no subclass overrides `draw`."""
        return self._draws_the_law and int(np.count_nonzero(self._covariance)) == self.d

    def _parameters(self) -> dict[str, Any]:
        return {"theta": described(self._theta), "covariance": described(self._covariance)}


def _covariance(values: ArrayLike, d: int) -> FloatArray:
    """The covariance, checked but for its eigenvalues and made symmetric to the last bit."""
    array = bounded_floats(values, "covariance")
    if array.shape != (d, d):
        raise InvalidInputError(
            f"covariance must have shape (d, d) = ({d}, {d}), got {array.shape}: pass one row and one column per item of theta"
        )
    apart = np.abs(array - array.T)
    i, j = np.unravel_index(int(apart.argmax()), array.shape)
    if apart[i, j] > TOLERANCE * np.abs(array).max():
        raise InvalidInputError(
            f"covariance must be symmetric, got {array[i, j]} for items ({i}, {j}) and {array[j, i]} for ({j}, {i}): "
            "pass (covariance + covariance.T) / 2 if that is what you mean"
        )
    bad = np.flatnonzero(np.diag(array) <= 0)
    if bad.size:
        raise InvalidInputError(
            f"covariance must have a positive diagonal, got {array[bad[0], bad[0]]} for item {bad[0]}: "
            "give an item that is known exactly a tiny variance"
        )
    return array / 2 + array.T / 2


def _factor(covariance: FloatArray) -> FloatArray:
    """Lower triangular L with L L^T = covariance, also where the covariance is singular."""
    try:
        return np.ascontiguousarray(np.linalg.cholesky(covariance))
    except np.linalg.LinAlgError:
        eigenvalues, vectors = np.linalg.eigh(covariance)
    if eigenvalues[0] < -TOLERANCE * len(covariance) * np.abs(covariance).max():
        raise InvalidInputError(
            f"covariance must be positive semidefinite, got the eigenvalue {eigenvalues[0]:g}: no rewards have these "
            "covariances together, estimate them from joint rounds or raise the diagonal"
        )
    noise = (
        4 * len(covariance) * np.finfo(np.float64).eps * eigenvalues[-1]
    )  # its root would be 1e8 times what rounding is
    root = vectors * np.sqrt(np.where(eigenvalues > noise, eigenvalues, 0.0))  # root root^T = R^T R with root^T = Q R
    _, upper = np.linalg.qr(root.T)
    return np.ascontiguousarray((upper * np.where(np.diag(upper) < 0, -1.0, 1.0)[:, None]).T)
