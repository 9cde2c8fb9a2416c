"""Compiling kernels ahead of time, by small pieces of the work that calls them.

Compiled kernels are cached on disk for later processes. `compile_kernels` compiles all of them, by small problems of every kind.
Only rarely used ones remain: those of GLPG as published, and versions for arguments of other types. The other functions compile
what a learner in a database, a study, or policies on some families need.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import joblib
import numpy as np
from numba.core.dispatcher import Dispatcher

from semibandits import kernels
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.paths import Paths
from semibandits.errors import EmptyDecisionWarning, Infeasible, LongestPathWarning
from semibandits.families.family import Family, Guarantee
from semibandits.families.registry import FAMILIES
from semibandits.kernels.graphs.laplacian import laplacian_solution
from semibandits.kernels.machine.cache import KernelCache
from semibandits.kernels.machine.tiers import expecting
from semibandits.learning import storage
from semibandits.learning.learner import Learner
from semibandits.policies.base import Policy
from semibandits.policies.registry import POLICIES
from semibandits.policies.rules import LawPolicy, RulePolicy
from semibandits.regret_bound.certificates.cycle_ratios import ratio_bound
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.cycles.presolve import Digraph
from semibandits.regret_bound.cycles.segments import SharedParts
from semibandits.regret_bound.solve import Method, solve_bound
from semibandits.rewards.bernoulli import BernoulliRewards
from semibandits.rewards.gaussian import GaussianRewards
from semibandits.simulation.run import simulate

ROUNDS: Final = 60
FEW_ROUNDS: Final = 5
"""Rounds of learners after simulations, which have called everything else."""
MOST_PLANNED: Final = 1_000
"""Plans of larger learners are not made to compile for them: one can take minutes."""
RATIOS: Final = (1.0, 0.7)
GAUSSIAN: Final[tuple[Method, ...]] = ("auto", "columns", "cycles", "glpg")
BERNOULLI: Final[tuple[Method, ...]] = ("auto", "cycles")
"""Methods of bounds. Those after the second (Gaussian) or the first (Bernoulli) need an exchange graph."""


def compile_kernels(workers: int = 1) -> None:
    """Compile every kernel that decisions, bounds, simulations and learners call, in at most two processes.

    With one worker, the kernels are also loaded into this process.
    """
    joblib.Parallel(n_jobs=min(workers, len(TASKS)))(joblib.delayed(_compiling)(task) for task in TASKS)


def _compiling(task: Callable[[], None]) -> None:
    with compiling_at_once():
        task()


@contextmanager
def compiling_at_once() -> Iterator[None]:
    """Context in which kernels are compiled at their first call."""
    with expecting(math.inf), warnings.catch_warnings():
        for category in (EmptyDecisionWarning, LongestPathWarning):
            warnings.simplefilter("ignore", category)
        yield


def compile_for_policies(families: Iterable[Family], policies: Iterable[Policy]) -> None:
    """Compile what simulations and learners of these policies call on decision sets of these families."""
    policies = tuple(policies)
    with compiling_at_once():
        for family in families:
            for space in family.examples():
                _play(space, policies)


def compile_for_state(state: dict[str, Any]) -> None:
    """Compile the kernels that `ask` and `tell` call for a learner with this state, which `Learner.from_state` must accept."""
    content = storage.opened(state)
    for key in ("drift", "drift_error"):  # random outcomes would be reported as drifts
        content.pop(key, None)
    with compiling_at_once():
        learner = Learner.from_state(storage.sealed(content | {"defer_plans": True}))
        _use(learner, rounds_to_compile(learner.decision_set, learner.policy))


def cache_folders() -> list[Path]:
    """Folders of compiled kernels, that of ``kernels.rounds`` first."""
    folders = []
    modules = pkgutil.walk_packages(kernels.__path__, f"{kernels.__name__}.")
    for module in ("semibandits.kernels.rounds", *(found.name for found in modules)):
        for kernel in vars(importlib.import_module(module)).values():
            if isinstance(kernel, Dispatcher) and kernel.py_func.__module__ == module:
                folders.append(Path(KernelCache(kernel.py_func).cache_path))
                break
    return list(dict.fromkeys(folders))


def cached_kernels() -> set[Path]:
    """Files of the compiled kernels on disk, one for each combination of types."""
    return {path for folder in cache_folders() for path in folder.glob("*.nbc")}


def play_rounds() -> None:
    """Play simulations and learners of all policies."""
    policies = [policy() for policy in POLICIES]
    for _, space in reversed(list(_examples())):
        _play(space, policies)


def _play(space: DecisionSet, policies: Iterable[Policy]) -> None:
    """Play simulations and learners of these policies."""
    theta, _ = _numbers(space)
    simulate(space, GaussianRewards(theta), policies, ROUNDS, 1)
    of_laws = [policy for policy in policies if isinstance(policy, LawPolicy)]
    if of_laws and space.upper is None:
        simulate(space, BernoulliRewards(theta), of_laws, ROUNDS, 1)
    for policy in policies:
        _use(Learner(space, policy, variance=np.full(space.d, 0.5), seed=0, defer_plans=True), FEW_ROUNDS)


def _use(learner: Learner, rounds: int) -> None:
    """Play rounds of a learner with deferred plans, with all kinds of calls and random outcomes."""
    x, rng = learner.decision_set, np.random.default_rng(0)
    law = learner.policy.known_law if isinstance(learner.policy, LawPolicy) else None
    highest = np.full(x.d, 1.0 if law is None else np.minimum(1.0, law.outcomes[1]))
    highest = highest if x.upper is None else np.minimum(highest, x.upper)
    context: dict[str, Any] | None = {} if learner._design is not None and learner._design.context else None
    for _ in range(rounds):
        asked = learner.ask(context=context)
        learner.tell(asked.id, highest[asked.items] - rng.random(len(asked.items)))
        if learner.wants_plan and x.d <= MOST_PLANNED:
            learner.solve_plan()
    asked = learner.ask(context=context)
    learner.tell(asked.id, np.where(np.arange(len(asked.items)) == 0, np.nan, highest[asked.items]), partial=True)
    left = np.ones(x.d, dtype=np.bool_)
    left[asked.items[:1]] = False
    with suppress(Infeasible):
        learner.forget(learner.ask(left, context=context).id)
    learner.best(context=context)
    learner.estimates()


def rounds_to_compile(space: DecisionSet, policy: Policy) -> int:
    """Number of rounds after which a policy has called all its kernels: first plans need outcomes of all items."""
    return ROUNDS + (min(space.d, MOST_PLANNED) if isinstance(policy, RulePolicy) and policy.plans else 0)


def solve_problems() -> None:
    """Compute bounds by all methods, and solve the maximisation problems of decision sets."""
    for family, space in _examples():
        theta, _ = _numbers(space)
        for method in GAUSSIAN if family.has_exchange_graph else GAUSSIAN[:2]:
            gap = 1e-4 if method != "glpg" else 0.5  # thousands of further steps call no other kernels
            solve_bound(space, theta, method=method, gap=gap)
        if space.upper is not None:  # costs, which are not 0 or 1
            continue
        for method in BERNOULLI if family.has_exchange_graph else BERNOULLI[:1]:
            solve_bound(space, theta, rewards="bernoulli", method=method)
    n = 8  # paths right and up through a grid of n x n nodes, which is large enough for the interior-point method
    right = [((i, j), (i + 1, j)) for i in range(n - 1) for j in range(n)]
    up = [((i, j), (i, j + 1)) for i in range(n) for j in range(n - 1)]
    large = Paths([*right, *up], (0, 0), (n - 1, n - 1))
    solve_bound(large, _numbers(large)[0])
    _solve_parts_of_large_problems()
    for _, space in _examples():
        theta, budgets = _numbers(space)
        at_least = 0.8 * float(budgets @ space.maximize(budgets))
        for ratio in RATIOS if space.upper is None else RATIOS[:1]:  # a ratio to a negative maximum is undefined
            space.maximize_index(theta, budgets, ratio)
            space.maximize_budgeted(theta, budgets, at_least, ratio)
        space.search_index(theta, budgets, most=100)
        space.budget_front(theta, budgets)
        space.count()
        _ = space.maximize(theta) in space


def _solve_parts_of_large_problems() -> None:
    """Run what only problems with many items need, or those that time runs out for, on a triangle."""
    graph, _ = Digraph.build(3, np.array([0, 1, 2]), np.array([1, 2, 0]), np.ones(3))
    SharedParts.cut(Cycles(np.array([0, 3]), np.arange(3)), graph).gram_product(np.ones(1), np.ones(3))
    ratio_bound(graph.arcs, graph.costs, np.ones(3), np.ones(3), math.inf)
    laplacian_solution(graph.tails, graph.heads, np.ones(3), np.zeros(3), 0.0, 1)


def _examples() -> Iterator[tuple[Family, DecisionSet]]:
    """Small sets of all families, starting with those whose bounds have no closed form."""
    by_effort = sorted(FAMILIES.values(), key=lambda family: family.guarantees.graves_lai != Guarantee.CERTIFIED)
    for family in by_effort:
        for space in family.examples():
            yield family, space


def _numbers(space: DecisionSet) -> tuple[np.ndarray, np.ndarray]:
    """Means in (0, 1), or up to 1 below the known bounds, and budgets in (0, 1)."""
    rng = np.random.default_rng(0)
    theta, budgets = rng.random(space.d), rng.random(space.d)
    return theta if space.upper is None else space.upper - theta, budgets


TASKS: Final[tuple[Callable[[], None], ...]] = (play_rounds, solve_problems)
"""Tasks for two processes: they share few kernels, and compile these at different times."""
