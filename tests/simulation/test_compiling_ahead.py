"""Long runs compile kernels first, in parts that worker processes share."""

import os
import subprocess
import sys
from functools import partial

import numba
import pytest

import semibandits as sb
from semibandits.kernels.machine import tiers
from semibandits.simulation import executors
from semibandits.simulation.specification import Specification

OPEN = """
import semibandits as sb
from semibandits.simulation.replication import open_parts
from semibandits.simulation.specification import Specification
space, rewards = sb.MSets(4, 2), sb.GaussianRewards([1.0, 0.8, 0.6, 0.2])
specification = Specification.of(space, rewards, [sb.ThompsonSampling(), sb.GLADE()], horizon=10, replications=1, seed=0)
names = ["ThompsonSampling", "GLADE"]
"""
needs_compiler = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="there is nothing to compile")


def in_fresh_process(code, cache):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "SEMIBANDITS_TIER": "auto"}
    done = subprocess.run([sys.executable, "-c", OPEN + code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return [set(line.split()) for line in done.stdout.splitlines()]


@pytest.mark.verify
@needs_compiler
def test_parts_compiled_in_one_process_need_no_compiling_in_others(tmp_path):
    """And policies that never search compile no search."""
    show = "for name in names: print(*open_parts(specification, name))"
    before = in_fresh_process(f"{show}\nopen_parts(specification, 'ThompsonSampling')['thompson'].compile()", tmp_path)
    assert before[0] >= {"play", "thompson", "no_index"}
    assert before[1] >= {"play", "glade", "bases_search"}
    assert not before[0] & {"index_search", "bases_search", "swaps", "uniform_exchange_costs"}
    assert in_fresh_process(show, tmp_path) == [before[0] - {"thompson"}, before[1]]


@pytest.fixture
def inline(monkeypatch):
    """Parts that always need compiling; tasks run in this process and are recorded."""
    called = []
    parts = {
        policy: {name: tiers.Part(size, partial(called.append, name)) for name, size in (("play", 9), (policy.lower(), own))}
        for policy, own in (("CUCB", 1), ("OSSB", 3))
    }
    monkeypatch.setattr(executors, "open_parts", lambda specification, policy: parts[policy])
    monkeypatch.setattr(executors, "plan", lambda specification, policy: called.append(f"plan of {policy}"))
    monkeypatch.setattr(executors, "_in_parallel", lambda tasks, n_jobs: (f(*a, **k) for f, a, k in tasks))
    return called


def compile_first(horizon, replications):
    space, rewards = sb.MSets(4, 2), sb.GaussianRewards([1.0, 0.8, 0.6, 0.2])
    policies = [sb.CUCB(), sb.OSSB()]
    specification = Specification.of(space, rewards, policies, horizon=horizon, replications=replications, seed=0)
    jobs = [(name, i) for i in range(replications) for name in specification.policies]
    heard = []
    with tiers.announcing(heard.append):
        executors._compile_first(specification, jobs, 2)
    return heard


def test_each_part_is_compiled_once_largest_first(inline):
    text = "compiling play, ossb, cucb, ... once on this machine, as 200,000 rounds are ahead"
    assert compile_first(100_000, 1) == [*(f"{text}: {done} of 3 parts done" for done in range(4)), ""]
    assert inline == ["play", "ossb", "cucb"]


def test_plans_are_compiled_for_if_there_are_many_replications_and_nothing_for_short_runs(inline):
    assert compile_first(10_000, 2) == inline == []
    compile_first(100_000, executors.MANY_PLANS)
    assert inline == ["plan of OSSB", "play", "ossb", "cucb"]
