"""Delayed and lost outcomes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from semibandits._typing import BoolArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.families.description import digest
from semibandits.inputs.arguments import whole
from semibandits.inputs.outcomes import whole_number
from semibandits.inputs.validation import number_in
from semibandits.simulation.checkpoints import LONGEST_HORIZON

BLOCK: Final = 1024
"""Rounds whose delays and losses are drawn together. Another number would change the draws of a seed."""
MOST_SHOWN: Final = 100
"""Observed delays that are described in full; longer sequences are described by a digest."""


@runtime_checkable
class Distribution(Protocol):
    """Interface of SciPy's frozen distributions."""

    def rvs(self, size: int, random_state: np.random.Generator) -> Any:
        """Draw `size` numbers."""


@dataclass(frozen=True)
class Geometric:
    """Geometric delays of 0, 1, 2, ... rounds with a given mean."""

    mean: float

    @staticmethod
    def of(text: str) -> Geometric:
        """Parse a text such as ``geometric:100``."""
        name, _, number = text.partition(":")
        try:
            mean = float(number) if name.strip().casefold() == "geometric" else math.nan
        except ValueError:
            mean = math.nan
        if not 0 < mean <= LONGEST_HORIZON:
            raise InvalidInputError(
                f"delay as text must be geometric:MEAN with a positive mean, got {text!r}: write for instance geometric:100"
            )
        return Geometric(mean)

    def rvs(self, size: int, random_state: np.random.Generator) -> IntArray:
        """Draw `size` delays."""
        return random_state.geometric(1.0 / (1.0 + self.mean), size) - 1

    def __str__(self) -> str:
        return f"geometric:{self.mean!r}".removesuffix(".0")


@dataclass(frozen=True, eq=False)
class Lateness:
    """Delays and losses of outcomes."""

    delay: int | IntArray | Distribution  # in rounds: constant, observed delays to resample, or a distribution
    loss: float  # share of outcomes that are lost

    @staticmethod
    def of(delay: object, loss: object) -> Lateness | None:
        """Validate the arguments of :func:`semibandits.simulate`; None if no outcome is delayed or lost."""
        remedy = "pass the share of rounds whose outcome is never observed"
        share, checked = number_in(loss, "loss", 0.0, 1.0, remedy, ends="[)"), _checked(delay)
        return None if isinstance(checked, int) and checked == 0 == share else Lateness(checked, share)

    def draw(self, rng: np.random.Generator) -> tuple[IntArray, BoolArray]:
        """Delays of the next rounds and whether their outcomes are lost, both of shape (BLOCK,)."""
        if isinstance(self.delay, int):
            delays = np.full(BLOCK, self.delay)
        elif isinstance(self.delay, np.ndarray):
            delays = self.delay[rng.integers(len(self.delay), size=BLOCK)]
        else:
            delays = _rounded_down(self.delay.rvs(size=BLOCK, random_state=rng))
        return delays, rng.random(BLOCK) < self.loss

    def described(self) -> dict[str, Any]:
        """Plain JSON that is equal for equal delays and losses."""
        return {"delay": _described(self.delay), "loss": self.loss}


def _checked(delay: object) -> int | IntArray | Distribution:
    delay = whole(delay)
    if isinstance(delay, int | np.integer) and not isinstance(delay, bool):
        return whole_number(delay, "delay", most=LONGEST_HORIZON, remedy="pass 0 for outcomes without delay")
    if isinstance(delay, str):
        return Geometric.of(delay)
    if isinstance(delay, Distribution):
        _rounded_down(delay.rvs(size=1, random_state=np.random.default_rng(0)))
        return delay
    values = np.asarray(delay) if isinstance(delay, Sequence | np.ndarray) else None
    if values is None or values.ndim != 1 or not values.size or values.dtype.kind not in "iu":
        raise InvalidInputError(
            f"delay must be a whole number of rounds, a sequence of observed delays, or a frozen distribution, got {delay!r}: "
            "pass for instance 100, 'geometric:100', or scipy.stats.geom(0.01)"
        )
    if values.min() < 0 or values.max() > LONGEST_HORIZON:
        raise InvalidInputError(f"delays must lie between 0 and 2^53, got {values.min()} to {values.max()}: drop those outside")
    return values.astype(np.int64)


def _rounded_down(drawn: object) -> IntArray:
    values = np.floor(np.asarray(drawn, dtype=np.float64)).reshape(-1)
    wrong = values[~(values >= 0)]
    if len(wrong):
        raise InvalidInputError(f"a distribution of delays must draw numbers >= 0, got {wrong[0]:g}: shift or truncate it")
    return np.minimum(values, LONGEST_HORIZON).astype(np.int64)


def _described(delay: int | IntArray | Distribution) -> Any:
    if isinstance(delay, int):
        return delay
    if isinstance(delay, np.ndarray):
        values = delay.tolist()
        return values if len(values) <= MOST_SHOWN else {"observed": len(values), "digest": digest(values)}
    if isinstance(delay, Geometric):
        return str(delay)
    name = getattr(getattr(delay, "dist", None), "name", None)
    if not isinstance(name, str):
        return {"distribution": type(delay).__name__, "repr": repr(delay)}
    named = {key: _number(value) for key, value in getattr(delay, "kwds", {}).items()}
    return {"distribution": name, "args": [_number(value) for value in getattr(delay, "args", ())], **named}


def _number(value: object) -> Any:
    number = np.asarray(value)
    if number.ndim or not math.isfinite(float(number)):
        raise InvalidInputError(
            f"parameters of a distribution of delays must be finite numbers, got {value!r}: freeze one with such parameters"
        )
    return number.item()
