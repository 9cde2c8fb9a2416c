"""Print a bound as tables, in 80 columns or more."""

from __future__ import annotations

import math

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from semibandits.families.registry import FAMILIES
from semibandits.families.texts import NamedItems
from semibandits.instances import Instance
from semibandits.laws.plain import title, words
from semibandits.matroids.counts import DecisionCount
from semibandits.regret_bound.result import GravesLaiResult, Status
from semibandits.regret_bound.summary import tie_facts
from semibandits_studies.cli.terminal import facts_table, styled
from semibandits_studies.reporting.bound_payload import HORIZONS, reward_of
from semibandits_studies.reporting.formatting import (
    amount,
    assumed_text,
    bracket_text,
    change_text,
    cost_text,
    count_text,
    counted,
    decision_text,
    lost_text,
    number_text,
)
from semibandits_studies.reporting.streets import directions

TOP = 20
"""Number of decisions of the plan that are shown by default."""


def print_bound(console: Console, instance: Instance, result: GravesLaiResult, count: DecisionCount, *, everything: bool) -> None:
    """Print the instance, the certified bound, its meaning, and the plan."""
    blocks: list[RenderableType] = [
        styled(instance.name, style="bold"),
        _facts(instance, result, count),
        Padding(_meaning(instance, result), (1, 0, 0, 0)),
    ]
    if result.value > 0 and math.isfinite(result.value):
        blocks += [_horizons(instance, result), _plan(instance, result, TOP if not everything else len(result.plan))]
    console.print(Group(*blocks))


def instance_facts(instance: Instance, count: DecisionCount) -> Table:
    """Table with the number of decisions and the note of an instance."""
    _, _, item, items = FAMILIES[instance.family].nouns_of(instance.decision_set)
    size = counted(instance.decision_set.m, item, items)
    facts = facts_table()
    facts.add_row("Decisions", f"{count_text(instance, count)} of at most {size}, out of {instance.decision_set.d:,}")
    if instance.note:
        facts.add_row("Numbers", instance.note)
    return facts


def _facts(instance: Instance, result: GravesLaiResult, count: DecisionCount) -> Table:
    facts = instance_facts(instance, count)
    facts.add_row("Costs" if instance.in_costs else "Rewards", assumed_text(instance, result.law))
    turns = directions(instance, result.optimal_decision, -result.theta)  # where links have street names
    lines = [f"{text}, {amount(cost, instance.unit, 3)}" for text, cost in turns]
    first, *others = lines or [decision_text(instance, result.optimal_decision)]
    facts.add_row(f"Best {FAMILIES[instance.family].nouns_of(instance.decision_set).decision}", first)
    for line in others:
        facts.add_row("", line)
    for fact in tie_facts(result, NamedItems(instance.decision_set, instance.family, instance.labels, instance.description)):
        facts.add_row(*fact)
    unit = f" {instance.unit}" if instance.unit else ""
    if instance.in_costs:
        facts.add_row("Its cost", cost_text(0.0 - reward_of(result), instance.unit))
    else:
        facts.add_row("Its reward", number_text(reward_of(result)) + unit)
    bound, certified = number_text(result.value), bracket_text(result.lower, result.value, 15)
    if result.lower != result.value:
        certified += f", gap {result.gap:.1e}"
    if result.status is not Status.OPTIMAL:
        lower = number_text(result.lower)
        bound = f"{lower} to {bound}" if math.isfinite(result.value) else f"at least {lower}"
        certified += f" (stopped early: {result.status})"
    facts.add_row("C(θ)", styled(f"{bound}{unit} per ln T", style="bold"))
    facts.add_row("Certified", certified)
    facts.add_row("Method", _method(result))
    return facts


def _method(result: GravesLaiResult) -> str:
    stats = result.stats
    parts = [result.method]
    parts += [counted(int(stats[f"{one}s"]), one, f"{one}s") for one in ("round", "cycle", "stage", "step") if f"{one}s" in stats]
    if "seconds" in stats:
        parts.append(f"{stats['seconds']:.2f} s")
    return ", ".join(parts)


def _meaning(instance: Instance, result: GravesLaiResult) -> str:
    one, several, _, _ = FAMILIES[instance.family].nouns_of(instance.decision_set)
    if result.value == 0:
        return f"No exploration is needed: nothing outside the best {one} could turn out to be better."
    return (
        f"What it means: a policy that learns on every instance must try other {several} now and then. Over T rounds "
        f"this costs it, on average and as T grows, at least C(θ) ln T {lost_text(instance)} against always playing the best "
        f"{one} (under {words(title(result.law))}). The plan below attains this."
    )


def _horizons(instance: Instance, result: GravesLaiResult) -> Group:
    """The bound at a few horizons, and the exploration rounds of the plan up to them."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    unit = f" ({instance.unit})" if instance.unit else ""
    for name in ("rounds T", f"C(θ) ln T{unit}", f"a round{unit}", "rounds spent exploring"):
        table.add_column(name, justify="right")
    foot = []
    for horizon in HORIZONS:
        rounds = float(result.plan.rates.sum()) * math.log(horizon)
        bound = result.lower * math.log(horizon)
        share = "under 0.01%" if rounds < 5e-5 * horizon else f"{rounds / horizon:.2%}"
        explored = f"{rounds:,.0f} ({share})"
        if rounds >= horizon:
            explored = "more than T *"
            foot = [styled("* too few rounds to follow the plan: the asymptotic law does not hold yet", "", style="dim")]
        table.add_row(f"{horizon:,}", number_text(bound, 5), number_text(bound / horizon, 3), explored)
    return Group(table, *foot)


def _plan(instance: Instance, result: GravesLaiResult, shown: int) -> Group:
    one, several, _, _ = FAMILIES[instance.family].nouns_of(instance.decision_set)
    gaps, shown = result.plan_gaps, min(shown, len(result.plan))
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    table.add_column("plays per ln T", justify="right")
    table.add_column(f"gap{f' ({instance.unit})' if instance.unit else ''}", justify="right")
    table.add_column("share of C", justify="right")
    table.add_column(f"detours from the best {one}" if FAMILIES[instance.family].reads_along else f"changes to the best {one}")
    for k in range(shown):
        share = result.plan.rates[k] * gaps[k] / result.value
        text = change_text(instance, result.plan.items.mask(k), result.optimal_decision)
        table.add_row(number_text(result.plan.rates[k], 4), number_text(gaps[k], 3), f"{share:.1%}", text)
    left = len(result.plan) - shown
    head = f"The plan: {counted(len(result.plan), one, several)} to explore, the best one in all other rounds"
    foot = [styled(f"and {left:,} more, each played less often (--all shows them)", style="dim")] if left else []
    return Group(styled(head, style="bold"), table, *foot)
