"""``semibandits plan-test``: how many rounds a test needs to be sure of the best decision, and what to play in them."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table

from semibandits.decisions.signs import warn_of_signs
from semibandits.errors import EmptyDecisionWarning, LongestPathWarning, SolverError
from semibandits.families.registry import FAMILIES
from semibandits.formats.files import write_whole
from semibandits.identification import IdentificationTime, identification_time
from semibandits.identification.evidence import PROVED, THRESHOLDS
from semibandits.instances import Instance, ProblemOptions
from semibandits_studies.cli.bound_report import instance_facts
from semibandits_studies.cli.options import AsJson, Problem, Progress, output_option
from semibandits_studies.cli.progress import TestPlanLine, finish_compiling, ticking
from semibandits_studies.cli.studying import warnings_as_lines
from semibandits_studies.cli.terminal import new_console, print_json, styled
from semibandits_studies.instances.files import check_target
from semibandits_studies.reporting.formatting import assumed_text, count_decisions, counted, decision_text
from semibandits_studies.reporting.identification_payload import About, identification_payload, plan_table
from semibandits_studies.studies.problems import find_problem, load_problem
from semibandits_studies.studies.rewards import law_of_instance
from semibandits_studies.studies.task import MINIMIZE

HELP = """
How many rounds a test needs to be sure of the best decision, and what to play in them.

The numbers in the file are what you expect of the items.

[bold]Examples[/bold]
semibandits plan-test clicks.csv --size 3 --law bernoulli
semibandits plan-test articles.csv --capacity 2 --size 8 --variance 0.15 --all
semibandits plan-test roads.csv --source a --target z --within 0.5 --confidence 0.99
semibandits plan-test germany50-routing --save plan.csv

semibandits bound --help describes the files. Stop a test by Learner.confidence, or in simulate by --stop-at.
"""
TOP = 10
"""Number of decisions of the plan that are shown by default."""


def command(
    problem: Problem,
    options: ProblemOptions,
    confidence: Annotated[float, typer.Option(help="How sure, above 0.5 and below 1.", rich_help_panel="Test")] = 0.95,
    within: Annotated[
        float, typer.Option(metavar="LOSS", help="Loss that does not matter, in the unit of the rewards.", rich_help_panel="Test")
    ] = 0.0,
    law: Annotated[
        str | None,
        typer.Option(
            metavar="LAW",
            help="Law of the rewards: gaussian, bernoulli, poisson or gamma; parameters as in poisson:cost, gamma:shape=2,cost.",
            rich_help_panel="Test",
        ),
    ] = None,
    gap: Annotated[float, typer.Option(help="Relative gap to certify.", rich_help_panel="Solver")] = 1e-3,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Seconds after which to print the bracket reached, with exit code 3.", rich_help_panel="Solver"),
    ] = None,
    everything: Annotated[bool, output_option("--all", help="Show the whole plan, not only its first 10 decisions.")] = False,
    as_json: AsJson = False,
    save: Annotated[Path | None, output_option(metavar="FILE", help="Write the plan to FILE as a table (CSV).")] = None,
    progress: Progress = None,
) -> None:
    """How many rounds a test needs to be sure of the best decision, and what to play in them."""
    if save is not None:
        check_target(save)

    def show(time: IdentificationTime) -> None:
        about = {threshold: time.about_rounds(threshold) for threshold in THRESHOLDS}
        if save is not None:
            write_whole(save, plan_table(instance, time, about).encode())
        if as_json:
            print_json(identification_payload(instance, time, about, count_decisions(instance.decision_set).exact))
        else:
            _print(new_console(), instance, time, about, everything=everything)

    line = TestPlanLine(sys.stderr, progress)
    with warnings_as_lines():
        instance = load_problem(find_problem(problem, options)).instance
        warn_of_signs(instance.decision_set, instance.theta, remedy=MINIMIZE, stacklevel=1)
        for category in (EmptyDecisionWarning, LongestPathWarning):  # the remedy of the next call is one in Python
            warnings.simplefilter("ignore", category)
        try:
            with ticking(line):
                time = identification_time(
                    instance.decision_set, instance.theta, law=law_of_instance(instance, law or "gaussian"),
                    confidence=confidence, within=within, gap=gap, time_limit=time_limit,
                )  # fmt: skip
        except SolverError as error:
            line.close()
            if isinstance(error.result, IdentificationTime):
                show(error.result)
            raise
        finally:
            line.close()
    show(time)
    finish_compiling(progress)


def _print(console: Console, instance: Instance, time: IdentificationTime, about: About, *, everything: bool) -> None:
    """Print the instance, the summary of the time, and the plan."""
    facts = instance_facts(instance, count_decisions(instance.decision_set))
    facts.add_row("Costs" if instance.in_costs else "Rewards", assumed_text(instance, time.law))
    lines = time.summary(instance.labels).splitlines()
    width = lines[0].index("  ")  # its name is the longest
    for line in lines:
        name = line[:width].rstrip()
        facts.add_row(name, line[width:].lstrip())
        if name == "Test":
            customary = float(f"{about['customary']:.3g}")
            facts.add_row("", f"about {customary:,.0f} by the customary one, which nobody has proved")
    blocks: list[RenderableType] = [styled(instance.name, style="bold"), facts]
    if len(time.plan):
        blocks.append(_plan(instance, time, about[PROVED], len(time.plan) if everything else min(TOP, len(time.plan))))
    console.print(Group(*blocks))


def _plan(instance: Instance, time: IdentificationTime, rounds: float, shown: int) -> Group:
    """The decisions, and how often a test of about the expected length plays them."""
    one, several, _, _ = FAMILIES[instance.family].nouns_of(instance.decision_set)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    table.add_column("rounds", justify="right")
    table.add_column("share", justify="right")
    table.add_column(one)
    for k in range(shown):
        share, x = float(time.plan.shares[k]), time.plan.items.mask(k)
        is_best = ", the best one" if np.array_equal(x, time.optimal_decision) else ""
        table.add_row(f"{share * rounds:,.0f}", f"{share:.1%}", decision_text(instance, x) + is_best)
    left = len(time.plan) - shown
    foot = [styled(f"and {left:,} more, each played less often (--all shows them, --save FILE writes them)", style="dim")]
    head = f"The plan: {counted(len(time.plan), one, several)}, and how often a test of this length plays them"
    return Group("", styled(head, style="bold"), table, *foot * bool(left))
