"""A bound and its plan as text, as HTML for notebooks, and as columns of frames."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.lists import Decisions
from semibandits.families.registry import family_of
from semibandits.families.texts import NamedItems, change_text, decision_text
from semibandits.formats.html import html_block, html_facts, html_remark, html_table
from semibandits.formats.numbers import bracket_text, counted, number_text
from semibandits.formats.text import shortened
from semibandits.regret_bound.precision import gaps_below

if TYPE_CHECKING:
    from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult

LONGEST_DECISION: Final = 200
LONGEST_CHANGE: Final = 100
"""Maximum number of characters of a decision, and of a change to it."""
LONGEST_LINE: Final = 100
"""The same for a line of `repr`."""
MOST_TIES: Final = 3
"""Number of ties that are written out."""
TOP: Final = 5
"""Number of decisions of the plan that a summary shows by default."""
PLAN_COLUMNS: Final = ("plays per ln T", "gap", "share of C(θ)", "changes to the best decision")


@dataclass(frozen=True)
class Wording:
    """How a bound is written: the names of its items, and the unit of rewards."""

    names: NamedItems
    unit: str = ""

    @staticmethod
    def of(result: GravesLaiResult, labels: Sequence[str] | None = None, unit: str = "") -> Wording:
        """The wording of a result; labels are those of the decision set by default."""
        return Wording(NamedItems.of(result.decision_set, labels), unit)

    def amount(self, value: float, digits: int = 6) -> str:
        """A number with its unit."""
        number = number_text(value, digits)
        return f"{number} {self.unit}" if self.unit else number


class PlannedDecision(NamedTuple):
    """A decision of the plan as text."""

    rate: str
    gap: str
    share: str
    change: str


class PlanProblem(NamedTuple):
    """The problem of a plan: the decisions, the best one, shape (d,), the mean rewards, shape (d,), and C(theta)."""

    decision_set: DecisionSet
    optimal: BoolArray
    theta: FloatArray
    value: float

    def gaps(self, decisions: Decisions) -> FloatArray:
        """Gap of each decision, shape (k,)."""
        return gaps_below(self.optimal, decisions, self.theta)


def summary_text(result: GravesLaiResult, wording: Wording, top: int) -> str:
    """The best decision, C(theta) with its certificate, and the top of the plan, in a few lines."""
    facts = dict(_facts(result, wording))
    width = max(map(len, facts))
    lines = [f"{name:{width}}  {text}" for name, text in facts.items()]
    rows = list(_planned(result.plan, wording, top))
    sizes = [max((len(row[k]) for row in rows), default=0) for k in range(3)]
    for rate, gap, share, change in rows:
        numbers = f"{rate:>{sizes[0]}} plays per ln T, gap {gap:>{sizes[1]}}, {share:>{sizes[2]}} of C(θ)"
        lines.append(f"  {numbers}: {change}")
    more = _more(result.plan, top)
    return "\n".join([*lines, f"  {more}"] if more else lines)


def result_repr(result: GravesLaiResult) -> str:
    """The bound in five lines, or six with features."""
    wording = Wording.of(result)
    law = result.law.name
    certificate = f"{bracket_text(result.lower, result.value, 15)}, gap {result.gap:.1e}, {result.status}"
    name, reward = _reward_fact(result, wording)
    lines = (
        f"GravesLaiResult({certificate}",
        f"  decisions: {result.decision_set!r}, {law} rewards",
        *([] if result.features is None else [f"  means: linear in {result.features.shape[1]} features"]),
        f"  best: {decision_text(wording.names, result.optimal_decision)}",
        f"  {name.lower()}: {reward}",
        f"  plan: {plan_words(result.plan)}, by the method {result.method}",
    )
    return "\n".join(shortened(line, LONGEST_LINE) for line in lines) + ")"


def result_html(result: GravesLaiResult) -> str:
    """The bound and the top of the plan as tables."""
    wording = Wording.of(result)
    rows = list(_planned(result.plan, wording, TOP))
    table = html_table(PLAN_COLUMNS, rows) if rows else ""
    return html_block("Graves-Lai bound", html_facts(_facts(result, wording)), table, html_remark(_more(result.plan, TOP)))


def plan_words(plan: ExplorationPlan) -> str:
    """Size of a plan, in words."""
    return f"{counted(len(plan), 'decision', 'decisions')}, {number_text(float(plan.rates.sum()), 4)} plays per ln T"


def bound_columns(result: GravesLaiResult, labels: Sequence[str] | None) -> dict[str, Any]:
    """One row an item."""
    return {
        "label": list(NamedItems.of(result.decision_set, labels).labels),
        "theta": result.theta.copy(),
        "variance": result.variance.copy(),
        "rate": result.rates,
        "optimal": result.optimal_decision.copy(),
        "suboptimal": result.suboptimal_items.copy(),
    }


def plan_columns(plan: ExplorationPlan, labels: Sequence[str] | None) -> dict[str, Any]:
    """One row a decision; without the problem, items are numbers, and gaps and shares are unknown."""
    plan.items.check_listing()
    items = [row.tolist() for row in plan.items]
    problem = plan._problem
    if problem is None:
        return {"rate": plan.rates.copy(), "items": [tuple(row) for row in items]}
    names, gaps = NamedItems.of(problem.decision_set, labels), problem.gaps(plan.items)
    return {
        "rate": plan.rates.copy(),
        "gap": gaps,
        "share": plan.rates * gaps / (problem.value or 1.0),
        "items": [tuple(names.labels[i] for i in row) for row in items],
        "text": [change_text(names, row, problem.optimal) for row in plan.items.masks()],
    }


def plan_html(plan: ExplorationPlan) -> str:
    """The top of a plan as a table."""
    problem = plan._problem
    if problem is None:
        columns: tuple[str, ...] = (PLAN_COLUMNS[0], "items")
        rows: list[tuple[str, ...]] = [
            (number_text(float(rate), 4), shortened(", ".join(map(str, x)), LONGEST_CHANGE))
            for rate, x in zip(plan.rates[:TOP], plan.items, strict=False)
        ]
    else:
        columns, rows = PLAN_COLUMNS, list(_planned(plan, Wording(NamedItems.of(problem.decision_set)), TOP))
    return html_block(
        f"Exploration plan: {plan_words(plan)}", html_table(columns, rows) if rows else "", html_remark(_more(plan, TOP))
    )


def _facts(result: GravesLaiResult, wording: Wording) -> list[tuple[str, str]]:
    """The best decision, its reward, C(theta), the certificate, and the size of the plan."""
    noun = wording.names.nouns.decision
    certificate = bracket_text(result.lower, result.value)
    if result.lower != result.value:
        certificate += f", gap {result.gap:.1e}"
    if result.status != "optimal":
        certificate += f" (stopped early: {result.status})"
    return [
        (f"Best {noun}", shortened(decision_text(wording.names, result.optimal_decision), LONGEST_DECISION)),
        *tie_facts(result, wording.names),
        _reward_fact(result, wording),
        ("C(θ)", f"{wording.amount(result.value)} per ln T"),
        ("Certified", certificate),
        ("Plan", _plan_fact(result, wording)),
    ]


def tie_facts(result: GravesLaiResult, names: NamedItems) -> list[tuple[str, str]]:
    """How many decisions are known to tie with the best one, and by which changes; nothing if there are none."""
    if not len(result.ties):
        return []
    one, several = names.nouns[:2]
    apart = float(abs(gaps_below(result.optimal_decision, result.ties, result.theta)).max())
    within = f", up to {apart:.0e}" if apart else ""
    changes = "; ".join(change_text(names, x, result.optimal_decision) for x in result.ties[:MOST_TIES])
    count = counted(len(result.ties), f"other {one}", f"other {several}")
    more = "; …" if len(result.ties) > MOST_TIES else ""
    return [("Ties", shortened(f"at least {count} as good{within}: {changes}{more}", LONGEST_DECISION))]


def _reward_fact(result: GravesLaiResult, wording: Wording) -> tuple[str, str]:
    """The mean reward of the best decision, or its cost if no mean is positive and not all are 0."""
    reward = math.fsum(result.theta[result.optimal_decision].tolist())
    is_cost = bool((result.theta <= 0).all() and result.theta.any())
    return ("Its cost", wording.amount(-reward + 0.0)) if is_cost else ("Its reward", wording.amount(reward))


def _plan_fact(result: GravesLaiResult, wording: Wording) -> str:
    one, several = wording.names.nouns[:2]
    family = family_of(result.decision_set)
    if not math.isfinite(result.value):
        return "none was found"
    if not len(result.plan):
        return "no exploration is needed"
    rate = number_text(float(result.plan.rates.sum()), 4)
    detours = f", as detours from the best {one}" if family is not None and family.reads_along else ""
    return f"{counted(len(result.plan), one, several)} to explore, {rate} plays per ln T in all{detours}"


def _planned(plan: ExplorationPlan, wording: Wording, top: int) -> Iterator[PlannedDecision]:
    """The most played decisions of the plan of a problem."""
    problem = plan._problem
    assert problem is not None
    gaps = problem.gaps(plan.items).tolist()
    for rate, gap, x in zip(plan.rates.tolist(), gaps, plan.items.masks(top), strict=False):
        yield PlannedDecision(
            number_text(rate, 4),
            wording.amount(gap, 3),
            f"{rate * gap / problem.value:.1%}" if problem.value else "",
            shortened(change_text(wording.names, x, problem.optimal), LONGEST_CHANGE),
        )


def _more(plan: ExplorationPlan, top: int) -> str:
    left = len(plan) - top
    return f"and {left:,} more, each played less often" if left > 0 else ""
