"""Print a simulation as tables, in 80 columns or more."""

from __future__ import annotations

import math

import numpy as np
from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table

from semibandits.families.registry import FAMILIES
from semibandits.instances import Instance
from semibandits.laws import Bernoulli
from semibandits.laws.plain import title, words
from semibandits.rewards.base import RewardModel
from semibandits.rewards.replayed import ReplayedRewards
from semibandits.simulation.results import CALLS, recorded
from semibandits.simulation.statistics import PolicySummary
from semibandits_studies.cli.bound_report import instance_facts
from semibandits_studies.cli.terminal import styled
from semibandits_studies.reporting.figures import can_draw
from semibandits_studies.reporting.formatting import (
    bracket_text,
    count_decisions,
    counted,
    features_text,
    lateness_text,
    number_text,
    prior_text,
    spread_text,
    stop_of,
    stop_text,
    stopped_texts,
)
from semibandits_studies.reporting.simulation_payload import Answer

NAME_WIDTH = 21


def print_simulation(console: Console, answer: Answer) -> None:
    """Print the instance, the bound, and the results of each policy."""
    blocks: list[RenderableType] = [styled(answer.instance.name, style="bold"), _facts(answer), _table(answer)]
    blocks += [] if answer.result.stops is None else [_stops(answer)]
    blocks += [styled(foot, style="dim") for foot in _feet(answer)]
    console.print(Group(*blocks))


def _facts(answer: Answer) -> Table:
    instance, result = answer.instance, answer.result
    facts = instance_facts(instance, count_decisions(instance.decision_set))
    facts.add_row("Costs" if instance.in_costs else "Rewards", _rewards_text(answer.rewards, instance))
    late = lateness_text(recorded(result, "specification"))
    if late:
        facts.add_row("Outcomes", late)
    if features := features_text(recorded(result, "specification")):
        facts.add_row("Features", features)
    if prior := prior_text(recorded(result, "specification"), instance.theta):
        facts.add_row("Prior", prior)
    if (stop := stop_of(recorded(result, "specification"))) is not None:
        one = FAMILIES[instance.family].nouns_of(instance.decision_set).decision
        facts.add_row("Stops", f"{stop_text(stop, one)}; then plays it to the end")
    for name, text in _bound(answer):
        facts.add_row(name, text)
    replications = counted(result.replications, "replication", "replications")
    played = f"{replications} of {counted(result.horizon, 'round', 'rounds')}, seed {answer.seed}"
    how = "read from the folder" if answer.elapsed is None else f"in {answer.elapsed:.1f} s in all"
    facts.add_row("Played", f"{played}, {how}")
    if answer.folder is not None:
        facts.add_row("Kept in", str(answer.folder))
    return facts


def _rewards_text(rewards: RewardModel, instance: Instance) -> str:
    """Description of the reward model."""
    unit = instance.unit
    spread = spread_text(np.asarray(rewards.variance), unit)
    if isinstance(rewards, ReplayedRewards):
        return f"observed outcomes, resampled for each item; policies receive the variance {spread}"
    law = rewards.law
    if law is None or law.is_quadratic:
        return f"Gaussian, independent, variance {spread}{'' if 'variance' in instance.description else ', which is assumed'}"
    if isinstance(law, Bernoulli):
        return "0 or 1, independent; policies that use a variance receive 1/4"
    return f"{words(title(law))}; policies that use a variance receive {spread}"


def _bound(answer: Answer) -> list[tuple[str, RenderableType]]:
    """Rows about the bound."""
    interval = answer.result.lower_bound_interval
    if interval is not None:
        unit = f" {answer.instance.unit}" if answer.instance.unit else ""
        known = number_text(interval[1]) if math.isfinite(interval[1]) else f"at least {number_text(interval[0])}"
        value = styled(f"{known}{unit} per ln T", style="bold")
        return [("C(θ)", value), ("Certified", bracket_text(*interval))]
    law, unknown = answer.rewards.law, answer.result.provenance.get("no_bound")
    if law is None or unknown:
        return [("C(θ)", str(unknown or "no bound is known for these rewards"))]
    command = "semibandits bound" if law.is_quadratic else f"semibandits bound --rewards {title(law)}"
    return [("C(θ)", f"not found in time: {command} may take longer")]


