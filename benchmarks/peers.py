"""Other packages on what they can do, beside this library, in one run; docs/peers.md shows a result.

    python benchmarks/peers.py [--rounds 10000] [--replications 50] [--only bound one-armed top-m]

bound        C(theta) of n x n matchings: `graves_lai`, certified to 1e-4; all decisions listed in CVXPY; and CVXPY with the worst
             decision found by SCIP or HiGHS, a cut at a time, to the same gap
one-armed    one of ten arms, rewards 0 and 1: policies of SMPyBandits and MABWiser, and ours
top-m        three of ten arms, each seen: policies of SMPyBandits for several plays, and ours

Regret is the sum of gaps of the means, with twice the standard error over replications. Each policy has rewards of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.special

import semibandits as sb
from instances import matching
from reporting import Report, digits
from semibandits.compilation import compile_kernels

ARMS = np.array([0.05, 0.07, 0.08, 0.1, 0.1, 0.12, 0.13, 0.15, 0.18, 0.2])
M = 3
LIMIT = 60.0
"""Processor seconds of a cutting-plane method; HiGHS is used up to the size at which it takes longer."""
Player = tuple[Callable[[], np.ndarray], Callable[[np.ndarray, np.ndarray], None]]
"""Choose arms, and observe their rewards."""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--replications", type=int, default=50)
    parser.add_argument(
        "--only", nargs="+", choices=("bound", "one-armed", "top-m"), default=["bound", "one-armed", "top-m"]
    )
    options = parser.parse_args()
    report = Report(None)
    report.machine()
    compile_kernels()
    if "bound" in options.only:
        bounds(report)
    for name, m in (("one-armed", 1), ("top-m", M)):
        if name in options.only:
            policies(report, m, options.rounds, options.replications)


# ---------------------------------------------------------------------------------------------------- policies


def smpybandits() -> Any:
    """The policies of SMPyBandits. It asks SciPy for a function that was renamed, and prints advice."""
    scipy.special.btdtri = scipy.special.betaincinv
    with contextlib.redirect_stdout(io.StringIO()):
        from SMPyBandits import Policies
    return Policies


def peers(m: int, rounds: int) -> Iterator[tuple[str, Callable[[int], Player]]]:
    """Policies of other packages, as functions of a seed."""
    package = smpybandits()
    kinds: dict[str, Callable[[], Any]] = {
        "UCB": lambda: package.UCB(len(ARMS)),
        "kl-UCB": lambda: package.klUCB(len(ARMS)),
        "kl-UCB++ (knows T)": lambda: package.klUCBPlusPlus(len(ARMS), horizon=rounds),
        "Bayes-UCB": lambda: package.BayesUCB(len(ARMS)),
        "Thompson": lambda: package.Thompson(len(ARMS)),
    }
    if m == 1:
        kinds |= {
            "MOSS, anytime": lambda: package.MOSSAnytime(len(ARMS)),
            "Gittins, approximate (knows T)": lambda: package.ApproximatedFHGittins(len(ARMS), horizon=rounds),
            "BESA": lambda: package.BESA(len(ARMS)),
        }
    for name, build in kinds.items():
        yield f"SMPyBandits {name}", lambda seed, build=build: _smpybandits(build, m, seed)
    if m == 1:
        from mabwiser.mab import LearningPolicy

        for name, policy in {
            "UCB1": LearningPolicy.UCB1(alpha=1.0),
            "Thompson": LearningPolicy.ThompsonSampling(),
            "epsilon 0.05": LearningPolicy.EpsilonGreedy(epsilon=0.05),
        }.items():
            yield f"MABWiser {name}", lambda seed, policy=policy: _mabwiser(policy, seed)


def _smpybandits(build: Callable[[], Any], m: int, seed: int) -> Player:
    np.random.seed(seed)  # noqa: NPY002 (its policies draw from there)
    random.seed(seed)
    policy = build()
    policy.startGame()

    def choose() -> np.ndarray:
        return np.array([policy.choice()] if m == 1 else list(policy.choiceMultiple(m)), dtype=int)

    def observe(arms: np.ndarray, rewards: np.ndarray) -> None:
        for arm, reward in zip(arms.tolist(), rewards.tolist(), strict=True):
            policy.getReward(arm, reward)

    return choose, observe


def _mabwiser(policy: Any, seed: int) -> Player:
    from mabwiser.mab import MAB

    mab = MAB(arms=list(range(len(ARMS))), learning_policy=policy, seed=seed)
    mab.fit(decisions=list(range(len(ARMS))), rewards=[0] * len(ARMS))  # it asks for a first history

    def choose() -> np.ndarray:
        return np.array([mab.predict()])

    def observe(arms: np.ndarray, rewards: np.ndarray) -> None:
        mab.partial_fit(decisions=arms.tolist(), rewards=rewards.tolist())

    return choose, observe


def policies(report: Report, m: int, rounds: int, replications: int) -> None:
    """One table: regret at a tenth of the rounds and at all, and microseconds a round."""
    early, best = rounds // 10, np.sort(ARMS)[-m:].sum()
    rows = []
    for name, start in peers(m, rounds):
        report.doing(f"{m} of {len(ARMS)}: {name}")
        regret, seconds = np.zeros((replications, 2)), 0.0
        for seed in range(replications):
            rng, (choose, observe) = np.random.default_rng(seed), start(seed)
            outcomes = rng.random((rounds, len(ARMS))) < ARMS
            lost = np.zeros(rounds)
            clock = time.perf_counter()
            for t in range(rounds):
                arms = choose()
                observe(arms, outcomes[t, arms].astype(float))
                lost[t] = best - ARMS[arms].sum()
            seconds += time.perf_counter() - clock
            regret[seed] = lost[:early].sum(), lost.sum()
        rows.append((name, regret, 1e6 * seconds / rounds / replications))
    space, rewards = sb.MSets(len(ARMS), m), sb.BernoulliRewards(ARMS)
    ours = {
        "GLADE (default)": sb.GLADE(law="bernoulli"),
        "Thompson sampling": sb.ThompsonSampling(law="bernoulli"),
        "OSSB": sb.OSSB(law="bernoulli"),
        "CUCB": sb.CUCB(),
    }
    for name, policy in ours.items():
        report.doing(f"{m} of {len(ARMS)}: {name}")
        sb.simulate(space, rewards, policy, horizon=100, replications=1, bound=False)
        clock = time.perf_counter()
        result = sb.simulate(
            space,
            rewards,
            {name: policy},
            horizon=rounds,
            replications=replications,
            bound=False,
            checkpoints=[early, rounds],
        )
        seconds = time.perf_counter() - clock
        rows.append((f"semibandits {name}", result.regret[name], 1e6 * seconds / rounds / replications))
    report.done()
    report.table(
        f"{m} of {len(ARMS)} arms, rewards 0 and 1, means {ARMS[0]:g} to {ARMS[-1]:g}; {replications} replications",
        ("policy", f"regret at {early:,}", f"at {rounds:,}", "microseconds a round"),
        [[name, _interval(regret[:, 0]), _interval(regret[:, 1]), digits(micro)] for name, regret, micro in rows],
    )


def _interval(values: np.ndarray) -> str:
    return f"{values.mean():.1f} ± {2.0 * values.std(ddof=1) / np.sqrt(len(values)):.1f}"


# ---------------------------------------------------------------------------------------------------- the bound


def bounds(report: Report) -> None:
    """C(theta) of small matchings by three ways."""
    from cutting_planes import with_cuts, worst_by_highs, worst_by_scip
    from direct_model import solve_matchings

    rows = []
    for n in (4, 6, 7, 10, 15):
        report.doing(f"C(theta), {n} x {n}")
        decision_set, theta = matching(n)
        sb.graves_lai(decision_set, theta, variance=0.5)
        clock = time.process_time()
        ours = sb.graves_lai(decision_set, theta, variance=0.5, gap=1e-4)
        row = [f"{n} × {n}", _bracket(ours.lower, ours.value), digits(time.process_time() - clock)]
        if n <= 7:
            clock = time.process_time()
            row += [f"{solve_matchings(n, theta).value:.2f}", digits(time.process_time() - clock)]
        else:
            row += ["–", "–"]
        for worst, largest in ((worst_by_scip, 15), (worst_by_highs, 10)):
            if n <= largest:
                lower, upper, seconds, cuts = with_cuts(decision_set, theta, 1e-4, LIMIT, worst)
                row += [_bracket(lower, upper), digits(seconds), str(cuts)]
            else:
                row += ["–", "–", "–"]
        rows.append(row)
    report.done()
    report.table(
        "C(theta) of perfect matchings, variance 1/2, theta ~ U(0, 1); processor seconds",
        (
            "size",
            "graves_lai",
            "s",
            "CVXPY, listed",
            "s",
            "CVXPY and SCIP",
            "s",
            "cuts",
            "CVXPY and HiGHS",
            "s",
            "cuts",
        ),
        rows,
    )


def _bracket(lower: float, upper: float) -> str:
    return f"{lower:.2f}–{upper:.2f}" if np.isfinite(upper) else f"{lower:.2f}–?"


if __name__ == "__main__":
    main()
