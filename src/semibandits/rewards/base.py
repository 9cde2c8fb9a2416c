"""What every reward model offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.kernels.interruptible import call_interruptibly
from semibandits.kernels.rewards import draw
from semibandits.laws import Gaussian, Law
from semibandits.rewards._checks import item_indices
from semibandits.rewards._digest import described


@dataclass(frozen=True, eq=False)
class CompiledRewards:
    """A law that compiled loops can draw from, see :func:`semibandits.kernels.rewards.draw`.

    Attributes
    ----------
    kind : int
        One of the constants in :mod:`semibandits.kernels.rewards`.
    floats : ndarray of float, shape (any,)
        Its numbers, C-contiguous and writable.
    ints : ndarray of int64, shape (any,)
        Its integers, C-contiguous and writable.
    """

    kind: int
    floats: FloatArray
    ints: IntArray

    def copy(self) -> CompiledRewards:
        """The same law in fresh arrays."""
        return CompiledRewards(self.kind, self.floats.copy(), self.ints.copy())


class RewardModel(ABC):
    """The law of the rewards: every round is drawn from it independently of the rounds before.

    To write your own, give it `theta`, `variance` and `draw`, and `law` if it has one; everything else has a default. Simulations
    then play in Python instead of a compiled loop. Keep a model immutable, and at module level if simulations run in several
    processes, since it is pickled; override `specification` if more than `theta` and `variance` says what the law is.

    Policies never see `theta`: it is there to compute the regret. They are told `variance`, which must therefore not depend on
    the unknown means. Bernoulli rewards have variance theta (1 - theta), which would give the means away, so that 1/4 is told,
    which is right for all of them.
    """

    @property
    @abstractmethod
    def theta(self) -> FloatArray:
        """Mean reward of each item, shape (d,), read-only."""

    @property
    @abstractmethod
    def variance(self) -> float | FloatArray:
        """What policies are told of the spread: one number > 0, or one an item with shape (d,), read-only.

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
            Where the model checks its input: if `items` are no indices of items or `rng` is no Generator.
        """

    @property
    def d(self) -> int:
        """Number of items."""
        return len(self.theta)

    @property
    def is_independent_gaussian(self) -> bool:
        """Whether rewards are Gaussian, independent across items, with `variance`: only then C(theta) ln T is their bound."""
        return False

    @property
    def law(self) -> Law | None:
        """The law of the rewards, for which C(theta) bounds the regret; None where none is known.

        Rewards must be independent across items, and of that law. See :mod:`semibandits.laws`.
        """
        return Gaussian(self.variance) if self.is_independent_gaussian else None

    @property
    def bound_family(self) -> str | None:
        """Name of the law, "gaussian" or "bernoulli", say; None where no bound is known."""
        return None if self.law is None else self.law.name

    @property
    def told_law(self) -> Law | None:
        """What policies are told of the law, which says nothing of the means; None if nothing."""
        return self.law

    @property
    def family(self) -> str | None:
        """Name of the law that policies are told; None if there is none."""
        return None if self.told_law is None else self.told_law.name

    def compiled(self) -> CompiledRewards | None:
        """The law for compiled loops, in fresh arrays; None if only `draw` knows it."""
        return None

    def specification(self) -> dict[str, Any]:
        """What the law is, in plain JSON: its name and parameters, large arrays as a SHA-256 digest and a shape."""
        kind = type(self)
        parameters = {"theta": described(self.theta), "variance": described(self.variance)}
        return {"name": f"{kind.__module__}.{kind.__qualname__}", "parameters": parameters}


class StoredRewards(RewardModel):
    """A model of the library: it holds its means and the variance that policies are told.

    Parameters
    ----------
    theta : ndarray of float, shape (d,)
        Mean rewards, checked; the model takes the array over.
    variance : float or ndarray of float, shape (d,)
        What policies are told, checked; the model takes the array over.
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
        self._freeze()  # pickles forget it

    @property
    def theta(self) -> FloatArray:
        """Mean reward of each item, shape (d,), read-only."""
        return self._theta

    @property
    def variance(self) -> float | FloatArray:
        """What policies are told of the spread: one number > 0, or one an item with shape (d,), read-only."""
        return self._variance

    def specification(self) -> dict[str, Any]:
        """What the law is, in plain JSON: its name and parameters, large arrays as a SHA-256 digest and a shape."""
        return {"name": type(self).__name__, "parameters": self._parameters()}

    @abstractmethod
    def _parameters(self) -> dict[str, Any]:
        """The parameters in plain JSON."""

    def __repr__(self) -> str:
        told = self._variance
        variance = f"variance of shape {told.shape}" if isinstance(told, np.ndarray) else f"variance={told:g}"
        return f"{type(self).__name__}(theta of shape {self._theta.shape}, {variance})"


class KernelRewards(StoredRewards):
    """A model of the library whose law has a kernel: `draw` and compiled loops give the same bits.

    Parameters
    ----------
    theta, variance
        As in `StoredRewards`.
    law : CompiledRewards
        The law; the model takes its arrays over.
    """

    def __init__(self, theta: FloatArray, variance: float | FloatArray, law: CompiledRewards) -> None:
        super().__init__(theta, variance)
        self._law = law  # its arrays stay writable: the kernel would be compiled once more for read-only ones

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
            If `items` are no indices of items, or `rng` is no Generator.
        """
        indices = item_indices(items, self.d, rng)
        k = len(indices)
        out = np.empty(k)
        call_interruptibly(
            draw, self._law.kind, self._law.floats, self._law.ints, indices, k, rng, np.empty(self.d), out
        )
        return out

    def compiled(self) -> CompiledRewards | None:
        """The law for compiled loops, in fresh arrays; None if a subclass overrides `draw`, which then alone knows it."""
        return self._law.copy() if self._draws_the_law else None

    @property
    def _draws_the_law(self) -> bool:
        """Whether `draw` is the one above, so that rewards follow the law of the class of the library."""
        return type(self).draw is KernelRewards.draw
