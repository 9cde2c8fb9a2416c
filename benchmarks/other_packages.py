"""Policies of other packages that play the game of this one: m of several arms, rewards 0 and 1, each seen."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special

Player = tuple[Callable[[], np.ndarray], Callable[[np.ndarray, np.ndarray], None]]
"""Choose arms, and observe their rewards."""
LONG, MEDIUM, SHORT, SHORTEST, SOME = (40, 16, 5), (40, 16, 0), (20, 6, 0), (5, 0, 0), (20, 4, 0)
"""Replications at 10^3, 10^4 and 10^5 rounds, by the time of a round: to 30, 50 and 300 microseconds, and longer; for m > 1."""


@dataclass(frozen=True)
class Peer:
    """A policy of another package."""

    name: str
    start: Callable[[int, int], Player]
    """A new game, of the number of rounds and a seed."""
    replications: tuple[int, int, int]


def peers(arms: int, m: int) -> list[Peer]:
    """All of them; for m > 1 those that choose several arms, or whose scores can be sorted.

    OC-UCB of SMPyBandits is left out: version 0.9.7 computes the index of UCB for it.
    """
    found = [
        Peer(f"SMPyBandits {name}", _smpybandits(build, m), replications)
        for name, (build, replications) in _of_smpybandits(arms, m).items()
    ]
    from mabwiser.mab import LearningPolicy

    for name, policy, replications in (
        ("UCB1", LearningPolicy.UCB1(alpha=1.0), SHORT),
        ("Thompson", LearningPolicy.ThompsonSampling(), SHORT),
        ("epsilon 0.05", LearningPolicy.EpsilonGreedy(epsilon=0.05), SHORT),
    ):
        if m == 1 or name != "epsilon 0.05":  # its scores are the means
            found.append(Peer(f"MABWiser {name}", _mabwiser(policy, arms, m), replications if m == 1 else SOME))
    if m == 1:
        from river import bandit, proba

        found += [
            Peer("River UCB", _river(lambda seed: bandit.UCB(delta=1.0, seed=seed), arms), MEDIUM),
            Peer("River Bayes-UCB", _river(lambda seed: bandit.BayesUCB(seed=seed), arms), MEDIUM),
            Peer(
                "River Thompson",
                _river(lambda seed: bandit.ThompsonSampling(reward_obj=proba.Beta(), seed=seed), arms, kind=bool),
                MEDIUM,
            ),
            Peer("bayesianbandits IDS", _bayesianbandits(arms), SHORTEST),
        ]
    else:
        found.append(Peer("NumPy loop CUCB", _numpy_cucb(arms, m), SOME))
    return found


def _of_smpybandits(arms: int, m: int) -> dict[str, tuple[Callable[[int], Any], tuple[int, int, int]]]:
    """Its policies, of the horizon. It asks SciPy for a function that was renamed, and prints advice."""
    scipy.special.btdtri = scipy.special.betaincinv
    with contextlib.redirect_stdout(io.StringIO()):
        from SMPyBandits import Policies
    kinds = {
        "UCB": (lambda rounds: Policies.UCB(arms), LONG),
        "kl-UCB": (lambda rounds: Policies.klUCB(arms), SHORT),
        "kl-UCB++ (knows T)": (lambda rounds: Policies.klUCBPlusPlus(arms, horizon=rounds), SHORT),
        "Bayes-UCB": (lambda rounds: Policies.BayesUCB(arms), MEDIUM),
        "Thompson": (lambda rounds: Policies.Thompson(arms), MEDIUM),
    }
    if m > 1:
        return {name: (build, SOME) for name, (build, _) in kinds.items()}
    return kinds | {
        "UCB-V tuned": (lambda rounds: Policies.UCBVtuned(arms), MEDIUM),
        "MOSS, anytime": (lambda rounds: Policies.MOSSAnytime(arms), MEDIUM),
        "Gittins, approximate (knows T)": (lambda rounds: Policies.ApproximatedFHGittins(arms, horizon=rounds), MEDIUM),
        "AdBandits (knows T)": (lambda rounds: Policies.AdBandits(arms, horizon=rounds), MEDIUM),
        "PHE": (lambda rounds: Policies.PHE(arms), MEDIUM),
        "OSSB": (lambda rounds: Policies.OSSB(arms), SHORT),
        "DMED+": (lambda rounds: Policies.DMEDPlus(arms), MEDIUM),
        "IMED": (lambda rounds: Policies.IMED(arms), SHORTEST),
        "BESA": (lambda rounds: Policies.BESA(arms), (20, 0, 0)),
    }


def _smpybandits(build: Callable[[int], Any], m: int) -> Callable[[int, int], Player]:
    def start(rounds: int, seed: int) -> Player:
        np.random.seed(seed)  # noqa: NPY002 (its policies draw from there)
        random.seed(seed)
        policy = build(rounds)
        policy.startGame()

        def choose() -> np.ndarray:
            return np.array([policy.choice()] if m == 1 else list(policy.choiceMultiple(m)), dtype=int)

        def observe(arms: np.ndarray, rewards: np.ndarray) -> None:
            for arm, reward in zip(arms.tolist(), rewards.tolist(), strict=True):
                policy.getReward(arm, reward)

        return choose, observe

    return start


def _mabwiser(policy: Any, arms: int, m: int) -> Callable[[int, int], Player]:
    def start(rounds: int, seed: int) -> Player:
        from mabwiser.mab import MAB

        mab = MAB(arms=list(range(arms)), learning_policy=policy, seed=seed)
        mab.fit(decisions=list(range(arms)), rewards=[0] * arms)  # it asks for a first history

        def choose() -> np.ndarray:
            if m == 1:
                return np.array([mab.predict()])
            scores = mab.predict_expectations()
            return np.array(sorted(scores, key=scores.__getitem__)[-m:])

        def observe(arms: np.ndarray, rewards: np.ndarray) -> None:
            mab.partial_fit(decisions=arms.tolist(), rewards=rewards.tolist())

        return choose, observe

    return start


def _river(build: Callable[[int], Any], arms: int, kind: Callable[[float], Any] = float) -> Callable[[int, int], Player]:
    def start(rounds: int, seed: int) -> Player:
        policy, all_arms = build(seed), list(range(arms))

        def observe(arms: np.ndarray, rewards: np.ndarray) -> None:
            policy.update(int(arms[0]), kind(rewards[0]))

        return lambda: np.array([policy.pull(all_arms)]), observe

    return start


def _bayesianbandits(arms: int) -> Callable[[int, int], Player]:
    def start(rounds: int, seed: int) -> Player:
        from bayesianbandits import Agent, Arm, DirichletClassifier, InformationDirectedSampling

        def reward(samples: np.ndarray) -> np.ndarray:
            return samples[..., 1]

        learners = [DirichletClassifier({0: 1, 1: 1}, random_state=seed * arms + k) for k in range(arms)]
        each = [Arm(k, reward_function=reward, learner=learner) for k, learner in enumerate(learners)]
        agent = Agent(each, InformationDirectedSampling(), random_seed=seed)

        def observe(arms: np.ndarray, rewards: np.ndarray) -> None:
            agent.select_for_update(int(arms[0])).update(rewards.astype(int))

        return lambda: np.array([agent.pull()[0]]), observe

    return start


def _numpy_cucb(arms: int, m: int) -> Callable[[int, int], Player]:
    def start(rounds: int, seed: int) -> Player:
        plays, sums = np.zeros(arms), np.zeros(arms)

        def choose() -> np.ndarray:
            n = np.maximum(plays, 1)
            bounds = sums / n + np.sqrt(0.5 * np.log(max(plays.sum() / m, 1.0)) / n)
            return np.argpartition(np.where(plays > 0, bounds, np.inf), -m)[-m:]

        def observe(arms: np.ndarray, rewards: np.ndarray) -> None:
            plays[arms] += 1
            sums[arms] += rewards

        return choose, observe

    return start
