"""Decisions, numbers and brackets as text; what lower layers also need is in `families/texts.py` and `formats/numbers.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.families.registry import FAMILIES
from semibandits.families.texts import UNNAMED as UNNAMED
from semibandits.families.texts import Named as Named
from semibandits.families.texts import change_text as change_text
from semibandits.families.texts import decision_text as decision_text
from semibandits.families.texts import streets_of as streets_of
from semibandits.features.design import words_of
from semibandits.formats.numbers import amount as amount
from semibandits.formats.numbers import bracket_text as bracket_text
from semibandits.formats.numbers import counted as counted
from semibandits.formats.numbers import mean_text as mean_text
from semibandits.formats.numbers import number_text as number_text
from semibandits.identification.evidence import PROVED, Stop
from semibandits.instances import Instance
from semibandits.laws import Law
from semibandits.laws.plain import title, words
from semibandits.matroids.counts import DecisionCount
from semibandits.simulation.statistics import Stopped

TIMES: Final = {"ms": "delay", **dict.fromkeys(("s", "min", "h"), "time")}
"""What costs in a unit of time are called."""
COUNT_WORK: Final = 200_000_000
"""Largest number of elementary steps for counting decisions; they take less than a second."""
LARGEST_COUNT: Final = 10**4_000
"""Larger numbers are not written out: Python and other readers of JSON reject numbers of more than 4,300 digits."""


def count_decisions(decision_set: DecisionSet) -> DecisionCount:
    """Number of decisions, exact if it can be counted quickly."""
    count = decision_set.count_within(COUNT_WORK)
    if count.exact is not None and count.exact > LARGEST_COUNT:
        return DecisionCount(None, LARGEST_COUNT)
    return count


def count_text(instance: Named, count: DecisionCount) -> str:
    """Number of decisions with its noun."""
    one, several, _, _ = FAMILIES[instance.family].nouns_of(instance.decision_set)
    if count.exact is not None:
        return f"{_large(count.exact)} {one if count.exact == 1 else several}"
    return f"many {several}" if count.more_than is None else f"more than {_large(count.more_than)} {several}"


def _large(count: int) -> str:
    """A number in full below 10^12, then with three digits."""
    digits = len(str(count)) - 1
    return f"{count:,}" if count < 10**12 else f"{count / 10**digits:.2f}e{digits}"


def cost_text(value: float, unit: str = "") -> str:
    """A cost with its unit: at least four significant digits, and all digits before the point."""
    size = abs(value)
    return amount(value, unit, digits=max(4, len(str(int(size))) if size < 1e15 else 4))


def lost_text(instance: Instance) -> str:
    """What regret consists of, with its unit: ``min of extra time``, ``USD of extra cost``, ``of reward``."""
    lost = f"extra {TIMES.get(instance.unit, 'cost')}" if instance.in_costs else "reward"
    return f"{instance.unit} of {lost}" if instance.unit else f"of {lost}"


def spread_text(variance: FloatArray, unit: str) -> str:
    """The variances of items: ``0.5 s²``, ``0.1 to 2 s²``."""
    low, high = float(np.min(variance)), float(np.max(variance))
    square = f" {unit}²" if unit else ""
    return (f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}") + square


def assumed_text(instance: Instance, law: Law) -> str:
    """The law of the rewards that a bound is for, and what of it the instance leaves open."""
    if not law.is_quadratic:
        return words(title(law))
    text = f"Gaussian, independent, variance {spread_text(instance.variance, instance.unit)}"
    if "variance" in instance.description:
        return text
    text += ", which is assumed: pass --variance or a column variance"
    is_share = bool(((instance.theta >= 0.0) & (instance.theta <= 1.0)).all() and instance.theta.any())
    return f"{text}; for rewards of 0 and 1, such as clicks, pass --law bernoulli" if is_share else text


def lateness_text(specification: Mapping[str, Any]) -> str:
    """Delay and loss of outcomes from the specification of a simulation; empty if there is neither."""
    delay, loss = specification.get("delay", 0), specification.get("loss", 0.0)
    parts = []
    if isinstance(delay, int) and delay > 0:
        parts.append(f"{counted(delay, 'round', 'rounds')} late")
    elif not isinstance(delay, int):
        drawn = "observed ones" if isinstance(delay, list) or (isinstance(delay, dict) and "observed" in delay) else ""
        law = delay if isinstance(delay, str) else delay.get("distribution", "") if isinstance(delay, dict) else ""
        parts.append(f"late, delays drawn from {drawn or law}")
    if isinstance(loss, float) and loss > 0:
        parts.append(f"{100 * loss:.3g} % lost")
    return ", ".join(parts)


def features_text(specification: Mapping[str, Any]) -> str:
    """What items tell of each other, from the specification of a simulation; empty if nothing."""
    features = specification.get("features", "")
    return features if isinstance(features, str) else words_of(None, features["columns"], ())


def prior_text(specification: Mapping[str, Any], theta: FloatArray | None) -> str:
    """The prior of all policies, from the specification of a simulation; empty without a prior."""
    prior = specification.get("prior")
    if not isinstance(prior, Mapping) or not any(prior["plays"]):
        return ""
    means, plays = np.asarray(prior["means"]), np.asarray(prior["plays"])
    known = plays > 0
    least, most = plays[known].min(), plays.max()
    worth = counted(int(most), "outcome", "outcomes") if least == most else f"{least:,.0f} to {most:,.0f} outcomes"
    is_true = theta is not None and np.array_equal(means[known], np.asarray(theta)[known])
    whose = "the true means" if is_true else "other means than the true ones"
    some = "" if known.all() else f" of {np.count_nonzero(plays):,} of {plays.size:,} items"
    return f"all policies know {whose}{some} before the first round, as if from {worth} each"


def stop_of(specification: Mapping[str, Any]) -> Stop | None:
    """When replications stop, from the specification of a simulation; None if they never do, or it is unknown."""
    try:
        return Stop(**specification["stop"])
    except (InvalidInputError, KeyError, TypeError):
        return None


def stop_text(stop: Stop, one: str) -> str:
    """When replications stop, and what follows; `one` is the noun of a decision."""
    within = f" or worse by at most {stop.within:g}" if stop.within else ""
    threshold = "the proved threshold" if stop.threshold == PROVED else "the customary threshold, which nobody has proved"
    return f"once {100.0 * stop.confidence:.12g} % sure that the best {one} so far is the best one{within}, by {threshold}"


def stopped_texts(stopped: Stopped) -> tuple[str, str, str]:
    """The mean round of stops, the share of replications that stopped, and the share of these that were wrong."""
    if not stopped.share:
        return "not yet", "0 %", "–"
    return f"{stopped.rounds:,.0f}", f"{100.0 * stopped.share:.3g} %", f"{100.0 * stopped.wrong:.3g} %"
