"""Items of different laws."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.kernels import laws as kernels
from semibandits.laws.base import Law


class Parts(Law):
    """Items of different laws, in groups."""

    def reach(self, theta: FloatArray) -> FloatArray:
        """See `Law.reach`."""
        return self._each(lambda law, mean: law.reach(mean), theta)

    def divergence(self, theta: FloatArray, rise: FloatArray) -> FloatArray:
        """See `Law.divergence`."""
        return self._each(lambda law, mean, e: law.divergence(mean, e), theta, rise)

    def raise_at(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """See `Law.raise_at`."""
        return self._each(lambda law, mean, s: law.raise_at(mean, s), theta, slope)

    def convex_to(self, theta: FloatArray) -> FloatArray:
        """See `Law.convex_to`."""
        return self._each(lambda law, mean: law.convex_to(mean), theta)

    def jump_at(self, theta: FloatArray) -> FloatArray:
        """See `Law.jump_at`."""
        return self._each(lambda law, mean: law.jump_at(mean), theta)

    def margin(self, theta: FloatArray) -> FloatArray:
        """See `Law.margin`."""
        return self._each(lambda law, mean: law.margin(mean), theta)

    def tilt(self, theta: FloatArray, slope: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """See `Law.tilt`."""
        theta, slope = np.broadcast_arrays(theta, slope)
        rise, derivative, information = np.empty(theta.shape), np.empty(theta.shape), np.empty(theta.shape)
        for law, items in self._groups():
            parts = law.tilt(theta[..., items], slope[..., items])
            rise[..., items], derivative[..., items], information[..., items] = parts
        return rise, derivative, information

    def conjugate_rounding(self, theta: FloatArray, slope: FloatArray, rise: FloatArray, information: FloatArray) -> FloatArray:
        """See `Law.conjugate_rounding`."""
        return self._each(lambda law, *four: law.conjugate_rounding(*four), theta, slope, rise, information)

    @abstractmethod
    def _groups(self) -> list[tuple[Law, IntArray]]:
        """Laws and their items, which are all items together."""

    def _each(self, method: Callable[..., FloatArray], *arguments: Any) -> FloatArray:
        """Results of a method of all laws, with items along the last axis."""
        arrays = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in arguments))
        answer = np.empty(arrays[0].shape)
        for law, items in self._groups():
            answer[..., items] = method(law, *(one[..., items] for one in arrays))
        return answer


@final
class Mixed(Parts):
    """One law per item: clicks and order values, delays and counts.

    Parameters
    ----------
    laws : sequence of Law, length d
        The law of each item. Laws with one parameter value per item are not supported.

    Raises
    ------
    InvalidInputError
        If an element is not a law, or is a `Mixed`.

    Examples
    --------
    >>> once, often = sb.laws.Bernoulli(), sb.laws.Poisson()
    >>> law = sb.laws.Mixed([once, once, often])  # sales a day: two shops sell at most once, the third several times
    >>> law.variance_at(np.array([0.5, 0.2, 0.4])).round(3).tolist()
    [0.25, 0.16, 0.4]
    >>> sb.graves_lai(sb.MSets(3, 1), [0.5, 0.2, 0.4], law=law).rates.round(2).tolist()  # exploration plays per ln T
    [0.0, 5.19, 93.09]
    """

    _kinds: tuple[Law, ...]
    _which: IntArray

    def __init__(self, laws: Sequence[Law]) -> None:
        laws = tuple(laws)
        for k, law in enumerate(laws):
            if not isinstance(law, Law) or isinstance(law, Mixed):
                raise InvalidInputError(
                    f"laws must be one Law per item, got {law!r} for item {k}: pass Gaussian(), Poisson(), ..."
                )
        number: dict[Law, int] = {}
        which = [number.setdefault(law, len(number)) for law in laws]
        self._become(tuple(number), np.array(which, dtype=np.int64))

    def _become(self, kinds: tuple[Law, ...], which: IntArray) -> None:
        object.__setattr__(self, "_kinds", kinds)
        object.__setattr__(self, "_which", which)

    @property
    def laws(self) -> tuple[Law, ...]:
        """The law of each item."""
        return tuple(self._kinds[k] for k in self._which)

    @property
    def kinds(self) -> tuple[Law, ...]:
        """The distinct laws."""
        return self._kinds

    @property
    def which(self) -> IntArray:
        """Index of the law of each item in `kinds`, shape (d,)."""
        return self._which.copy()

    def __repr__(self) -> str:
        return f"Mixed(laws={list(self.laws)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mixed) and self.laws == other.laws

    def __hash__(self) -> int:
        return hash(self.laws)

    def check(self, theta: FloatArray) -> None:
        """Refuse a wrong number of means, and means that their law does not allow."""
        if np.shape(theta) != (len(self._which),):
            raise InvalidInputError(f"laws must be one an item, got {len(self._which)} for {np.size(theta)} items: pass one each")
        for law, items in self._groups():
            law.check(theta[items])

    @property
    def size(self) -> int:
        """One law an item."""
        return len(self._which)

    @property
    def outcomes(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest possible reward of each item."""
        low, high = np.array([law.outcomes for law in self._kinds]).reshape(-1, 2).T
        return low[self._which], high[self._which]

    def take(self, items: IntArray) -> Self:
        """The laws of these items."""
        taken = object.__new__(type(self))
        taken._become(self._kinds, self._which[items])
        return taken

    @property
    def rounding(self) -> float:
        """The largest of all laws."""
        return max((law.rounding for law in self._kinds), default=0.0)

    def variance_at(self, theta: FloatArray) -> FloatArray:
        """See `Law.variance_at`."""
        return self._each(lambda law, mean: law.variance_at(mean), theta)

    def least(self, theta: FloatArray) -> FloatArray:
        """See `Law.least`."""
        return self._each(lambda law, mean: law.least(mean), theta)

    def estimates(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """See `Law.estimates`; computed among the items of the same law."""
        return self._each(lambda law, *seen: law.estimates(*seen), means, plays)

    def possible(self, means: FloatArray) -> FloatArray:
        """See `Law.possible`."""
        return self._each(lambda law, mean: law.possible(mean), means)

    def estimated_variance(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """See `Law.estimated_variance`; computed among the items of the same law."""
        return self._each(lambda law, *seen: law.estimated_variance(*seen), means, plays)

    def compiled(self, d: int) -> FloatArray | None:
        """See `Law.compiled`; None if kernels do not support one of the laws."""
        parts = np.zeros((kernels.WORDS, d))
        for law, items in self._groups():
            part = law.compiled(len(items))
            if part is None:
                return None
            parts[:, items] = part.reshape(kernels.WORDS, -1)
        return parts.ravel()

    def variance_proxy(self, theta: FloatArray) -> FloatArray:
        """See `Law.variance_proxy`."""
        return self._each(lambda law, mean: law.variance_proxy(mean), theta)

    def mirrored(self, theta: FloatArray) -> tuple[Law, FloatArray]:
        """See `Law.mirrored`."""
        other = object.__new__(type(self))
        other._become(tuple(law.mirrored(np.empty(0))[0] for law in self._kinds), self._which)
        return other, self._each(lambda law, mean: law.mirrored(mean)[1], theta)

    def _groups(self) -> list[tuple[Law, IntArray]]:
        """Distinct laws and their items."""
        groups = ((law, np.flatnonzero(self._which == k)) for k, law in enumerate(self._kinds))
        return [(law, items) for law, items in groups if len(items)]


@final
@dataclass(frozen=True, eq=False)
class Exchanged(Parts):
    """The law of what an exchange gains of each item: the reward of items that enter, and minus that of items that leave."""

    enters: Law
    leaves: Law
    is_leaving: BoolArray  # (d,)

    @classmethod
    def of(cls, law: Law, theta: FloatArray, is_leaving: BoolArray) -> tuple[Self, FloatArray]:
        """The law, and means that belong to it."""
        leaves, means = law.mirrored(theta)
        return cls(law, leaves, is_leaving), np.where(is_leaving, means, theta)

    def __str__(self) -> str:
        return str(self.enters)

    def check(self, theta: FloatArray) -> None:
        """Means are checked before."""

    def take(self, items: IntArray) -> Self:
        """See `Law.take`."""
        return type(self)(self.enters.take(items), self.leaves.take(items), self.is_leaving[items])

    @property
    def rounding(self) -> float:
        """The larger one."""
        return max(self.enters.rounding, self.leaves.rounding)

    def _groups(self) -> list[tuple[Law, IntArray]]:
        sides = (self.enters, np.flatnonzero(~self.is_leaving)), (self.leaves, np.flatnonzero(self.is_leaving))
        return [(law.take(items), items) for law, items in sides if len(items)]
