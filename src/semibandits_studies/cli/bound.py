"""``semibandits bound``: the certified regret lower bound of one instance, and the plan that attains it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from semibandits.instances import ProblemOptions
from semibandits_studies.cli.options import AsJson, Problem, Progress, output_option
from semibandits_studies.cli.progress import finish_compiling
from semibandits_studies.cli.studying import run_and_print
from semibandits_studies.instances.files import check_target
from semibandits_studies.studies.problems import find_problem
from semibandits_studies.studies.study import BoundOptions, Output, Study

HELP = """
Certified regret lower bound C(θ) of one instance, and the exploration plan that attains it.

[bold]Examples[/bold]
semibandits bound germany50 --source Saarbruecken --target Greifswald
semibandits bound polska --family trees --json
semibandits bound germany50-routing --plot map.png
semibandits bound delays.csv --source a --target z --plot plan.png
semibandits bound rewards.csv --size 10
semibandits bound ranking.csv --saturate rows
semibandits bound films.csv --capacity 2 --capacity drama=3 --size 8
semibandits bound roads.csv --source a --target z --column costs=minutes
semibandits bound instance.json --gap 0.01 --time-limit 60
semibandits bound clicks.csv --size 3 --law bernoulli
semibandits bound germany50-routing --law gaussian:upper=0

[bold]Columns of a table[/bold]: theta (mean rewards) or costs, optionally variance, and
tail, head              paths, routes and spanning trees
row, column             matchings
item                    m-sets
item, group             at most K items from each group
item, group1, group2    the same for two groupings at once

Usual names such as from, to, minutes or category are recognised; --column names any other. Other columns are ignored.
"""


def command(
    problem: Problem,
    options: ProblemOptions,
    bound: BoundOptions,
    everything: Annotated[bool, output_option("--all", help="Show the whole plan, not only its first 20 decisions.")] = False,
    as_json: AsJson = False,
    save: Annotated[Path | None, output_option(metavar="FILE", help="Write the JSON object to FILE.")] = None,
    plot: Annotated[Path | None, output_option(metavar="FILE", help="Draw the plan to FILE (.png, .pdf or .svg).")] = None,
    progress: Progress = None,
) -> None:
    """Certified regret lower bound C(θ) of one instance, and the exploration plan that attains it."""
    if save is not None:
        check_target(save)
    study = Study(problem=find_problem(problem, options), bound=bound, output=Output(figure=plot or False, report=False))
    run_and_print(study, progress=progress, as_json=as_json, everything=everything, save=save)
    finish_compiling(progress)
