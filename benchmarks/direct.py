"""Certified brackets compared with the problem as a practitioner would first write it: all matchings in CVXPY, unscaled."""

from __future__ import annotations

import gc
import itertools
import time
import warnings
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
from scipy import sparse

import semibandits as sb
from instances import matching
from reporting import Report, digits, grouped

SIZES = (5, 6, 7)
TIE_SIZES = (5, 6)
TIE_GAPS = (1e-2, 5e-3, 3e-3, 1e-3, 1e-4)
TIE_SEEDS = 20
RIGHT = 1e-3
"""A value outside the bracket by less than this fraction still counts as correct."""
WANTED_SPEED = 50.0


def run_direct(report: Report, seeds: int, repetitions: int | None) -> None:
    """Print both tables."""
    solve_matchings(3, np.random.default_rng(0).random(9))
    _speed(report, seeds, repetitions or 7)
    _near_ties(report)


# ---------------------------------------------------------------------- the model


@dataclass(frozen=True)
class DirectSolve:
    """Result of the modelling tool, checked against the listed decisions."""

    seconds: float
    value: float
    status: str
    worst_row: float
    """Largest left side over right side of a constraint at the rates returned: at most 1 if they are feasible."""

    def outside(self, lower: float, upper: float) -> float:
        """Signed relative distance of the value from a bracket; 0 within it, nan if there is no value."""
        if not np.isfinite(self.value):
            return float("nan")
        return max(0.0, self.value / upper - 1.0) + min(0.0, self.value / lower - 1.0)


def solve_matchings(n: int, theta: np.ndarray, *, one_by_one: bool = False) -> DirectSolve:
    """P_GL over all n! perfect matchings at variance 1/2, through CVXPY and Clarabel with their defaults.

    The unknowns are the rate alpha of each decision and the rate w of each item that is not in the best one:

        minimise gaps'alpha   subject to   w = items'alpha,   sum of 1/w over the items of x <= gap_x^2 for all x except the best.

    The constraints are written as one product with a sparse matrix, which is fastest in the tool, or `one_by_one`, as in the
    paper. The time includes listing, modelling and solving.
    """
    start = time.perf_counter()
    decisions = listed_matchings(n)
    rewards = decisions @ theta
    best = int(rewards.argmax())
    items = np.flatnonzero(decisions[[best]].toarray().ravel() == 0)
    others = np.flatnonzero(np.arange(len(rewards)) != best)
    gaps, contains = rewards[best] - rewards[others], decisions[others][:, items]
    alpha = cp.Variable(len(gaps), nonneg=True)
    w = cp.Variable(len(items))
    if one_by_one:
        rows = [contains[[x]].indices for x in range(len(gaps))]
        constraints = [cp.sum(cp.inv_pos(w[row])) <= gap**2 for row, gap in zip(rows, gaps, strict=True)]
    else:
        constraints = [contains @ cp.inv_pos(w) <= gaps**2]
    problem = cp.Problem(cp.Minimize(gaps @ alpha), [w == contains.T @ alpha, *constraints])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Solution may be inaccurate")
        try:
            problem.solve(solver=cp.CLARABEL)
        except cp.error.SolverError:
            return DirectSolve(time.perf_counter() - start, np.nan, "failed", np.nan)
    seconds = time.perf_counter() - start
    rates = contains.T @ np.maximum(alpha.value, 0.0)
    return DirectSolve(seconds, float(problem.value), problem.status, worst_row(contains, gaps, rates))


def worst_row(contains, gaps: np.ndarray, rates: np.ndarray) -> float:
    """Largest ``sum 1/w / gap^2`` of a decision."""
    with np.errstate(divide="ignore"):
        return float(((contains @ (1.0 / rates)) / gaps**2).max())


def worst_row_of(result) -> float:
    """The same at the rates of a result of `sb.graves_lai` for perfect matchings, over all matchings."""
    n = result.decision_set.m
    decisions = listed_matchings(n)
    rewards = decisions @ result.theta
    items = np.flatnonzero(result.suboptimal_items)
    others = np.flatnonzero(np.arange(len(rewards)) != rewards.argmax())
    return worst_row(decisions[others][:, items], rewards.max() - rewards[others], result.rates[items])


