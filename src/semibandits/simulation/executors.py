"""Executors of replications: this process, worker processes on this machine, or a Dask cluster."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any, Final

import cloudpickle
import joblib

from semibandits.errors import InvalidInputError, SolverError
from semibandits.kernels.machine import tiers
from semibandits.policies.rules import RulePolicy
from semibandits.simulation.replication import Trajectory, open_parts, plan, replicate
from semibandits.simulation.specification import Specification

Job = tuple[str, int]
"""Policy and replication."""
Finished = tuple[str, int, Trajectory, float]
"""Policy, replication, its trajectory, and the seconds it took."""

MANY_ROUNDS: Final = 100_000
"""Number of rounds from which compiling all kernels first pays off; that takes up to a minute, once."""
MANY_PLANS: Final = 12
"""Number of replications from which compiling the kernels of plans pays off: plans grow with the logarithm of the rounds only."""
ROUNDS_PER_TASK: Final = 100_000
"""Tasks bundle short replications up to about this many rounds: sending a task takes about a millisecond."""
MANY_WORKERS: Final = 64
"""Assumed number of workers of a cluster; joblib uses as many as there are."""
CONNECT_SECONDS: Final = 10
"""Time limit for connecting to a scheduler."""
MOST_LOSSES: Final = 5
"""Number of consecutive losses of workers, without a finished replication in between, at which a run fails."""
FEEDER: Final = "QueueFeederThread"
"""Name of the threads of loky that send tasks to workers. One that ends after an interrupt frees a semaphore. If the process ends
in the middle of that, the semaphore counts as leaked, and a warning is printed."""
FEEDER_SECONDS: Final = 1.0
"""Time to wait for such a thread, which takes milliseconds; a queue of the user has one of the same name that does not end."""
WATCH_SECONDS: Final = 1.0
"""Interval at which workers check that their parent process is alive."""


def run(specification: Specification, jobs: Sequence[Job], n_jobs: int, scheduler: Any = None) -> Iterator[Finished]:
    """Play the jobs, pairs of policy and replication, and yield them as they finish, in any order.

    There are never more worker processes than jobs; with `n_jobs` 1 the jobs are played in this process. `scheduler` is a Dask
    cluster to use instead of processes, by its address or a distributed.Client. SolverError is raised if workers keep dying.
    """
    if not jobs:
        return
    n_jobs = min(n_jobs, len(jobs))
    if n_jobs == 1 and scheduler is None:
        for k, job in enumerate(jobs):
            yield from _task(specification, [job], jobs[k + 1 :])
        return
    try:
        cloudpickle.dumps(specification)
    except Exception as error:  # a user's class may raise anything
        raise _unpicklable(error) from error
    open_jobs = dict.fromkeys(jobs)
    losses = 0
    workers = n_jobs if scheduler is None else MANY_WORKERS
    with _backend(scheduler):
        if scheduler is None:
            _compile_first(specification, jobs, n_jobs)
        while open_jobs:
            try:
                left = list(open_jobs)
                size = max(1, min(ROUNDS_PER_TASK // specification.horizon, len(left) // (4 * workers)))
                tasks = [joblib.delayed(_task)(specification, left[k : k + size]) for k in range(0, len(left), size)]
                for finished in _in_parallel(tasks, workers):
                    for result in finished:
                        del open_jobs[result[0], result[1]]
                        losses = 0
                        yield result
            except _lost_workers() as error:
                if "un-serialize" in str(error):
                    raise _unpicklable(error) from error
                losses += 1
                if losses >= MOST_LOSSES:
                    raise SolverError(
                        f"workers must stay alive, got {losses} losses in a row with {len(open_jobs)} replications left: "
                        "use fewer workers if memory is short, and resume from the folder"
                    ) from error


def _unpicklable(error: BaseException) -> InvalidInputError:
    return InvalidInputError(
        f"simulations in several processes must be picklable, got {error}: define your own samplers, policies and decision sets "
        "in a module that can be imported, without open files or locks, or pass n_jobs=1"
    )


def _in_parallel(tasks: Iterable[Any], n_jobs: int) -> Iterator[Any]:
    """Results of the tasks in the order in which they finish."""
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, max_nbytes=None)
    results = None
    try:
        with _interrupts_blocked():
            results = parallel(tasks)
        for result in results:  # noqa: UP028 (`yield from` would close them itself)
            yield result
    except BaseException:
        if results is not None:
            with _silent_joblib():
                results.close()
        for thread in threading.enumerate():
            if thread.name == FEEDER:
                thread.join(FEEDER_SECONDS)
        raise


@contextmanager
def _silent_joblib() -> Iterator[None]:
    """Of tasks that are cancelled, joblib advises to wait for them, and its thread may fail to find them; neither is news."""
    before = threading.excepthook
    threading.excepthook = lambda error: None if error.exc_type is KeyError else before(error)
    try:
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            yield
    finally:
        threading.excepthook = before


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C while workers start; they inherit the block, so that this process alone receives Ctrl-C and ends them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # otherwise the first worker starts it, which unblocks Ctrl-C
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with(parent: int) -> None:
    """Exit this worker soon after its parent process, even if that was killed by SIGKILL in the middle of a replication."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _task(specification: Specification, jobs: Sequence[Job], further: Sequence[Job] = ()) -> list[Finished]:
    """Play the jobs; `further` ones follow in the same process."""
    results = []
    for k, (policy, replication) in enumerate(jobs):
        same = sum(other == policy for other, _ in (*jobs[k + 1 :], *further))
        start = time.perf_counter()
        trajectory = replicate(specification, policy, replication, same)
        results.append((policy, replication, trajectory, time.perf_counter() - start))
    return results


