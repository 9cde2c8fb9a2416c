"""Decisions, numbers and brackets as text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from semibandits._counts import DecisionCount
from semibandits._typing import BoolArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.paths import Paths
from semibandits.decisions.routes import Routes
from semibandits.families.registry import FAMILIES
from semibandits.instances import Instance


class Named(Protocol):
    """Decisions whose items have names: an instance, or the structure of a report."""

    @property
    def family(self) -> str:
        """One of the keys of :data:`semibandits.families.registry.FAMILIES`."""

    @property
    def decision_set(self) -> DecisionSet:
        """The set X of decisions."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the items."""

    @property
    def description(self) -> Mapping[str, object]:
        """The JSON form of the instance, empty if unknown; with the key ``streets``, routes are described by their streets."""


TIMES: Final = {"ms": "delay", **dict.fromkeys(("s", "min", "h"), "time")}
"""What costs in a unit of time are called."""
UNNAMED: Final = "an unnamed street"
COUNT_WORK: Final = 200_000_000
"""Largest number of elementary steps for counting decisions; they take less than a second."""
LARGEST_COUNT: Final = 10**4_000
"""Larger numbers are not written out: Python and other readers of JSON reject numbers of more than 4,300 digits."""


def counted(n: int, one: str, several: str) -> str:
    """``1 path``, ``1,442 paths``."""
    return f"{n:,} {one if n == 1 else several}"


def count_decisions(decision_set: DecisionSet) -> DecisionCount:
    """Number of decisions, exact if it can be counted quickly."""
    count = decision_set.count_within(COUNT_WORK)
    if count.exact is not None and count.exact > LARGEST_COUNT:
        return DecisionCount(None, LARGEST_COUNT)
    return count


def count_text(instance: Named, count: DecisionCount) -> str:
    """Number of decisions with its noun."""
    one, several, _, _ = FAMILIES[instance.family].nouns
    if count.exact is not None:
        return f"{_large(count.exact)} {one if count.exact == 1 else several}"
    return f"many {several}" if count.more_than is None else f"more than {_large(count.more_than)} {several}"


def _large(count: int) -> str:
    """A number in full below 10^12, then with three digits."""
    digits = len(str(count)) - 1
    return f"{count:,}" if count < 10**12 else f"{count / 10**digits:.2f}e{digits}"


def number_text(value: float, digits: int = 6) -> str:
    """A number with `digits` significant digits, thousands separators and a minus sign (−)."""
    if not math.isfinite(value):
        return "infinite"
    sign = "−" if value < 0 else ""
    return f"{sign}{abs(value):,.{digits}g}"


def amount(value: float, unit: str = "", digits: int = 4) -> str:
    """A number with `digits` significant digits, thousands separators and its unit."""
    if not math.isfinite(value):
        number = "infinite"
    else:
        size = abs(value)
        places = digits - 1 - math.floor(math.log10(size)) if size else 0
        rounded = round(size, places) if places > -300 else size
        if 1e-4 <= rounded < 1e15:
            number = f"{rounded:,.{max(places, 0)}f}"
            number = number.rstrip("0").rstrip(".") if "." in number else number
        else:
            number = f"{rounded:.{digits}g}"
        number = f"−{number}" if value < 0 and rounded else number
    return f"{number} {unit}" if unit else number


def cost_text(value: float, unit: str = "") -> str:
    """A cost with its unit: at least four significant digits, and all digits before the point."""
    size = abs(value)
    return amount(value, unit, digits=max(4, len(str(int(size))) if size < 1e15 else 4))


def lost_text(instance: Instance) -> str:
    """What regret consists of, with its unit: ``min of extra time``, ``USD of extra cost``, ``reward``."""
    lost = f"extra {TIMES.get(instance.unit, 'cost')}" if instance.in_costs else "reward"
    return f"{instance.unit} of {lost}" if instance.unit else lost


