"""Items of different laws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.laws.base import Law


@final
@dataclass(frozen=True)
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

    laws: Sequence[Law]

    def __post_init__(self) -> None:
        laws = tuple(self.laws)
        for k, law in enumerate(laws):
            if not isinstance(law, Law) or isinstance(law, Mixed):
                raise InvalidInputError(
                    f"laws must be one Law an item, got {law!r} for item {k}: pass Gaussian(), Poisson(), ..."
                )
        object.__setattr__(self, "laws", laws)

    def check(self, theta: FloatArray) -> None:
        """Refuse another number of means, and means that their law cannot have."""
        if np.shape(theta) != (len(self.laws),):
            raise InvalidInputError(
                f"laws must be one an item, got {len(self.laws)} for {np.size(theta)} items: pass one each"
            )
        for law, items in self._groups():
            law.check(theta[items])

    def take(self, items: IntArray) -> Self:
        """The laws of these items."""
        return type(self)([self.laws[i] for i in items])

    @property
    def rounding(self) -> float:
        """The largest of its laws."""
        return max((law.rounding for law in self.laws), default=0.0)

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

    def tilt(self, theta: FloatArray, slope: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Each its own."""
        parts = [self._each(lambda law, mean, s, k=k: law.tilt(mean, s)[k], theta, slope) for k in range(3)]
        return parts[0], parts[1], parts[2]

    def _groups(self) -> list[tuple[Law, IntArray]]:
        """Distinct laws, and the items of each."""
        found: dict[Law, list[int]] = {}
        for item, law in enumerate(self.laws):
            found.setdefault(law, []).append(item)
        return [(law, np.array(items)) for law, items in found.items()]

    def _each(self, method: Callable[..., FloatArray], *arguments: Any) -> FloatArray:
        """The answers of all laws, items along the last axis."""
        arrays = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in arguments))
        answer = np.empty(arrays[0].shape)
        for law, items in self._groups():
            answer[..., items] = method(law, *(one[..., items] for one in arrays))
        return answer
