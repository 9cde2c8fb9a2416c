"""``semibandits run``: run a study file and write the folder of its results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from semibandits.cli.options import OUTPUT, WORKERS, AsJson, Extend, Plot, Progress, Scheduler
from semibandits.cli.parsing import worker_count
from semibandits.cli.studying import run_and_print
from semibandits.studies.study_file import read_study

HELP = """
Run the study in a file and write its results to a folder.

The same command continues an interrupted study. If the file now has more replications or policies, only these are \
simulated. semibandits simulate --output FOLDER writes a study file with all keys, FOLDER/study.toml.

[bold]Examples[/bold]
semibandits run germany50.toml
semibandits run germany50.toml --workers auto
semibandits run germany50.toml --output elsewhere
semibandits run germany50.toml --extend
semibandits run germany50-results/study.toml --output again
"""


def command(
    study: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="The study file.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Where results go; by default the folder in the file, or STUDY-results beside it.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    extend: Extend = False,
    plot: Plot = None,
    as_json: AsJson = False,
    progress: Progress = None,
    workers: Annotated[str | None, WORKERS] = None,
    scheduler: Scheduler = None,
) -> None:
    """Run the study in a file and write its results to a folder."""
    asked = read_study(study)
    output_options: dict[str, Any] = {key: value for key, value in (("folder", output), ("figure", plot)) if value is not None}
    execution = asked.execution if workers is None else replace(asked.execution, workers=worker_count(workers))
    if scheduler is not None:
        execution = replace(execution, scheduler=scheduler)
    asked = replace(asked, output=replace(asked.output, **output_options), execution=execution)
    run_and_print(asked, extend=extend, redraw=plot is not None, progress=progress, as_json=as_json)