def mean_text(value: float, half: float) -> str:
    """A mean with half the width of its interval to the same decimal place; the mean alone if the width is unknown."""
    if not math.isfinite(half):
        return amount(value)
    if half <= 1e-12 * abs(value):
        return f"{amount(value)} ± 0"
    places = 1 - math.floor(math.log10(half))
    rounded = [round(number, places) + 0.0 for number in (value, half)]
    if not 1e-4 <= half < 1e15:
        return f"{amount(value)} ± {amount(half, digits=2)}"
    sign = "−" if rounded[0] < 0 else ""
    return f"{sign}{abs(rounded[0]):,.{max(places, 0)}f} ± {rounded[1]:,.{max(places, 0)}f}"


def bracket_text(lower: float, value: float) -> str:
    """``lower ≤ C(θ) ≤ value``, rounded outwards, so that the printed bracket is valid."""
    if lower == value:
        return f"C(θ) = {number_text(value)}"
    return f"{_rounded(lower, math.floor)} ≤ C(θ) ≤ {_rounded(value, math.ceil)}"


def _rounded(value: float, rounding: Callable[[float], int]) -> str:
    """Six significant digits, rounded down or up."""
    if value == 0 or not math.isfinite(value):
        return number_text(value)
    scale = 10.0 ** (5 - math.floor(math.log10(abs(value))))
    return number_text(rounding(value * scale) / scale)


def streets_of(instance: Named) -> Sequence[str]:
    """Name of the street of each link, "" for those without one; empty if no link has a street."""
    streets = instance.description.get("streets")
    return streets if isinstance(streets, list | tuple) else ()


def decision_text(instance: Named, decision: BoolArray) -> str:
    """A decision: the nodes along a path, or the labels of its items."""
    if FAMILIES[instance.family].reads_along:
        return _chain_text(instance, _steps(instance, decision))
    return ", ".join(instance.labels[i] for i in np.flatnonzero(decision)) or "nothing"


def change_text(instance: Named, decision: BoolArray, optimal: BoolArray) -> str:
    """Difference of a decision from the optimal one: the detours of a path, or the items added and removed."""
    if FAMILIES[instance.family].reads_along:
        runs = groupby(_steps(instance, decision), key=lambda step: bool(optimal[step.item]))
        return "; ".join(_detour_text(instance, list(run), optimal) for on_optimal, run in runs if not on_optimal)
    parts = (("+ ", decision & ~optimal), ("− ", optimal & ~decision))
    return "  ".join(sign + decision_text(instance, part) for sign, part in parts if part.any())


class _Step(NamedTuple):
    """An item of a path or route, from one node to the next."""

    item: int
    start: str
    end: str


def _steps(instance: Named, decision: BoolArray) -> list[_Step]:
    """The steps of a path or route, from its source to its target; parallel links are numbered."""
    x = instance.decision_set
    assert isinstance(x, Paths | Routes)
    steps, nodes = [], x.walk(decision)
    for item, start, end in zip(x.order(decision).tolist(), nodes, nodes[1:], strict=False):
        label = x.items[item]
        number = f"(#{label[2] + 1}) " if isinstance(label, tuple) and len(label) == 3 else ""
        steps.append(_Step(item, str(start), f"{number}{end}"))
    return steps


def _chain_text(instance: Named, steps: list[_Step]) -> str:
    """The nodes along consecutive steps, or the names of their streets."""
    streets = streets_of(instance)
    if not streets:
        return " → ".join([steps[0].start, *(step.end for step in steps)])
    return ", ".join(street for street, _ in groupby(streets[step.item] or UNNAMED for step in steps))


def _detour_text(instance: Named, steps: list[_Step], optimal: BoolArray) -> str:
    """A detour; with names of streets also the part of the optimal route that it replaces."""
    text = _chain_text(instance, steps)
    if not streets_of(instance):
        return text
    route = _steps(instance, optimal)
    starts, ends = [step.start for step in route], [step.end for step in route]
    if steps[0].start not in starts or steps[-1].end not in ends:
        return text
    replaced = route[starts.index(steps[0].start) : ends.index(steps[-1].end) + 1]
    return f"{text} instead of {_chain_text(instance, replaced)}" if replaced else text


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
