"""Workers of every kind give the same bits, and lost ones are replaced."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import distributed
import numpy as np
import pytest

import semibandits as sb
from semibandits.simulation import executors
from semibandits.simulation.specification import Specification

X = sb.MSets(5, 2)
REWARDS = sb.GaussianRewards([0.1, 0.2, 0.3, 0.8, 0.9])
POLICIES = [sb.CUCB(), sb.ThompsonSampling(), sb.OSSB()]


def run(**more) -> sb.SimulationResult:
    return sb.simulate(X, REWARDS, POLICIES, horizon=200, replications=5, seed=1, **more)


@pytest.fixture(scope="module")
def alone() -> sb.SimulationResult:
    return run()


def assert_same(first: sb.SimulationResult, second: sb.SimulationResult) -> None:
    for name in ("regret", "reward", "plays", "calls"):
        for policy in first.policies:
            assert np.array_equal(getattr(first, name)[policy], getattr(second, name)[policy])


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_processes_give_the_same_bits(alone, n_jobs):
    assert_same(alone, run(n_jobs=n_jobs))


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_dask_cluster_gives_the_same_bits(alone):
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, scheduler_port=0
    ) as cluster:
        assert_same(alone, run(scheduler=cluster.scheduler_address))
        with distributed.Client(cluster) as client:
            assert_same(alone, run(scheduler=client))


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_cluster_of_one_thread_is_not_left_out_in_silence(alone):
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, scheduler_port=0
    ) as cluster:
        with pytest.warns(UserWarning, match="one thread in all, so replications are played in this process: add"):
            assert_same(alone, run(scheduler=cluster.scheduler_address))
        with distributed.Client(cluster) as client, pytest.warns(UserWarning, match="one thread in all"):
            assert_same(alone, run(scheduler=client))


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_scheduler_that_is_not_there_is_an_error(monkeypatch):
    monkeypatch.setattr(executors, "CONNECT_SECONDS", 0.2)
    with pytest.raises(sb.InvalidInputError, match="address of a running Dask scheduler"):
        run(scheduler="tcp://127.0.0.1:9")


class Deadly(sb.Policy):
    """Kills its process the first time that it is started anywhere but where it was made."""

    def __init__(self, marker: Path, *, always: bool = False) -> None:
        self.marker, self.always, self.home = marker, always, os.getpid()

    def start(self, decision_set, variance):
        if os.getpid() != self.home and (self.always or not self.marker.exists()):
            self.marker.write_text("")
            os.kill(os.getpid(), signal.SIGKILL)
        return sb.CUCB().start(decision_set, variance)


@pytest.mark.filterwarnings("ignore:A worker stopped")
def test_a_lost_worker_is_retried(tmp_path, alone):
    result = sb.simulate(X, REWARDS, {"CUCB": Deadly(tmp_path / "died")}, horizon=200, replications=5, seed=1, n_jobs=2)
    assert (tmp_path / "died").exists()
    assert np.array_equal(result.regret["CUCB"], alone.regret["CUCB"])


@pytest.mark.filterwarnings("ignore:A worker stopped")
def test_workers_that_keep_dying_are_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "MOST_LOSSES", 2)
    with pytest.raises(sb.SolverError, match="workers must stay alive"):
        sb.simulate(X, REWARDS, Deadly(tmp_path / "died", always=True), horizon=20, replications=3, n_jobs=2)


def test_what_cannot_be_pickled_is_named_before_anything_is_played():
    import threading

    lock = threading.Lock()

    def sampler(items, rng):
        with lock:
            return np.zeros(len(items))

    rewards = sb.SampledRewards([0.1, 0.2, 0.3, 0.8, 0.9], sampler, variance=1.0)
    with pytest.raises(sb.InvalidInputError, match="must be picklable"):
        sb.simulate(X, rewards, sb.CUCB(), horizon=10, replications=2, n_jobs=2)


def test_tasks_cover_the_jobs_once():
    specification = Specification.of(X, REWARDS, POLICIES, horizon=10, replications=7, seed=0)
    jobs = [(policy, i) for i in range(7) for policy in specification.policies]
    found = [(policy, i) for policy, i, _, _ in executors.run(specification, jobs, 2)]
    assert sorted(found) == sorted(jobs)
    assert list(executors.run(specification, [], 2)) == []