def _compile_first(specification: Specification, jobs: Sequence[Job], n_jobs: int) -> None:
    """Compile kernels for long runs, each part in one worker: otherwise every worker would compile all of them."""
    n_rounds = len(jobs) * specification.horizon
    if n_rounds < MANY_ROUNDS:
        return
    parts: dict[str, tuple[int, str]] = {}
    planning = []
    for policy, replications in Counter(policy for policy, _ in jobs).items():
        found = open_parts(specification, policy)
        parts |= {name: (part.size, policy) for name, part in found.items() if name not in parts}
        asked = specification.policies[policy]
        if found and replications >= MANY_PLANS and isinstance(asked, RulePolicy) and asked.plans:
            planning.append(policy)
    if not parts:
        return
    names = sorted(parts, key=lambda name: parts[name][0], reverse=True)
    tasks = [joblib.delayed(plan)(specification, policy) for policy in planning]
    tasks += [joblib.delayed(_compile_part)(specification, parts[name][1], name) for name in names]
    text = f"compiling {', '.join(names[:3])}, ... once on this machine, as {n_rounds:,} rounds are ahead"
    tiers.announce(f"{text}: 0 of {len(tasks)} parts done")
    for done, _ in enumerate(_in_parallel(tasks, n_jobs), 1):
        tiers.announce(f"{text}: {done} of {len(tasks)} parts done")
    tiers.announce("")


def _compile_part(specification: Specification, policy: str, name: str) -> None:
    part = open_parts(specification, policy).get(name)
    if part is not None:
        part.compile()


def _lost_workers() -> tuple[type[BaseException], ...]:
    """Errors raised when a worker dies and the cluster does not replace it."""
    try:
        from distributed.scheduler import KilledWorker
    except ImportError:
        return (BrokenProcessPool,)
    return (BrokenProcessPool, KilledWorker)


@contextmanager
def _backend(scheduler: Any) -> Iterator[None]:
    """Make joblib use the cluster, if there is one, or else local processes; a client created here is closed at the end."""
    if scheduler is None:
        with joblib.parallel_config(backend="loky", initializer=_end_with, initargs=(os.getpid(),)):
            yield
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise InvalidInputError("scheduler needs Dask, which is not installed: run pip install distributed") from error
    client_type: Any = Client
    if isinstance(scheduler, client_type):
        _warn_of_one_thread(scheduler)
        with joblib.parallel_config(backend="dask", client=scheduler):
            yield
    elif isinstance(scheduler, str):
        try:
            client = client_type(scheduler, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            raise InvalidInputError(
                f"scheduler must be the address of a running Dask scheduler, got {scheduler!r}: {error}"
            ) from error
        with client, joblib.parallel_config(backend="dask", client=client):
            _warn_of_one_thread(client)
            yield
    else:
        raise InvalidInputError(
            f"scheduler must be an address such as 'tcp://host:8786' or a distributed.Client, got {scheduler!r}: pass one"
        )


def _warn_of_one_thread(client: Any) -> None:
    """Warn that joblib uses no workers if the cluster has a single thread."""
    if sum(client.ncores().values()) == 1:
        warnings.warn(
            "the Dask cluster has one thread in all, so replications are played in this process: add workers or threads",
            stacklevel=2,
        )
