"""Gaussian rewards that are dependent within a round."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from semibandits._typing import ArrayLike, FloatArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.arguments import hinted
from semibandits.inputs.validation import check_numbers, check_shape
from semibandits.kernels.rewards import CORRELATED
from semibandits.laws import Gaussian
from semibandits.rewards._checks import bounded_floats, mean_vector
from semibandits.rewards._digest import described
from semibandits.rewards.base import CompiledRewards, KernelRewards

TOLERANCE = 1e-12
"""Tolerance for rounding, relative to the largest entry of a covariance: its asymmetry, and its least eigenvalue per item."""


@final
class CorrelatedGaussianRewards(KernelRewards):
    """Gaussian rewards with a covariance across items; rounds are independent.

    The rewards of all items are drawn in each round, whatever is played, so that policies with one seed meet the same rewards.

    Parameters
    ----------
    theta : array_like of float, shape (d,)
        Mean reward of each item, of any sign.
    covariance : array_like of float, shape (d, d)
        Covariance of the rewards: symmetric, positive semidefinite, with a positive diagonal. Policies receive the diagonal
        alone; those whose proofs assume independent items lose their guarantee.
    costs : array_like of float, shape (d,), optional
        Mean cost of each item instead of `theta`: rewards are minus costs, which have the same covariance.

    Raises
    ------
    InvalidInputError
        Unless exactly one of `theta` and `costs` is given; if it or `covariance` has the wrong shape, is not finite, or exceeds
        1e100; or if `covariance` is not symmetric, not positive semidefinite, or has a diagonal that is not positive.

    Examples
    --------
    >>> covariance = [[1.0, 0.9], [0.9, 1.0]]  # two streets with nearly the same traffic
    >>> minutes = sb.CorrelatedGaussianRewards(costs=[10.0, 12.0], covariance=covariance)
    >>> rng = np.random.default_rng(0)
    >>> days = np.array([minutes.draw([0, 1], rng) for _ in range(100)])
    >>> round(float(np.corrcoef(days.T)[0, 1]), 1)
    0.9
    >>> minutes.variance.tolist(), minutes.law  # policies receive the diagonal; no law is known, so there is no bound
    ([1.0, 1.0], None)
    """

    @hinted
    def __init__(
        self, theta: ArrayLike | None = None, covariance: ArrayLike | None = None, *, costs: ArrayLike | None = None
    ) -> None:
        means = mean_vector(theta, costs)
        if covariance is None:
            raise InvalidInputError(
                "covariance must be given, got None: pass one row and one column per item, or use GaussianRewards"
            )
        d = len(means)
        self._covariance = _covariance(covariance, d)
        self._covariance.flags.writeable = False
        numbers = np.concatenate((means, _factor(self._covariance).ravel()))
        compiled = CompiledRewards(CORRELATED, numbers, np.array([d], dtype=np.int64))
        variance = np.diag(self._covariance).copy()
        is_diagonal = int(np.count_nonzero(self._covariance)) == d
        super().__init__(means, variance, compiled, Gaussian(variance) if is_diagonal else None)

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
        return self.law is not None

    def _parameters(self) -> dict[str, Any]:
        return {"theta": described(self._theta), "covariance": described(self._covariance)}


def _covariance(values: ArrayLike, d: int) -> FloatArray:
    """The covariance, validated except for its eigenvalues, and made exactly symmetric."""
    rows, columns = getattr(values, "index", None), getattr(values, "columns", None)
    if columns is not None and rows is not None and list(rows) != list(columns):
        raise InvalidInputError(
            "covariance must have rows and columns in the same order, got a frame whose index is not its columns: pass for "
            "instance covariance.loc[items, items].to_numpy()"
        )
    array = bounded_floats(values, "covariance")
    check_shape(array, (d, d), "(d, d)", "covariance", "pass one row and one column per item of theta")
    apart = np.abs(array - array.T)
    i, j = np.unravel_index(int(apart.argmax()), array.shape)
    if apart[i, j] > TOLERANCE * np.abs(array).max():
        raise InvalidInputError(
            f"covariance must be symmetric, got {array[i, j]} for items ({i}, {j}) and {array[j, i]} for ({j}, {i}): "
            "pass (covariance + covariance.T) / 2 if the difference is noise"
        )
    diagonal, remedy = np.diag(array), "pass a tiny variance for items whose reward is known exactly"
    check_numbers(diagonal, diagonal <= 0, "covariance", "have a positive diagonal", remedy)
    return array / 2 + array.T / 2


def _factor(covariance: FloatArray) -> FloatArray:
    """Lower triangular L with L L^T = covariance, also for a singular covariance."""
    try:
        return np.ascontiguousarray(np.linalg.cholesky(covariance))
    except np.linalg.LinAlgError:
        eigenvalues, vectors = np.linalg.eigh(covariance)
    if eigenvalues[0] < -TOLERANCE * len(covariance) * np.abs(covariance).max():
        raise InvalidInputError(
            f"covariance must be positive semidefinite, got the eigenvalue {eigenvalues[0]:g}: estimate it from joint rounds, "
            "or raise the diagonal"
        )
    # Eigenvalues up to this are rounding errors, whose roots would be 1e8 times as large.
    noise = 4 * len(covariance) * np.finfo(np.float64).eps * eigenvalues[-1]
    root = vectors * np.sqrt(np.where(eigenvalues > noise, eigenvalues, 0.0))  # root root^T = R^T R with root^T = Q R
    _, upper = np.linalg.qr(root.T)
    return np.ascontiguousarray((upper * np.where(np.diag(upper) < 0, -1.0, 1.0)[:, None]).T)