def listed_matchings(n: int) -> sparse.csr_array:
    """All n! perfect matchings, one 0/1 row each; item i * n + j is the pair (i, j)."""
    columns = np.array(list(itertools.permutations(range(n))))
    items = np.arange(n) * n + columns
    rows = np.repeat(np.arange(len(columns)), n)
    return sparse.csr_array((np.ones(items.size), (rows, items.ravel())), shape=(len(columns), n * n))


# ---------------------------------------------------------------------- speed, uniform rewards


def _speed(report: Report, seeds: int, repetitions: int) -> None:
    rows = []
    for n in SIZES:
        for seed in range(seeds):
            report.doing(f"{n} × {n} by enumeration, seed {seed}")
            rows.append(report.row("direct", _compare(n, seed, repetitions)))
    report.done()
    report.table(
        "All n! perfect matchings listed in CVXPY + Clarabel, unscaled, θ ~ U(0, 1)",
        ("n", "seed", "certified", "ms", "CVXPY", "status", "outside", "s", "ratio", "min–max", "1 by 1 s", "ratio"),
        grouped([_speed_line(row) for row in rows], seeds),
    )
    largest = [row for row in rows if row["n"] == SIZES[-1]]
    speeds = ", ".join(digits(row["speed"], 2) for row in largest)
    one_by_one = ", ".join(digits(row["speed_one_by_one"], 2) for row in largest if "speed_one_by_one" in row)
    report.line(
        f"Speed       on 7 × 7 {speeds} times as fast (target: {WANTED_SPEED:.0f}); with constraints one by one "
        f"{one_by_one} times",
        "",
    )


def _speed_line(row: dict[str, Any]) -> list[str]:
    return [
        f"{row['n']}²", str(row["seed"]), f"{row['lower']:.3f}–{row['value']:.3f}", f"{1e3 * row['seconds']:.1f}",
        _value(row), row["direct_status"], _percent(row["outside"]),
        digits(row["direct_seconds"]), digits(row["speed"], 2), f"{digits(row['speed_min'], 2)}–{digits(row['speed_max'], 2)}",
        digits(row["one_by_one_seconds"]) if "one_by_one_seconds" in row else "",
        digits(row["speed_one_by_one"], 2) if "one_by_one_seconds" in row else "",
    ]  # fmt: skip


def _compare(n: int, seed: int, repetitions: int) -> dict[str, Any]:
    decision_set, theta = matching(n, seed)
    seconds, direct_seconds = [], []
    for _ in range(repetitions):
        gc.collect()
        start = time.perf_counter()
        result = sb.graves_lai(decision_set, theta)
        seconds.append(time.perf_counter() - start)
        direct = solve_matchings(n, theta)
        direct_seconds.append(direct.seconds)
    speed = np.array(direct_seconds) / np.array(seconds)
    row = {
        **_row(n, seed, result, direct),
        "seconds": float(np.median(seconds)),
        "direct_seconds": float(np.median(direct_seconds)),
        "speed": float(np.median(speed)),
        "speed_min": float(speed.min()),
        "speed_max": float(speed.max()),
    }
    if seed == 0:  # once, because it takes long
        row["one_by_one_seconds"] = solve_matchings(n, theta, one_by_one=True).seconds
        row["speed_one_by_one"] = row["one_by_one_seconds"] / row["seconds"]
    return row


def _row(n: int, seed: int, result: sb.GravesLaiResult, direct: DirectSolve) -> dict[str, Any]:
    return {
        "n": n,
        "seed": seed,
        "lower": result.lower,
        "value": result.value,
        "worst_row": worst_row_of(result),
        "direct_value": direct.value if np.isfinite(direct.value) else None,
        "direct_status": direct.status,
        "direct_worst_row": direct.worst_row if np.isfinite(direct.worst_row) else None,
        "outside": direct.outside(result.lower, result.value) if np.isfinite(direct.value) else None,
    }


# ---------------------------------------------------------------------- right or wrong, one small gap


