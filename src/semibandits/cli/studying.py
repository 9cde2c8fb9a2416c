"""What ``semibandits simulate`` and ``semibandits run`` share: a study is run, shown while it runs, and told of."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from semibandits.cli.bound import print_answer
from semibandits.cli.interruption import Interrupted, InterruptWatch
from semibandits.cli.progress import ProgressLine, ReplicationLine, ticking
from semibandits.cli.simulation_report import print_simulation
from semibandits.cli.terminal import new_console, print_json, print_line, print_remark
from semibandits.errors import SolverError
from semibandits.reporting.simulation_payload import simulation_payload
from semibandits.reporting.sources import BOUND
from semibandits.simulation.parts import PARTS, RESULT
from semibandits.studies.problems import load_problem
from semibandits.studies.run import StudyResult, run_study
from semibandits.studies.study import Study


def run_and_print(
    study: Study, *, resume: bool, remedy: str, redraw: bool, progress: bool | None, as_json: bool
) -> None:
    """Run a study and print what came of it.

    Parameters
    ----------
    study : Study
        What to run.
    resume : bool
        Whether its folder may hold an earlier run of it.
    remedy : str
        The option that continues an interrupted run, "" if the same command does that.
    redraw : bool
        Whether a figure that the user names is drawn again for a finished study.
    progress : bool or None
        Whether to show on stderr how far it is; None: on a terminal, and elsewhere once a minute.
    as_json : bool
        Whether to print one JSON object instead of a table.
    """
    if study.simulation is None:
        outcome = _bound(study, progress, as_json=as_json, resume=resume, redraw=redraw)
    else:
        outcome = _simulated(study, remedy, progress, resume=resume, redraw=redraw)
    if outcome.answer is not None and as_json:
        print_json(simulation_payload(outcome.answer))
    elif outcome.answer is not None:
        print_simulation(new_console(), outcome.answer)
    elif outcome.bound is not None:
        print_answer(outcome.problem.instance, outcome.bound, as_json=as_json)
    if not as_json:
        _print_folder(outcome)


def _print_folder(outcome: StudyResult) -> None:
    """Whether there was something to do, and where the report is: paths stand on a line of their own, unbroken."""
    if outcome.finished_before:
        done = f"written now: {', '.join(outcome.written)}" if outcome.written else "nothing was written"
        print_line(f"Finished before: nothing was solved or played again, {done}.")
    if outcome.report is not None:
        print_line(f"Report: {outcome.report}")


def _bound(study: Study, progress: bool | None, *, as_json: bool, resume: bool, redraw: bool) -> StudyResult:
    line = ProgressLine(sys.stderr, progress)
    folder = study.output.folder
    try:
        with ticking(line):
            return run_study(study, resume=resume, redraw=redraw, bound_progress=line)
    except SolverError as error:
        line.close()
        if error.result is not None:
            print_answer(load_problem(study.problem).instance, error.result, as_json=as_json)
        raise
    except KeyboardInterrupt:
        if folder is None or not (folder / BOUND).exists():
            raise
        raise Interrupted(f"interrupted: {folder} has the bound; the same command writes the rest") from None
    finally:
        line.close()


def _simulated(study: Study, remedy: str, progress: bool | None, *, resume: bool, redraw: bool) -> StudyResult:
    is_played = False
    with ExitStack() as stack:
        stack.enter_context(_warnings_in_words())
        line = ReplicationLine(sys.stderr, progress)
        stack.callback(line.close)
        stack.enter_context(ticking(line))
        watch = stack.enter_context(InterruptWatch())

        def tell(finished: int, total: int) -> None:
            nonlocal is_played
            is_played = finished == total
            watch.check()
            line(finished, total)

        try:
            return run_study(study, resume=resume, redraw=redraw, progress=tell)
        except BaseException as error:
            line.close()
            if not watch.seen and not isinstance(error, KeyboardInterrupt):
                raise
            if study.output.folder is None and is_played:
                raise KeyboardInterrupt from None  # keeping replications would have helped nothing
            raise Interrupted(_interruption(study, remedy)) from None


def _interruption(study: Study, remedy: str) -> str:
    """What is kept of an interrupted simulation."""
    folder, asked = study.output.folder, study.simulation
    assert asked is not None
    if folder is None:
        return "interrupted, nothing written: with --output FOLDER finished replications are kept"
    if (folder / RESULT).exists():
        return f"interrupted: {folder} has the result; {remedy or 'the same command'} writes its table and figure"
    finished, total = len(list((folder / PARTS).glob("*.zip"))), len(asked.policies) * asked.replications
    if not finished:
        return "interrupted before the first replication was finished, nothing written"
    return (
        f"interrupted: {finished:,} of {total:,} replications are finished and kept in {folder}; "
        f"to go on, give the same command {f'with {remedy}' if remedy else 'again'}"
    )


@contextmanager
def _warnings_in_words() -> Iterator[None]:
    """Shows warnings as lines on stderr, without the place in the code."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        print_remark("Warning", str(message))

    with warnings.catch_warnings():
        # What joblib says when its workers are stopped on the way: we say it ourselves.
        warnings.filterwarnings("ignore", message=".*still being processed by the workers have been cancelled")
        warnings.showwarning = show
        yield
