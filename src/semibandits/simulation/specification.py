"""The specification of a simulation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from semibandits._typing import ArrayLike, IntArray
from semibandits.decisions.base import DecisionSet, check_decision_set
from semibandits.errors import InvalidInputError
from semibandits.families.description import fingerprint
from semibandits.families.labels import without_addresses
from semibandits.features.design import Design
from semibandits.identification.evidence import Stop
from semibandits.inputs.arguments import whole
from semibandits.inputs.outcomes import whole_number
from semibandits.inputs.validation import number_in, variance_vector
from semibandits.laws import Gaussian, Law
from semibandits.policies.base import Policy, without_own_rule
from semibandits.policies.baseline import Baseline
from semibandits.policies.prior import Prior
from semibandits.policies.rules import LawPolicy, RulePolicy
from semibandits.rewards._checks import mean_vector
from semibandits.rewards.base import RewardModel, StoredRewards
from semibandits.simulation.checkpoints import log_spaced
from semibandits.simulation.lateness import Lateness
from semibandits.simulation.storage import plain_json

STOP: Final = "0.95 stops once it is 95 % sure; for a loss that does not matter pass Stop(0.95, within=...)"


@dataclass(frozen=True, eq=False)
class Specification:
    """A simulation, without the options of how to run it."""

    decision_set: DecisionSet
    rewards: RewardModel
    policies: Mapping[str, Policy]
    horizon: int
    replications: int
    seed: int
    checkpoints: IntArray  # (c,): rounds after which the state is recorded, increasing; the last is the horizon
    lateness: Lateness | None = None  # None if each outcome is observed before the next round
    prior: Prior | None = None  # what all policies know before the first round
    features: Design | None = None  # what items tell of each other; None if nothing
    stop: Stop | None = None  # when a replication stops and commits itself to its best decision; None if never

    @staticmethod
    def of(
        decision_set: DecisionSet,
        rewards: RewardModel,
        policies: Policy | Iterable[Policy] | Mapping[str, Policy],
        *,
        horizon: int,
        replications: int,
        seed: int,
        checkpoints: ArrayLike | None = None,
        lateness: Lateness | None = None,
        prior: tuple[ArrayLike | None, ArrayLike | None, ArrayLike | None] = (None, None, None),
        features: Any = None,
        stop: Stop | float | None = None,
    ) -> Specification:
        """A validated specification; see :func:`semibandits.simulate` for the parameters and errors."""
        check_decision_set(decision_set)
        if not isinstance(rewards, RewardModel):
            raise InvalidInputError(
                f"rewards must be a reward model, got {type(rewards).__name__}: pass for instance GaussianRewards(theta)"
            )
        _check_own(rewards)
        if rewards.d != decision_set.d:
            raise InvalidInputError(
                f"rewards must have one mean per item, d = {decision_set.d}, got {rewards.d}: "
                "pass theta in the order of decision_set.items"
            )
        decision_set.check_means(rewards.theta)
        means, plays, costs = prior
        rounds = whole_number(whole(horizon), "horizon", least=1)
        named = MappingProxyType({name: policy.for_horizon(rounds) for name, policy in _named(policies).items()})
        own = (policy.for_law(rewards.told_law) for policy in named.values())
        laws = [policy.known_law for policy in own if isinstance(policy, LawPolicy)]
        specification = Specification(
            decision_set,
            rewards,
            named,
            rounds,
            whole_number(whole(replications), "replications", least=1, remedy="pass a whole number"),
            whole_number(whole(seed), "seed", remedy="pass a whole number"),
            log_spaced(rounds) if checkpoints is None else _increasing(checkpoints, rounds),
            lateness,
            Prior.of(means, plays, decision_set, costs=costs, laws=laws),
            None if features is None else Design.of(features, decision_set),
            stop if stop is None or isinstance(stop, Stop) else Stop(number_in(stop, "stop_at", 0.0, 1.0, STOP, ends="()")),
        )
        if features is not None:
            for policy in named.values():
                if isinstance(policy, Baseline):  # which looks at nothing
                    continue
                if not isinstance(policy, RulePolicy) or (policy.plans and policy.features):
                    raise without_own_rule("features", policy.name)
        _ = specification.description  # its errors come before anything is played
        return specification

    @property
    def assumed_law(self) -> Law:
        """The law that policies receive, by default the Gaussian one: by it, stops are proved."""
        told = self.rewards.told_law
        return Gaussian(self.rewards.variance) if told is None else told

    @property
    def linear_in(self) -> Design | None:
        """The table of features, under which C(theta) is; named features are a prior only, with a rest for each item."""
        return None if self.features is None or self.features.kind is not None else self.features

    def seeds(self, replication: int) -> tuple[np.random.SeedSequence, np.random.SeedSequence]:
        """Seeds of the rewards and of the policy in one replication, the same for every policy."""
        own = np.random.SeedSequence(self.seed, spawn_key=(replication,))
        rewards, policy = own.spawn(2)
        return rewards, policy

    def late_seed(self, replication: int) -> np.random.SeedSequence:
        """Seed of delays and losses in one replication: the child of its seed that follows those of `seeds`."""
        return np.random.SeedSequence(self.seed, spawn_key=(replication, 2))

    @cached_property
    def description(self) -> dict[str, Any]:
        """The specification as plain JSON, the same in every process; large values are replaced by digests."""
        content = {
            "decision_set": {
                "type": type(self.decision_set).__name__,
                "d": int(self.decision_set.d),
                "m": int(self.decision_set.m),
                "fingerprint": fingerprint(self.decision_set),
            },
            "rewards": self.rewards.specification(),
            "policies": {name: policy.specification() for name, policy in self.policies.items()},
            "horizon": self.horizon,
            "replications": self.replications,
            "seed": self.seed,
            "checkpoints": self.checkpoints.tolist(),
        }
        if self.lateness is not None:
            content |= self.lateness.described()
        if self.prior is not None:
            content["prior"] = {"means": self.prior.means.tolist(), "plays": self.prior.plays.tolist()}
        if self.features is not None:
            content["features"] = self.features.state()
        if self.stop is not None:
            content["stop"] = asdict(self.stop)
        plain: dict[str, Any] = json.loads(without_addresses(json.dumps(plain_json(content, "the specification"))))
        return plain


def _check_own(rewards: RewardModel) -> None:
    """Check the means and the variance of a user's own reward model."""
    if isinstance(rewards, StoredRewards):  # it has checked them itself
        return
    name, theta = type(rewards).__name__, rewards.theta
    if not isinstance(theta, np.ndarray) or theta.dtype != np.float64:
        got = f"{theta.dtype}" if isinstance(theta, np.ndarray) else type(theta).__name__
        raise InvalidInputError(
            f"theta of {name} must be an array of float64, shape (d,), got {got}: wrap it in np.array(..., dtype=float)"
        )
    variance_vector(rewards.variance, len(mean_vector(theta)))


