"""Regret of policies that use the Bernoulli law, compared with those that assume Gaussian rewards of variance 1/4.

    python verification/bernoulli.py

prints the table of docs/policies/choosing.md: a few minutes on two cores.
"""

from __future__ import annotations

import argparse

import numpy as np

import semibandits as sb

POLICIES = {
    "Thompson, normal posterior": sb.ThompsonSampling(law=sb.laws.Gaussian(0.25)),
    "Thompson": sb.ThompsonSampling(),
    'GLADE(rewards="gaussian")': sb.GLADE(rewards="gaussian"),
    "GLADE": sb.GLADE(),
}
SEED = 2026


def instances() -> dict[str, tuple[sb.DecisionSet, np.ndarray]]:
    """Instances with high, medium and low means."""
    return {
        "2 of 8, means 0.6 to 0.97": (sb.MSets(8, 2), np.linspace(0.6, 0.97, 8)),
        "2 of 8, means 0.05 to 0.4": (sb.MSets(8, 2), np.linspace(0.05, 0.4, 8)),
        "4 × 4 matchings, means drawn from 0.02 to 0.3": (
            sb.Matchings([(row, column) for row in range(4) for column in range(4)]),
            np.random.default_rng(4).uniform(0.02, 0.3, 16),
        ),
    }


def main() -> None:
    """Simulate, and print one row per instance."""
    options = _options()
    print(f"| instance | {' | '.join(POLICIES)} | C(θ) | C(θ), Gaussian of variance 1/4 |")
    print(f"|{'---|' * (len(POLICIES) + 3)}")
    for name, (decision_set, theta) in instances().items():
        result = sb.simulate(
            decision_set,
            sb.BernoulliRewards(theta),
            POLICIES,
            options.horizon,
            options.replications,
            seed=options.seed,
            n_jobs=options.workers,
        )
        cells = [f"{row.regret:.0f} ± {1.96 * row.standard_error:.0f}" for row in result.summary()]
        gaussian = sb.graves_lai(decision_set, theta, 0.25).value
        print(f"| {name} | {' | '.join(cells)} | {result.lower_bound:.1f} | {gaussian:.1f} |", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horizon", type=int, default=100_000, help="rounds")
    parser.add_argument("--replications", type=int, default=200)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
