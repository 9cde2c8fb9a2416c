"""``semibandits bound``: the regret lower bound of one instance, the plan that attains it, and a certificate."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import typer

from semibandits._counts import DecisionCount
from semibandits._files import write_whole
from semibandits._text import json_text
from semibandits.cli.bound_report import print_bound
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
from semibandits.cli.progress import ProgressLine, ticking
from semibandits.cli.terminal import new_console, print_json
from semibandits.errors import SolverError
from semibandits.instances import Instance, ProblemOptions
from semibandits.instances.files import check_target
from semibandits.regret_bound.result import GravesLaiResult
from semibandits.regret_bound.solve import graves_lai
from semibandits.reporting.bound_payload import bound_payload
from semibandits.reporting.figures import check_figure, write_figure
from semibandits.reporting.formatting import count_decisions
from semibandits.studies.problems import find_problem, load_problem
from semibandits.studies.rewards import law_of_instance

HELP = """
Certified regret lower bound C(θ) of one instance, and the exploration plan that attains it.

[bold]Examples[/bold]

\b
semibandits bound germany50 --source Saarbruecken --target Greifswald
semibandits bound polska --family trees --json
semibandits bound germany50-routing --plot map.png
semibandits bound delays.csv --source a --target z --plot plan.png
semibandits bound rewards.csv --size 10
semibandits bound ranking.csv --saturate rows
semibandits bound films.csv --capacity 2 --capacity drama=3
semibandits bound instance.json --gap 0.01 --time-limit 60
semibandits bound clicks.csv --size 3 --law bernoulli
semibandits bound germany50-routing --law gaussian:upper=0

[bold]Columns of a CSV file[/bold], beside theta and, if wanted, variance

\b
tail, head              paths and spanning trees
row, column             matchings
item                    m-sets
item, group             at most K items from each group
item, group1, group2    the same for two groupings at once
"""

SOLVER = "The solver"
LAW_HELP = "gaussian, bernoulli, poisson or gamma; with parameters gaussian:upper=0, poisson:cost, gamma:shape=2,cost."


def command(
    problem: Problem,
    family: Family = None,
    source: Source = None,
    target: Target = None,
    size: Size = None,
    saturate: Saturate = None,
    capacity: Capacity = None,
    variance: Variance = None,
    rewards: Annotated[
        str, typer.Option("--law", "--rewards", metavar="LAW", help=LAW_HELP, rich_help_panel=SOLVER)
    ] = "gaussian",
    method: Annotated[
        str, typer.Option(help="auto, closed-form, cycles, columns, glpg or enumeration.", rich_help_panel=SOLVER)
    ] = "auto",
    gap: Annotated[float, typer.Option(help="Relative gap to certify.", rich_help_panel=SOLVER)] = 1e-4,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Seconds; then the bracket reached is printed, exit code 3.", rich_help_panel=SOLVER),
    ] = None,
    tie_tolerance: Annotated[
        float, typer.Option(help="Decisions this near, relative to m max|θ|, count as ties.", rich_help_panel=SOLVER)
    ] = 1e-12,
    everything: Annotated[
        bool, typer.Option("--all", help="Show the whole plan, not its first 20 decisions.", rich_help_panel=OUTPUT)
    ] = False,
    as_json: AsJson = False,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the JSON object to FILE.", rich_help_panel=OUTPUT)
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the plan to FILE (.png, .pdf or .svg).", rich_help_panel=OUTPUT),
    ] = None,
    progress: Annotated[
        bool | None,
        typer.Option(
            help="Show rounds and bracket on stderr; by default on a terminal, elsewhere once a minute.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
) -> None:
    """Certified regret lower bound C(θ) of one instance, and the exploration plan that attains it."""
    options = ProblemOptions(family, source, target, size, saturate, tuple(capacity or ()), variance)
    instance = load_problem(find_problem(problem, options)).instance
    if plot is not None:
        check_figure(plot)
    if save is not None:
        check_target(save)
    try:
        limits = {"gap": gap, "time_limit": time_limit, "tie_tolerance": tie_tolerance}
        result = _solve(instance, progress, rewards=rewards, method=method, **limits)
    except SolverError as error:
        if error.result is not None:
            print_answer(instance, error.result, as_json=as_json, everything=everything)
        raise
    answer = _Answer.of(instance, result)
    if save is not None:
        write_whole(save, (json_text(answer.payload, indent=1) + "\n").encode())
    if plot is not None:
        write_figure(instance, result, plot)
    answer.show(as_json=as_json, everything=everything)


def print_answer(instance: Instance, result: GravesLaiResult, *, as_json: bool, everything: bool = False) -> None:
    """Print a bound, as a table or as one JSON object."""
    _Answer.of(instance, result).show(as_json=as_json, everything=everything)


@dataclass(frozen=True)
class _Answer:
    """A result with the instance it belongs to and the number of decisions as far as it is known."""

    instance: Instance
    result: GravesLaiResult
    count: DecisionCount

    @classmethod
    def of(cls, instance: Instance, result: GravesLaiResult) -> _Answer:
        return cls(instance, result, count_decisions(instance.decision_set))

    @cached_property
    def payload(self) -> dict[str, Any]:
        return bound_payload(self.instance, self.result, self.count.exact)

    def show(self, *, as_json: bool, everything: bool) -> None:
        """Print it."""
        if as_json:
            print_json(self.payload)
        else:
            print_bound(new_console(), self.instance, self.result, self.count, everything=everything)


def _solve(instance: Instance, shown: bool | None, *, rewards: str, **options: Any) -> GravesLaiResult:
    line = ProgressLine(sys.stderr, shown)
    options["law"] = law_of_instance(instance, rewards)
    try:
        with ticking(line):
            return graves_lai(instance.decision_set, instance.theta, progress=line, **options)
    finally:
        line.close()