def _named(policies: Policy | Iterable[Policy] | Mapping[str, Policy]) -> dict[str, Policy]:
    if isinstance(policies, Policy):
        policies = [policies]
    if isinstance(policies, Mapping):
        pairs = list(policies.items())
    elif isinstance(policies, Iterable) and not isinstance(policies, str | bytes):
        pairs = [(getattr(policy, "name", None), policy) for policy in policies]
    else:
        raise InvalidInputError(f"policies must be policies, got {policies!r}: pass for instance [CUCB(), ThompsonSampling()]")
    named: dict[str, Policy] = {}
    for name, policy in pairs:
        if not isinstance(policy, Policy):
            raise InvalidInputError(
                f"policies must hold Policy objects, got {policy!r}: pass for instance [CUCB(), ThompsonSampling()]"
            )
        if not isinstance(name, str) or not name:
            raise InvalidInputError(f"names of policies must be non-empty strings, got {name!r}: rename it")
        if name in named:
            raise InvalidInputError(f"policies must have different names, got {name!r} twice: pass a mapping from name to policy")
        named[name] = policy
    if not named:
        raise InvalidInputError("policies must hold at least one policy, got none: pass for instance [CUCB()]")
    return named


def _increasing(checkpoints: ArrayLike, horizon: int) -> IntArray:
    array = np.asarray(checkpoints)
    if array.dtype.kind == "f" and (array == np.floor(array)).all() and (np.abs(array) < 2.0**63).all():
        array = array.astype(np.int64)  # [10, 1e3]
    valid = array.ndim == 1 and array.size > 0 and np.issubdtype(array.dtype, np.integer)
    if valid:  # differences of unsigned integers would wrap
        array = np.minimum(array, horizon + 1).astype(np.int64)
    if not valid or array[0] < 1 or (np.diff(array) <= 0).any() or array[-1] != horizon:
        raise InvalidInputError(
            f"checkpoints must be increasing rounds from 1 to horizon = {horizon}, the last one, got {checkpoints!r}: "
            "leave them out for log-spaced ones"
        )
    return array
