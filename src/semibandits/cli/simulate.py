"""``semibandits simulate``: simulate policies on one instance and compare their regret with the bound."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from semibandits.cli.options import (
    OUTPUT,
    WORKERS,
    AsJson,
    Capacity,
    Column,
    Extend,
    Family,
    Minimize,
    Plot,
    Problem,
    Progress,
    Question,
    Saturate,
    Scheduler,
    Size,
    Source,
    Target,
    Title,
    Undirected,
    Unit,
    Variance,
)
from semibandits.cli.parsing import delay_of, share, whole_number, worker_count
from semibandits.cli.studying import run_and_print
from semibandits.errors import InvalidInputError
from semibandits.instances import ProblemOptions
from semibandits.simulation.checkpoints import LONGEST_HORIZON
from semibandits.studies.fields import MOST_REPLICATIONS
from semibandits.studies.problems import find_problem
from semibandits.studies.study import Execution, Output, SimulationOptions, Study

HELP = """
Simulate policies on one instance and compare their regret with C(θ) ln T.

[bold]Examples[/bold]
semibandits simulate germany50 --source Saarbruecken --target Greifswald -n 20
semibandits simulate polska --family trees -p CUCB -p thompson -T 1e5 -n 20
semibandits simulate delays.csv --source a --target z --workers auto
semibandits simulate rewards.csv --size 10 -p ESCB -p ESCB:radius=log-loglog
semibandits simulate clicks.csv --size 2 --rewards bernoulli --plot regret.png
semibandits simulate ranking.csv -p OSSB:epsilon=0.02,gamma=0.1 --json
semibandits simulate films-shortlist --delay geometric:100 --loss 0.1
semibandits simulate instance.json -T 1e6 --output run1
semibandits simulate instance.json -T 1e6 --output run1 --resume
semibandits simulate instance.json -T 1e7 --output run1 --extend
semibandits simulate flights-on-time --rewards replay --output run2

[bold]Policies and their parameters[/bold]
CUCB                radius (log, log-loglog or kveton), law
ESCB                radius
AESCB               radius, ratio, additive, levels
GLADE               discount, rivals, patience, foresight, saving, remembered,
                    recheck, rewards, law
OSSB                radius, gamma, epsilon, gap, rewards, law
ThompsonSampling    scale, law; thompson for short
all policies        variance to assume, by default that of the file

semibandits bound --help describes the files.
"""

SIMULATION = "Simulation"


def command(
    problem: Problem,
    family: Family = None,
    source: Source = None,
    target: Target = None,
    size: Size = None,
    saturate: Saturate = None,
    capacity: Capacity = None,
    variance: Variance = None,
    undirected: Undirected = False,
    minimize: Minimize = False,
    column: Column = None,
    title: Title = None,
    unit: Unit = None,
    question: Question = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="NAME[:KEY=VALUE,...]",
            help="A policy; all policies by default. Repeatable.",
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    horizon: Annotated[
        str, typer.Option("--horizon", "-T", metavar="ROUNDS", help="Rounds T, as in 1e5.", rich_help_panel=SIMULATION)
    ] = "10000",
    replications: Annotated[
        str, typer.Option("--replications", "-n", metavar="N", help="Replications of each policy.", rich_help_panel=SIMULATION)
    ] = "100",
    seed: Annotated[str, typer.Option(metavar="N", help="Equal seeds give equal results.", rich_help_panel=SIMULATION)] = "0",
    rewards: Annotated[
        str,
        typer.Option(
            "--rewards",
            "--law",
            metavar="LAW",
            help="gaussian, bernoulli, poisson or gamma, parameters as in poisson:cost; replay: the outcomes of a dataset.",
            rich_help_panel=SIMULATION,
        ),
    ] = "gaussian",
    delay: Annotated[
        str,
        typer.Option(
            metavar="ROUNDS",
            help="Delay of outcomes in rounds; geometric:100 draws delays with this mean.",
            rich_help_panel=SIMULATION,
        ),
    ] = "0",
    loss: Annotated[
        str,
        typer.Option(metavar="SHARE", help="Share of outcomes that are never observed, as in 0.1.", rich_help_panel=SIMULATION),
    ] = "0",
    workers: Annotated[str, WORKERS] = "1",
    scheduler: Scheduler = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Store each finished replication, then the result, a table, a figure and a report.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Continue the run in the folder, also with more replications or policies.", rich_help_panel=OUTPUT
        ),
    ] = False,
    extend: Extend = False,
    plot: Plot = None,
    report: Annotated[
        bool | None,
        typer.Option("--report/--no-report", help="Write a report to the folder, as by default.", rich_help_panel=OUTPUT),
    ] = None,
    as_json: AsJson = False,
    progress: Progress = None,
) -> None:
    """Simulate policies on one instance and compare their regret with C(θ) ln T."""
    options = ProblemOptions(
        family=family,
        source=source,
        target=target,
        size=size,
        saturate=saturate,
        capacities=tuple(capacity or ()),
        variance=variance,
        undirected=undirected,
        minimize=minimize,
        columns=tuple(column or ()),
        title=title,
        unit=unit,
        question=question,
    )
    if (resume or extend) and output is None:
        raise InvalidInputError(
            f"{'--extend' if extend else '--resume'} must be used with the folder of the earlier run, got none: add --output "
            "FOLDER"
        )
    if report and output is None:
        raise InvalidInputError("--report must be used with a folder to write it to, got none: add --output FOLDER")
    study = Study(
        problem=find_problem(problem, options),
        simulation=SimulationOptions(
            policies=tuple(policy or ()),
            rewards=rewards,
            horizon=whole_number(horizon, "--horizon", 1, LONGEST_HORIZON),
            replications=whole_number(replications, "--replications", 1, MOST_REPLICATIONS),
            seed=whole_number(seed, "--seed", 0),
            delay=delay_of(delay),
            loss=share(loss, "--loss"),
        ),
        execution=Execution(workers=worker_count(workers), scheduler=scheduler),
        output=Output(folder=output, figure=True if plot is None else plot, report=report is not False),
    )
    run_and_print(study, resume=resume, extend=extend, remedy="--resume", redraw=True, progress=progress, as_json=as_json)
