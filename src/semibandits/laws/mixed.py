"""Items of different laws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self, final

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.kernels import laws as kernels
from semibandits.laws.base import Law


@final
class Mixed(Law):
    """One law an item: clicks beside order values, delays beside counts.

    Parameters
    ----------
    laws : sequence of Law, length d
        The law of each item. Laws with a number for each item have no place here.

    Raises
    ------
    InvalidInputError
        If something else than laws is among them, or a `Mixed`.
    """

    _kinds: tuple[Law, ...]
    _which: IntArray

    def __init__(self, laws: Sequence[Law]) -> None:
        laws = tuple(laws)
        for k, law in enumerate(laws):
            if not isinstance(law, Law) or isinstance(law, Mixed):
                raise InvalidInputError(
                    f"laws must be one Law an item, got {law!r} for item {k}: pass Gaussian(), Poisson(), ..."
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
        """For each item the place of its law in `kinds`, shape (d,)."""
        return self._which.copy()

    def __repr__(self) -> str:
        return f"Mixed(laws={list(self.laws)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mixed) and self.laws == other.laws

    def __hash__(self) -> int:
        return hash(self.laws)

    def check(self, theta: FloatArray) -> None:
        """Refuse another number of means, and means that their law cannot have."""
        if np.shape(theta) != (len(self._which),):
            raise InvalidInputError(
                f"laws must be one an item, got {len(self._which)} for {np.size(theta)} items: pass one each"
            )
        for law, items in self._groups():
            law.check(theta[items])

    @property
    def size(self) -> int:
        """One law an item."""
        return len(self._which)

    def take(self, items: IntArray) -> Self:
        """The laws of these items."""
        taken = object.__new__(type(self))
        taken._become(self._kinds, self._which[items])
        return taken

    @property
    def rounding(self) -> float:
        """The largest of its laws."""
        return max((law.rounding for law in self._kinds), default=0.0)

    def reach(self, theta: FloatArray) -> FloatArray:
        """Each its own."""
        return self._each(lambda law, mean: law.reach(mean), theta)

    def divergence(self, theta: FloatArray, rise: FloatArray) -> FloatArray:
        """Each its own."""
        return self._each(lambda law, mean, e: law.divergence(mean, e), theta, rise)

    def raise_at(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """Each its own."""
        return self._each(lambda law, mean, s: law.raise_at(mean, s), theta, slope)

    def convex_to(self, theta: FloatArray) -> FloatArray:
        """Each its own."""
        return self._each(lambda law, mean: law.convex_to(mean), theta)

    def margin(self, theta: FloatArray) -> FloatArray:
        """Each its own."""
        return self._each(lambda law, mean: law.margin(mean), theta)

    def variance_at(self, theta: FloatArray) -> FloatArray:
        """Each its own."""
        return self._each(lambda law, mean: law.variance_at(mean), theta)

    def least(self, theta: FloatArray) -> FloatArray:
        """Each its own."""
        return self._each(lambda law, mean: law.least(mean), theta)

    def estimates(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """Each its own, among the items of the same law."""
        return self._each(lambda law, *seen: law.estimates(*seen), means, plays)

    def estimated_variance(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """Each its own, among the items of the same law."""
        return self._each(lambda law, *seen: law.estimated_variance(*seen), means, plays)

    def compiled(self, d: int) -> FloatArray | None:
        """Each its own; None if kernels do not know one of them."""
        parts = np.zeros((kernels.WORDS, d))
        for law, items in self._groups():
            part = law.compiled(len(items))
            if part is None:
                return None
            parts[:, items] = part.reshape(kernels.WORDS, -1)
        return parts.ravel()

    def variance_proxy(self, theta: FloatArray) -> FloatArray:
        """Each its own."""
        return self._each(lambda law, mean: law.variance_proxy(mean), theta)

    def tilt(self, theta: FloatArray, slope: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Each its own."""
        theta, slope = np.broadcast_arrays(theta, slope)
        rise, derivative, information = np.empty(theta.shape), np.empty(theta.shape), np.empty(theta.shape)
        for law, items in self._groups():
            parts = law.tilt(theta[..., items], slope[..., items])
            rise[..., items], derivative[..., items], information[..., items] = parts
        return rise, derivative, information

    def conjugate_rounding(
        self, theta: FloatArray, slope: FloatArray, rise: FloatArray, information: FloatArray
    ) -> FloatArray:
        """Each its own."""
        return self._each(lambda law, *four: law.conjugate_rounding(*four), theta, slope, rise, information)

    def _groups(self) -> list[tuple[Law, IntArray]]:
        """Distinct laws, and the items of each."""
        groups = ((law, np.flatnonzero(self._which == k)) for k, law in enumerate(self._kinds))
        return [(law, items) for law, items in groups if len(items)]

    def _each(self, method: Callable[..., FloatArray], *arguments: Any) -> FloatArray:
        """The answers of all laws, items along the last axis."""
        arrays = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in arguments))
        answer = np.empty(arrays[0].shape)
        for law, items in self._groups():
            answer[..., items] = method(law, *(one[..., items] for one in arrays))
        return answer
