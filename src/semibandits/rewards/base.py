"""Base classes of reward models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.formats.text import brief
from semibandits.inputs.costs import negated
from semibandits.kernels.rewards import draw
from semibandits.laws import Gaussian, Law
from semibandits.rewards._checks import item_indices
from semibandits.rewards._digest import described, own_attributes


@dataclass(frozen=True, eq=False)
class CompiledRewards:
    """A law for compiled loops; see :func:`semibandits.kernels.rewards.draw`."""

    kind: int  # one of the constants in `kernels.rewards`
    # Parameters of the law, C-contiguous and writable; `ints` are int64.
    floats: FloatArray
    ints: IntArray

    def __repr__(self) -> str:
        return brief(self)

    def copy(self) -> CompiledRewards:
        """The same law in new arrays."""
        return CompiledRewards(self.kind, self.floats.copy(), self.ints.copy())


class RewardModel(ABC):
    """The law of the rewards: the rewards of each round are drawn from it independently of earlier rounds.

    To write your own, define `theta`, `variance` and `draw`, and `law` if it is known; everything else has a default. Simulations
    then play in Python instead of a compiled loop. Keep a model immutable, and define it at module level if simulations run in
    several processes, since it is pickled; override `specification` if the law has parameters besides `theta` and `variance`.

    Policies never receive `theta`, which serves to compute the regret. They receive `variance`, which must therefore not depend
    on the unknown means. For instance, Bernoulli rewards have variance theta (1 - theta), which would reveal the means; policies
    receive 1/4 instead, which is a valid sub-Gaussian proxy for all means.

    Examples
    --------
    >>> class Dice(sb.RewardModel):  # each round throws a die of six faces and one of eight
    ...     theta = np.array([3.5, 4.5])
    ...     variance = (8 - 1) ** 2 / 4  # valid for every law on 1 to 8
    ...     def draw(self, items, rng):
    ...         return rng.integers(1, [7, 9])[items].astype(float)
    >>> Dice().draw(np.array([1]), np.random.default_rng(0)).tolist()
    [6.0]
    >>> sb.simulate(sb.MSets(2, 1), Dice(), sb.CUCB(), horizon=50, replications=2)
    SimulationResult(policies=['CUCB'], horizon=50, replications=2, d=2)
    """

    @property
    @abstractmethod
    def theta(self) -> FloatArray:
        """Mean reward of each item, shape (d,), read-only."""

    @property
    @abstractmethod
    def variance(self) -> float | FloatArray:
        """Variance that policies receive: one number > 0, or one per item with shape (d,), read-only.

        A sub-Gaussian proxy s: ``E exp(u (reward - mean)) <= exp(s u**2 / 2)`` for all u. For Gaussian rewards, the variance.
        """

    @abstractmethod
    def draw(self, items: IntArray, rng: np.random.Generator) -> FloatArray:
        """Rewards of the chosen items in one round.

        Parameters
        ----------
        items : ndarray of int64, shape (k,)
            Indices of the chosen items, each once, 0 <= k <= d.
        rng : numpy.random.Generator
            The only source of randomness.

        Returns
        -------
        ndarray of float, shape (k,)
            Finite rewards, in the order of `items`.

        Raises
        ------
        InvalidInputError
            In models that check their input: if `items` are not indices of items or `rng` is not a Generator.
        """

    @property
    def costs(self) -> FloatArray:
        """Mean cost of each item, shape (d,): minus `theta`."""
        return negated(self.theta)

    @property
    def d(self) -> int:
        """Number of items."""
        return len(self.theta)

    @property
    def is_independent_gaussian(self) -> bool:
        """Whether rewards are Gaussian with variance `variance` and independent across items."""
        return False

    @property
    def law(self) -> Law | None:
        """The law of the rewards, for which C(theta) bounds the regret; None if it is unknown.

        Rewards must follow this law and be independent across items. See :mod:`semibandits.laws`.
        """
        return Gaussian(self.variance) if self.is_independent_gaussian else None

    @property
    def bound_family(self) -> str | None:
        """Name of the law, for instance "gaussian" or "bernoulli"; None if no bound is known."""
        return None if self.law is None else self.law.name

    @property
    def told_law(self) -> Law | None:
        """The law that policies receive, which does not depend on the means; None if they receive none."""
        return self.law

    @property
    def family(self) -> str | None:
        """Name of the law that policies receive; None if they receive none."""
        return None if self.told_law is None else self.told_law.name

    def compiled(self) -> CompiledRewards | None:
        """The law for compiled loops, in new arrays; None if there is only `draw`."""
        return None

    def specification(self) -> dict[str, Any]:
        """Name and parameters of the law as plain JSON, large arrays as a SHA-256 digest and a shape; also all attributes."""
        kind = type(self)
        parameters = {"theta": described(self.theta), "variance": described(self.variance)}
        parameters |= own_attributes(self, without=parameters)
        return {"name": f"{kind.__module__}.{kind.__qualname__}", "parameters": parameters}


class StoredRewards(RewardModel):
    """A model of the library, which stores the means and the variance that policies receive.

    Parameters
    ----------
    theta : ndarray of float, shape (d,)
        Valid mean rewards; the array is not copied.
    variance : float or ndarray of float, shape (d,)
        Valid variance that policies receive; an array is not copied.
    """

    def __init__(self, theta: FloatArray, variance: float | FloatArray) -> None:
        self._theta, self._variance = theta, variance
        self._freeze()

    def _freeze(self) -> None:
        for array in (self._theta, self._variance):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._freeze()  # pickles do not keep it

    @property
    def theta(self) -> FloatArray:
        """Mean reward of each item, shape (d,), read-only."""
        return self._theta

    @property
    def variance(self) -> float | FloatArray:
        """Variance that policies receive: one number > 0, or one per item with shape (d,), read-only."""
        return self._variance

    def specification(self) -> dict[str, Any]:
        """Name and parameters of the law as plain JSON, large arrays as a SHA-256 digest and a shape."""
        return {"name": type(self).__name__, "parameters": self._parameters()}

    @abstractmethod
    def _parameters(self) -> dict[str, Any]:
        """The parameters as plain JSON."""

    def __repr__(self) -> str:
        proxy = self._variance
        variance = f"variance of shape {proxy.shape}" if isinstance(proxy, np.ndarray) else f"variance={proxy:g}"
        return f"{type(self).__name__}(theta of shape {self._theta.shape}, {variance})"


class KernelRewards(StoredRewards):
    """A model of the library whose law has a kernel: `draw` and compiled loops give the same bits.

    Parameters
    ----------
    theta, variance
        As in `StoredRewards`.
    compiled : CompiledRewards
        The law for kernels; its arrays are not copied.
    law : Law, optional
        The law of the rewards, if C(theta) bounds the regret for it.
    """

    def __init__(
        self, theta: FloatArray, variance: float | FloatArray, compiled: CompiledRewards, law: Law | None = None
    ) -> None:
        super().__init__(theta, variance)
        self._compiled = compiled  # its arrays stay writable: the kernel would be compiled once more for read-only ones
        self._law = law

    @property
    def law(self) -> Law | None:
        """The law of the rewards, whatever the variance that policies receive; None if a subclass overrides `draw`."""
        return self._law if self._draws_the_law else None

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
            If `items` are not indices of items, or `rng` is not a Generator.
        """
        indices = item_indices(items, self.d, rng)
        k = len(indices)
        law, out = self._compiled, np.empty(k)
        draw(law.kind, law.floats, law.ints, indices, k, rng, np.empty(self.d), out)
        return out

    def compiled(self) -> CompiledRewards | None:
        """The law for compiled loops, in new arrays; None if a subclass overrides `draw`."""
        return self._compiled.copy() if self._draws_the_law else None

    @property
    def _draws_the_law(self) -> bool:
        """Whether `draw` is the one above, so that rewards follow the law of the library's class."""
        return type(self).draw is KernelRewards.draw
