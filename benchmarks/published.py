"""Instances and results of four papers, beside this library; docs/published.md shows a result.

    python benchmarks/published.py [--only trees two-sets m-sets calls]

trees        best spanning tree of two graphs with a chance of error of at most 0.1 (Tzeng, Wang, Proutiere and Lu, NeurIPS 2023):
             rounds until the test stops, beside those they print; and the evidence at the plays they print
two-sets     two disjoint sets of d / 2 items, rewards 0 and 1, means 0.7 and 0.9 (Zhang and Combes, NeurIPS 2024)
m-sets       5 of 10 items, rewards 0 and 1, means 0.625 and 0.375 (Zimmert, Luo and Wei, ICML 2019)
calls        regret against the number of linear maximisations (Kim, Vojnovic and Oh, NeurIPS 2025, promise O(log log T))

Intervals are 95 % intervals of the mean (Student's t), of shares Clopper and Pearson's. Times are of the processor.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.stats import beta

import semibandits as sb
from published_policies import BoostedGaussian, Hybrid, RareCUCB
from reporting import Report, digits, interval
from semibandits.compilation import compile_kernels
from semibandits.identification.evidence import Evidence, Observed, Stop
from semibandits.laws import Gaussian

ERROR: Final = 0.1
TREE_RUNS: Final = 100
TREE_ROUNDS: Final = 20_000
SIZES: Final = (10, 50, 90, 130)
SET_RUNS: Final = 150
ROUNDS: Final = 10_000
M_SET_RUNS: Final = 50
CALL_ROUNDS: Final = (100, 1_000, 10_000, 100_000)
CALL_RUNS: Final = 20
PARTS: Final = ("trees", "two-sets", "m-sets", "calls")
QUARTER: Final = 0.25
"""The variance that bounds that of rewards in [0, 1]."""
BERNOULLI: Final = {
    "GLADE": sb.GLADE(),
    "Thompson sampling": sb.ThompsonSampling(),
    "Thompson sampling, Gaussian": sb.ThompsonSampling(law=Gaussian(QUARTER)),
    "ESCB": sb.ESCB(),
    "CUCB": sb.CUCB(),
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--runs", type=int, help="another number of runs, for a first look")
    options = parser.parse_args()
    report = Report(None)
    report.machine()
    compile_kernels()
    for name, part in zip(PARTS, (trees, two_sets, m_sets, calls), strict=True):
        if name in options.only:
            part(report, options.runs)


def trees(report: Report, runs: int | None) -> None:
    """Rounds, errors and seconds of tests on the two graphs, and the evidence at the printed plays."""
    known = json.loads(Path(__file__).with_name("published_trees.json").read_text(encoding="utf-8"))
    tests, printed = [], []
    for name in ("E20", "E25"):
        theta = np.array(known[name]["means"])
        decision_set = sb.SpanningTrees(known[name]["edges"])
        best = sb.identification_time(decision_set, theta, variance=1.0, confidence=1.0 - ERROR)
        tests.append([name, f"least on average, T* {best.value:.1f}", f"{best.least_rounds:,.0f}", "10%", ""])
        for threshold in ("customary", "proved"):
            report.doing(f"{name}: {threshold}")
            stop, count = Stop(1.0 - ERROR, threshold=threshold), runs or TREE_RUNS
            clock = time.process_time()
            rewards, policies = sb.GaussianRewards(theta, variance=1.0), {"Identify": sb.Identify()}
            result = _simulated(decision_set, rewards, policies, TREE_ROUNDS, count, stop_at=stop)
            seconds = (time.process_time() - clock) / count
            after = result.stops["Identify"][:, -1]
            tests.append(
                ["", f"Identify, {threshold}", interval(TREE_ROUNDS - after[:, 0]), _share(after[:, 1] > 0), digits(seconds)]
            )
        for method, row in known[name]["printed"].items():
            wrong = f"{row['errors']:.0%}"
            tests.append(["", f"{method}, as printed", f"{row['rounds']:,}", wrong, f"{row['seconds']:,.0f}"])
            observed = Observed(theta, np.array(row["plays"], dtype=float), row["rounds"], Gaussian(1.0))
            evidence = Evidence(decision_set, decision_set.maximize(theta), observed, Stop(threshold="customary")).least()
            late = math.log1p(math.log(row["rounds"]))
            printed.append([name, method, f"{row['rounds']:,}", f"{evidence + late:.2f}", f"{late - math.log(ERROR):.2f}"])
    report.done()
    columns = ("graph", "rule", "rounds", "errors", "seconds a run")
    report.table(f"Best spanning tree, variance 1, error at most {ERROR}", columns, tests)
    columns = ("graph", "rule", "rounds", "evidence, nats", "ln((ln t + 1) / 0.1)")
    report.table("Evidence at the printed mean plays and the true means, and what a stop asks for", columns, printed)


def two_sets(report: Report, runs: int | None) -> None:
    """Regret, and the share of runs that lose more than a tenth of all rounds would cost with the worse set."""
    count, lines = runs or SET_RUNS, {}
    for d in SIZES:
        half = d // 2
        decision_set = sb.EnumeratedDecisions(np.kron(np.eye(2, dtype=bool), np.ones(half, dtype=bool)))
        theta = np.repeat([0.7, 0.9], half)
        for name, regret in _regrets(report, f"d = {d}", decision_set, theta, {"BG-CTS": BoostedGaussian()}, count):
            far = regret > 0.1 * ROUNDS * 0.2 * half
            lines.setdefault(name, []).extend([interval(regret), f"{far.mean():.0%}"])
    report.done()
    columns = ("policy", *itertools.chain(*((f"d = {d}", "far") for d in SIZES)))
    report.table(
        f"Two disjoint sets: regret after {ROUNDS:,} rounds, {count} runs; far: a tenth of them with the worse set",
        columns, [[name, *cells] for name, cells in lines.items()],
    )  # fmt: skip


def m_sets(report: Report, runs: int | None) -> None:
    """Regret."""
    count = runs or M_SET_RUNS
    theta = np.repeat([0.625, 0.375], 5)
    rows = [
        [name, interval(regret)]
        for name, regret in _regrets(report, "m-sets", sb.MSets(10, 5), theta, {"HYBRID": Hybrid()}, count)
    ]
    report.done()
    report.table(f"5 of 10 items: regret after {ROUNDS:,} rounds, {count} runs", ("policy", "regret"), rows)


def calls(report: Report, runs: int | None) -> None:
    """Regret and numbers of linear and index maximisations."""
    decision_set = sb.Matchings(list(itertools.product(range(5), range(5))))
    rewards = sb.GaussianRewards(np.random.default_rng(0).random(decision_set.d), variance=QUARTER)
    policies = {
        "GLADE": sb.GLADE(), "Thompson sampling": sb.ThompsonSampling(), "ESCB": sb.ESCB(), "CUCB": sb.CUCB(),
        "CUCB, asked at doubled plays": RareCUCB(),
    }  # fmt: skip
    rows = []
    for name, policy in policies.items():
        report.doing(f"calls: {name}")
        result = _simulated(decision_set, rewards, {name: policy}, CALL_ROUNDS[-1], runs or CALL_RUNS, checkpoints=CALL_ROUNDS)
        made = result.calls[name].mean(axis=0)
        for cells, k, kind in ((result.regret[name].T, None, "regret"), (made.T, 0, "P_LM"), (made.T, 1, "P_IM")):
            values = [interval(each) for each in cells] if k is None else [f"{each:,.0f}" for each in cells[k]]
            if k != 1 or made[-1, 1] > 0:
                rows.append([name if k is None else "", kind, *values])
    report.done()
    report.table(
        f"5 × 5 matchings, Gaussian rewards of variance {QUARTER}: regret, and linear (P_LM) and index maximisations (P_IM)",
        ("policy", "", *(f"{rounds:,} rounds" for rounds in CALL_ROUNDS)), rows,
    )  # fmt: skip


def _regrets(report: Report, what: str, decision_set: sb.DecisionSet, theta: Any, other: dict[str, sb.Policy], count: int) -> Any:
    """Final regrets of the library's policies, which know that rewards are 0 or 1, and of another one."""
    for name, policy in {**BERNOULLI, **other}.items():
        report.doing(f"{what}: {name}")
        rewards = sb.BernoulliRewards(theta)
        yield name, _simulated(decision_set, rewards, {name: policy}, ROUNDS, count).regret[name][:, -1]


def _simulated(
    decision_set: sb.DecisionSet, rewards: sb.RewardModel, policies: dict[str, sb.Policy], rounds: int, count: int, **options: Any
) -> sb.SimulationResult:
    return sb.simulate(
        decision_set, rewards, policies, rounds, count, seed=0, bound=False, **{"checkpoints": [rounds], **options}
    )


def _share(wrong: Any) -> str:
    """A share, and the upper end of its 95 % interval."""
    return f"{wrong.mean():.0%} (≤ {beta.ppf(0.975, wrong.sum() + 1, len(wrong) - wrong.sum()):.0%})"


if __name__ == "__main__":
    main()
