"""Arguments of learners."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from semibandits._typing import ArrayLike
from semibandits.errors import InvalidInputError
from semibandits.inputs.validation import check_choice
from semibandits.laws import Bernoulli, Gaussian, Law, law_from
from semibandits.learning.history import LoggedRound
from semibandits.policies.base import Policy
from semibandits.policies.rules import LawPolicy

Seed: TypeAlias = int | np.random.SeedSequence | np.random.Generator
"""A source of randomness."""
LoggedRounds: TypeAlias = Iterable[LoggedRound] | Mapping[Any, LoggedRound]
"""Rounds of another system."""


def known_law(law: Law | str | None, rewards: str | None) -> Law | None:
    """The law of the rewards, from a law or the name of rewards, but not both; None if neither is given, and for "gaussian"."""
    if rewards is not None:
        check_choice(rewards, ("gaussian", "bernoulli"), "rewards", "leave it out if it is neither, or pass a law")
    if law is not None and rewards is not None:
        raise InvalidInputError(f"rewards must be left out where a law is given, got {rewards!r} and {law!r}: pass law only")
    return Bernoulli() if rewards == "bernoulli" else None if law is None else law_from(law)


def known_variance(policy: Policy, law: Law | None) -> ArrayLike | None:
    """The variance of a law, by default that of the policy; None if the law determines none and the policy needs one."""
    if law is None and isinstance(policy, LawPolicy):
        law = policy.known_law
    if isinstance(law, Gaussian):
        return law.variance
    if isinstance(law, Bernoulli):
        return 0.25
    if isinstance(policy, LawPolicy) and policy.known_law is not None and policy.known_law == law:
        return 1.0  # not used
    return None


def default_variance(policy: Policy, law: Law | None) -> ArrayLike:
    """The same; an error if it is not known."""
    found = known_variance(policy, law)
    if found is None:
        law_remedy = ", or their law, law='bernoulli' for rewards 0 and 1"
        raise InvalidInputError(
            "variance must be given, got None: pass the variance of the rewards, (b - a)**2 / 4 for rewards in [a, b]"
            + (law_remedy if law is None else f"; {policy.name} does not use the law")
        )
    return found


def generator_of(seed: object) -> np.random.Generator:
    """The generator of a seed: an integer >= 0, a SeedSequence, or a Generator over PCG64, which is returned itself."""
    if isinstance(seed, np.random.Generator):
        if isinstance(seed.bit_generator, np.random.PCG64):
            return seed
        raise InvalidInputError(
            f"seed must be a Generator over PCG64, got one over {type(seed.bit_generator).__name__}: "
            "pass numpy.random.default_rng(...) or an integer"
        )
    if isinstance(seed, np.random.SeedSequence):
        return np.random.default_rng(seed)
    if isinstance(seed, bool | np.bool_) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInputError(f"seed must be an integer >= 0, a SeedSequence or a Generator, got {seed!r}: pass for instance 0")
    return np.random.default_rng(int(seed))
