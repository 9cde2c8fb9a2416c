"""Time to a certified bracket for each law of rewards, on the same sizes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import semibandits as sb
from instances import grid, matching
from reporting import Report, digits
from semibandits.laws import Bernoulli, Gamma, Gaussian, Law, Mixed, Poisson


@dataclass(frozen=True)
class Case:
    """A law, and its means as a function of numbers drawn uniformly from (0, 1)."""

    name: str
    law: Callable[[int], Law]
    means: Callable[[np.ndarray], np.ndarray]


def _mixed(d: int) -> Mixed:
    kinds = (Gaussian(0.25), Bernoulli(), Poisson(), Gaussian(0.25, 1.5))
    return Mixed([kinds[i % 4] for i in range(d)])


CASES = (
    Case("Gaussian", lambda _: Gaussian(0.25), lambda u: u),
    Case("Gaussian, at most 0", lambda _: Gaussian(0.25, 0.0), lambda u: -u),
    Case("Bernoulli", lambda _: Bernoulli(), lambda u: u),
    Case("counts", lambda _: Poisson(), lambda u: 1.0 + 3.0 * u),
    Case("counts as costs", lambda _: Poisson(cost=True), lambda u: -1.0 - 3.0 * u),
    Case("exponential times", lambda _: Gamma(1.0, cost=True), lambda u: -1.0 - 3.0 * u),
    Case("one of four laws", _mixed, lambda u: u),
)
SIZES = (
    ("matchings, 10 × 10", lambda seed: matching(10, seed)),
    ("matchings, 20 × 20", lambda seed: matching(20, seed)),
    ("paths, 10 × 10 grid", lambda seed: grid(10, seed)),
    ("paths, 16 × 16 grid", lambda seed: grid(16, seed)),
)
TIME_LIMIT = 120.0


def run_laws(report: Report, seeds: int) -> None:
    """One row per size and law: seconds of each instance, and the widest gap."""
    rows = []
    for size, build in SIZES:
        for case in CASES:
            report.doing(f"{size}, {case.name}")
            seconds, gaps, rounds = [], [], []
            for seed in range(seeds):
                decision_set, drawn = build(seed)
                theta, law = case.means(drawn), case.law(len(drawn))
                start = time.process_time()
                solved = sb.graves_lai(decision_set, theta, law=law, time_limit=TIME_LIMIT, throw=False)
                seconds.append(time.process_time() - start)
                gaps.append(solved.gap)
                rounds.append(int(solved.stats["rounds"]))
            row = {"size": size, "law": case.name, "seconds": seconds, "gap": max(gaps), "rounds": max(rounds)}
            report.row("laws", row)
            spread = f"{digits(min(seconds))}–{digits(max(seconds))}"
            rows.append((size, case.name, digits(float(np.median(seconds))), spread, str(max(rounds)), f"{max(gaps):.1e}"))
    report.done()
    report.table(
        "C(θ) by cycles for each law, gap 0.0001: processor seconds",
        ("decisions", "law", "median s", "min–max", "rounds", "widest gap"),
        rows,
    )
