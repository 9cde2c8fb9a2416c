"""The cards about policies: what learning earned, and how soon it was right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from semibandits.simulation.results import SimulationResult, recorded
from semibandits.simulation.statistics import NEAR, SETTLED, PolicySummary, mean_band, near_round
from semibandits_studies.reporting.formatting import amount, counted, mean_text, prior_text, stop_of, stop_text, stopped_texts
from semibandits_studies.reporting.report_data import ReportData
from semibandits_studies.reporting.shapes import nouns_of

MOST_NAMED: Final = 6
"""Number of policies named on a card."""
LARGEST_SHARE: Final = 0.999999
"""Larger shares are written as more than this, and shares as near to 0 as less than that."""
MOST_EXCESS: Final = 10.0
"""Costs that exceed the least possible ones by more than this times are given as amounts only."""
NINE_IN_TEN: Final = "nine of ten"


class Card(NamedTuple):
    """Headline and sentences, and the header and rows of a table, which cards about policies have."""

    headline: str
    parts: list[str]
    header: Sequence[str] = ()
    rows: Sequence[dict[str, str]] = ()


def earned(data: ReportData, result: SimulationResult) -> Card:
    """What the policy of least regret earned or paid, beside what is possible."""
    rows = sorted(data.summaries, key=lambda row: row.regret)
    fixed = [row for row in rows if "baseline" in recorded(result, "specification", "policies", row.policy)]
    learning = [row for row in rows if row not in fixed] or rows
    leaders = [row for row in learning if row.regret == learning[0].regret]
    lead, names = leaders[0], listed([row.policy for row in leaders])
    share = _share(data, lead)
    if share is None:
        headline, shown = f"{names}: {amount(lead.regret, data.unit) if lead.regret else 'nothing'} lost", ""
    elif data.in_costs:
        headline = f"{percent(share)} above the least possible" if share > 0 else "The least possible"
        shown = ", and by how much that exceeds the least possible cost"
    else:
        headline, shown = f"{percent(share)} of the best possible", ", and its share of the best possible"
    account = _account(data, result, names, lead, best_mean(data))
    parts = [account, *(_beside(data, row, lead) for row in fixed if learning is not rows)]
    prior = prior_text(recorded(result, "specification"), data.theta)
    parts += [f"A{prior[1:]}." if prior else "", f"The table shows what each policy lost{shown}."]
    parts.append(_unresolved(result, learning, leaders))
    table = []
    for row in rows[:MOST_NAMED]:
        half, share = (row.regret_interval[1] - row.regret_interval[0]) / 2, _share(data, row)
        text = "" if share is None else f"+{percent(share)}" if data.in_costs else percent(share)
        table.append({"label": row.policy, "value": mean_text(row.regret, half), "ratio": text})
    last = "" if not any(row["ratio"] for row in table) else "cost" if data.in_costs else "share"
    return Card(headline, parts, ["policy", f"lost, {data.unit}" if data.unit else "lost", last], table)


def _beside(data: ReportData, fixed: PolicySummary, lead: PolicySummary) -> str:
    """What a policy that does not learn lost, beside the best one that does."""
    unit = data.unit or f"units of {'cost' if data.in_costs else 'reward'}"
    lost, apart = (amount(number, unit) for number in (fixed.regret, abs(fixed.regret - lead.regret)))
    word = "more" if fixed.regret >= lead.regret else "less"
    return f"The policy {fixed.policy}, which does not learn, lost {lost}, {apart} {word} than {lead.policy}."


def _account(data: ReportData, result: SimulationResult, names: str, lead: PolicySummary, best: float | None) -> str:
    """Amounts earned, possible and lost in words."""
    rounds, one = counted(result.horizon, "round", "rounds"), nouns_of(data.structure).decision
    lost = amount(lead.regret, data.unit or f"units of {'cost' if data.in_costs else 'reward'}")
    mean = " on average" if result.replications > 1 else ""
    if best is None:
        return (
            f"{names} lost {lost} in {rounds}{mean}, against always playing the best {one}: "
            "this is the price of learning, its regret."
        )
    possible, sign = abs(best) * result.horizon, 1.0 if data.in_costs else -1.0
    verb, participle = ("paid", "cost") if data.in_costs else ("earned", "earned")
    had, most, lost = _that_add_up(possible, lead.regret, sign, data.unit)
    runs = f"; ± is a 95 % interval of the mean of {result.replications:,} runs" if result.replications > 1 else ""
    policies = f"Policies are the methods that learn{runs}"
    return (
        f"{names} {verb} {had} in {rounds}{mean}. Always playing the best {one} would have {participle} {most}. "
        f"The difference, {lost}, is the price of learning, its regret. {policies}."
    )


def _that_add_up(possible: float, regret: float, sign: float, unit: str) -> tuple[str, str, str]:
    """What was had, what was possible, and their difference, rounded to the same place."""
    if not 0.0 < regret < math.inf or possible > 1e12 * regret:
        return amount(possible, unit, 12), amount(possible, unit, 12), amount(regret, unit)
    step = 10.0 ** (math.floor(math.log10(regret)) - 2)
    whole, part = round(possible / step), round(regret / step)
    steps = (whole + int(sign) * part, whole, part)
    had, most, lost = (amount(number * step, unit, len(str(abs(number)))) for number in steps)
    return had, most, lost


def best_mean(data: ReportData) -> float | None:
    """Mean reward of the best decision in a round; None if it is unknown, or is neither all rewards nor all costs."""
    if data.best is None or data.theta is None:
        return None
    best = float(data.theta[data.best].sum())
    return best if (best > 0.0) != data.in_costs and best != 0.0 else None


def _share(data: ReportData, row: PolicySummary) -> float | None:
    """Reward over the best possible one; for costs, the excess over the least possible one."""
    best = best_mean(data)
    if best is None or data.simulation is None:
        return None
    part = row.regret / (abs(best) * data.simulation.horizon)
    if part > (MOST_EXCESS if data.in_costs else 1.0):
        return None
    return part if data.in_costs else 1.0 - part


def percent(share: float) -> str:
    """A percentage with two significant digits of the smaller of the share and its distance to 1."""
    if LARGEST_SHARE < share < 1.0:
        return f"more than {100 * LARGEST_SHARE:g} %"
    if 0.0 < share < 1.0 - LARGEST_SHARE:
        return f"less than {100 * (1.0 - LARGEST_SHARE):.1g} %"
    small = min(abs(share), abs(1.0 - share))
    places = min(max(-math.floor(math.log10(100 * small)) + 1, 0), 4) if small > 0 else 0
    return f"{100 * share:.{places}f} %"


def settled(data: ReportData, result: SimulationResult) -> Card:
    """From which round on policies played the best decision nine times in ten."""
    one = nouns_of(data.structure).decision
    if result.optimal is None:
        missing = "The file of this simulation is of an earlier version, which did not count right choices."
        return Card("Not recorded", [missing])
    first, did = min(data.summaries, key=lambda row: row.settled or math.inf), "did so"
    if first.settled is None:
        headline, sentence = _nearly(data, result) or (f"Not within {counted(result.horizon, 'round', 'rounds')}", "")
        end = ": choices that are nearly equal take long to tell apart, and confusing them costs little." if sentence else "."
        parts, did = [sentence, f"No policy played a best {one} in {NINE_IN_TEN} rounds by the end{end}"], "did"
    elif first.settled == 1:
        headline = "From the start"
        parts = [f"{first.policy} played a best {one} in at least {NINE_IN_TEN} rounds throughout."]
    else:
        headline = f"From round {first.settled:,} on"
        parts = [f"From then on, {first.policy} played a best {one} in at least {NINE_IN_TEN} rounds."]
    parts.append(f"The table shows from which round on each policy {did}, and its share of all rounds with a best {one}.")
    rows = [
        {
            "label": row.policy,
            "value": "not yet" if row.settled is None else f"{row.settled:,}",
            "ratio": percent(row.optimal_share or 0.0),
        }
        for row in sorted(data.summaries, key=lambda row: (row.settled or math.inf, -(row.optimal_share or 0.0)))[:MOST_NAMED]
    ]
    return Card(headline, parts, ["policy", f"{SETTLED:.0%} right from round".replace("%", " %"), "right overall"], rows)


def sure(data: ReportData, result: SimulationResult) -> Card:
    """When replications stopped, how many did, and how many of those were wrong."""
    one, stop = nouns_of(data.structure).decision, stop_of(recorded(result, "specification"))
    known = [(row.policy, row.stopped) for row in data.summaries if row.stopped is not None]
    known.sort(key=lambda pair: (-pair[1].share, pair[1].rounds))
    policy, first = known[0]
    rows = []
    for name, stopped in known[:MOST_NAMED]:
        mean, share, wrong = stopped_texts(stopped)
        rows.append({"label": name, "value": f"{mean} ({share})" if 0.0 < stopped.share < 1.0 else mean, "ratio": wrong})
    rule = "" if stop is None else f"A run stops {stop_text(stop, one)}, and plays it to the end."
    if not first.share:
        return Card(f"Not within {counted(result.horizon, 'round', 'rounds')}", [rule or "No run stopped."])
    share = "every run" if first.share == 1.0 else f"{stopped_texts(first)[1]} of the runs"
    mean = counted(round(first.rounds), "round", "rounds")
    some = " (the share of its runs that stopped)" if any(0.0 < one.share < 1.0 for _, one in known) else ""
    parts = [
        rule,
        f"{policy} was sure in {share}, on average after {mean}.",
        f"The table shows this round for each policy{some}, and the share of its stopped runs that were wrong.",
    ]
    return Card(f"After {mean}", parts, ["policy", "sure since round", "wrong"], rows)


def _nearly(data: ReportData, result: SimulationResult) -> tuple[str, str] | None:
    """From which round on a policy was nearly right, the earliest of all; None if none was, or the best mean is unknown."""
    best = best_mean(data)
    if best is None:
        return None
    near = {name: near_round(result.checkpoints, result.regret[name], NEAR * abs(best)) for name in result.policies}
    known = {name: t for name, t in near.items() if t is not None}
    if not known:
        return None
    first = min(known, key=lambda name: known[name])
    means = "cost at most 5 % more than" if data.in_costs else "earned at least 95 % of"
    start = "From the start" if known[first] == 1 else f"From round {known[first]:,} on"
    return f"Within 5 % {start[0].lower()}{start[1:]}", f"{start}, a round of {first} {means} the best possible."


def listed(names: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; of many names the first few."""
    if len(names) > MOST_NAMED:
        names = [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED:,} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _unresolved(result: SimulationResult, rows: list[PolicySummary], leaders: list[PolicySummary]) -> str:
    """Policies not significantly worse than the first; replication i of all policies uses the same random numbers."""
    if len(rows) == 1:
        return ""
    if len(leaders) == len(rows):
        return "They lost the same."
    if result.replications == 1:
        return "One replication is not conclusive: the order may be due to chance."
    lead = result.regret[leaders[0].policy][:, -1]
    near = [
        row.policy
        for row in rows[len(leaders) :]
        if not mean_band((result.regret[row.policy][:, -1] - lead)[:, np.newaxis], 0.95).lower[0] > 0
    ]
    if not near:
        return ""
    return f"The {result.replications:,} replications do not distinguish {listed(near)} from {leaders[0].policy} with confidence."
