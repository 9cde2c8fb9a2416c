"""``semibandits run``: a study from its file to the folder of its results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from semibandits.cli.options import OUTPUT, AsJson
from semibandits.cli.parsing import worker_count
from semibandits.cli.simulate import EXECUTION
from semibandits.cli.studying import run_and_print
from semibandits.studies.study_file import read_study

HELP = """
Run the study that a file describes, and keep everything in one folder.

An interrupted study goes on; of a finished one nothing is solved or played again. docs/studies.md describes the file.

[bold]Examples[/bold]

\b
semibandits run germany50.toml
semibandits run germany50.toml --workers auto
semibandits run germany50.toml --output elsewhere
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
            help="Where results go; by default what the file says, or STUDY-results beside it.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the figure to FILE (.png, .pdf or .svg), not into the folder.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    as_json: AsJson = False,
    progress: Annotated[
        bool | None,
        typer.Option(
            help="Show on stderr how far it is; by default on a terminal, elsewhere once a minute.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    workers: Annotated[
        str | None,
        typer.Option("--workers", "-j", metavar="N", help="Processes; auto: one a core.", rich_help_panel=EXECUTION),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Dask cluster, as in tcp://host:8786.", rich_help_panel=EXECUTION),
    ] = None,
) -> None:
    """Run the study that a file describes, and keep everything in one folder."""
    asked = read_study(study)
    if output is not None:
        asked = replace(asked, output=replace(asked.output, folder=output))
    if plot is not None:
        asked = replace(asked, output=replace(asked.output, figure=plot))
    if workers is not None:
        asked = replace(asked, execution=replace(asked.execution, workers=worker_count(workers)))
    if scheduler is not None:
        asked = replace(asked, execution=replace(asked.execution, scheduler=scheduler))
    run_and_print(asked, resume=True, remedy="", redraw=plot is not None, progress=progress, as_json=as_json)
