"""``semibandits simulate``: play policies on one instance and compare their regret with the bound."""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from semibandits.cli.interruption import Interrupted, InterruptWatch
from semibandits.cli.loading import load_instance
from semibandits.cli.options import (
    OUTPUT,
    AsJson,
    Capacity,
    Family,
    Problem,
    Saturate,
    Size,
    Source,
    Target,
    Variance,
)
from semibandits.cli.parsing import named_policies, reward_model, whole_number, worker_count
from semibandits.cli.progress import ReplicationLine
from semibandits.cli.simulation_report import print_simulation
from semibandits.errors import InvalidInputError, SemibanditsError
from semibandits.instances import Instance, ProblemOptions
from semibandits.instances.files import write_whole
from semibandits.policies.base import Policy
from semibandits.reporting.figures import can_draw, check_figure, write_regret_figure
from semibandits.reporting.simulation_payload import Answer, simulation_payload, summary_table
from semibandits.rewards.base import RewardModel
from semibandits.simulation import SimulationResult
from semibandits.simulation import simulate as play
from semibandits.simulation.checkpoints import LONGEST_HORIZON, log_spaced
from semibandits.studies.folder import RunFolder

HELP = """
Play policies on one instance and compare their regret with C(θ) ln T.

[bold]Examples[/bold]

\b
semibandits simulate germany50 --source Saarbruecken --target Greifswald -n 20
semibandits simulate polska --family trees -p CUCB -p thompson -T 1e5 -n 20
semibandits simulate delays.csv --source a --target z --workers auto
semibandits simulate rewards.csv --size 10 -p ESCB -p ESCB:radius=log-loglog
semibandits simulate clicks.csv --size 2 --rewards bernoulli --plot regret.png
semibandits simulate ranking.csv -p OSSB:epsilon=0.02,gamma=0.1 --json
semibandits simulate instance.json -T 1e6 --output run1
semibandits simulate instance.json -T 1e6 --output run1 --resume

[bold]Policies and their parameters[/bold]

\b
CUCB, ESCB          radius (log, log-loglog or kveton)
AESCB               radius, ratio, additive, levels
OSSB                radius, gamma, epsilon, gap
ThompsonSampling    scale; thompson for short
all of them         variance, if they shall reckon with another one

Files are those of semibandits bound (see its --help).
"""

SIMULATION = "The simulation"
EXECUTION = "Where it runs"
MOST_REPLICATIONS: Final = 10**6
SCRATCH_BYTES: Final = 10**8
"""Up to this size a run without a folder of its own gets a temporary one, which is where seconds are kept."""


def simulate(
    problem: Problem,
    family: Family = None,
    source: Source = None,
    target: Target = None,
    size: Size = None,
    saturate: Saturate = None,
    capacity: Capacity = None,
    variance: Variance = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="NAME[:KEY=VALUE,...]",
            help="Who plays; all five by default. Repeat it.",
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    horizon: Annotated[
        str, typer.Option("--horizon", "-T", metavar="ROUNDS", help="Rounds T, as in 1e5.", rich_help_panel=SIMULATION)
    ] = "10000",
    replications: Annotated[
        str,
        typer.Option("--replications", "-n", metavar="N", help="Repetitions of each.", rich_help_panel=SIMULATION),
    ] = "100",
    seed: Annotated[
        str, typer.Option(metavar="N", help="Equal seeds give equal results.", rich_help_panel=SIMULATION)
    ] = "0",
    rewards: Annotated[
        str, typer.Option(metavar="LAW", help="gaussian or bernoulli (0 or 1).", rich_help_panel=SIMULATION)
    ] = "gaussian",
    workers: Annotated[
        str,
        typer.Option("--workers", "-j", metavar="N", help="Processes; auto: one a core.", rich_help_panel=EXECUTION),
    ] = "1",
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Dask cluster, as in tcp://host:8786.", rich_help_panel=EXECUTION),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Keep replications as they finish; in the end the result, a table and a figure.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what the folder holds.", rich_help_panel=OUTPUT)
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the regret to FILE (.png, .pdf or .svg), not into the folder.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    as_json: AsJson = False,
    progress: Annotated[
        bool | None,
        typer.Option(help="Count replications on stderr; by default on a terminal.", rich_help_panel=OUTPUT),
    ] = None,
) -> None:
    """Play policies on one instance and compare their regret with C(θ) ln T."""
    options = ProblemOptions(family, source, target, size, saturate, tuple(capacity or ()), variance)
    instance = load_instance(problem, options)
    task = _Task(
        instance,
        reward_model(instance, rewards, variance),
        named_policies(policy or ()),
        whole_number(horizon, "--horizon", 1, LONGEST_HORIZON),
        whole_number(replications, "--replications", 1, MOST_REPLICATIONS),
        whole_number(seed, "--seed", 0),
        worker_count(workers),
        scheduler,
    )
    if resume and output is None:
        raise InvalidInputError("--resume must come with the folder of the earlier run, got none: add --output FOLDER")
    if plot is not None:
        check_figure(plot)
    folder = None if output is None else RunFolder(output, resume=resume)
    answer = _simulated(task, folder, shown=progress)
    try:
        _write(answer, plot)
    except KeyboardInterrupt:
        if folder is None:
            raise
        raise Interrupted(f"interrupted: {folder.path} has the result; --resume writes its table and figure") from None
    if as_json:
        print(json.dumps(simulation_payload(answer), ensure_ascii=False, allow_nan=False))
    else:
        print_simulation(Console(highlight=False), answer)


