"""Policies of other packages that play the games of this one: m of several arms, each seen, with features or without."""

from __future__ import annotations

import contextlib
import io
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special

Player = tuple[Callable[[], np.ndarray], Callable[[np.ndarray, np.ndarray], None]]
"""Choose arms, and observe their rewards."""
Table = Callable[[int], np.ndarray]
"""Features of the items of a seed, shape (d, k)."""
LONG, MEDIUM, SHORT, SHORTEST, SOME = (40, 16, 5), (40, 16, 0), (20, 6, 0), (5, 0, 0), (20, 4, 0)
"""Replications at 10^3, 10^4 and 10^5 rounds, by the time of a round: to 30, 50 and 300 microseconds, and longer; for m > 1."""


LINEAR = (20, 10, 5)
"""Replications at 100, 500 and 2,000 rounds with features."""


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


# ---------------------------------------------------------------------------------------------------- features


def peers_with_features(tables: Table, m: int, variance: float) -> list[Peer]:
    """Linear policies of Gaussian rewards; all but one have a regression that items share.

    The prior of all effects is N(0, variance), so that all regressions are ridge regressions with penalty 1.
    """
    from bayesianbandits import EmpiricalBayesNormalRegressor, NormalRegressor, ThompsonSampling, UpperConfidenceBound
    from mabwiser.mab import LearningPolicy

    def table(seed: int) -> np.ndarray:
        features = tables(seed)
        return np.column_stack([np.ones(len(features)), features])

    def with_items(seed: int) -> np.ndarray:
        return np.column_stack([table(seed), np.eye(len(table(seed)))])

    lin_ucb, lin_ts = LearningPolicy.LinUCB(alpha=1.0), LearningPolicy.LinTS(alpha=np.sqrt(variance))
    return [
        Peer("NumPy loop LinUCB", _numpy_linear(table, m, variance, drawn=False), LINEAR),
        Peer("NumPy loop linear Thompson", _numpy_linear(table, m, variance, drawn=True), LINEAR),
        Peer("MABWiser LinUCB, items as contexts of one arm", _mabwiser_linear(lin_ucb, table, m), LINEAR),
        Peer("MABWiser LinTS, items as contexts of one arm", _mabwiser_linear(lin_ts, table, m), LINEAR),
        Peer("MABWiser LinUCB, a regression per arm", _mabwiser_linear(lin_ucb, table, m, shared=False), (5, 0, 0)),
        *(
            Peer(f"bayesianbandits {name}", _bayesianbandits_linear(policy, regression, of, m, variance), counts)
            for name, policy, regression, of, counts in (
                ("UCB", UpperConfidenceBound, NormalRegressor, table, (20, 0, 0)),
                ("Thompson", ThompsonSampling, NormalRegressor, table, LINEAR),
                ("Thompson, features and items", ThompsonSampling, EmpiricalBayesNormalRegressor, with_items, LINEAR),
            )
        ),
    ]


def _numpy_linear(table: Table, m: int, variance: float, *, drawn: bool) -> Callable[[int, int], Player]:
    """Thompson sampling, or the bounds of LinUCB with the level of CUCB."""

    def start(rounds: int, seed: int) -> Player:
        phi, rng = table(seed), np.random.default_rng([seed, 1])
        gram, sums, clock = np.eye(phi.shape[1]), np.zeros(phi.shape[1]), itertools.count(2)

        def choose() -> np.ndarray:
            covariance = variance * np.linalg.inv(gram)
            effects = covariance @ sums / variance
            if drawn:
                scores = phi @ rng.multivariate_normal(effects, covariance)
            else:
                scores = phi @ effects + np.sqrt(2 * np.log(next(clock)) * ((phi @ covariance) * phi).sum(axis=1))
            return np.argpartition(scores, -m)[-m:]

        def observe(arms: np.ndarray, rewards: np.ndarray) -> None:
            gram[:] += phi[arms].T @ phi[arms]
            sums[:] += rewards @ phi[arms]

        return choose, observe

    return start


def _mabwiser_linear(policy: Any, table: Table, m: int, shared: bool = True) -> Callable[[int, int], Player]:
    """Its regressions belong to arms: either all items are contexts of one arm, or each is an arm with a context of its own."""

    def start(rounds: int, seed: int) -> Player:
        from mabwiser.mab import MAB

        phi = table(seed)
        arm_of = np.zeros(len(phi), dtype=int) if shared else np.arange(len(phi))
        mab = MAB(arms=np.unique(arm_of).tolist(), learning_policy=policy, seed=seed)
        mab.fit(decisions=[0], rewards=[0], contexts=np.zeros((1, phi.shape[1])))  # it asks for a first history

        def choose() -> np.ndarray:
            expected = mab.predict_expectations(phi)
            return np.argsort([scores[arm] for scores, arm in zip(expected, arm_of.tolist(), strict=True)])[-m:]

        def observe(arms: np.ndarray, rewards: np.ndarray) -> None:
            mab.partial_fit(decisions=arm_of[arms].tolist(), rewards=rewards.tolist(), contexts=phi[arms])

        return choose, observe

    return start


def _bayesianbandits_linear(
    policy: Callable[[], Any], regression: Callable[..., Any], table: Table, m: int, variance: float
) -> Callable[[int, int], Player]:
    def start(rounds: int, seed: int) -> Player:
        from bayesianbandits import Arm, FunctionArmFeaturizer, LipschitzContextualAgent

        phi, context = table(seed), np.zeros((1, 1))
        agent = LipschitzContextualAgent(
            [Arm(k) for k in range(len(phi))],
            policy(),
            FunctionArmFeaturizer(lambda contexts, arms: phi[arms].T[None]),
            regression(alpha=1 / variance, beta=1 / variance),
            random_seed=seed,
        )

        def observe(arms: np.ndarray, rewards: np.ndarray) -> None:
            agent.learner.partial_fit(phi[arms], rewards)

        return lambda: np.array(agent.pull(context, top_k=m)[0]), observe

    return start
