"""Compiling kernels for a study."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from semibandits.compilation import compiling_at_once, rounds_to_compile
from semibandits.errors import SolverError
from semibandits.simulation.run import BOUND_SECONDS
from semibandits_studies.studies.run import run_study
from semibandits_studies.studies.study import Execution, Output, Study
from semibandits_studies.studies.task import Task


def compile_for_study(study: Study) -> None:
    """Compile what the bound and the simulation of a study call; nothing is written."""
    simulation = study.simulation
    if simulation is not None:
        task = Task(study, redraw=False)
        rounds = max(rounds_to_compile(task.instance.decision_set, policy) for policy in task.policies.values())
        rounds += simulation.delay if isinstance(simulation.delay, int) else 0
        horizon = min(simulation.horizon, rounds)
        simulation = replace(simulation, horizon=horizon, replications=1, checkpoints=None)
    bound = replace(study.bound, time_limit=min(study.bound_seconds or BOUND_SECONDS, BOUND_SECONDS))
    nowhere = Output(figure=False, report=False)
    with compiling_at_once(), suppress(SolverError):  # that the time is up
        run_study(replace(study, simulation=simulation, bound=bound, execution=Execution(), output=nowhere))
