"""``semibandits report``: results as one HTML file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Final

import typer

from semibandits.errors import InvalidInputError
from semibandits.families.tables import TEXTS, ProblemOptions
from semibandits_studies.cli.options import AsJson, output_option
from semibandits_studies.cli.terminal import facts_table, new_console, print_json
from semibandits_studies.reporting.payload import payload_of
from semibandits_studies.reporting.report import check_report, is_report, retitled, write_payload
from semibandits_studies.reporting.sources import REPORT, read_results

HELP = """
Write an HTML report of a bound or a simulation.

It shows the best decision, the plan and curves of regret, in one file that works offline.

[bold]Examples[/bold]
semibandits report results
semibandits report bound.json
semibandits report results/simulation.zip
semibandits report results --to germany50.html
semibandits report results --json

[bold]Results[/bold]
a folder         of semibandits simulate --output, or of semibandits run
bound.json       of semibandits bound --save
simulation.zip   of simulate, or SimulationResult.save: decisions not drawn
"""

CARDS: Final = ("earned", "settled", "sure", "best", "cost")
"""The summary cards that are printed."""


def command(
    path: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="A folder of results, a bound.json or a simulation.zip.", show_default=False)
    ],
    to: Annotated[
        Path | None,
        output_option(metavar="FILE", help="File to write; by default report.html in the folder, or FILE.html beside a file."),
    ] = None,
    *,
    texts: Annotated[ProblemOptions, TEXTS],
    as_json: AsJson = False,
) -> None:
    """Write an HTML report of a bound or a simulation."""
    target = to or (path / REPORT if path.is_dir() else path.with_suffix(".html"))
    if to is None and os.path.lexists(target) and not is_report(target):
        raise InvalidInputError(
            f"the report must not replace {str(target)!r}, which semibandits has not written: name the file with --to"
        )
    data = retitled(read_results(path), title=texts.title, unit=texts.unit, question=texts.question)
    check_report(target)
    payload = payload_of(data)
    write_payload(payload, target)
    if as_json:
        print_json({"report": str(target)} | payload)
        return
    lines = facts_table()
    for answer in payload["answers"]:
        if answer["key"] in CARDS:
            lines.add_row(answer["label"], answer["headline"])
    out = new_console()
    out.print(str(target), soft_wrap=True)
    out.print(lines)
