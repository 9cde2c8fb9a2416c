"""``semibandits simulate``: simulate policies on one instance and compare their regret with the bound."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from semibandits.errors import InvalidInputError
from semibandits.instances import ProblemOptions
from semibandits_studies.cli.options import AsJson, Extend, Plot, Problem, Progress, output_option
from semibandits_studies.cli.studying import run_and_print
from semibandits_studies.studies.problems import find_problem
from semibandits_studies.studies.study import Execution, Output, SimulationOptions, Study

HELP = """
Simulate policies on one instance and compare their regret with C(θ) ln T.

[bold]Examples[/bold]
semibandits simulate germany50 --source Saarbruecken --target Greifswald -n 20
semibandits simulate polska --family trees -p CUCB -p thompson -T 1e5 -n 20
semibandits simulate delays.csv --source a --target z --variance 4 --workers auto
semibandits simulate rewards.csv --size 10 --variance 1 -p ESCB -p ESCB:radius=log-loglog
semibandits simulate clicks.csv --size 2 --rewards bernoulli --plot regret.png
semibandits simulate ranking.csv --variance 1 -p OSSB:epsilon=0.02,gamma=0.1 --json
semibandits simulate films-shortlist --delay geometric:100 --loss 0.1
semibandits simulate clicks.csv --size 2 --law bernoulli --stop-at 0.95 --stop-within 0.01
semibandits simulate clicks.csv --size 2 --law bernoulli --features pooled -p GLADE
semibandits simulate flights-by-hour --features hour -p GLADE -p GLADE:features=false
semibandits simulate instance.json -T 1e6 --output run1
semibandits simulate instance.json -T 1e6 --output run1 --resume
semibandits simulate instance.json -T 1e7 --output run1 --extend
semibandits simulate flights-on-time --rewards replay --output run2

[bold]Policies and their parameters[/bold]
CUCB                radius (log, log-loglog or kveton), law
ESCB                radius
AESCB               radius, ratio, additive, levels
GLADE               discount, rivals, patience, foresight, saving, remembered,
                    recheck, horizon (a number or simulation), rewards, law
Identify            sharpness, forced, law; to be sure of the best decision soon
OSSB                radius, gamma, epsilon, gap, rewards, law
ThompsonSampling    scale, law; thompson for short
all policies        variance to assume, by default that of the file; features:
                    false to play as without --features

semibandits bound --help describes the files.
"""


def command(
    problem: Problem,
    options: ProblemOptions,
    simulation: SimulationOptions,
    execution: Execution,
    output: Annotated[
        Path | None,
        output_option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Store each finished replication, then the result, a table, a figure and a report.",
        ),
    ] = None,
    resume: Annotated[
        bool, output_option("--resume", help="Continue the run in the folder, also with more replications or policies.")
    ] = False,
    extend: Extend = False,
    plot: Plot = None,
    report: Annotated[
        bool | None, output_option("--report/--no-report", help="Write a report to the folder, as by default.")
    ] = None,
    as_json: AsJson = False,
    progress: Progress = None,
) -> None:
    """Simulate policies on one instance and compare their regret with C(θ) ln T."""
    if (resume or extend) and output is None:
        raise InvalidInputError(
            f"{'--extend' if extend else '--resume'} must be used with the folder of the earlier run, got none: add --output "
            "FOLDER"
        )
    if report and output is None:
        raise InvalidInputError("--report must be used with a folder to write it to, got none: add --output FOLDER")
    study = Study(
        problem=find_problem(problem, options),
        simulation=simulation,
        execution=execution,
        output=Output(folder=output, figure=True if plot is None else plot, report=report is not False),
    )
    run_and_print(study, resume=resume, extend=extend, remedy="--resume", redraw=True, progress=progress, as_json=as_json)
