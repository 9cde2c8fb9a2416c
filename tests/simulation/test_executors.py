"""Workers of every kind give the same bits, and lost workers are replaced."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import distributed
import numpy as np
import pytest
from small_runs import same, small, stopped

import semibandits as sb
from semibandits.simulation import executors
from semibandits.simulation.specification import Specification

X = sb.MSets(5, 2)
REWARDS = sb.GaussianRewards([0.1, 0.2, 0.3, 0.8, 0.9])
POLICIES = [sb.CUCB(), sb.ThompsonSampling(), sb.OSSB()]


def run(policies=POLICIES, **more) -> sb.SimulationResult:
    """Outcomes come late, and some never."""
    late = {"delay": [0, 0, 3, 1, 17, 150], "loss": 0.2}
    return sb.simulate(X, REWARDS, policies, horizon=200, replications=5, seed=1, **late, **more)


@pytest.fixture(scope="module")
def alone() -> sb.SimulationResult:
    return run()


@pytest.mark.one_in(9)
@pytest.mark.parametrize("n_jobs", [2, -1])
def test_processes_give_the_same_bits(tmp_path, alone, n_jobs):
    """Also when they continue a run."""
    assert same(alone, run(n_jobs=n_jobs))
    stopped(tmp_path, 2)
    assert same(small(tmp_path, resume=True, n_jobs=n_jobs), small(None))


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("n_workers", [2, 1])
def test_a_dask_cluster_gives_the_same_bits(alone, n_workers):
    """With a warning if it has one thread in all."""
    with distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=False, dashboard_address=None, scheduler_port=0
    ) as cluster, distributed.Client(cluster) as client:  # fmt: skip
        for scheduler in (cluster.scheduler_address, client):
            one = pytest.warns(UserWarning, match="one thread in all, so replications are played in this process: add")
            with one if n_workers == 1 else contextlib.nullcontext():
                assert same(alone, run(scheduler=scheduler))


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_an_unreachable_scheduler_is_an_error(monkeypatch):
    monkeypatch.setattr(executors, "CONNECT_SECONDS", 0.2)
    with pytest.raises(sb.InvalidInputError, match="address of a running Dask scheduler"):
        run(scheduler="tcp://127.0.0.1:9")


class Deadly(sb.Policy):
    """Kills its process when it is first started in another process than the one that created it."""

    def __init__(self, marker: Path, *, always: bool = False) -> None:
        self.marker, self.always, self.home = marker, always, os.getpid()

    def start(self, decision_set, variance):
        if os.getpid() != self.home and (self.always or not self.marker.exists()):
            self.marker.write_text("")
            os.kill(os.getpid(), signal.SIGKILL)
        return sb.CUCB().start(decision_set, variance)


@pytest.mark.filterwarnings("ignore:A worker stopped")
def test_a_lost_worker_is_retried(tmp_path, alone):
    result = run(policies={"CUCB": Deadly(tmp_path / "died")}, n_jobs=2)
    assert (tmp_path / "died").exists()
    assert np.array_equal(result.regret["CUCB"], alone.regret["CUCB"])


@pytest.mark.filterwarnings("ignore:A worker stopped")
def test_workers_that_keep_dying_are_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "MOST_LOSSES", 1)
    with pytest.raises(sb.SolverError, match="workers must stay alive"):
        sb.simulate(X, REWARDS, Deadly(tmp_path / "died", always=True), horizon=20, replications=3, n_jobs=2)


def test_workers_end_when_their_parent_is_killed(tmp_path):
    command = [sys.executable, str(Path(__file__).parent / "endless_run.py"), str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as parent:
        while [file.read_text() for file in tmp_path.iterdir()] != ["locked", "locked"]:
            assert parent.poll() is None
            time.sleep(0.05)
        parent.kill()
    deadline = time.monotonic() + 30  # the workers would wait for 60
    for path in tmp_path.iterdir():
        with path.open() as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    assert time.monotonic() < deadline
                    time.sleep(0.05)


MASKS = """
import signal, time, joblib
from semibandits.simulation.executors import _backend, _in_parallel

def hears():
    time.sleep(0.2)
    return signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])

with _backend(None):
    print(list(_in_parallel([joblib.delayed(hears)() for _ in range(4)], 2)))
"""


def test_workers_block_ctrl_c_from_the_start():
    """In a fresh process, whose first worker also starts a resource tracker, which used to unblock Ctrl-C for later workers."""
    done = subprocess.run([sys.executable, "-c", MASKS], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[False, False, False, False]\n"


def test_tasks_cover_the_jobs_once_with_no_more_workers_than_jobs(monkeypatch):
    """A single job is played in this process."""
    asked = []

    def in_parallel(tasks, n_jobs):
        asked.append(n_jobs)
        return (f(*a, **k) for f, a, k in tasks)

    monkeypatch.setattr(executors, "_in_parallel", in_parallel)
    specification = Specification.of(X, REWARDS, POLICIES, horizon=10, replications=7, seed=0)
    jobs = [(policy, i) for i in range(7) for policy in specification.policies]
    for some, n_jobs in ((jobs, 2), (jobs[:2], 40), (jobs[:1], 40), ([], 2)):
        assert sorted(job[:2] for job in executors.run(specification, some, n_jobs)) == sorted(some)
    assert asked == [2, 2]
