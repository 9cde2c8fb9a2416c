"""Other packages on what they can do, beside this library, in one run; docs/peers.md shows a result.

    python benchmarks/peers.py [--only bound one-armed top-m features networks]

bound        C(theta) of n x n matchings: `graves_lai`, certified to 1e-4; all decisions listed in CVXPY; and CVXPY with the worst
             decision found by SCIP or HiGHS, a cut at a time, to the same gap
one-armed    one of ten arms, rewards 0 and 1: policies of other packages, published policies compiled here, and ours
top-m        three of ten arms, each seen: the policies of other packages that choose several, and ours
features     one and ten of 100 items with features, means that are linear in them or nearly so: linear policies of packages
             and in a few lines of NumPy, and ours with features and without; each replication is a problem of its own
networks     paths, matchings and trees: loops in Python with networkx and SciPy, and ours

Regret is the sum of gaps of the means, with a 95 % interval of its mean (Student's t). Each policy has rewards of its own. Slow
policies have fewer replications, and none at horizons that would take them minutes. Times are of the processor.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import one_armed
import semibandits as sb
from cutting_planes import with_cuts, worst_by_highs, worst_by_scip
from direct import solve_matchings
from instances import grid, grid_arcs, items_with_features, matching
from other_packages import LINEAR, Peer, Player, Table, peers, peers_with_features
from plain_loops import assignment_of, path_of, play, tree_of
from reporting import Report, digits, interval
from semibandits.compilation import compile_kernels

ARMS = np.array([0.05, 0.07, 0.08, 0.1, 0.1, 0.12, 0.13, 0.15, 0.18, 0.2])
M = 3
ROUNDS = (1_000, 10_000, 100_000)
COMPILED = {
    "kl-UCB": (one_armed.KL_UCB, (200, 50, 5)),
    "KL-UCB++, anytime": (one_armed.KL_UCB_PLUS_PLUS, (200, 50, 10)),
    "AdaUCB's level, anytime": (one_armed.ADA_UCB, (200, 100, 20)),
    "IMED": (one_armed.IMED, (200, 200, 100)),
    "BESA": (one_armed.BESA, (200, 100, 10)),
    "IDS": (one_armed.IDS, (100, 20, 0)),
}
OURS = {
    "GLADE (default)": (sb.GLADE(law="bernoulli"), (200, 200, 100)),
    "GLADE(rivals=0.4)": (sb.GLADE(rivals=0.4, law="bernoulli"), (200, 200, 100)),
    "Thompson sampling": (sb.ThompsonSampling(law="bernoulli"), (200, 200, 100)),
    "OSSB": (sb.OSSB(law="bernoulli"), (100, 50, 10)),
    "CUCB": (sb.CUCB(), (200, 200, 100)),
    'CUCB(law="bernoulli")': (sb.CUCB(law="bernoulli"), (200, 100, 20)),
    "ESCB": (sb.ESCB(), (200, 50, 10)),
}
LINEAR_ROUNDS = (100, 500, 2_000)
VARIANCE = 0.5
"""Of Gaussian rewards."""
NETWORK_ROUNDS = 10_000
LIMIT = 60.0
"""Processor seconds of a cutting-plane method."""
PARTS = ("bound", "one-armed", "top-m", "features", "networks")
Regrets = Callable[[int, int], np.ndarray]
"""Regrets of so many replications of so many rounds."""
Group = list[tuple[str, Regrets, tuple[int, ...]]]
"""Rows of a table: names, and replications at each horizon."""
Game = Callable[[np.random.Generator, int, int], tuple[np.ndarray, np.ndarray]]
"""Means, and the rewards of so many rounds, of a seed."""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    options = parser.parse_args()
    report = Report(None)
    report.machine()
    compile_kernels()
    if "bound" in options.only:
        bounds(report)
    if "one-armed" in options.only:
        policies(report, 1)
    if "top-m" in options.only:
        policies(report, M)
    if "features" in options.only:
        for m in (1, 10):
            for residual in (0.0, 0.3):
                features(report, m, residual)
    if "networks" in options.only:
        networks(report)


# ---------------------------------------------------------------------------------------------------- arms


def policies(report: Report, m: int) -> None:
    """Regret of `m` arms without features."""
    space, rewards = sb.MSets(len(ARMS), m), sb.BernoulliRewards(ARMS)
    groups: list[Group] = [
        [(peer.name, _of_peer(peer, m, _bernoulli), peer.replications) for peer in peers(len(ARMS), m)],
        [(f"compiled {name}", _of_rule(rule), counts) for name, (rule, counts) in COMPILED.items() if m == 1],
        [
            (f"semibandits {name}", _ours(space, rewards, policy), counts)
            for name, (policy, counts) in OURS.items()
            if m > 1 or name != "ESCB"  # the same as CUCB for one item
        ],
    ]
    _table(report, f"Regret of {m} of {len(ARMS)} arms, rewards 0 and 1, means {ARMS[0]:g} to {ARMS[-1]:g}", groups, ROUNDS)


def _table(report: Report, title: str, groups: list[Group], horizons: tuple[int, ...]) -> None:
    """One table: regret at each horizon, replications, and microseconds a round of the longest that was run."""
    rows: list[list[str]] = []
    for group in groups:
        rows += [[]] if group and rows else []
        for name, regrets, counts in group:
            report.doing(f"{title}: {name}")
            rows.append(_row(name, regrets, counts, horizons))
    report.done()
    report.table(title, ("policy", *(f"{rounds:,} rounds" for rounds in horizons), "replications", "µs a round"), rows)


def _row(name: str, regrets: Regrets, counts: tuple[int, ...], horizons: tuple[int, ...]) -> list[str]:
    regrets(100, 1)  # compiles, and imports
    cells, micro = [], 0.0
    for rounds, count in zip(horizons, counts, strict=True):
        if count:
            clock = time.process_time()
            cells.append(interval(regrets(rounds, count)))
            micro = 1e6 * (time.process_time() - clock) / rounds / count
        else:
            cells.append("–")
    return [name, *cells, ", ".join(str(count) for count in counts if count), digits(micro)]


def _bernoulli(rng: np.random.Generator, rounds: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    return ARMS, (rng.random((rounds, len(ARMS))) < ARMS).astype(float)


def _of_peer(peer: Peer, m: int, game: Game) -> Regrets:
    def regrets(rounds: int, count: int) -> np.ndarray:
        found = np.zeros(count)
        for seed in range(count):
            rng, (choose, observe) = np.random.default_rng(seed), peer.start(rounds, seed)
            means, outcomes = game(rng, rounds, seed)
            found[seed] = rounds * np.sort(means)[-m:].sum()
            for t in range(rounds):
                arms = choose()
                observe(arms, outcomes[t, arms])
                found[seed] -= means[arms].sum()
        return found

    return regrets


def _of_rule(rule: int) -> Regrets:
    def regrets(rounds: int, count: int) -> np.ndarray:
        return np.array([one_armed.play(rule, ARMS, rounds, np.random.default_rng(seed)) for seed in range(count)])

    return regrets


def _ours(space: sb.DecisionSet, rewards: sb.RewardModel, policy: sb.Policy, **options: Any) -> Regrets:
    def regrets(rounds: int, count: int) -> np.ndarray:
        result = sb.simulate(space, rewards, {"policy": policy}, rounds, count, bound=False, checkpoints=[rounds], **options)
        return result.regret["policy"][:, -1]

    return regrets


# ---------------------------------------------------------------------------------------------------- features


def features(report: Report, m: int, residual: float) -> None:
    """Regret of `m` items with features; replication i is problem i for every policy."""

    def table(seed: int) -> np.ndarray:
        return items_with_features(seed, residual)[0]

    def gaussian(rng: np.random.Generator, rounds: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        theta = items_with_features(seed, residual)[1]
        return theta, rng.normal(theta, np.sqrt(VARIANCE), (rounds, len(theta)))

    ours = {"Thompson sampling": sb.ThompsonSampling(), "GLADE": sb.GLADE(), "CUCB": sb.CUCB()}
    learner = Peer("semibandits Learner, GLADE: ask and tell", _learner(table, m), (0, 0, 1))
    groups: list[Group] = [
        [(peer.name, _of_peer(peer, m, gaussian), peer.replications) for peer in peers_with_features(table, m, VARIANCE)],
        [
            (f"semibandits {name}, features", _ours_of_problems(policy, m, residual, known=True), LINEAR)
            for name, policy in ours.items()
        ]
        + [(learner.name, _of_peer(learner, m, gaussian), learner.replications)],
        [
            (f"semibandits {name}, no features", _ours_of_problems(policy, m, residual, known=False), LINEAR)
            for name, policy in ours.items()
        ],
    ]
    fit = f"linear in 5 features but for N(0, {residual:g}²)" if residual else "linear in 5 features"
    _table(report, f"Regret of {m} of 100 items, Gaussian rewards of variance 1/2, means {fit}", groups, LINEAR_ROUNDS)


def _ours_of_problems(policy: sb.Policy, m: int, residual: float, *, known: bool) -> Regrets:
    def regrets(rounds: int, count: int) -> np.ndarray:
        found = []
        for seed in range(count):
            table, theta = items_with_features(seed, residual)
            space, rewards = sb.MSets(len(theta), m), sb.GaussianRewards(theta, variance=VARIANCE)
            found.append(_ours(space, rewards, policy, seed=seed, features=table if known else None)(rounds, 1)[0])
        return np.array(found)

    return regrets


def _learner(table: Table, m: int) -> Callable[[int, int], Player]:
    def start(rounds: int, seed: int) -> Player:
        features = table(seed)
        learner = sb.Learner(sb.MSets(len(features), m), sb.GLADE(), variance=VARIANCE, features=features, seed=seed)
        asked = []

        def choose() -> np.ndarray:
            asked.append(learner.ask())
            return asked[-1].items

        return choose, lambda arms, rewards: learner.tell(asked[-1].id, rewards)

    return start


# ---------------------------------------------------------------------------------------------------- networks


def networks(report: Report) -> None:
    """Regret and microseconds a round of plain loops and ours, Gaussian rewards of variance 1/2."""
    k, n, rows = 4, 5, []
    edges = [(u, v) for u in range(7) for v in range(u)]
    (paths, drawn), trees = grid(k), sb.SpanningTrees(edges)
    for name, (space, theta), maximize in (
        (f"paths, {k} × {k} grid, d = {paths.d}", (paths, drawn - 1.0), path_of(grid_arcs(k), 0, k * k - 1)),
        (f"matchings, {n} × {n}, d = {n * n}", matching(n), assignment_of(n)),
        (f"trees, 7 nodes, d = {trees.d}", (trees, np.random.default_rng(0).random(trees.d)), tree_of(edges)),
    ):
        rewards = sb.GaussianRewards(theta, variance=VARIANCE)
        for policy in (sb.CUCB(), sb.ThompsonSampling(), sb.GLADE()):
            report.doing(f"{name}: {policy.name}")
            plain = ["–", "–"]
            if not isinstance(policy, sb.GLADE):
                runs = np.array([play(policy.name, maximize, theta, VARIANCE, NETWORK_ROUNDS, seed) for seed in range(10)])
                plain = [interval(runs[:, 0]), digits(1e6 * runs[:, 1].mean())]
            regrets = _ours(space, rewards, policy)
            regrets(100, 1)
            clock = time.process_time()
            found = regrets(NETWORK_ROUNDS, 100)
            micro = 1e6 * (time.process_time() - clock) / NETWORK_ROUNDS / len(found)
            rows.append([name, policy.name, plain[0], interval(found), plain[1], digits(micro)])
    report.done()
    report.table(
        f"Regret at {NETWORK_ROUNDS:,} rounds, Gaussian rewards of variance 1/2; 10 replications of plain loops, 100 of ours",
        ("decision set", "policy", "plain loop", "semibandits", "microseconds a round, plain", "semibandits"),
        rows,
    )


# ---------------------------------------------------------------------------------------------------- the bound


def bounds(report: Report) -> None:
    """C(theta) of small matchings by three ways."""
    columns = "size|graves_lai|s|CVXPY, listed|s|CVXPY and SCIP|s|cuts|CVXPY and HiGHS|s|cuts"
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
    report.table("C(theta) of perfect matchings, variance 1/2, theta ~ U(0, 1); processor seconds", columns.split("|"), rows)


def _bracket(lower: float, upper: float) -> str:
    return f"{lower:.2f}–{upper:.2f}" if np.isfinite(upper) else f"{lower:.2f}–?"


if __name__ == "__main__":
    main()
