"""Simulation results with made-up numbers, for tests of results, files and reports."""

import numpy as np

from semibandits.simulation.checkpoints import log_spaced
from semibandits.simulation.results import SimulationResult


def fields(policies=("OSSB", "CUCB"), replications=3, horizon=1000, d=4, seed=0, **changes):
    """Arguments of a result: regret is a random multiple of ln t, counts are a share of the rounds."""
    rng = np.random.default_rng(seed)
    rounds = log_spaced(horizon, 5)
    shape = (replications, len(rounds))
    made = {
        "policies": policies,
        "checkpoints": rounds,
        "regret": {p: rng.uniform(1, 3, (replications, 1)) * np.log(rounds) + rng.random() for p in policies},
        "reward": {p: np.cumsum(rng.standard_normal(shape), axis=1) for p in policies},
        "plays": {p: (rounds[:, None] * rng.random((replications, 1, d))).astype(np.int64) for p in policies},
        "calls": {p: np.cumsum(rng.integers(0, 9, (*shape, 4)), axis=1) for p in policies},
        "items": tuple(f"('u', {i})" for i in range(d)),
        "lower_bound": 1.25,
        "lower_bound_interval": (1.2, 1.25),
        "rates": np.arange(d) / 2.0,
        "suboptimal_items": np.arange(d) > 0,
        "provenance": {"versions": {"numpy": "2"}, "seed": 2**100, "horizon": horizon, "policies": [{"γ": 0.1}]},
    }
    return made | changes


def made_up(**changes):
    return SimulationResult(**fields(**changes))
