"""The answers at the top of a report: what learning earned, how soon it was right, what is best, what learning costs at least."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from semibandits._typing import BoolArray
from semibandits.decisions.ties import decisions_that_tie
from semibandits.families.registry import FAMILIES
from semibandits.laws.plain import words
from semibandits.simulation.results import recorded
from semibandits_studies.reporting.formatting import amount, bracket_text, counted, decision_text
from semibandits_studies.reporting.policy_cards import Card, earned, settled, sure
from semibandits_studies.reporting.report_data import OTHER_LAW, Bracket, ReportData, Structure, law
from semibandits_studies.reporting.shapes import how_many, nouns_of, shape_of
from semibandits_studies.reporting.streets import stretches

LONGEST_HEADLINE: Final = 90
"""Characters; longer decisions are shortened in the headline and written out below."""
LONGEST_TEXT: Final = 220
"""Characters; longer decisions are not written out."""
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
    """The cards: key, label, headline, text, and the header and rows of a table, which cards about policies have."""
    result = data.simulation
    if result is None:
        cards = [("decided", "What is decided", _decided(data))]
    else:
        cards = [
            ("earned", "What learning cost" if data.in_costs else "What learning earned", earned(data, result)),
            ("settled", "How soon it was right", settled(data, result)),
        ]
        cards += [] if result.stops is None else [("sure", "How soon it was sure", sure(data, result))]
    cards += [("best", "What is best", _best(data)), ("cost", "What learning costs at least", _cost(data))]
    return [
        {
            "key": key,
            "label": label,
            "headline": card.headline.strip(),
            "text": " ".join(filter(None, card.parts)),
            "header": list(card.header),
            "rows": list(card.rows),
        }
        for key, label, card in cards
    ]


def rewards_text(data: ReportData) -> str:
    """The law of the simulated rewards; ``""`` if it is not recorded."""
    assert data.simulation is not None
    name = str(recorded(data.simulation, "specification", "rewards").get("name", "")).rpartition(".")[2]
    text = _LAWS.get(name, f"rewards drawn by {name}" if name else "")
    if name == "GaussianRewards" and data.variance is not None:
        low, high = float(data.variance.min()), float(data.variance.max())
        unit = f"({data.unit})" if " " in data.unit else data.unit
        square = f" {unit}²" if unit else ""
        spread = amount(low, digits=3) if low == high else f"{amount(low, digits=3)} to {amount(high, digits=3)}"
        text += f" of variance {spread}{square}"
    return text


def _decided(data: ReportData) -> Card:
    question = data.about.question
    structure = data.structure
    if structure is None:
        items = counted(len(data.labels), "item", "items")
        unknown = "The decision set is unknown here: the file of a simulation contains only the items."
        return Card(f"Some of {items} in each round", [question, unknown])
    item = nouns_of(structure).item
    seen = "cost" if data.in_costs else "reward"
    observed = f"A decision is made in each round; then the {seen} of each chosen {item} is observed, and no other."
    return Card(how_many(structure, data.count), [question, shape_of(structure, question), observed])


def _best(data: ReportData) -> Card:
    best, structure, theta = data.best, data.structure, data.theta
    if best is None or structure is None or theta is None:
        missing = "This requires the decisions and their mean rewards, which these results do not contain."
        return Card("Not known here", [missing])
    one, _, _, items = nouns_of(structure)
    whole = f"{_item_noun(structure, best)}{decision_text(structure, best)}" if best.any() else "Nothing"
    headline = whole if len(whole) <= LONGEST_HEADLINE else _shortened(structure, best)
    reward = float(theta[best].sum())
    if data.in_costs:
        paid = f"It costs {amount(-reward, data.unit)} a round on average."
    else:
        paid = f"It earns {amount(reward, data.unit)} a round on average."
    others = decisions_that_tie(structure.decision_set, theta, best)
    ties = f"It is not unique: another {one} is equally good." if len(others) else ""
    what = "Costs" if data.in_costs else "Mean rewards"
    modelled = f"{what} are modelled, not measured." if data.about.origin == "modelled" else ""
    written = f"{whole}."
    if len(whole) > LONGEST_TEXT:
        written = f"All of its {int(best.sum()):,} {items} are marked below."
    decided = f"{how_many(structure, data.count)}. {shape_of(structure, data.about.question)}"
    parts = [written if headline != whole else "", paid, ties, modelled, decided if data.simulation is not None else ""]
    return Card(headline, parts)


def _item_noun(structure: Structure, best: BoolArray) -> str:
    """The noun for the items of a decision if their labels are numbers, else ``""``."""
    chosen = [structure.labels[i] for i in np.flatnonzero(best).tolist()]
    if FAMILIES[structure.family].reads_along or not all(label.isdecimal() for label in chosen):
        return ""
    _, _, item, items = nouns_of(structure)
    return f"{(item if len(chosen) == 1 else items).capitalize()} "


def _shortened(structure: Structure, best: BoolArray) -> str:
    """The first items of a decision, or the first and the last nodes or streets of a path."""
    items = np.flatnonzero(best).tolist()
    if FAMILIES[structure.family].reads_along:
        named = [part.street for part in stretches(structure, best) if part.street]
        link = ", " if named else " → "
        places = list(dict.fromkeys(named)) or decision_text(structure, best).split(link)
        return link.join(places if len(places) <= 4 else [*places[:3], "…", places[-1]])
    shown: list[str] = []
    for i in items:
        if shown and len(", ".join([*shown, structure.labels[i]])) > LONGEST_HEADLINE - 15:
            break
        shown.append(structure.labels[i])
    left = len(items) - len(shown)
    return _item_noun(structure, best) + ", ".join(shown) + (f" and {left:,} more" if left else "")


def _cost(data: ReportData) -> Card:
    bound, simulation = data.bound, data.simulation
    least = "The least loss over T rounds, C(θ) × ln T with mean rewards θ, is known for"
    others = f"{least} {words('gaussian')} alone."
    if bound is None:
        others = f"{least} independent rewards of a known law: Gaussian, of 0 or 1, counts, times."
    played = None if simulation is None else law(simulation)
    if simulation is not None and (played is None or (played != "gaussian" and not data.applies)):
        simulated = rewards_text(data)
        compared = ""
        if bound is not None and bound.lower > 0:
            least = _least(data, bound.lower)
            compared = f"For Gaussian rewards with the same means it is {least} per ln T, which bounds nothing here."
        return Card("Not known for these rewards", [others, f"Simulated: {simulated}." if simulated else "", compared])
    if bound is None:
        command = "semibandits bound" if played in (None, "gaussian") else f"semibandits bound --rewards {played}"
        return Card("Not computed", [f"These results do not contain C(θ): {command} computes it."])
    if not data.applies:
        title = "Not known for these rewards" if data.exception == OTHER_LAW else "Not known with features"
        return Card(title, [others, data.exception])
    one, _, item, _ = nouns_of(data.structure)
    if bound.value == 0:
        text = f"Every {item} that can be chosen is in a best {one}, or there is only one {one}: playing the best teaches enough."
        if bound.rewards != "gaussian":
            text = f"Playing the best {one} teaches enough: no other {item} could be good enough to improve on it."
        return Card("Nothing", [text, "C(θ) = 0: regret need not grow with T."])
    if bound.lower == 0:
        return Card("Not known yet", [f"The solver ended with {bound_text(bound)}: give it more time."])
    horizon = None if simulation is None else simulation.horizon
    means = "costs" if data.in_costs else "rewards"
    parts = [
        f"C(θ) measures how hard it is to learn which {one} is best while the mean {means} θ are unknown: over many rounds T, "
        "any policy that learns on every such problem loses at least about C(θ) × ln T.",
        _cost_at(data, bound),
        _horizon_warning(bound, horizon),
        f"Certified for {words(bound.rewards)}: {bound_text(bound)}.",
        "" if math.isfinite(bound.value) else "No plan with this cost was found in time.",
    ]
    return Card(_least_loss(data, bound), parts)


def bound_text(bound: Bracket) -> str:
    """The bracket of C(theta)."""
    return bracket_text(bound.lower, bound.value).removesuffix(" ≤ infinite")


def _least(data: ReportData, value: float) -> str:
    """A valid lower bound with its unit: four significant digits, rounded down."""
    scale = 10.0 ** (3 - math.floor(math.log10(value)))
    return amount(math.floor(value * scale * (1 + 1e-12)) / scale if 0 < scale < math.inf else value, data.unit)


def _least_loss(data: ReportData, bound: Bracket) -> str:
    """C(theta) ln T at the horizon, or at the first of `HORIZONS`; as a law if the horizon is too short for it."""
    horizon = HORIZONS[0] if data.simulation is None else data.simulation.horizon
    lost = [row.regret_ratio for row in data.summaries if row.regret_ratio is not None]
    if horizon == 1 or _horizon_warning(bound, horizon) or min(lost, default=1.0) < 1.0:
        return f"{_least(data, bound.lower)} × ln T in the long run"
    least = _least(data, bound.lower * math.log(horizon))
    return f"At least {least}" + ("" if data.simulation is not None else f" in {horizon:,} rounds")


def _cost_at(data: ReportData, bound: Bracket) -> str:
    """The value of C(theta) and, if the horizon is long enough for it, C(theta) ln T beside the least regret."""
    value = f"Here C(θ) is {_least(data, bound.lower)}"
    horizons = HORIZONS if data.simulation is None else (data.simulation.horizon,)
    if horizons[0] == 1 or (data.simulation is not None and _horizon_warning(bound, horizons[0])):
        return f"{value}."
    value += f", which makes {' and '.join(f'{_least(data, bound.lower * math.log(T))} in {T:,} rounds' for T in horizons)}"
    lead = min(data.summaries, key=lambda row: row.regret, default=None)
    if lead is None or lead.regret_ratio is None:
        return f"{value}."
    part = amount(lead.regret_ratio, digits=3)
    if lead.regret_ratio < 1.0:
        whom = "" if lead.stopped is None else " and for policies that never stop"
        return f"{value}. {lead.policy} lost less, {part} times that, which is possible as this is a law for large T{whom}."
    return f"{value}; {lead.policy} lost {part} times that."


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
