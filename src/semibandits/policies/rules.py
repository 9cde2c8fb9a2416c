"""Policies whose rounds are kernels."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits._validation import as_floats, variance_vector
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, SolverError
from semibandits.kernels import rounds
from semibandits.policies.agents import RuleAgent
from semibandits.policies.base import Policy
from semibandits.policies.radius import Radius, as_radius

LARGEST_VARIANCE = 1e100
"""And the inverse of the smallest: squares and quotients of what rules compute stay finite."""


@dataclass(frozen=True, kw_only=True)
class RulePolicy(Policy):
    """A policy that is one of the rules in :mod:`semibandits.kernels.rules`.

    Parameters
    ----------
    variance : float or sequence of float, shape (d,), optional
        Variance of the rewards that it reckons with, > 0; by default what the environment or the learner states.
    """

    variance: float | tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.variance is not None:
            values = as_floats(self.variance, "variance")
            variance_vector(values, max(values.size, 1))
            object.__setattr__(self, "variance", float(values) if values.ndim == 0 else tuple(values.tolist()))

    @property
    @abstractmethod
    def rule(self) -> Any:
        """The kernel."""

    @abstractmethod
    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """The numbers that the kernel reads, for decisions of at most m items and variances (d,)."""

    @property
    def samples(self) -> bool:
        """Whether the kernel wants a normal number per item."""
        return False

    @property
    def searches(self) -> bool:
        """Whether the kernel asks for decisions of largest index (P_IM)."""
        return True

    @property
    def plans(self) -> bool:
        """Whether the kernel asks for plans."""
        return False

    @property
    def kept(self) -> int:
        """Number of decisions that the kernel keeps from the start on."""
        return 0

    def memory(self, d: int, m: int) -> tuple[FloatArray, IntArray, BoolArray]:
        """What the kernel keeps at the start: floats, integers, decisions one a row (to which `kept` more are added); for d
        items, at most m in a decision.
        """
        return np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros((0, d), dtype=np.bool_)

    def plan(self, agent: RuleAgent) -> None:
        """Do what the rule asked for by ``REPLAN``."""
        raise SolverError(f"{self.name} asked for a plan but makes none: an error of the library")

    def accepts(self, player: rounds.Player) -> bool:
        """Whether a player that was read from a file can be played: kernels trust what it keeps, so check places in arrays."""
        return True

    def start(self, decision_set: DecisionSet, variance: ArrayLike) -> RuleAgent:
        """An agent that has seen nothing; see :meth:`Policy.start`.

        Raises
        ------
        InvalidInputError
            If the variance has the wrong shape, or is not between 1e-100 and 1e100.
        """
        own = variance_vector(variance if self.variance is None else self.variance, decision_set.d)
        extreme = own[(own < 1.0 / LARGEST_VARIANCE) | (own > LARGEST_VARIANCE)]
        if extreme.size:
            raise InvalidInputError(
                f"variance must lie between {1 / LARGEST_VARIANCE:g} and {LARGEST_VARIANCE:g}, got {extreme[0]:g}: "
                "measure rewards in another unit"
            )
        return RuleAgent(self, decision_set, own)

    def specification(self) -> dict[str, Any]:
        """Its parameters as plain JSON."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        plain = {
            name: {f.name: getattr(value, f.name) for f in fields(value)} if isinstance(value, Radius) else value
            for name, value in values.items()
        }
        return {"name": self.name, **{k: list(v) if isinstance(v, tuple) else v for k, v in plain.items()}}


@dataclass(frozen=True, kw_only=True)
class RadiusPolicy(RulePolicy):
    """A rule that asks for more confidence from round to round.

    Parameters
    ----------
    radius : str or Radius
        f(t), see :class:`Radius`.
    """

    radius: str | Radius = "log"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", as_radius(self.radius))

    def coefficients(self, m: int) -> tuple[float, float]:
        """Coefficients of ln t and ln ln t in f(t), for decisions of at most m items."""
        return as_radius(self.radius).coefficients(m)
