"""Share of plausible decisions that GLADE misses under each law: its search is exact for Gaussian rewards only.

    python experiments/plausible.py --situations 5000

prints the table of docs/policies/optimality.md: a few minutes on one core. Each situation is a round with random counts and
means, decided by the kernel of GLADE alone, with oracles that use a list of all decisions. A plausible decision is
missed if one needs less information than 0.999, as :func:`semibandits.kernels.rules.raises.price_of` finds for each, and the
best decision at the estimates is played.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable

import numpy as np

import semibandits as sb
from semibandits.kernels.rules.actions import LINEAR_FIRST, PLAY
from semibandits.kernels.rules.glade import glade
from semibandits.kernels.rules.levels import write_levels
from semibandits.kernels.rules.raises import price_of
from semibandits.kernels.rules.records import Request, RuleState
from semibandits.kernels.rules.statistics import COUNTS, MEANS, PLAYS, SUMS, fresh_statistics
from semibandits.laws import Bernoulli, Gamma, Gaussian, Law, Mixed, Poisson

NEARLY = 0.999
"""Information below which a decision counts as plausible, less than 1 by the tolerance of the search for prices."""
LAWS: dict[str, tuple[Callable[[int], Law], Callable[[np.random.Generator, int], np.ndarray]]] = {
    "Gaussian, known bound": (lambda d: Gaussian(1.0, upper=0.0), lambda rng, d: -rng.gamma(1.0, 1.0, d)),
    "Bernoulli": (lambda d: Bernoulli(), lambda rng, d: rng.uniform(0.0, 1.0, d)),
    "Poisson": (lambda d: Poisson(), lambda rng, d: rng.gamma(1.0, 3.0, d)),
    "Poisson, costs": (lambda d: Poisson(cost=True), lambda rng, d: -rng.gamma(1.0, 3.0, d)),
    "gamma": (lambda d: Gamma(3.0), lambda rng, d: rng.uniform(0.5, 3.0, d)),
    "gamma, costs": (lambda d: Gamma(1.0, cost=True), lambda rng, d: -rng.uniform(0.5, 5.0, d)),
    "a mix": (
        lambda d: Mixed([(Bernoulli(), Poisson(), Gaussian(0.3))[i % 3] for i in range(d)]),
        lambda rng, d: rng.uniform(0.0, 1.0, d),
    ),
}
UNEQUAL = [("s", "a"), ("s", "a"), ("a", "t"), ("s", "b"), ("b", "t"), ("a", "b"), ("s", "t"), ("a", "c"), ("c", "t")]
SETS = {
    "paths of one to three arcs": sb.Paths(UNEQUAL, "s", "t"),
    "perfect 3 × 3 matchings": sb.Matchings(list(itertools.product(range(3), range(3)))),
    "3 of 7": sb.MSets(7, 3),
}


def main() -> None:
    """Print one row per law."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--situations", type=int, default=5000, help="situations for each law and set")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(f"| law | {' | '.join(SETS)} |\n|{'---|' * (len(SETS) + 1)}")
    for name in LAWS:
        cells = [missed(name, decision_set, options.situations, options.seed) for decision_set in SETS.values()]
        print(f"| {name} | {' | '.join(f'{missed:,} of {plausible:,}' for missed, plausible in cells)} |", flush=True)


def missed(name: str, decision_set: sb.DecisionSet, situations: int, seed: int) -> tuple[int, int]:
    """Number of missed situations, and number of those with a plausible decision."""
    decisions, rng = decision_set.enumerate(), np.random.default_rng(seed)
    d, m = decision_set.d, decision_set.m
    law_of, means_of = LAWS[name]
    policy = sb.GLADE(law=law_of(d), patience=0.0)
    params, codes = policy.params(m, np.ones(d)), policy.codes(d)
    count = plausible = 0
    for _ in range(situations):
        t, stats = int(np.exp(rng.uniform(5.0, 13.8))), fresh_statistics(np.ones(d))
        plays, means = np.ceil(np.exp(rng.uniform(0.0, 0.75 * math.log(t), d))), means_of(rng, d)
        stats[PLAYS], stats[COUNTS], stats[MEANS], stats[SUMS] = plays, plays, means, plays * means
        values, levels = decisions @ means, np.zeros(d)
        best = decisions[values.argmax()]
        write_levels(t, policy.discount, policy.rivals, float(m), stats, best, levels)
        needed = (
            price_of(codes, levels, gap, stats, best, x)[1]
            for x, gap in zip(decisions, values.max() - values, strict=True)
            if gap > 0.0
        )
        if min(needed, default=math.inf) < NEARLY:
            plausible += 1
            count += bool((decided(policy, decisions, stats, t, params) == best).all())
    return count, plausible


def decided(policy: sb.GLADE, decisions: np.ndarray, stats: np.ndarray, t: int, params: np.ndarray) -> np.ndarray:
    """The decision of the kernel without earlier decisions."""
    d = stats.shape[1]
    memory, marks, _ = policy.memory(d, int(decisions.sum(axis=1).max()))
    rows, x = np.zeros((policy.kept, d), dtype=np.bool_), np.zeros(d, dtype=np.bool_)
    weights, bonuses = np.zeros(d), np.zeros(d)
    state, request = RuleState(params, stats, memory, marks, rows, np.zeros(0)), Request(weights, bonuses, x)
    while True:
        action = glade(t, state, request)
        if action == PLAY:
            return x
        sums = decisions @ weights
        x[:] = decisions[np.argmax(sums if action == LINEAR_FIRST else sums + np.sqrt(decisions @ bonuses))]


if __name__ == "__main__":
    main()
