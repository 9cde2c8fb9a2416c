"""The four answers at the top of a report: decisions, best decision, cost of exploration, closest policy."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.families.registry import FAMILIES
from semibandits.laws.plain import words
from semibandits.reporting.formatting import amount, bracket_text, counted, decision_text, mean_text
from semibandits.reporting.report_data import TIE_TOLERANCE, Bracket, ReportData, Structure, law, recorded_rewards
from semibandits.reporting.shapes import how_many, nouns_of, shape_of
from semibandits.reporting.streets import stretches
from semibandits.simulation.results import SimulationResult
from semibandits.simulation.statistics import PolicySummary, mean_band

LONGEST_HEADLINE: Final = 90
"""Characters; longer decisions are shortened in the headline and written out below."""
LONGEST_TEXT: Final = 220
"""Characters; longer decisions are not written out."""
MOST_NAMED: Final = 6
"""Number of policies named on the last card."""
MOST_EXCHANGES: Final = 200
"""Decisions with more items are not checked for ties."""
HORIZONS: Final = (10_000, 1_000_000)
"""Rounds for which the cost is given if nothing was simulated."""
_LAWS: Final = {
    "GaussianRewards": "independent Gaussian rewards",
    "BernoulliRewards": "independent rewards of 0 or 1",
    "PoissonRewards": "independent Poisson counts",
    "GammaRewards": "independent gamma-distributed times or amounts",
    "ReplayedRewards": "observed outcomes, resampled at random",
    "CorrelatedGaussianRewards": "correlated Gaussian rewards",
    "BoundedRewards": "independent rewards between two limits",
    "SampledRewards": "rewards from a function of the user",
}


def summary_cards(data: ReportData) -> list[dict[str, Any]]:
    """The four cards: key, label, headline, text, and rows of a table, which only the last card has."""
    cards = (
        ("decided", "What is decided", _decided(data)),
        ("best", "What is best", _best(data)),
        ("cost", "What exploring costs at least", _cost(data)),
        ("closest", "Which policy came closest", _closest(data)),
    )
    return [
        {
            "key": key,
            "label": label,
            "headline": headline.strip(),
            "text": " ".join(part for part in parts if part),
            "rows": _ranking(data) if key == "closest" else [],
        }
        for key, label, (headline, parts) in cards
    ]


def rewards_text(data: ReportData) -> str:
    """The law of the simulated rewards; ``""`` if it is not recorded."""
    assert data.simulation is not None
    name = str(recorded_rewards(data.simulation).get("name", "")).rpartition(".")[2]
    text = _LAWS.get(name, f"rewards drawn by {name}" if name else "")
    if name == "GaussianRewards" and data.variance is not None:
        low, high = float(data.variance.min()), float(data.variance.max())
        unit = f"({data.unit})" if " " in data.unit else data.unit
        square = f" {unit}²" if unit else ""
        spread = amount(low, digits=3) if low == high else f"{amount(low, digits=3)} to {amount(high, digits=3)}"
        text += f" of variance {spread}{square}"
    return text


Card = tuple[str, list[str]]


def _decided(data: ReportData) -> Card:
    question = data.about.question
    structure = data.structure
    if structure is None:
        items = counted(len(data.labels), "item", "items")
        unknown = "The decision set is unknown here: the file of a simulation contains only the items."
        return f"Some of {items} in each round", [question, unknown]
    item = nouns_of(structure).item
    observed = f"A decision is made in each round; then the reward of each chosen {item} is observed, and no other."
    return how_many(structure, data.count), [question, shape_of(structure, question), observed]


def _best(data: ReportData) -> Card:
    best, structure, theta = data.best, data.structure, data.theta
    if best is None or structure is None or theta is None:
        return "Not known here", [
            "This requires the decisions and their mean rewards, which these results do not contain."
        ]
    one, _, _, items = nouns_of(structure)
    whole = f"{_item_noun(structure, best)}{decision_text(structure, best)}" if best.any() else "Nothing"
    headline = whole if len(whole) <= LONGEST_HEADLINE else _shortened(structure, best)
    reward = float(theta[best].sum())
    if reward < 0 and (theta <= 0).all():
        paid = f"It costs {amount(-reward, data.unit)} on average (costs count as negative rewards)."
    else:
        paid = f"Its mean reward is {amount(reward, data.unit)}."
    ties = f"It is not unique: another {one} is equally good." if _has_tie(structure.decision_set, theta, best) else ""
    modelled = "Mean rewards are modelled, not measured." if data.about.origin == "modelled" else ""
    written = f"{whole}."
    if len(whole) > LONGEST_TEXT:
        written = f"All of its {int(best.sum()):,} {items} are marked below."
    return headline, [written if headline != whole else "", paid, ties, modelled]


def _item_noun(structure: Structure, best: BoolArray) -> str:
    """The noun for the items of a decision if their labels are numbers, else ``""``."""
    chosen = [structure.labels[i] for i in np.flatnonzero(best).tolist()]
    if FAMILIES[structure.family].reads_along or not all(label.isdecimal() for label in chosen):
        return ""
    _, _, item, items = nouns_of(structure)
    return f"{(item if len(chosen) == 1 else items).capitalize()} "


def _shortened(structure: Structure, best: BoolArray) -> str:
    """The beginning of a decision, and the end of a path."""
    items = np.flatnonzero(best).tolist()
    if FAMILIES[structure.family].reads_along:
        return _along(structure, best)
    shown: list[str] = []
    for i in items:
        if shown and len(", ".join([*shown, structure.labels[i]])) > LONGEST_HEADLINE - 15:
            break
        shown.append(structure.labels[i])
    left = len(items) - len(shown)
    return _item_noun(structure, best) + ", ".join(shown) + (f" and {left:,} more" if left else "")


def _along(structure: Structure, best: BoolArray) -> str:
    """The first and the last nodes or streets of a path."""
    named = [part.street for part in stretches(structure, best) if part.street]
    link = ", " if named else " → "
    places = list(dict.fromkeys(named)) or decision_text(structure, best).split(link)
    return link.join(places if len(places) <= 4 else [*places[:3], "…", places[-1]])


def _has_tie(decisions: DecisionSet, theta: FloatArray, best: BoolArray) -> bool:
    """Whether a decision without one of the items of `best` is equally good; not checked for very large decisions."""
    items = np.flatnonzero(best)
    if len(items) > MOST_EXCHANGES:
        return False
    largest = float(np.abs(theta).max())
    least = float(theta[best].sum()) - TIE_TOLERANCE * decisions.m * largest
    for i in items.tolist():
        weights = theta.copy()
        weights[i] -= 4.0 * decisions.m * largest + 1.0
        other = decisions.maximize(weights)
        if not other[i] and float(theta[other].sum()) >= least:
            return True
    return False


def _cost(data: ReportData) -> Card:
    bound, simulation, unit = data.bound, data.simulation, data.unit
    others = f"C(θ) ln T is a bound for {words('gaussian')} alone."
    if bound is None:
        others = "C(θ) is known for independent rewards of a known law: Gaussian, of 0 or 1, counts, times."
    played = None if simulation is None else law(simulation)
    if simulation is not None and (played is None or (played != "gaussian" and not data.applies)):
        simulated = rewards_text(data)
        compared = ""
        if bound is not None and bound.lower > 0:
            least = amount(_rounded_down(bound.lower), unit)
            compared = f"For Gaussian rewards with the same means it is {least} per ln T, which bounds nothing here."
        return "Not known for these rewards", [others, f"Simulated: {simulated}." if simulated else "", compared]
    if bound is None:
        command = "semibandits bound" if played in (None, "gaussian") else f"semibandits bound --rewards {played}"
        return "Not computed", [f"These results do not contain C(θ): {command} computes it."]
    if not data.applies:
        return "Not known for these rewards", [others, "According to the file, the rewards follow another law."]
    one, _, item, _ = nouns_of(data.structure)
    if bound.value == 0:
        text = f"Every {item} that can be chosen is in a best {one}, or there is only one {one}: playing the best teaches enough."
        if bound.rewards != "gaussian":
            text = f"Playing the best {one} teaches enough: no other {item} could be good enough to improve on it."
        return "Nothing", [text, "C(θ) = 0: regret need not grow with T."]
    if bound.lower == 0:
        found = bound_text(bound)
        return "Not known yet", [f"The solver ended with {found}: give it more time."]
    horizon = None if simulation is None else simulation.horizon
    return f"{amount(_rounded_down(bound.lower), unit)} per ln T", [
        _cost_at(bound.lower, unit, one, horizon),
        _horizon_warning(bound, horizon),
        "No policy that learns on every instance can lose less as T grows; at a single T, its regret may still be lower.",
        f"Certified for {words(bound.rewards)}: {bound_text(bound)}.",
        "" if math.isfinite(bound.value) else "No plan with this cost was found in time.",
    ]


def bound_text(bound: Bracket) -> str:
    """The bracket of C(theta)."""
    if math.isfinite(bound.value):
        return bracket_text(bound.lower, bound.value)
    return bracket_text(bound.lower, math.inf).replace(" ≤ infinite", "")


def _cost_at(lower: float, unit: str, one: str, horizon: int | None) -> str:
    """C(theta) ln T at the horizon, or at `HORIZONS`."""
    against = f"against always playing the best {one}"
    if horizon == 1:
        return f"This is the loss {against}."
    if horizon is not None:
        return f"Over {horizon:,} rounds this is {amount(lower * math.log(horizon), unit)}, {against}."
    parts = [f"{amount(lower * math.log(T), unit)} over {T:,} rounds" for T in HORIZONS]
    return f"This is {' or '.join(parts)}, {against}."


def _horizon_warning(bound: Bracket, horizon: int | None) -> str:
    """A warning if the plan needs more rounds than the horizon."""
    if horizon is None or horizon == 1 or bound.rates is None:
        return ""
    rate = bound.rates.max() if bound.result is None else bound.result.plan.rates.sum()
    plays = float(rate) * math.log(horizon)
    if plays < horizon:
        return ""
    rounds = amount(plays, digits=3)
    return f"{horizon:,} rounds are too few for this law to hold: the exploration that it requires takes {rounds}."


def _rounded_down(value: float) -> float:
    """Four significant digits, rounded down, so that the printed lower bound is valid."""
    scale = 10.0 ** (3 - math.floor(math.log10(value)))
    return math.floor(value * scale * (1 + 1e-12)) / scale if 0 < scale < math.inf else value


def _closest(data: ReportData) -> Card:
    result = data.simulation
    if result is None:
        return "Not simulated", [
            "semibandits simulate runs policies on this instance and compares their regret with the bound."
        ]
    rows = sorted(data.summaries, key=lambda row: row.regret)
    leaders = [row for row in rows if row.regret == rows[0].regret]
    lead = leaders[0]
    names = _listed([row.policy for row in leaders])
    lost = amount(lead.regret, data.unit)
    if lead.regret_ratio is not None:
        headline = f"{names}: {amount(lead.regret_ratio, digits=3)} × C(θ) ln T"
    else:
        headline = f"{names}: {lost if lead.regret else 'nothing'} lost"
    return headline, [_ranking_text(data, result), _unresolved(result, rows, leaders), _growth(data, rows)]


def _listed(names: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; of many names the first few."""
    if len(names) > MOST_NAMED:
        names = [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED:,} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _ranking(data: ReportData) -> list[dict[str, str]]:
    """Regret of each policy in increasing order, and its ratio to the bound."""
    rows = []
    for row in sorted(data.summaries, key=lambda row: row.regret)[:MOST_NAMED]:
        half = (row.regret_interval[1] - row.regret_interval[0]) / 2
        ratio = "" if row.regret_ratio is None else f"{amount(row.regret_ratio, digits=3)} ×"
        rows.append({"label": row.policy, "value": mean_text(row.regret, half), "ratio": ratio})
    return rows


