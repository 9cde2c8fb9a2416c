"""Run a study, show its progress, and print its results: ``semibandits bound``, ``simulate`` and ``run``."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from semibandits.errors import Message, SolverError
from semibandits.formats.files import write_whole
from semibandits.instances import Instance
from semibandits.regret_bound.result import GravesLaiResult
from semibandits.simulation.parts import PARTS, RESULT
from semibandits_studies.cli.bound_report import print_bound
from semibandits_studies.cli.interruption import Interrupted, InterruptWatch
from semibandits_studies.cli.progress import ProgressLine, ReplicationLine, ticking
from semibandits_studies.cli.simulation_report import print_simulation
from semibandits_studies.cli.terminal import as_option, new_console, print_json, print_line, print_remark
from semibandits_studies.instances.files import json_bytes
from semibandits_studies.reporting.bound_payload import bound_payload
from semibandits_studies.reporting.formatting import count_decisions
from semibandits_studies.reporting.simulation_payload import simulation_payload
from semibandits_studies.reporting.sources import BOUND
from semibandits_studies.studies.problems import load_problem
from semibandits_studies.studies.run import StudyResult, run_study
from semibandits_studies.studies.study import SimulationOptions, Study

SECONDS_A_ROUND = 2e-7
"""About the time of the fastest rounds, those of CUCB on ten items (docs/peers.md)."""


def run_and_print(
    study: Study,
    *,
    remedy: str = "",
    progress: bool | None,
    as_json: bool,
    everything: bool = False,
    save: Path | None = None,
    **how: bool,
) -> None:
    """Run a study and print its results.

    `remedy` is the option that continues an interrupted run, "" if the same command does. If `progress` is None, it is shown on
    stderr on a terminal, and elsewhere once a minute. `as_json` prints one JSON object instead of tables, `everything` the whole
    plan of a bound; `save` is a file for the JSON object of a bound. `how` are the arguments resume, extend and redraw of
    `run_study`.
    """
    show_bound = partial(_print_bound, as_json=as_json, everything=everything, save=save)
    with warnings_as_lines():
        if study.simulation is None:
            outcome = _bound(study, progress, show_bound, how)
        else:
            outcome = _simulated(study, study.simulation, remedy, progress, how)
    if outcome.answer is not None and as_json:
        print_json(simulation_payload(outcome.answer))
    elif outcome.answer is not None:
        print_simulation(new_console(), outcome.answer)
    elif outcome.bound is not None:
        show_bound(outcome.problem.instance, outcome.bound)
    if as_json:
        return
    if outcome.finished_before:
        done = f"written now: {', '.join(outcome.written)}" if outcome.written else "nothing was written"
        print_line(f"Finished before: nothing was solved or played again, {done}.")
    if outcome.report is not None:
        print_line(f"Report: {outcome.report}")


def _print_bound(instance: Instance, result: GravesLaiResult, *, as_json: bool, everything: bool, save: Path | None) -> None:
    count = count_decisions(instance.decision_set)
    payload = bound_payload(instance, result, count.exact) if as_json or save is not None else {}
    if save is not None:
        write_whole(save, json_bytes(payload))
    if as_json:
        print_json(payload)
    else:
        print_bound(new_console(), instance, result, count, everything=everything)


def _bound(
    study: Study, progress: bool | None, show: Callable[[Instance, GravesLaiResult], None], how: dict[str, Any]
) -> StudyResult:
    line = ProgressLine(sys.stderr, progress)
    folder = study.output.folder
    try:
        with ticking(line):
            return run_study(study, **how, bound_progress=line)
    except SolverError as error:
        line.close()
        if error.result is not None:
            show(load_problem(study.problem).instance, error.result)
        raise
    except KeyboardInterrupt:
        if folder is None or not (folder / BOUND).exists():
            raise
        raise Interrupted(f"interrupted: {folder} has the bound; the same command writes the rest") from None
    finally:
        line.close()


def _simulated(study: Study, asked: SimulationOptions, remedy: str, progress: bool | None, how: dict[str, Any]) -> StudyResult:
    reached, total = 0, len(asked.policies) * asked.replications
    rounds = total * asked.horizon
    hours = rounds * SECONDS_A_ROUND / 3600.0
    if hours >= 1.0:  # even on the fastest instances
        time = f"{hours:,.0f} hours" if hours < 72.0 else f"{hours / 24.0:,.0f} days"
        print_remark(
            "Warning",
            f"{rounds:.0e} rounds take at least about {time} of one core: a smaller horizon ends sooner".replace("e+", "e"),
        )
    with ExitStack() as stack:
        line = ReplicationLine(sys.stderr, progress)
        stack.callback(line.close)
        stack.enter_context(ticking(line))
        watch = stack.enter_context(InterruptWatch())

        def show(finished: int, total: int) -> None:
            nonlocal reached
            reached = finished
            watch.check()
            line(finished, total)

        try:
            return run_study(study, **how, progress=show)
        except BaseException as error:
            line.close()
            if not watch.seen and not isinstance(error, KeyboardInterrupt):
                raise
            if study.output.folder is None and reached == total:
                raise KeyboardInterrupt from None  # a folder would not have helped: no replication is lost
            raise Interrupted(_interruption(study.output.folder, remedy, reached, total)) from None


def _interruption(folder: Path | None, remedy: str, reached: int, total: int) -> str:
    """The message after an interruption: what is kept, and how to continue.

    `reached` is the last number of finished replications that was reported in this run, 0 before the first.
    """
    if folder is None:
        return "interrupted, nothing written: --output FOLDER keeps finished replications"
    if (folder / RESULT).exists() and reached in (0, total):
        return f"interrupted: {folder} has the result; {remedy or 'the same command'} writes its table and figure"
    finished = max(reached, len(list((folder / PARTS).glob("*.zip"))))
    if not finished:
        return "interrupted before the first replication was finished, nothing written"
    return (
        f"interrupted: {finished:,} of {total:,} replications are finished and kept in {folder}; "
        f"to continue, run the same command {f'with {remedy}' if remedy else 'again'}"
    )


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Show warnings as lines on stderr, without their location in the code."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        print_remark("Warning", message.formatted(as_option) if isinstance(message, Message) else str(message))

    with warnings.catch_warnings():
        # Of joblib, when its workers are stopped early; our message covers that.
        warnings.filterwarnings("ignore", message=".*still being processed by the workers have been cancelled")
        warnings.showwarning = show
        yield