def _near_ties(report: Report) -> None:
    rows = []
    for n in TIE_SIZES:
        for gap in TIE_GAPS:
            report.doing(f"{n} × {n}, smallest gap {gap:g}")
            rows += [report.row("near ties", _near_tie(n, seed, gap)) for seed in range(TIE_SEEDS)]
    report.done()
    groups = [[row for row in rows if (row["n"], row["gap"]) == (n, gap)] for n in TIE_SIZES for gap in TIE_GAPS]
    report.table(
        f"The same with one small gap, {TIE_SEEDS} instances per row: is the value of CVXPY within {RIGHT:.1%} of the bracket?",
        ("n", "smallest gap", "optimal, right", "optimal, wrong", "inaccurate, right", "inaccurate, wrong", "failed"),
        [_counts(group) for group in groups],
    )
    wrong = [row for group in groups if (row := _worst_claim(group)) is not None]
    report.table(
        "The worst of these values with the status optimal",
        ("n", "smallest gap", "seed", "certified", "CVXPY", "outside by", "its worst row", "our worst row"),
        [_claim(row) for row in wrong],
    )
    report.line(
        f"Brackets    overlap with a scaled enumeration's on {sum(row['confirmed'] for row in rows)} of "
        f"{len(rows)} instances; worst row of our plans: {max(row['worst_row'] for row in rows):.9f}",
        "Rows        sum of 1/w over the items of a decision, divided by its squared gap: at most 1 if it is explored enough",
        "",
    )


def near_tie(n: int, seed: int, gap: float) -> np.ndarray:
    """Rewards of `matching(n, seed)`, one of them raised until the gap of the second-best matching is `gap`.

    The raised pair is in the second-best matching and not in the best, so that no other matching gets closer.
    """
    theta = np.random.default_rng(seed).random(n * n)
    decisions = listed_matchings(n)
    rewards = decisions @ theta
    second, best = np.argsort(rewards)[-2:]
    entering = np.flatnonzero((decisions[[second]] - decisions[[best]]).toarray().ravel() > 0)[0]
    theta[entering] += rewards[best] - rewards[second] - gap
    return theta


def _near_tie(n: int, seed: int, gap: float) -> dict[str, Any]:
    decision_set, _ = matching(n)
    theta = near_tie(n, seed, gap)
    result = sb.graves_lai(decision_set, theta)
    second = sb.graves_lai(decision_set, theta, method="enumeration")
    row = _row(n, seed, result, solve_matchings(n, theta))
    confirmed = result.lower <= second.value and second.lower <= result.value
    return {"gap": gap, **row, "confirmed": confirmed}


def _is_wrong(row: dict[str, Any]) -> bool:
    return row["outside"] is None or abs(row["outside"]) > RIGHT


def _counts(group: list[dict[str, Any]]) -> list[str]:
    counts = [
        sum(row["direct_status"] == status and _is_wrong(row) is wrong for row in group)
        for status in ("optimal", "optimal_inaccurate")
        for wrong in (False, True)
    ]
    failed = len(group) - sum(counts)
    return [f"{group[0]['n']}²", f"{group[0]['gap']:g}", *(str(count or "·") for count in (*counts, failed))]


def _worst_claim(group: list[dict[str, Any]]) -> dict[str, Any] | None:
    claims = [row for row in group if row["direct_status"] == "optimal" and _is_wrong(row)]
    return max(claims, key=lambda row: abs(row["outside"]), default=None)


def _claim(row: dict[str, Any]) -> list[str]:
    return [
        f"{row['n']}²", f"{row['gap']:g}", str(row["seed"]), f"{row['lower']:.2f}–{row['value']:.2f}",
        _value(row, 2), _percent(row["outside"]), f"{row['direct_worst_row']:.4g}", f"{row['worst_row']:.6f}",
    ]  # fmt: skip


def _value(row: dict[str, Any], places: int = 3) -> str:
    return "none" if row["direct_value"] is None else f"{row['direct_value']:.{places}f}"


def _percent(outside: float | None) -> str:
    if outside is None:
        return "no value"
    if outside == 0:
        return "inside"
    percent = 100 * abs(outside)
    return f"{'+' if outside > 0 else '−'}{digits(percent, 3 if percent > 10 else 2)} %"
