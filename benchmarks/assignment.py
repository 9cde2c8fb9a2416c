"""Heaviest perfect matchings of sparse graphs: our kernel and scipy's solver, in turn on the same problems.

    python benchmarks/assignment.py [N ...]

A row for each number of leading nodes (2,000, 5,000, 10,000 and 20,000), entries per node, and kind of weights: uniform on
(0, 1), integers below 100, and 0 or 1. "Free" are heaviest matchings of any size, which scipy finds with an additional node for
each leading one. Columns: processor milliseconds of ours and of scipy, their ratio (medians), largest difference of the values.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from instances import sparse_pairs
from semibandits.kernels.graphs.assignment import Bipartite, heaviest_matching

SIZES, DEGREES, REPETITIONS, SEEDS = (2_000, 5_000, 10_000, 20_000), (5, 10, 20), 5, 2
WEIGHTS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "uniform": lambda rng, d: rng.random(d),
    "below 100": lambda rng, d: rng.integers(0, 100, d).astype(float),
    "0 or 1": lambda rng, d: rng.integers(0, 2, d).astype(float),
}
FREE = {"uniform": 0.4, "below 100": 40.0, "0 or 1": 0.5}
"""Subtracted from the weights of free matchings, so that some nodes stay free."""


def problems(n: int, degree: int, kind: str, is_free: bool) -> Iterator[tuple[Callable[[], float], Callable[[], float]]]:
    """Our solver and scipy's, each as a function that returns the value."""
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        rows, others = sparse_pairs(n, degree, rng)
        weights = WEIGHTS[kind](rng, len(rows)) - (FREE[kind] if is_free else 0.0)
        ours = Bipartite(np.searchsorted(rows, np.arange(n + 1)), others.copy(), n, is_free)
        shift = 1.0 - weights.min()  # scipy takes no explicit zeros
        values, theirs = weights + shift, (rows, others)
        if is_free:
            theirs = (np.append(rows, np.arange(n)), np.append(others, n + np.arange(n)))
            values = np.append(values, np.full(n, shift))
        matrix = sparse.coo_array((values, theirs)).tocsr()

        def solve(weights: np.ndarray = weights, ours: Bipartite = ours) -> float:
            entries, _ = heaviest_matching(weights, ours)
            return float(weights[entries[entries >= 0]].sum())

        def solve_by_scipy(matrix: sparse.csr_array = matrix, shift: float = shift) -> float:
            chosen = min_weight_full_bipartite_matching(matrix, maximize=True)
            return float(matrix[chosen].sum() - n * shift)

        yield solve, solve_by_scipy


def timed(solve: Callable[[], float]) -> tuple[float, float]:
    """Processor milliseconds and the value."""
    start = time.process_time()
    value = solve()
    return (time.process_time() - start) * 1e3, value


def main() -> None:
    """Print the table."""
    print(f"{'nodes':>6} {'degree':>6} {'weights':>10} {'matchings':>9} {'ours ms':>8} {'scipy ms':>8} {'ratio':>6}  difference")
    for n in [int(word) for word in sys.argv[1:]] or SIZES:
        for is_free in (False, True):
            for degree in DEGREES:
                for kind in WEIGHTS:
                    own, other, difference = [], [], 0.0
                    for solve, solve_by_scipy in problems(n, degree, kind, is_free):
                        solve()
                        for _ in range(REPETITIONS):
                            (spent, value), (theirs, known) = timed(solve), timed(solve_by_scipy)
                            own.append(spent)
                            other.append(theirs)
                            difference = max(difference, abs(value - known))
                    ratio = statistics.median(a / b for a, b in zip(own, other, strict=True))
                    shape = "free" if is_free else "perfect"
                    medians = f"{statistics.median(own):8.1f} {statistics.median(other):8.1f}"
                    print(f"{n:6} {degree:6} {kind:>10} {shape:>9} {medians} {ratio:6.2f}  {difference:.1e}", flush=True)


if __name__ == "__main__":
    main()
