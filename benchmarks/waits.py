"""How long calls wait in a fresh process with an empty cache, while kernels are compiled in the background, and as pure Python.

    python benchmarks/waits.py                  twenty requests a second to learners, for a minute each
    python benchmarks/waits.py --seconds 90 --only articles matching
    python benchmarks/waits.py --bounds         25 bounds of a 20 x 20 grid with diagonals, and 5 in a second process

The slowest of many calls says as much about the machine as about the library: nothing else should run, and only lines of one case
compare.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

import semibandits as sb
from instances import grid

RATE: Final = 20.0
"""Requests a second."""
GRID: Final = 20


def main() -> None:
    """Measure each case in processes of its own."""
    options = _options()
    if options.case is not None:
        print(json.dumps(_bounds(int(options.seconds)) if options.case == "bounds" else _asks(options)))
        return
    for case in ["bounds"] if options.bounds else options.only or CASES:
        with tempfile.TemporaryDirectory() as folder:
            if case == "bounds":
                print("in the background:", _measured(case, "auto", 25, folder))
                print("a second process:", _measured(case, "auto", 5, folder))
                print("Python:", _measured(case, "python", 1, folder))
            else:
                print(f"{case}: in the background {_measured(case, 'auto', options.seconds, folder)}")
                print(f"{case}: as Python {_measured(case, 'python', options.seconds, folder)}", flush=True)


def _measured(case: str, tier: str, seconds: float, folder: str) -> dict[str, Any]:
    """The numbers that a fresh process with this cache prints."""
    environment = os.environ | {"NUMBA_CACHE_DIR": folder, "SEMIBANDITS_TIER": tier}
    words = [sys.executable, __file__, "--case", case, "--seconds", str(seconds)]
    done = subprocess.run(words, env=environment, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _asks(options: argparse.Namespace) -> dict[str, Any]:
    """Slowest asks in seconds with their rounds, median ms of the last 50, and seconds until all in use was compiled."""
    from semibandits.kernels.machine.background import background

    learner, rng = CASES[options.case](), np.random.default_rng(1)
    means = rng.random(learner.decision_set.d) ** 3
    times, compiled, start = [], None, time.perf_counter()
    for k in range(int(options.seconds * RATE)):
        time.sleep(max(0.0, start + k / RATE - time.perf_counter()))
        before = time.perf_counter()
        asked = learner.ask()
        times.append(time.perf_counter() - before)
        learner.tell(asked.id, (rng.random(len(asked.items)) < means[asked.items]).astype(float))
        if background.pending or not background.loaded:
            compiled = None
        elif compiled is None:
            compiled = round(time.perf_counter() - start, 1)
    slowest = [(int(k), round(times[k], 3)) for k in np.argsort(times)[:-4:-1]]
    return {"slowest": slowest, "last, ms": round(1e3 * float(np.median(times[-50:])), 2), "compiled after": compiled}


def _bounds(calls: int) -> dict[str, Any]:
    """Seconds of calls of `graves_lai`."""
    times = []
    paths, _ = grid(GRID)
    for seed in range(calls):
        costs = np.random.default_rng(seed).random(paths.d)
        before = time.perf_counter()
        sb.graves_lai(paths, costs=costs)
        times.append(round(time.perf_counter() - before, 2))
    return {"total": round(sum(times), 1), "largest": max(times), "calls": times}


def _articles() -> sb.Learner:
    """A shortlist of 8 of 2,000 articles, at most 2 of each of 10 groups; two thirds were shown before."""
    rng = np.random.default_rng(5)
    groups, means = rng.integers(10, size=2000), rng.beta(1.2, 40.0, 2000)
    plays = rng.integers(50, 500, 2000) * (rng.random(2000) < 0.67)
    return sb.Learner(
        sb.MatroidBases(sb.matroids.quotas(groups.tolist(), 2, size=8)),
        law="bernoulli",
        prior_means=rng.binomial(plays, means) / np.maximum(plays, 1),
        prior_plays=plays,
        seed=0,
    )


def _learner(decision_set: sb.DecisionSet) -> sb.Learner:
    return sb.Learner(decision_set, variance=0.25, seed=0)


CASES: Final[dict[str, Callable[[], sb.Learner]]] = {
    "articles": _articles,
    "shortlist": lambda: _learner(sb.MSets(20, 4)),
    "matching": lambda: _learner(sb.Matchings([(i, j) for i in range(8) for j in range(8)])),
    "paths": lambda: _learner(sb.Paths([(i, j) for i in range(12) for j in range(i + 1, min(i + 4, 12))], 0, 11)),
    "trees": lambda: _learner(sb.SpanningTrees([(i, j) for i in range(7) for j in range(i)])),
}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--only", nargs="+", choices=CASES)
    parser.add_argument("--bounds", action="store_true")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
