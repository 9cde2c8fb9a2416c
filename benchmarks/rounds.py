"""Nanoseconds per round of every policy on every family, compared with its parts and with loops in plain Python."""

from __future__ import annotations

import time
from collections.abc import Callable

import networkx as nx
import numpy as np

import semibandits as sb
from plain_loops import largest_of, matching_of, play
from reporting import Report, digits, grouped
from round_parts import measure_parts
from semibandits import datasets
from semibandits.simulation.replication import replicate
from semibandits.simulation.specification import Specification

VARIANCE = 0.5
LONG, SHORT = 200_000, 10_000
"""Timed rounds for policies that maximise sums, and for those that maximise an index."""
WARM = 2_000
"""Untimed rounds. Parts are timed on the inputs of the oracle half-way."""
PLAIN_ROUNDS = {"m-sets 20, 4": 20_000, "matchings 8 x 8": 200}
POLICIES = (sb.CUCB(), sb.ThompsonSampling(), sb.ESCB(), sb.AESCB(), sb.OSSB())


def families() -> dict[str, sb.DecisionSet]:
    """One set of each family, by its name in the tables."""
    groups = [i % 5 for i in range(20)]
    return {
        "m-sets 20, 4": sb.MSets(20, 4),
        "trees K10": sb.SpanningTrees(nx.complete_graph(10)),
        "partition 20, 10": sb.MatroidBases(sb.matroids.Partition(groups, 2)),
        "paths germany50": _germany50(),
        "matchings 8 x 8": sb.Matchings([(row, column) for row in range(8) for column in range(8)]),
        "intersection 25, 5": sb.MatroidIntersection(
            sb.matroids.Partition([i % 5 for i in range(25)], 1), sb.matroids.Partition([i // 5 for i in range(25)], 1)
        ),
        "list of 30": sb.EnumeratedDecisions(sb.MSets(12, 4).enumerate()[:: 495 // 30][:30]),
    }


def _germany50() -> sb.DecisionSet:
    return datasets.network("germany50").delay_dag("Saarbruecken", "Greifswald").decision_set


def run_rounds(report: Report) -> None:
    """The table of policies and families."""
    rows = []
    for name, decision_set in families().items():
        theta = np.random.default_rng(0).random(decision_set.d)
        for policy in POLICIES:
            report.doing(f"{policy.name} on {name}")
            rows.append(_row(report, name, decision_set, theta, policy))
    report.done()
    report.table(
        "Nanoseconds per round",
        ("decision set", "policy", "round", "rule", "oracle", "normals", "round / sum"),
        grouped(rows, len(POLICIES)),
    )


def _row(report: Report, name: str, decision_set: sb.DecisionSet, theta: np.ndarray, policy: sb.Policy) -> tuple[str, ...]:
    horizon = LONG if isinstance(policy, sb.CUCB | sb.ThompsonSampling) else SHORT
    specification = _specification(decision_set, theta, policy, horizon)
    warm = _specification(decision_set, theta, policy, WARM)
    replicate(warm, policy.name, 0)
    spent = _least(lambda: replicate(specification, policy.name, 0)) - _least(lambda: replicate(warm, policy.name, 0))
    nanoseconds = spent / (horizon - WARM) * 1e9
    parts = measure_parts(specification, policy.name, horizon // 2)
    planned = isinstance(policy, sb.OSSB)
    ratio = float("nan") if planned else nanoseconds / parts.total
    report.row(
        "rounds",
        {
            "set": name, "policy": policy.name, "ns": nanoseconds, "rule": parts.rule, "oracle": parts.oracle,
            "normals": parts.normals, "ratio": ratio,
        },
    )  # fmt: skip
    cells = (nanoseconds, parts.rule, parts.oracle, parts.normals)
    return name, policy.name, *(f"{cell:,.0f}" for cell in cells), "–" if planned else digits(ratio, 2)


def run_whole(report: Report, horizon: int = 1_000_000) -> None:
    """OSSB with its plans, and GLADE, compared with Thompson sampling: both do much work in few rounds."""
    thompson, ossb, glade = policies = (sb.ThompsonSampling(), sb.OSSB(), sb.GLADE())
    rows = []
    for name, decision_set in families().items():
        theta = np.random.default_rng(0).random(decision_set.d)
        seconds, calls = {}, {}
        for policy in policies:
            report.doing(f"{policy.name} on {name}")
            replicate(_specification(decision_set, theta, policy, WARM), policy.name, 0)
            specification = _specification(decision_set, theta, policy, horizon)
            start = time.perf_counter()
            calls[policy.name] = replicate(specification, policy.name, 0).calls[-1].tolist()
            seconds[policy.name] = time.perf_counter() - start
        report.row("whole", {"set": name, "seconds": seconds, "calls": calls})
        cells = [digits(seconds[thompson.name])]
        for policy, asked in ((ossb, calls[ossb.name][2]), (glade, calls[glade.name][1])):
            ratio = seconds[policy.name] / seconds[thompson.name]
            cells += [digits(seconds[policy.name]), digits(ratio, 2), f"{asked:,}"]
        rows.append((name, *cells))
    report.done()
    header = ("decision set", "Thompson", "OSSB", "OSSB / Th.", "plans", "GLADE", "GLADE / Th.", "P_IM")
    report.table(f"Seconds for {horizon:,} rounds", header, rows)


def run_plain(report: Report) -> None:
    """Loops in plain Python compared with ours."""
    rows = []
    oracles = {"m-sets 20, 4": largest_of(4), "matchings 8 x 8": matching_of(8, 8)}
    for name, maximize in oracles.items():
        decision_set = families()[name]
        theta = np.random.default_rng(0).random(decision_set.d)
        for policy in (sb.CUCB(), sb.ThompsonSampling()):
            report.doing(f"plain {policy.name} on {name}")
            rounds = PLAIN_ROUNDS[name]
            plain = min(play(policy.name, maximize, theta, VARIANCE, rounds, seed)[1] for seed in range(3))
            specification = _specification(decision_set, theta, policy, LONG)
            replicate(_specification(decision_set, theta, policy, WARM), policy.name, 0)
            ours = _least(lambda spec=specification, p=policy: replicate(spec, p.name, 0)) / LONG
            report.row("plain", {"set": name, "policy": policy.name, "plain": plain, "ours": ours, "ratio": plain / ours})
            rows.append((name, policy.name, digits(plain * 1e6), digits(ours * 1e6), f"{plain / ours:,.0f}"))
    report.done()
    report.table("Microseconds per round", ("decision set", "policy", "plain Python", "semibandits", "ratio"), rows)


def run_workers(report: Report, horizon: int = 1_000_000, replications: int = 16) -> None:
    """Throughput of two workers compared with one."""
    decision_set = families()["paths germany50"]
    rewards = sb.GaussianRewards(np.random.default_rng(0).random(decision_set.d), variance=VARIANCE)
    seconds = {}
    for n_jobs in (1, 2):
        report.doing(f"{n_jobs} workers")
        sb.simulate(decision_set, rewards, sb.ThompsonSampling(), horizon=100, replications=4, n_jobs=n_jobs, bound=False)
        start = time.perf_counter()
        sb.simulate(decision_set, rewards, sb.ThompsonSampling(), horizon, replications, n_jobs=n_jobs, bound=False)
        seconds[n_jobs] = time.perf_counter() - start
    report.done()
    ratio = seconds[1] / seconds[2]
    report.row("workers", {"one": seconds[1], "two": seconds[2], "ratio": ratio})
    report.table(
        f"{replications} replications of {horizon:,} rounds on germany50",
        ("one worker, s", "two workers, s", "throughput"),
        [(digits(seconds[1]), digits(seconds[2]), digits(ratio))],
    )


def _specification(decision_set: sb.DecisionSet, theta: np.ndarray, policy: sb.Policy, horizon: int) -> Specification:
    rewards = sb.GaussianRewards(theta, variance=VARIANCE)
    return Specification.of(decision_set, rewards, policy, horizon=horizon, replications=1, seed=0)


def _least(run: Callable[[], object], times: int = 3) -> float:
    best = np.inf
    for _ in range(times):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best
