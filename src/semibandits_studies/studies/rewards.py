"""Reward models of a study."""

from __future__ import annotations

import numpy as np

from semibandits import datasets
from semibandits.errors import InvalidInputError, Option, UnsupportedError
from semibandits.inputs.fields import unknown_name
from semibandits.instances import Instance
from semibandits.laws import Bernoulli, Gamma, Gaussian, Law, Poisson, law_from
from semibandits.rewards.base import RewardModel
from semibandits.rewards.bernoulli import BernoulliRewards
from semibandits.rewards.gamma import GammaRewards
from semibandits.rewards.gaussian import GaussianRewards
from semibandits.rewards.poisson import PoissonRewards
from semibandits_studies.instances.roles import VARIANCE
from semibandits_studies.studies.problems import Problem
from semibandits_studies.studies.study import REPLAY, REWARDS


def law_of_instance(instance: Instance, text: str) -> Law:
    """A law from its text, which must allow the means of the instance. A Gaussian law without a variance has the instance's."""
    law = law_from(text.casefold())
    if isinstance(law, Gaussian) and "variance" not in text.casefold():
        law = Gaussian(instance.variance, law.upper)
    law.check(instance.theta)
    return law


def is_without_variance(rewards: str) -> bool:
    """Whether rewards of this name are Gaussian with the variance of the problem."""
    return rewards.casefold().strip() == "gaussian"


def check_variance(instance: Instance, *, is_built_in: bool, law: str = "rewards") -> None:
    """Refuse Gaussian rewards of a file that states no variance: any guess would decide how much is explored."""
    if is_built_in or VARIANCE in instance.description:
        return
    square = f", in {instance.unit}²" if instance.unit else ""
    raise InvalidInputError(
        f"variance must be given for Gaussian rewards, got none in {instance.name}: add ",
        Option(VARIANCE, "NUMBER"),
        f", the square of how far one outcome usually is from its mean{square} (64 if that is 8), a column {VARIANCE}, or "
        "another law, as in ",
        Option(law, "bernoulli"),
        " for rewards 0 and 1",
    )


def reward_model(problem: Problem, kind: str, variance: float | None) -> RewardModel:
    """Rewards with the means of a problem, which is also the source of the variances and of observed outcomes.

    `kind` is "replay", or a law as :func:`semibandits.laws.law_from` reads it. `variance` is the one that the user gave, if any;
    that of the instance includes it.
    """
    instance, name = problem.instance, kind.casefold().partition(":")[0].strip()
    if name == REPLAY:
        if problem.dataset is None or problem.dataset.outcomes is None:
            able = [row.name for row in datasets.catalogue() if row.replay and row.installed]
            got = instance.name if problem.dataset is None else problem.dataset.name
            remedy = [f"choose {'from ' * (len(able) > 1)}{', '.join(able)}"] if able else ["use ", Option("rewards", "gaussian")]
            raise InvalidInputError(f"replay must have observed outcomes to draw from, got {got}, which has none: ", *remedy)
        return problem.dataset.replay(variance=instance.variance)
    if name not in REWARDS:
        raise unknown_name("rewards", kind, REWARDS)
    if name == "bernoulli":
        if variance is not None:
            raise InvalidInputError(
                Option("variance"),
                f" must go with Gaussian rewards, got {variance:g} with Bernoulli ones: drop it, since their means determine it",
            )
        outside = np.flatnonzero((instance.theta < 0) | (instance.theta > 1))
        if outside.size:
            i = int(outside[0])
            raise InvalidInputError(
                f"theta must lie in [0, 1] for Bernoulli rewards, got {instance.theta[i]:g} for {instance.labels[i]}: use ",
                Option("rewards", "gaussian"),
            )
    law = law_of_instance(instance, kind)
    if isinstance(law, Poisson):
        return PoissonRewards(instance.theta, cost=law.cost, variance=variance)
    if isinstance(law, Gamma):
        return GammaRewards(instance.theta, shape=law.shape, cost=law.cost, variance=variance)
    if isinstance(law, Gaussian):
        return GaussianRewards(instance.theta, variance=law.variance, upper=law.upper)
    if isinstance(law, Bernoulli):
        return BernoulliRewards(instance.theta)
    raise UnsupportedError(f"rewards of the law {law.name} cannot be drawn: the library has no reward model for it")