def _ranking_text(data: ReportData, result: SimulationResult) -> str:
    """The meaning of the numbers in the ranking."""
    unit, one = data.unit or "units of reward", nouns_of(data.structure).decision
    lost = f"Lost in {counted(result.horizon, 'round', 'rounds')} against always playing the best {one}, in {unit}"
    if result.replications > 1:
        lost += f"; means of {result.replications:,} replications with 95 % intervals"
    more = len(result.policies) - MOST_NAMED
    return f"{lost}." + (f" The table below has {more:,} more." if more > 0 else "")


def _unresolved(result: SimulationResult, rows: list[PolicySummary], leaders: list[PolicySummary]) -> str:
    """Policies not significantly worse than the first; replication i of all policies uses the same random numbers."""
    if len(rows) == 1:
        return ""
    if result.replications == 1:
        return "One replication is not conclusive: the order may be due to chance."
    if len(leaders) == len(rows):
        return "They lost the same."
    lead = result.regret[leaders[0].policy][:, -1]
    near = [
        row.policy
        for row in rows[len(leaders) :]
        if not mean_band((result.regret[row.policy][:, -1] - lead)[:, np.newaxis], 0.95).lower[0] > 0
    ]
    if not near:
        return ""
    return f"These replications do not distinguish {_listed(near)} from {leaders[0].policy} with confidence."


def _growth(data: ReportData, rows: list[PolicySummary]) -> str:
    """The policy whose regret grows least at the end."""
    known = [row for row in rows if math.isfinite(row.slope)]
    if not known:
        return ""
    least = min(known, key=lambda row: row.slope)
    if len(known) > 1 and all(row.slope == least.slope for row in known):
        return ""
    ratio = "" if least.slope_ratio is None else f", {amount(least.slope_ratio, digits=3)} × C(θ)"
    slope = f"{amount(least.slope, data.unit, 3)} per ln T{ratio}"
    if len(known) == 1:
        return f"Over the last decade of rounds its regret grew by {slope}."
    return f"Growth matters in the long run: over the last decade of rounds the regret of {least.policy} grew least, by {slope}."
