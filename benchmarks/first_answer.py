"""Processor seconds until the first result of a process, with no kernel compiled before and with all kernels compiled."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

from reporting import Report
from semibandits import datasets

SETS = {
    "m-sets 20, 4": "sb.MSets(20, 4)",
    "trees K10": "sb.SpanningTrees([(u, v) for v in range(10) for u in range(v)])",
    "partition 20, 10": "sb.MatroidBases(Partition([i % 5 for i in range(20)], 2))",
    "shortlist of 300": "sb.MatroidBases(Laminar([*np.arange(300).reshape(10, 30), range(300)], [2] * 10 + [8], d=300))",
    "transversal 20": "sb.MatroidBases(Transversal([[0], [0, 1], [1], [2], [0, 2]] * 4))",
    "linear 20": "sb.MatroidBases(Linear(np.random.default_rng(0).normal(size=(5, 20))))",
    "paths germany50": "sb.datasets.load('germany50-routing').decision_set",
    "matchings 8 x 8": "sb.Matchings([(i, j) for i in range(8) for j in range(8)])",
    "two partitions 25": (
        "sb.MatroidIntersection(Partition([i % 5 for i in range(25)], 1), Partition([i // 5 for i in range(25)], 1))"
    ),
    "list of 20": "sb.EnumeratedDecisions(np.eye(20, dtype=bool))",
}
SETUP = (
    "import numpy as np, semibandits as sb\nfrom semibandits.matroids import Laminar, Linear, Partition, Transversal\nX = {}\n"
)
ASK = "sb.Learner(X, variance=0.25, seed=0).ask()"
ROUNDS = "sb.simulate(X, sb.GaussianRewards(np.linspace(0.1, 0.9, X.d)), [sb.GLADE(), sb.ThompsonSampling()], 1_000, 1)"
BOUND = "from semibandits_studies.cli import main; main(['bound', {!r}])"


def run_first_answers(report: Report) -> None:
    """Print the table; the warm runs use kernels compiled before."""
    rows = []
    jobs = {"Python and NumPy only": "import numpy", "import": "import semibandits"}
    jobs["--help"] = "from semibandits_studies.cli import main; main(['--help'])"
    jobs |= {f"bound {name}": BOUND.format(name) for name in datasets.list_datasets()}
    for name, text in SETS.items():
        jobs[f"first ask, {name}"] = SETUP.format(text) + ASK
    for name, text in SETS.items():
        jobs[f"1,000 rounds x 2, {name}"] = SETUP.format(text) + ROUNDS
    for name, code in jobs.items():
        report.doing(name)
        with tempfile.TemporaryDirectory() as folder:
            cold = processor_seconds(code, {"NUMBA_CACHE_DIR": folder})
        warm = processor_seconds(code, {})
        row = report.row("first answers", {"what": name, "cold": cold, "warm": warm})
        rows.append([name, f"{row['cold']:.2f}", f"{row['warm']:.2f}"])
    report.done()
    report.table("Processor seconds until the first result", ("", "nothing compiled", "compiled before"), rows)


def processor_seconds(code: str, variables: dict[str, str]) -> float:
    """Processor seconds of a process that runs the code, and of its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
