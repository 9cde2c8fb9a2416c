"""Roles of columns, such as theta or tail, and the names under which people have them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

THETA: Final = "theta"
COSTS: Final = "costs"
VARIANCE: Final = "variance"


@dataclass(frozen=True)
class Role:
    """The names of the columns that have a role."""

    exact: frozenset[str]  # names that mean this role and nothing else; they need no note
    usual: frozenset[str] = frozenset()  # names that are read in this role, with a note, if no other column has one of them
    last: frozenset[str] = frozenset()  # names that are read in this role, with a note, if there is no usual one
    possible: frozenset[str] = frozenset()  # names that are proposed in messages, but never read in this role


class Name(NamedTuple):
    """The name of a column without its unit, in lower case, words separated by spaces, and its unit."""

    words: str
    unit: str


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(",") if name.strip())


_UNSURE: Final = _names("price, weight, min, loss, effort, resistance, risk, rating, points, popularity, sales, amount")
"""May be rewards or costs."""
LENGTHS: Final = _names("length, distance, dist, km, kilometres, kilometers, miles, metres, meters")
"""Costs that are no times."""
PLAYS: Final = _names(
    "plays, outcomes, observations, obs, n, n obs, count, samples, trips, rides, deliveries, days, anzahl, fahrten, tage, jours"
)
"""Names of columns that may hold how many outcomes each mean is worth."""
ROLES: Final[Mapping[str, Role]] = {
    THETA: Role(_names("theta, θ"), _names(
        "reward, rewards, mean, value, rate, score, profit, gain, utility, revenue, payoff, benefit, ctr, click rate, "
        "click through rate, clickthrough rate, conversion rate, success rate, probability, klickrate"
    ), possible=_UNSURE),
    COSTS: Role(_names("cost, costs"), LENGTHS | _names(
        "time, times, second, seconds, sec, secs, minute, minutes, mins, hour, hours, milliseconds, ms, duration, delay, "
        "latency, travel time, travel cost, expense, expenses, kosten, dauer, zeit, sekunden, minuten, stunden"
    ), possible=_UNSURE),
    VARIANCE: Role(_names("variance"), _names("var")),
    "least": Role(
        _names("least"),
        _names("free flow, freeflow, free flow time, freeflow time, minimum, least cost, least time, lower bound"),
    ),
    "streets": Role(_names("streets"), _names("street, street name, road, road name")),
    "tail": Role(
        _names("tail"), _names("from, source, start, origin, u, from node, source node, start node, node1, node 1")
    ),
    "head": Role(_names("head"), _names("to, target, end, destination, v, to node, target node, end node, node2, node 2")),
    "row": Role(_names("row"), _names(
        "rows, left, worker, agent, person, employee, courier, driver, nurse, machine, student, rider, technician, doctor, "
        "mitarbeiter, fahrer, kurier, maschine"
    )),
    "column": Role(
        _names("column"),
        _names("columns, col, right, task, job, shift, order, project, slot, aufgabe, schicht, auftrag"),
        _names("zone, district, ward, territory, patient, customer, client, room, bezirk, gebiet"),
    ),
    "item": Role(_names("item"), _names(
        "items, id, name, article, title, product, film, movie, arm, option, ad, sku, item id, item name, artikel, produkt, titel"
    )),
    "group": Role(_names("group"), _names(
        "category, genre, section, class, type, kind, cluster, department, brand, topic, gruppe, kategorie, ressort, rubrik"
    )),
    "group1": Role(_names("group1, group 1")),
    "group2": Role(_names("group2, group 2")),
    "successes": Role(_names("clicks, clicked, successes, conversions, wins, klicks")),
    "trials": Role(_names("impressions, impr, trials, views, visits, shows, shown, einblendungen, aufrufe")),
}  # fmt: skip
"""All roles by name; no name is exact or usual for two roles."""

OPPOSITES: Final = (
    ("from", "to"), ("init", "term"), ("start", "end"), ("source", "target"), ("origin", "destination"), ("orig", "dest"),
    ("src", "dst"), ("src", "dest"), ("tail", "head"), ("a", "b"), ("u", "v"), ("i", "j"), ("1", "2"), ("von", "nach"),
)  # fmt: skip
"""Words of the names of two columns of ends: the tails and the heads."""
_PLACES: Final = _names("node, node id, nodeid, nd, vertex, of edge, id, stop, stop id, station, city, airport, knoten, ort")
"""What else names of two columns of ends may have to be read as such, the same words in both."""
ENDS: Final = frozenset(
    tuple(pattern.format(word, place).strip() for word in pair)
    for pair in OPPOSITES
    for place in (*_PLACES, "")
    for pattern in ("{} {}", "{1} {0}", "{}{}", "{1}{0}")[: 4 if len(pair[0]) > 1 else 2]
    if place or len(pair[0]) > 1
)
"""Names of two columns that are read as tails and heads, both together or not at all, if neither has a usual name."""

TOTALS: Final = _names(
    "total, totals, grand total, sub total, subtotal, sum, sums, sum total, total sum, total result, overall, all, all items, "
    "average, averages, mean, median, overall average, gesamt, insgesamt, summe, gesamtsumme, zwischensumme, gesamtergebnis, "
    "gesamt ergebnis, ergebnis, durchschnitt, mittelwert, mittel, somme, total général, moyenne, ensemble, totale, somma, media, "
    "total general, total geral, totales, suma, promedio, totaal, som, gemiddelde, razem, ogółem, итого, всего, σ, ∑, ø, 合计, "
    "总计"
)
"""Names of a first or last line that is no item."""
TOTAL_WORDS: Final = _names(
    "total, totals, subtotal, sum, average, mean, overall, gesamt, summe, gesamtsumme, zwischensumme, gesamtergebnis, ergebnis, "
    "durchschnitt, mittelwert, somme, moyenne, totale, totales, somma, suma, promedio, totaal, итого, всего"
)
"""Words in the name of a line that is no item, if its number is the sum or the mean of the others."""

_UNITS: Final = {
    "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "min": "min", "mins": "min", "minute": "min",
    "minutes": "min", "h": "h", "hour": "h", "hours": "h", "hr": "h", "hrs": "h", "ms": "ms", "milliseconds": "ms",
    "km": "km", "kilometres": "km", "kilometers": "km", "mi": "mi", "miles": "mi", "metres": "m", "meters": "m",
    "sekunden": "s", "minuten": "min", "stunden": "h", "eur": "EUR", "euro": "EUR", "euros": "EUR", "usd": "USD",
    "dollars": "USD", "gbp": "GBP", "chf": "CHF",
}  # fmt: skip
"""Words at the end of a name that are units, and how units are written."""
_AVERAGES: Final = ("mean", "average", "avg", "expected", "ø")
"""Words that say that a column has averages; they belong neither to its name nor to its unit."""
_BRACKETS: Final = re.compile(r"(.*?)\s*[(\[]\s*([^()\[\]]{1,12}?)\s*[)\]]")


def parsed_name(text: str) -> Name:
    """A name of a column: ``travel_time_min`` and ``Travel time [min]`` are "travel time" in "min"."""
    text = text.strip()[:200]
    bracketed = _BRACKETS.fullmatch(text)
    unit = ""
    if bracketed:
        text, unit = bracketed[1], _UNITS.get(bracketed[2].casefold(), bracketed[2])
        unit = "" if unit.casefold().rstrip(".") in _AVERAGES else unit
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    words = re.sub(r"[\s_\-./]+", " ", words).casefold().strip()
    average, _, rest = words.partition(" ")
    words = rest if rest and average in _AVERAGES else words
    first, _, last = words.rpartition(" ")
    if not unit and last in _UNITS:
        words, unit = first or last, _UNITS[last]
    return Name(words, unit)
