"""Peak memory at 100,000 items, each in a process of its own: that of arrays in kernels counts, that of imports does not."""

import os
import subprocess
import sys

import pytest

HEAD = """
import resource, numpy as np, semibandits as sb

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
"""

ROUNDS = """
def play(decision_set, rounds):
    learner = sb.Learner(decision_set, sb.CUCB(), variance=0.5, seed=0)
    for _ in range(rounds):
        asked = learner.ask()
        learner.tell(asked.id, np.zeros(len(asked.items)))
    return learner

play(make(50), 60)
before = peak()
learner = play(make(100_000), 20)
assert (learner.plays > 0).sum() == 20 * 10, "items without an observation come first"
print(peak() - before)
"""

MSETS = "def make(d): return sb.MSets(d, 10)\n"
QUOTAS = "def make(d): return sb.MatroidBases(sb.matroids.quotas(list(np.arange(d) % 5), 3, 10))\n"
MATCHINGS = "def make(d): return sb.Matchings([(i, 10 * j + i) for i in range(10) for j in range(d // 10)], saturate='rows')\n"

PLAN = """
def plan(decision_set):
    return sb.graves_lai(decision_set, np.random.default_rng(0).random(decision_set.d), gap=0.5).plan

plan(make(50)).to_csr()
before = peak()
exploration = plan(make(100_000))
table = exploration.to_csr()
assert table.shape == (len(exploration), 100_000)
assert table.nnz == 10 * len(exploration)
assert len(exploration) > 50_000
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux only")
@pytest.mark.one_in(9)
@pytest.mark.parametrize(
    ("script", "largest"),
    [(MSETS + ROUNDS + PLAN + QUOTAS + ROUNDS, 100e6), (MATCHINGS + ROUNDS + PLAN, 300e6)],
    ids=["m-sets and quotas", "matchings"],
)
def test_peak_memory(script, largest):
    """Masks of the decisions that try all items would take 1 GB, and a table of the plan 10 GB."""
    compiled = os.environ | {"SEMIBANDITS_TIER": "compiled"}  # before the peak is read for the first time
    done = subprocess.run([sys.executable, "-c", HEAD + script], capture_output=True, text=True, check=False, env=compiled)
    assert done.returncode == 0, done.stderr
    assert max(map(float, done.stdout.split())) < largest
