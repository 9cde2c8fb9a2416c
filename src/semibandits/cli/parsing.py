"""What the options of ``semibandits simulate`` say: policies, numbers, rewards."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Final

import numpy as np

from semibandits.errors import InvalidInputError
from semibandits.instances import Instance
from semibandits.instances.families import unknown_name
from semibandits.policies.base import Policy
from semibandits.policies.radius import RADII
from semibandits.policies.registry import POLICIES, policy_from
from semibandits.rewards.base import RewardModel
from semibandits.rewards.bernoulli import BernoulliRewards
from semibandits.rewards.gaussian import GaussianRewards

SHORT_NAMES: Final = {"thompson": "ThompsonSampling", "ts": "ThompsonSampling"}
REWARDS: Final = ("gaussian", "bernoulli")
ALL_CORES: Final = "auto"
MOST_DIGITS: Final = 100
"""Longer numbers are refused before they are written out."""
_EXAMPLE: Final = "ESCB:radius=log-loglog"


def named_policies(texts: Sequence[str]) -> dict[str, Policy]:
    """Policies by the names they have in results, from ``NAME[:key=value[,key=value...]]``; all of the library for none.

    Raises
    ------
    InvalidInputError
        If a text is no such thing, names no policy or parameter, has a value that is refused, or comes twice.
    """
    named: dict[str, Policy] = {}
    for text in texts or [policy.__name__ for policy in POLICIES]:
        name, policy = _named_policy(text)
        if name in named:
            raise InvalidInputError(
                f"policies must differ, got {name} twice: give each once, or with another parameter, as in {_EXAMPLE}"
            )
        named[name] = policy
    return named


def _named_policy(text: str) -> tuple[str, Policy]:
    """A policy with its name in results: that of its class, with what was said of its parameters."""
    typed, colon, rest = (part.strip() for part in text.partition(":"))
    folded = {policy.__name__.casefold(): policy.__name__ for policy in POLICIES} | SHORT_NAMES
    name = folded.get(typed.casefold(), typed)
    parameters = _parameters(text, rest) if colon else {}
    policy = policy_from(name, parameters)
    said = ", ".join(f"{key}={value}" for key, value in parameters.items())
    return (f"{name}({said})" if said else name), policy


def _parameters(text: str, rest: str) -> dict[str, object]:
    parameters: dict[str, object] = {}
    for pair in rest.split(","):
        key, sign, value = (part.strip() for part in pair.partition("="))
        if not (key and sign and value):
            raise InvalidInputError(
                f"a policy must be written NAME:key=value,key=value, got {text!r}: write for instance {_EXAMPLE}"
            )
        if key == "horizon":
            raise InvalidInputError(
                f"the horizon must be the same for all policies, got {text!r}: use --horizon, and simulate slow "
                "policies on their own"
            )
        if key == "radius" and value not in RADII:
            raise unknown_name("radius", value, RADII)
        if key in parameters:
            raise InvalidInputError(f"parameters must be given once, got {key} twice in {text!r}: drop one")
        parameters[key] = value
    return parameters


def whole_number(text: str, option: str, least: int, largest: int | None = None) -> int:
    """A whole number, also in the forms 1e6 and 1_000_000.

    Raises
    ------
    InvalidInputError
        If it is none, or not from `least` to `largest`.
    """
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite() or number.adjusted() > MOST_DIGITS or number != int(number) or number < least:
        raise InvalidInputError(
            f"{option} must be a whole number of at least {least}, got {text!r}: write for instance 20000 or 2e4"
        )
    if largest is not None and number > largest:
        raise InvalidInputError(f"{option} must be at most {largest:,}, got {text!r}: choose fewer")
    return int(number)


def worker_count(text: str) -> int:
    """Number of worker processes, -1 for one a core.

    Raises
    ------
    InvalidInputError
        If it is neither a number of at least 1 nor ``auto``.
    """
    if text.strip().casefold() in (ALL_CORES, "-1"):
        return -1
    if not text.strip().isdecimal() or int(text) < 1:
        raise InvalidInputError(
            f"--workers must be a number of at least 1 or {ALL_CORES}, got {text!r}: {ALL_CORES} takes one a core"
        )
    return int(text)


def reward_model(instance: Instance, kind: str, variance: float | None) -> RewardModel:
    """Rewards with the means of an instance.

    Parameters
    ----------
    instance : Instance
        Where means and variances come from.
    kind : str
        One of `REWARDS`.
    variance : float or None
        What the command line says of it.

    Raises
    ------
    InvalidInputError
        If there are no such rewards, or they cannot have these means or this variance.
    """
    if kind.casefold() == "gaussian":
        return GaussianRewards(instance.theta, variance=instance.variance)
    if kind.casefold() != "bernoulli":
        raise unknown_name("rewards", kind, REWARDS)
    if variance is not None:
        raise InvalidInputError(
            f"--variance must go with Gaussian rewards, got {variance:g} with Bernoulli ones: drop it, since their means "
            "say all"
        )
    outside = np.flatnonzero((instance.theta < 0) | (instance.theta > 1))
    if outside.size:
        i = int(outside[0])
        raise InvalidInputError(
            f"theta must lie in [0, 1] for Bernoulli rewards, got {instance.theta[i]:g} for {instance.labels[i]}: "
            "use --rewards gaussian"
        )
    return BernoulliRewards(instance.theta)


def rewards_text(rewards: RewardModel, unit: str) -> str:
    """The law of the rewards in words."""
    if not rewards.is_independent_gaussian:
        return "0 or 1, independent; policies are told the variance 1/4"
    low, high = float(np.min(rewards.variance)), float(np.max(rewards.variance))
    square = f" {unit}²" if unit else ""
    spread = f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
    return f"Gaussian, independent, variance {spread}{square}"
