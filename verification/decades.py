"""Slope of GLADE's regret over C(theta), decade by decade, where exploring several alternatives together pays: the stars.

    python verification/decades.py                  a table in Markdown, as in docs/policies/optimality.md; some minutes

At a million rounds the levels ln(t/n) are near 9, and the estimated gap of an item that was explored to such a level is off by
some 24 %. What refutes several alternatives at once must go on until the last one is refuted, so that its cost is the largest of
several noisy terms, not their mean: whether the slope falls towards C(theta) as levels grow is what this measures.
"""

from __future__ import annotations

import argparse
import itertools
import math

import numpy as np
from compare_results import short_name
from panel import HALVES, panel, star
from stacked import StackedRewards
from statistics_of_ratios import mean_interval

import semibandits as sb

SEED = 20_261_125


def main() -> None:
    """Play, and print a row an instance."""
    options = _options()
    decades = [10**k for k in range(3, 1 + round(math.log10(options.horizon)))]
    ends = [f"10^{round(math.log10(t))}" for t in decades]
    columns = [f"{a} to {b}" for a, b in itertools.pairwise(ends)]
    print(f"| instance | C(θ) | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 2)}")
    for instance in (star(), *(drawn for drawn in panel(options.half) if drawn.trait == "informative")):
        bound = sb.graves_lai(instance.decision_set, instance.theta, instance.variance)
        result = sb.simulate(
            instance.decision_set,
            StackedRewards(instance.theta, instance.variance),
            sb.GLADE(),
            options.horizon,
            options.replications,
            seed=options.seed,
            n_jobs=options.workers,
            checkpoints=decades,
            bound=bound,
        )
        slopes = np.diff(result.regret["GLADE"], axis=1) / (math.log(10) * bound.value)
        cells = ["{:.2f} [{:.2f}, {:.2f}]".format(*mean_interval(column)) for column in slopes.T]
        print(f"| {short_name(instance)} | {bound.value:.4g} | {' | '.join(cells)} |", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default="held")
    parser.add_argument("--horizon", type=int, default=100_000_000, help="rounds, a power of ten of at least 10^4")
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    power = math.log10(max(options.horizon, 1))
    if options.horizon < 10**4 or not power.is_integer():
        parser.error(f"--horizon must be a power of ten of at least 10,000, got {options.horizon}")
    return options


if __name__ == "__main__":
    main()