@dataclass(frozen=True)
class _Task:
    """What is simulated, and where."""

    instance: Instance
    rewards: RewardModel
    policies: dict[str, Policy]
    horizon: int
    replications: int
    seed: int
    workers: int
    scheduler: str | None

    @property
    def bytes(self) -> int:
        """Size of the finished replications on disk, about."""
        numbers = len(log_spaced(self.horizon)) * (self.instance.decision_set.d + 5)
        return 8 * numbers * len(self.policies) * self.replications


def _simulated(task: _Task, folder: RunFolder | None, *, shown: bool | None) -> Answer:
    with ExitStack() as stack:
        kept = folder
        if kept is None and task.bytes <= SCRATCH_BYTES:
            kept = RunFolder(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="semibandits-"))), resume=True)
        stack.enter_context(_warnings_in_words())
        line = ReplicationLine(sys.stderr, shown)
        stack.callback(line.close)
        watch = stack.enter_context(InterruptWatch())
        try:
            result = _played(task, kept, line, watch)
        except BaseException as error:
            line.close()
            if watch.seen or isinstance(error, KeyboardInterrupt):
                raise Interrupted(_interruption(folder, len(task.policies) * task.replications)) from None
            if folder is not None and isinstance(error, SemibanditsError):
                folder.withdraw()
            raise
        return Answer(
            instance=task.instance,
            rewards=task.rewards,
            policies=task.policies,
            result=result,
            seed=task.seed,
            seconds={} if kept is None else kept.seconds(),
            elapsed=line.seconds if line.told else None,
            folder=None if folder is None else folder.path,
        )


def _played(task: _Task, kept: RunFolder | None, line: ReplicationLine, watch: InterruptWatch) -> SimulationResult:
    def tell(finished: int, total: int) -> None:
        watch.check()
        line(finished, total)

    return play(
        task.instance.decision_set,
        task.rewards,
        task.policies,
        horizon=task.horizon,
        replications=task.replications,
        seed=task.seed,
        n_jobs=task.workers,
        progress=tell,
        scheduler=task.scheduler,
        folder=None if kept is None else kept.path,
        resume=kept is not None and kept.resume,
    )


def _interruption(folder: RunFolder | None, total: int) -> str:
    if folder is None:
        return "interrupted, nothing written: with --output FOLDER finished replications are kept"
    finished = folder.finished()
    if not finished:
        folder.withdraw()
        return "interrupted before the first replication was finished, nothing written"
    return (
        f"interrupted: {finished:,} of {total:,} replications are finished and kept in {folder.path}; "
        "to go on, give the same command with --resume"
    )


def _write(answer: Answer, plot: Path | None) -> None:
    """The table and the figure."""
    if answer.folder is not None:
        write_whole(answer.folder / "summary.csv", summary_table(answer).encode())
        if plot is None and can_draw():
            write_regret_figure(answer.instance, answer.result, answer.folder / "regret.png")
    if plot is not None:
        write_regret_figure(answer.instance, answer.result, plot)


@contextmanager
def _warnings_in_words() -> Iterator[None]:
    """Shows warnings as lines on stderr, without the place in the code."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        print("Warning:", " ".join(str(message).split()), file=sys.stderr)

    with warnings.catch_warnings():
        # What joblib says when its workers are stopped on the way: we say it ourselves.
        warnings.filterwarnings("ignore", message=".*still being processed by the workers have been cancelled")
        warnings.showwarning = show
        yield
