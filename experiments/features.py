"""What features of items are worth: regret with and without them, and with features that say nothing.

    python experiments/features.py --write      a table of docs/features.md; half an hour of one core

10 of 100 items, noise of variance 1/2, means ``0.3 z`` with z standardised effects of k features, plus a residual.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any, Final

import numpy as np
from doc_tables import header, options_of, row, write_between

import semibandits as sb

ITEMS: Final = 100
SIZE: Final = 10
SPREAD: Final = 0.3
VARIANCE: Final = 0.5
HORIZON: Final = 2_000
CHECKPOINTS: Final = (100, 500, 2_000)
POLICIES: Final = {"ThompsonSampling": sb.ThompsonSampling(), "GLADE": sb.GLADE()}
CASES: Final = (("5 features that fit", 5, 0.0), ("20 features that fit", 20, 0.0), ("5 features, residual 0.3", 5, 1.0))


def problem(seed: int, k: int, misfit: float) -> tuple[Any, Any]:
    """Features, a column of ones apart, and means of the items."""
    rng = np.random.default_rng(seed)
    phi = rng.standard_normal((ITEMS, k - 1))
    theta = phi @ rng.standard_normal(k - 1)
    theta = (theta - theta.mean()) / theta.std() * SPREAD
    return phi, theta + misfit * SPREAD * rng.standard_normal(ITEMS)


def regret(seed: int, case: tuple[str, int, float]) -> Any:
    """Regret at the checkpoints of both policies, for each kind of features, shape (2, 4, c)."""
    phi, theta = problem(seed, *case[1:])
    noise = np.random.default_rng(seed + 10_000).standard_normal(phi.shape)
    found = []
    for features in (None, phi, noise, "pooled"):
        result = sb.simulate(
            sb.MSets(ITEMS, SIZE), sb.GaussianRewards(theta, variance=VARIANCE), POLICIES, HORIZON, 1, seed,
            checkpoints=CHECKPOINTS, bound=False, features=features,
        )  # fmt: skip
        found.append([result.regret[name][0] for name in POLICIES])
    return np.swapaxes(np.array(found), 0, 1)


def main() -> None:
    """Measure and print a table; with --write put it into its page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=12, help="drawn problems in each row")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    options = options_of(parser)
    lines = header(("means", "policy", "no features", "the features", "features of noise", "pooled"))
    with ProcessPoolExecutor(options.workers) as pool:
        for case in CASES:
            means = np.mean(list(pool.map(partial(regret, case=case), range(options.problems))), axis=0)
            for name, table in zip(POLICIES, means, strict=True):
                lines.append(row((case[0], name, *(" / ".join(f"{value:,.0f}" for value in kind) for kind in table))))
                print(lines[-1], flush=True)
    if options.write:
        write_between("features.md", "features.py", "\n".join(lines))


if __name__ == "__main__":
    main()
