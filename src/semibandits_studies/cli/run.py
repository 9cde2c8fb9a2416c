"""``semibandits run``: run a study file and write the folder of its results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from semibandits_studies.cli.options import AsJson, Extend, Plot, Progress, checked, option_of, output_option
from semibandits_studies.cli.studying import run_and_print
from semibandits_studies.studies.study import Execution
from semibandits_studies.studies.study_file import read_study

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
        output_option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Where results go; by default the folder in the file, or STUDY-results beside it.",
        ),
    ] = None,
    extend: Extend = False,
    plot: Plot = None,
    as_json: AsJson = False,
    progress: Progress = None,
    workers: Annotated[str | None, option_of(Execution, "workers")] = None,
    scheduler: Annotated[str | None, option_of(Execution, "scheduler")] = None,
) -> None:
    """Run the study in a file and write its results to a folder."""
    asked = read_study(study)
    places = {"folder": output, "figure": plot}
    execution = {"workers": None if workers is None else checked(Execution, "workers", workers), "scheduler": scheduler}
    asked = replace(asked, output=_with(asked.output, places), execution=_with(asked.execution, execution))
    run_and_print(asked, extend=extend, redraw=plot is not None, progress=progress, as_json=as_json)


def _with(record: Any, options: dict[str, Any]) -> Any:
    """The record with the options that are given."""
    return replace(record, **{name: value for name, value in options.items() if value is not None})
