"""Run a study: solve its bound once, play the replications that are missing, and write its folder."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from semibandits.errors import SolverError, TooManyDecisionsError, UnsupportedError
from semibandits.formats.files import read_text
from semibandits.formats.json import strict_json
from semibandits.formats.text import brief
from semibandits.regret_bound.result import GravesLaiResult, Progress
from semibandits.regret_bound.solve import solve_bound
from semibandits.simulation import SimulationResult, load_simulation
from semibandits.simulation.growth import Growth, check_growth
from semibandits.simulation.parts import DESCRIPTION, RESULT, TIMINGS, mean_seconds
from semibandits.simulation.results import recorded
from semibandits.simulation.run import linear_bound
from semibandits.simulation.run import play_specification as play
from semibandits_studies.instances.files import json_bytes
from semibandits_studies.reporting.figures import can_draw, write_figure, write_regret_figure
from semibandits_studies.reporting.simulation_payload import Answer, summary_table
from semibandits_studies.reporting.sources import ABOUT, BOUND, INSTANCE, REPORT, STUDY, results_of
from semibandits_studies.studies.bound_file import as_result, kept_bound, read_bound
from semibandits_studies.studies.changes import check_extension, check_unchanged
from semibandits_studies.studies.folder import FIGURE, SUMMARY, RunFolder
from semibandits_studies.studies.problems import Problem
from semibandits_studies.studies.rewards import check_variance, is_without_variance
from semibandits_studies.studies.study import Study
from semibandits_studies.studies.study_file import in_table, study_text
from semibandits_studies.studies.task import Task

SCRATCH_BYTES: Final = 10**8
"""A run without a folder uses a temporary one up to this size, since times are recorded in the folder."""

BoundProgress = Callable[[Progress], None]


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyResult:
    """Results of a study.

    Attributes
    ----------
    study : Study
        The study.
    problem : Problem
        Its instance, and the source of that.
    bound : GravesLaiResult or None
        C(theta) for the simulated rewards, where it is known. No bound is known for replayed outcomes: then it is that of
        Gaussian rewards with the means of the instance and the variances that policies receive. It bounds the regret of the
        simulation if and only if ``simulation.lower_bound`` is not None.
    simulation : SimulationResult or None
        Regret of the policies, None if the study computes only the bound.
    answer : Answer or None
        The simulation with the data of tables and figures.
    folder : Path or None
        Folder of the results.
    written : tuple of str
        Files that this run wrote to the folder, except those of the simulation itself.
    finished_before : bool
        Whether there was nothing left to play or solve.

    Examples
    --------
    >>> study = sb.studies.Study(problem=sb.studies.find_problem("power-grid"))  # the bound alone
    >>> result = sb.studies.run_study(study)
    >>> f"C(theta) = {result.bound.value:.2f} {result.problem.instance.unit} per ln T"
    'C(theta) = 79.25 kWh per ln T'
    >>> result.simulation, result.folder, result.written
    (None, None, ())
    """

    study: Study
    problem: Problem
    bound: GravesLaiResult | None
    answer: Answer | None
    folder: Path | None
    written: tuple[str, ...]
    finished_before: bool

    def __repr__(self) -> str:
        return brief(self)

    @property
    def simulation(self) -> SimulationResult | None:
        """Regret of the policies, None if the study computes only the bound."""
        return None if self.answer is None else self.answer.result

    @property
    def report(self) -> Path | None:
        """Path of the report, None if there is no report."""
        path = None if self.folder is None else self.folder / REPORT
        return path if path is not None and path.exists() else None


def run_study(
    study: Study,
    *,
    resume: bool = True,
    extend: bool = False,
    redraw: bool = False,
    progress: bool | Callable[[int, int], None] = False,
    bound_progress: BoundProgress | None = None,
) -> StudyResult:
    """Run a study, or the part of it that is missing.

    An interrupted study continues. A finished study is not solved or played again, and its files are not changed. If a study
    has more replications or policies than before, only these are played.

    Parameters
    ----------
    study : Study
        The study, for instance from :func:`read_study`.
    resume : bool
        Whether its folder may contain an earlier run of it.
    extend : bool
        Whether this may also have a shorter horizon: all replications are then played again, up to the longer one. The earlier
        result remains until the new one is complete.
    redraw : bool
        Whether a finished study draws its figure again, if it names a file for it.
    progress : bool or callable
        As for :func:`semibandits.simulate`.
    bound_progress : callable, optional
        Called with a `Progress` after each round of solving the bound.

    Returns
    -------
    StudyResult
        The bound and the simulation, and the files that were written.

    Raises
    ------
    InvalidInputError
        If the study is malformed, or its folder contains another study.
    SolverError
        If the study computes only the bound and its gap is not reached, or if a policy finds no decision.

    Examples
    --------
    >>> study = sb.studies.Study(
    ...     problem=sb.studies.find_problem("power-grid"),
    ...     simulation=sb.studies.SimulationOptions(policies=("CUCB", "OSSB:gamma=0.1"), horizon=100, replications=2),
    ... )
    >>> result = sb.studies.run_study(study)  # without a folder nothing is written
    >>> result.simulation.policies, result.bound.method
    (('CUCB', 'OSSB(gamma=0.1)'), 'closed-form')
    """
    task = Task(study, redraw)
    task.check()
    folder = None
    if study.output.folder is not None:
        inputs = tuple(path for path in (study.path, study.problem.file) if path is not None)
        folder = RunFolder(study.output.folder, resume=resume or extend, inputs=inputs)
        if folder.resume or folder.has_begun:  # another study is reported before the missing option
            check_unchanged(folder, study, task.instance)
            if study.simulation is not None:
                check_extension(folder, task.specification, extend=extend)
        if not folder.resume:
            folder.check_new()
        task.check_files(folder)
    is_new = study.path is None and (folder is None or not (folder.resume or folder.has_begun))
    if study.simulation is not None and is_new and is_without_variance(study.simulation.rewards):
        check_variance(task.instance, is_built_in=study.problem.file is None)
    bound: GravesLaiResult | None
    answer: Answer | None = None
    try:
        if study.simulation is None:
            bound = _run_bound(task, folder, bound_progress)
        else:
            bound, answer = _run_simulation(task, folder, progress, bound_progress)
    except BaseException:
        if folder is not None and (study.simulation is not None or not folder.has(BOUND)):
            folder.withdraw()
        raise
    return StudyResult(
        study=study,
        problem=task.problem,
        bound=bound,
        answer=answer,
        folder=None if folder is None else folder.path,
        written=() if folder is None else tuple(folder.written),
        finished_before=folder is not None and folder.is_finished,
    )


def _run_bound(task: Task, folder: RunFolder | None, progress: BoundProgress | None) -> GravesLaiResult:
    """Compute only the bound; its gap must be reached."""
    if folder is None:
        result = _solved(task, progress, throw=True)
    else:
        if folder.has(BOUND):
            task.bound = read_bound(folder.path / BOUND, task.study, task.twin)
        folder.is_finished = task.bound is not None
        if task.bound is None:
            folder.prepare()  # before a long solve rather than after it
            result = _solved(task, progress, throw=True)
            task.bound = _kept(task, result)
        else:
            result = as_result(task.bound, task.study, task.twin, folder.path / BOUND)
        _describe(task, folder)
    figure = task.figure(folder)
    if figure is not None:
        write_figure(task.instance, result, figure)
    if folder is not None:
        _report(task, folder, result, None)
    return result


def _run_simulation(
    task: Task, folder: RunFolder | None, progress: bool | Callable[[int, int], None], bound_progress: BoundProgress | None
) -> tuple[GravesLaiResult | None, Answer]:
    start = time.monotonic()
    result = None
    if folder is not None and folder.is_finished:
        result = load_simulation(folder.path / RESULT)
        grown = check_growth(recorded(result, "specification"), task.specification.description, folder.path, extend=True)
        if grown is not Growth.NONE:
            result = None  # the study extends it
        folder.is_finished = result is not None
    is_finished = result is not None
    with ExitStack() as stack:
        kept = folder
        if kept is None and task.bytes <= SCRATCH_BYTES:
            kept = RunFolder(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="semibandits-"))), resume=True)
        elif folder is not None:
            folder.prepare()
        bound = _limit(task, folder, bound_progress)
        if result is None:
            result = _played(task, folder, kept, bound, progress)
        answer = Answer(
            instance=task.instance,
            rewards=task.rewards,
            policies=task.policies,
            result=result,
            seed=task.simulation.seed,
            seconds={} if kept is None else mean_seconds(kept.path / TIMINGS),
            elapsed=None if is_finished else time.monotonic() - start,
            folder=None if folder is None else folder.path,
        )
        _write(task, folder, bound, answer)
        return bound, answer


def _limit(task: Task, folder: RunFolder | None, progress: BoundProgress | None) -> GravesLaiResult | None:
    """C(theta), read from the folder or solved; None if it was not found.

    A method that the user chose and that does not exist for these decisions is an error.
    """
    if folder is None:
        is_unknown = task.rewards.bound_family is None
    else:
        path = folder.path / BOUND
        if folder.resume and path.exists():
            task.bound = read_bound(path, task.study, task.twin)
        if task.bound is not None:
            return as_result(task.bound, task.study, task.twin, path)
        is_unknown = folder.has_begun and (folder.is_finished or not _has_bound(folder))  # the earlier run did not find it
    if is_unknown:
        return None
    try:
        result = _solved(task, progress, throw=False)
    except SolverError:
        return None
    except (UnsupportedError, TooManyDecisionsError):
        if task.study.bound.method != "auto":
            raise
        return None
    if folder is not None:
        task.bound = _kept(task, result)
        folder.put(BOUND, json_bytes(task.bound))  # written first, so that a crash does not lose it
    return result


def _has_bound(folder: RunFolder) -> bool:
    """Whether an unfinished simulation was started with a bound."""
    try:
        description = strict_json(read_text(folder.path / DESCRIPTION))
        return bool(description["bound"])
    except (ValueError, KeyError, TypeError):
        return False


def _solved(task: Task, progress: BoundProgress | None, *, throw: bool) -> GravesLaiResult:
    asked, twin = task.study.bound, task.twin
    features = None if task.study.simulation is None else linear_bound(task.specification)[0]
    with in_table(task.study.path, "bound"):
        return solve_bound(
            twin.decision_set,
            twin.theta,
            law=task.law,
            features=features,
            method=asked.method,
            gap=asked.gap,
            time_limit=task.study.bound_seconds,
            throw=throw,
            tie_tolerance=asked.tie_tolerance,
            progress=progress,
        )


def _kept(task: Task, result: GravesLaiResult) -> dict[str, Any]:
    return kept_bound(task.study, task.twin, result, applies=task.is_bounded_by(result))


def _played(
    task: Task,
    folder: RunFolder | None,
    kept: RunFolder | None,
    bound: GravesLaiResult | None,
    progress: bool | Callable[[int, int], None],
) -> SimulationResult:
    execution = task.study.execution
    described = False

    def show(finished: int, total: int) -> None:
        nonlocal described
        if folder is not None and not described:  # the simulation has claimed the folder and kept a replication in it
            _describe(task, folder)
            described = True
        if callable(progress):
            progress(finished, total)

    return play(
        task.specification,
        n_jobs=execution.workers,
        progress=progress if progress is True else show,
        bound=bound if bound is not None and task.is_bounded_by(bound) else False,
        scheduler=execution.scheduler,
        folder=None if kept is None else kept.path,
        extend=kept is not None and kept.resume,  # a longer horizon is refused before
    )


def _describe(task: Task, folder: RunFolder) -> None:
    """Write the files that describe the study."""
    contents = {
        INSTANCE: task.instance_content,
        ABOUT: json_bytes({key: text or None for key, text in asdict(task.problem.about).items()}),
        STUDY: study_text(task.study).encode(),
    }
    if task.bound is not None:
        contents[BOUND] = json_bytes(task.bound)
    for name, content in contents.items():
        if folder.needs(name):
            folder.put(name, content)


def _write(task: Task, folder: RunFolder | None, bound: GravesLaiResult | None, answer: Answer) -> None:
    """Write the figures, the table and the report of a finished simulation."""
    figure = task.figure(folder)
    if figure is not None:
        write_regret_figure(answer.instance, answer.result, figure)
    if folder is None:
        return
    _describe(task, folder)
    if folder.needs(SUMMARY):
        folder.put(SUMMARY, summary_table(answer).encode())
    if task.study.output.figure is True and can_draw() and folder.needs(FIGURE):
        write_regret_figure(answer.instance, answer.result, folder.path / FIGURE)
        folder.written.append(FIGURE)
    _report(task, folder, bound, answer)


def _report(task: Task, folder: RunFolder, bound: GravesLaiResult | None, answer: Answer | None) -> None:
    """Write the report; it is identical to one made from the folder later."""
    if task.study.output.report and folder.needs(REPORT):
        from semibandits_studies.reporting.payload import payload_of
        from semibandits_studies.reporting.report import write_payload

        kept = {} if task.bound is None else {"applies": task.bound["applies"], "count": task.bound["decisions"]}
        data = results_of(
            folder.path,
            task.instance,
            bound,
            None if answer is None else answer.result,
            about=task.problem.about,
            seconds={} if answer is None else answer.seconds,
            study=read_text(folder.path / STUDY),
            **kept,
        )
        write_payload(payload_of(data), folder.path / REPORT)
        folder.written.append(REPORT)