def _table(answer: Answer) -> Table:
    """Table with one row per policy."""
    unit = [f"({answer.instance.unit})"] if answer.instance.unit else []
    rows = answer.result.summary()
    with_bound = any(row.regret_ratio is not None or row.slope_ratio is not None for row in rows)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), collapse_padding=True, pad_edge=False)
    lines = [line for row in rows for line in _name_lines(row)]
    table.add_column("policy", max_width=NAME_WIDTH, no_wrap=max(map(len, lines)) <= NAME_WIDTH)
    table.add_column(styled("regret at T", *unit), justify="right")
    if with_bound:
        table.add_column(styled("over", "C ln T"), justify="right")
    table.add_column(styled("slope", *unit), justify="right")
    if with_bound:
        table.add_column(styled("over", "C"), justify="right")
    table.add_column(styled("calls", "a round"), justify="right")
    if answer.seconds:
        table.add_column(styled("time", "(s)"), justify="right")
    for column in table.columns:
        column.overflow = "fold"  # narrow terminals break numbers, but lose no digits
    for row in rows:
        table.add_row(*_cells(answer, row, with_bound=with_bound))
    return table


def _stops(answer: Answer) -> Table:
    """Table of the stops, with one row per policy."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("policy")
    for name in ("sure since round (mean)", "of the runs", "of these wrong"):
        table.add_column(name, justify="right")
    for row in answer.result.summary():
        if row.stopped is not None:
            table.add_row(row.policy, *stopped_texts(row.stopped))
    return table


def _name_lines(row: PolicySummary) -> list[str]:
    """The name of the policy, and a line for each parameter."""
    name, _, parameters = row.policy.removesuffix(")").partition("(")
    return [name, *(f"  {each}" for each in parameters.split(", ") if each)]


def _cells(answer: Answer, row: PolicySummary, *, with_bound: bool) -> list[RenderableType]:
    cells: list[RenderableType] = [styled(*_name_lines(row)), _with_interval(row.regret, row.regret_interval)]
    cells += [_ratio(row.regret_ratio)] * with_bound
    cells.append(_with_interval(row.slope, row.slope_interval))
    cells += [_ratio(row.slope_ratio)] * with_bound
    calls = zip(CALLS, row.calls, strict=True)
    horizon = answer.result.horizon
    made = [f"{number_text(count / horizon, 2)} {name}" for name, count in calls if count]
    cells.append(styled(*made or ["none"]))
    if answer.seconds:
        seconds = answer.seconds.get(row.policy)
        cells.append("–" if seconds is None else number_text(seconds, 2))
    return cells


def _with_interval(value: float, ends: tuple[float, float]) -> str:
    """A mean and half the width of its interval, with the same number of decimals."""
    if not math.isfinite(value):
        return "–"
    half = (ends[1] - ends[0]) / 2
    if not math.isfinite(half):
        return number_text(value, 4)
    if half == 0:
        return f"{number_text(value, 4)} ± 0"
    places = max(0, 1 - math.floor(math.log10(half)))
    sign = "−" if value < 0 else ""
    return f"{sign}{abs(value):,.{places}f} ± {half:,.{places}f}"


def _ratio(value: float | None) -> str:
    return "–" if value is None or not math.isfinite(value) else number_text(value, 3)


def _feet(answer: Answer) -> list[str]:
    """Footnotes: the meaning of the columns, and a missing figure."""
    feet = ["slope: growth of regret per ln T over the last decade of rounds"]
    if answer.result.replications > 1:
        feet.append("±: 95 % intervals over the replications")
    undecided = CALLS.index("undecided")
    proofs = "; undecided: index without a proof" * any(row.calls[undecided] > 0 for row in answer.result.summary())
    feet.append(f"calls: linear or index maximisations, plans{proofs}")
    if answer.seconds:
        feet.append("time: of one replication; in a first run it includes compiling kernels")
    if answer.result.lower_bound:
        whom = "" if answer.result.stops is None else " for policies that never stop"
        feet.append(f"C(θ) ln T is a bound as T grows{whom}; at one T, regret and slope may lie below it")
    if answer.folder is not None and not can_draw():
        feet.append("no figure in the folder: run pip install matplotlib, then this command with --resume")
    return feet
