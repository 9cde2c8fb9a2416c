"""One round of the classes of a user, so that their mistakes are found before anything is compiled or played."""

from __future__ import annotations

from typing import Final

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.policies.rules import RulePolicy
from semibandits.rewards._checks import checked_rewards
from semibandits.rewards.base import RewardModel
from semibandits.simulation.replication import chosen, started
from semibandits.simulation.specification import Specification

SEED: Final = 0
"""The random numbers of trials are their own, so that they do not change the simulation."""


def play_trial(specification: Specification) -> None:
    """Draw one round of rewards of a user's own model, and play one round of each policy of a user's own.

    Rewards and policies with kernels are left out. Errors in the user's code are passed on unchanged.
    """
    rewards = specification.rewards
    own = [name for name, policy in specification.policies.items() if not isinstance(policy, RulePolicy)]
    if own or rewards.compiled() is None:
        _draw(rewards, np.flatnonzero(specification.decision_set.maximize(rewards.theta.copy())))
    for name in own:
        agent = started(specification, name)
        items = np.flatnonzero(chosen(agent, specification.decision_set, np.random.default_rng(SEED), 1))
        agent.observe(items, _draw(rewards, items))


def _draw(rewards: RewardModel, items: IntArray) -> FloatArray:
    return checked_rewards(rewards.draw(items, np.random.default_rng(SEED)), len(items), "draw")
