"""Policies whose rounds are kernels."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits._validation import as_floats, variance_vector
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, SolverError
from semibandits.kernels import rounds
from semibandits.laws import Bernoulli, Gaussian, Law
from semibandits.laws.plain import law_from, plain
from semibandits.policies.agents import RuleAgent
from semibandits.policies.base import Policy
from semibandits.policies.radius import Radius, as_radius

REWARDS = ("auto", "gaussian", "bernoulli")
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

    def normals(self, d: int) -> int:
        """How many normal numbers the kernel wants in a round."""
        return 0

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
        return {"name": self.name, **{name: _described(value) for name, value in values.items() if name != "law"}}


def _described(value: Any) -> Any:
    """A parameter as plain JSON."""
    if isinstance(value, Radius):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True, kw_only=True)
class LawPolicy(RulePolicy):
    """A rule that reckons with the law of the rewards.

    Parameters
    ----------
    law : Law or str, optional
        The law of the rewards, see :mod:`semibandits.laws`; by default what the environment or the learner states. Kernels take
        a law of your own for Gaussian, with the variance told.
    """

    law: Law | str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.law is not None:
            object.__setattr__(self, "law", law_from(self.law))

    @property
    def known_law(self) -> Law | None:
        """The law that it reckons with; None if rewards count as Gaussian, with the variance told."""
        return None if self.law is None else law_from(self.law)

    def for_law(self, law: Law | None) -> LawPolicy:
        """The same with this law, unless it has one. Gaussian laws without a bound are left to the variance."""
        return self if law is None or law.is_quadratic or self.known_law is not None else replace(self, law=law)

    def for_rewards(self, family: str | None) -> LawPolicy:
        """The same for rewards 0 and 1, if `family` is "bernoulli"."""
        return self.for_law(Bernoulli()) if family == "bernoulli" else self

    def _bounded_by(self, upper: FloatArray | None, variance: ArrayLike) -> LawPolicy:
        """The same for means that are known to be at most `upper`, if the rewards count as Gaussian; itself if that adds nothing."""
        law = self.known_law
        if upper is None or not (law is None or isinstance(law, Gaussian)):
            return self
        own = variance if law is None and self.variance is None else self.variance if law is None else law.variance
        assert own is not None
        bounded = Gaussian(own, upper if law is None else np.minimum(law.upper, upper))
        return self if bounded == law else replace(self, law=bounded)

    def codes(self, d: int) -> FloatArray:
        """The law for kernels, empty if rewards count as Gaussian."""
        law = self.known_law
        known = None if law is None or law.is_quadratic else law.compiled(d)
        return np.empty(0) if known is None else known

    def start(self, decision_set: DecisionSet, variance: ArrayLike) -> RuleAgent:
        """An agent that has seen nothing; see :meth:`Policy.start`.

        Raises
        ------
        InvalidInputError
            If the law has numbers for another number of items, or the variance is malformed.
        """
        bounded = self._bounded_by(decision_set.upper, variance)
        if bounded is not self:
            return bounded.start(decision_set, variance)
        law = self.known_law
        if law is not None and law.size not in (None, decision_set.d):
            raise InvalidInputError(
                f"law must have numbers for d = {decision_set.d} items, got {law.size}: pass one number for all, or one an item"
            )
        if isinstance(law, Gaussian):
            variance = law.variance
        return super().start(decision_set, variance)

    def specification(self) -> dict[str, Any]:
        """Its parameters as plain JSON; the law if it was given."""
        law = None if self.law is None else law_from(self.law)
        known = {} if law is None else {"law": plain(law) or repr(law)}
        return super().specification() | known


@dataclass(frozen=True, kw_only=True)
class NamedLawPolicy(LawPolicy):
    """One whose law can also be named.

    Parameters
    ----------
    rewards : {"auto", "gaussian", "bernoulli"}
        "bernoulli" is short for ``law=Bernoulli()``; "gaussian" reckons with the variance alone, whatever is known of the law;
        "auto" leaves it to `law`.
    """

    rewards: str = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.rewards, str) or self.rewards not in REWARDS:
            raise InvalidInputError(
                f"rewards must be one of {', '.join(map(repr, REWARDS))}, got {self.rewards!r}: "
                "'gaussian' is right for all rewards with the variance told, 'bernoulli' sharper for rewards 0 and 1, "
                "and law=... says any other law"
            )
        if self.law is not None and self.rewards != "auto":
            raise InvalidInputError(
                f"rewards must be left out where a law is given, got {self.rewards!r} and {self.law}"
            )

    @property
    def known_law(self) -> Law | None:
        """See `LawPolicy.known_law`."""
        return Bernoulli() if self.rewards == "bernoulli" else super().known_law

    def _bounded_by(self, upper: FloatArray | None, variance: ArrayLike) -> LawPolicy:
        """See `LawPolicy._bounded_by`."""
        is_free = upper is None or self.rewards != "gaussian"
        return super()._bounded_by(upper, variance) if is_free else replace(self, rewards="auto")

    def for_law(self, law: Law | None) -> LawPolicy:
        """See `LawPolicy.for_law`."""
        return super().for_law(law) if self.rewards == "auto" else self


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
