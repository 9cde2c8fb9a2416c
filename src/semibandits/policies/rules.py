"""Policies whose rounds are kernels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.compiled import CompiledOracle
from semibandits.errors import InvalidInputError, SolverError
from semibandits.inputs.validation import as_floats, check_choice, variance_vector
from semibandits.kernels import rounds
from semibandits.laws import Bernoulli, Gaussian, Law
from semibandits.laws.gaussian import bounded_by
from semibandits.laws.plain import law_from, plain
from semibandits.policies.agents import RuleAgent
from semibandits.policies.base import Policy
from semibandits.policies.many.posteriors import Posterior
from semibandits.policies.plans import Plan
from semibandits.policies.radius import Radius, as_radius

REWARDS = ("auto", "gaussian", "bernoulli")
LARGEST_VARIANCE = 1e100
"""Also the inverse of the smallest variance: squares and quotients in rules stay finite."""


@dataclass(frozen=True, kw_only=True, repr=False)
class RulePolicy(Policy):
    """A policy that plays a rule of :mod:`semibandits.kernels.rules`.

    Parameters
    ----------
    variance : float or sequence of float, shape (d,), optional
        Variance of the rewards, > 0; by default that of the environment or the learner.
    features : bool
        False for a policy that plays as without features in a simulation with them, to see what they are worth.
    """

    variance: float | tuple[float, ...] | None = None
    features: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.features, bool):
            raise InvalidInputError(
                f"features of a policy must be True or False, got {type(self.features).__name__}: pass tables to Learner or "
                "simulate"
            )
        if self.variance is not None:
            values = as_floats(self.variance, "variance")
            variance_vector(values, max(values.size, 1))
            object.__setattr__(self, "variance", float(values) if values.ndim == 0 else tuple(values.tolist()))

    def __repr__(self) -> str:
        """The parameters that are not the default ones."""
        plain = type(self)()
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        given = ", ".join(f"{name}={value!r}" for name, value in values if value != getattr(plain, name))
        return f"{type(self).__name__}({given})"

    @property
    @abstractmethod
    def rule(self) -> Any:
        """The kernel."""

    @abstractmethod
    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Parameters of the kernel, for decisions of at most m items and variances of shape (d,)."""

    def normals(self, d: int) -> int:
        """Number of normal numbers that the kernel needs per round."""
        return 0

    @property
    def searches(self) -> bool:
        """Whether the kernel requests decisions of largest index (P_IM)."""
        return True

    @property
    def known_law(self) -> Law | None:
        """The law that the rule uses; None if rewards are treated as Gaussian, with the given variance."""
        return None

    @property
    def draws(self) -> bool:
        """Whether the kernel plays the best decision for means that it draws."""
        return False

    @property
    def plans(self) -> bool:
        """Whether the kernel requests plans."""
        return False

    @property
    def kept(self) -> int:
        """Number of decisions that the kernel keeps from the start."""
        return 0

    def memory(self, d: int, m: int) -> tuple[FloatArray, IntArray, BoolArray]:
        """Initial arrays of the kernel: floats, integers, and decisions as rows, to which `kept` more are added.

        For d items and decisions of at most m items.
        """
        return np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros((0, d), dtype=np.bool_)

    def solved(self, agent: RuleAgent) -> Plan:
        """The plan that the rule requests by ``REPLAN``; the agent does not change."""
        raise SolverError(f"{self.name} requested a plan but does not implement `solved`: this is a bug, please report it")

    def adopt(self, agent: RuleAgent, plan: Plan) -> None:
        """Follow a plan from the next round on."""

    def share(self, whole: rounds.Player, part: RuleAgent, items: IntArray) -> None:
        """Let an agent over these items follow the plan of the whole one, as far as it uses these items only."""

    def postpone(self, player: rounds.Player) -> bool:
        """Make the rule go on without the plan that it requests; False if it cannot, because it has no plan yet."""
        return False

    def accepts(self, player: rounds.Player) -> bool:
        """Whether a player that was read from a file is valid: kernels do not check indices, so check them here."""
        return True

    def current_form(self, state: dict[str, Any], d: int) -> dict[str, Any]:
        """A saved state for d items in the form of this version."""
        return state

    def distrust(self, player: rounds.Player, *, anew: bool = False) -> None:
        """Forget what the rule takes as checked because counts never fall: they may have fallen since the last round.

        With `anew`, means are others, and the last decision is not repeated either.
        """

    def at_time(self, params: FloatArray, skipped: int) -> FloatArray:
        """The parameters of the kernel if rounds are counted without so many of the first ones."""
        return params

    def for_items(self, items: IntArray) -> RulePolicy:
        """The policy for some of the items only; the variance is then that passed to `start`."""
        return replace(self, variance=None)

    def lend(self, whole: rounds.Player, part: rounds.Player, items: IntArray, *, alike: bool = True) -> None:
        """Before a round with these items only: copy into its state what is kept from all rounds, whatever was available.

        Unless they are `alike`, the decisions of the two have different numbers of items, so that none is a decision of both.
        """

    def collect(self, whole: rounds.Player, part: rounds.Player, items: IntArray, *, alike: bool = True) -> None:
        """After such a round: copy back what is kept for all rounds."""

    def start(self, decision_set: DecisionSet, variance: ArrayLike) -> RuleAgent:
        """A new agent; see :meth:`Policy.start`.

        Raises
        ------
        InvalidInputError
            If the variance has the wrong shape, or is not between 1e-100 and 1e100.
        """
        policy, own = self.prepared(decision_set, variance)
        return RuleAgent(policy, decision_set, own)

    def prepared(self, decision_set: DecisionSet, variance: ArrayLike) -> tuple[RulePolicy, FloatArray]:
        """The policy to play on a decision set, and the variance of its rewards, shape (d,); errors as for `start`."""
        own = variance_vector(variance if self.variance is None else self.variance, decision_set)
        extreme = own[(own < 1.0 / LARGEST_VARIANCE) | (own > LARGEST_VARIANCE)]
        if extreme.size:
            raise InvalidInputError(
                f"variance must lie between {1 / LARGEST_VARIANCE:g} and {LARGEST_VARIANCE:g}, got {extreme[0]:g}: "
                "measure rewards in another unit"
            )
        return self, own

    def kernels(self, decision_set: DecisionSet) -> CompiledOracle | None:
        """The kernels of a decision set, without those of P_IM unless the rule requests it; None if the set has none."""
        oracle = decision_set.compiled()
        return oracle if oracle is None or self.searches else oracle.without_search()

    @property
    def leaders(self) -> int:
        """How often as many items the rule needs as a decision has, of those with the largest means; 0 if that is unknown.

        See `policies.many.leaders`: 1 for rules that maximise an index which increases with the mean and falls with the plays.
        """
        return 0

    def posterior(self, variance: float) -> Posterior | None:
        """The law of the draws, if the rule plays the best decision for independent draws of all means, else None."""
        return None

    def repeated(self, player: rounds.Player) -> int:
        """The row of the decision that the rule repeats in this round without a look at the items, -1 if it decides anew."""
        return -1

    def item_places(self, marks: IntArray) -> IntArray:
        """Places of the marks of the rule that hold items."""
        return np.empty(0, dtype=np.int64)

    def remembered_items(self, marks: IntArray) -> IntArray:
        """Items in the marks of the rule."""
        items: IntArray = marks[self.item_places(marks)]
        return items

    def renumbered(self, marks: IntArray, names: Callable[[IntArray], IntArray]) -> IntArray:
        """A copy of the marks in which items have other numbers."""
        result, places = marks.copy(), self.item_places(marks)
        result[places] = names(marks[places])
        return result

    def specification(self) -> dict[str, Any]:
        """Parameters as plain JSON; `features` only if it is False, as in earlier versions."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "law"}
        if self.features:
            del values["features"]
        for name, value in values.items():
            if isinstance(value, Radius):
                values[name] = asdict(value)
            elif isinstance(value, tuple):
                values[name] = list(value)
        return {"name": self.name, **values}


@dataclass(frozen=True, kw_only=True, repr=False)
class LawPolicy(RulePolicy):
    """A rule that uses the law of the rewards.

    Parameters
    ----------
    law : Law or str, optional
        The law of the rewards, see :mod:`semibandits.laws`; by default that of the environment or the learner. Kernels
        treat user-defined laws as Gaussian, with the given variance.
    """

    law: Law | str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.law is not None:
            object.__setattr__(self, "law", law_from(self.law))

    @property
    def known_law(self) -> Law | None:
        """See `RulePolicy.known_law`."""
        return None if self.law is None else law_from(self.law)

    def for_law(self, law: Law | None) -> LawPolicy:
        """The policy with this law, unless it has one. A Gaussian law without a bound is represented by the variance only."""
        return self if law is None or law.is_quadratic or self.known_law is not None else replace(self, law=law)

    def for_rewards(self, family: str | None) -> LawPolicy:
        """The policy for rewards 0 and 1 if `family` is "bernoulli"."""
        return self.for_law(Bernoulli()) if family == "bernoulli" else self

    def _bounded_by(self, upper: FloatArray | None, variance: ArrayLike) -> LawPolicy:
        """The policy for means that are known to be at most `upper`, if it treats rewards as Gaussian; else itself."""
        law = self.known_law
        if upper is None or not (law is None or isinstance(law, Gaussian)):
            return self
        bounded = bounded_by(Gaussian(variance if self.variance is None else self.variance) if law is None else law, upper)
        return self if bounded == law else replace(self, law=bounded)

    def for_items(self, items: IntArray) -> LawPolicy:
        """See `RulePolicy.for_items`."""
        law = None if self.law is None else law_from(self.law).take(items)
        return replace(self, variance=None, law=law)

    def codes(self, d: int) -> FloatArray:
        """The law for kernels; empty if rewards are treated as Gaussian."""
        law = self.known_law
        known = None if law is None or law.is_quadratic else law.compiled(d)
        return np.empty(0) if known is None else known

    def prepared(self, decision_set: DecisionSet, variance: ArrayLike) -> tuple[RulePolicy, FloatArray]:
        """See `RulePolicy.prepared`.

        Raises
        ------
        InvalidInputError
            If the law has parameters for another number of items, or the variance is malformed.
        """
        bounded = self._bounded_by(decision_set.upper, variance)
        if bounded is not self:
            return bounded.prepared(decision_set, variance)
        law = self.known_law
        if law is not None and law.size not in (None, decision_set.d):
            raise InvalidInputError(
                f"law must have numbers for d = {decision_set.d} items, got {law.size}: pass one number for all, or one an item"
            )
        if isinstance(law, Gaussian):
            variance = law.variance
        return super().prepared(decision_set, variance)

    def specification(self) -> dict[str, Any]:
        """Parameters as plain JSON, including the law if it was given."""
        law = None if self.law is None else law_from(self.law)
        known = {} if law is None else {"law": plain(law) or repr(law)}
        return super().specification() | known


@dataclass(frozen=True, kw_only=True, repr=False)
class NamedLawPolicy(LawPolicy):
    """A policy whose law can also be given by name.

    Parameters
    ----------
    rewards : {"auto", "gaussian", "bernoulli"}
        "bernoulli" is short for ``law=Bernoulli()``; "gaussian" uses the variance only, whatever law is known;
        "auto" uses `law`.
    """

    rewards: str = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        remedy = (
            "'gaussian' is valid for all rewards with the given variance, 'bernoulli' is sharper for rewards 0 and 1, "
            "and law=... gives any other law"
        )
        check_choice(self.rewards, REWARDS, "rewards", remedy)
        if self.law is not None and self.rewards != "auto":
            raise InvalidInputError(f"rewards must be left out where a law is given, got {self.rewards!r} and {self.law}")

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


@dataclass(frozen=True, kw_only=True, repr=False)
class RadiusPolicy(RulePolicy):
    """A rule whose confidence grows from round to round.

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
