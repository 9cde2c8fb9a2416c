"""Journeys by air from Boston to San Diego: three million paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from semibandits.errors import InvalidInputError
from semibandits.instances import instance_from_description
from semibandits_studies.datasets._tables import bundled_table
from semibandits_studies.datasets.base import Dataset

_PROVENANCE: Final = (
    "connections: US Department of Transportation, Bureau of Transportation Statistics, Reporting Carrier On-Time "
    "Performance, July 2026; airports: OurAirports contributors; both as compiled in the Python package bokeh_sampledata 2026.1"
)
_LICENCE: Final = "public domain"


@dataclass(frozen=True)
class FareModel:
    """Fare of one flight, as if each flight of a journey had its own ticket.

    A flight of L km on a connection that n carriers operate costs, in US dollars,

    ``mean = (base + per_km * L) / (1 + competition * (n - 1))`` and ``variance = (spread * mean) ** 2``.

    Everything here is **modelled, not measured**: lengths are great-circle distances, carriers are those that operated the
    connection, some on behalf of others, and the parameters are round numbers. A long flight of a single carrier costs ten
    cents per km; with two carriers it costs two thirds of that, with three half. This much competition makes the direct flight
    and a journey with one stop cost nearly the same: with 0.3 or less, or a base of 30 dollars, the direct flight is the
    cheapest.

    Parameters
    ----------
    base : float
        Part of the fare that does not depend on the length, in dollars, >= 0.
    per_km : float
        Fare per km, in dollars, > 0.
    competition : float
        Amount that each further carrier adds to the divisor, >= 0.
    spread : float
        Standard deviation of the fare from day to day, as a share of its mean, > 0.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range.

    Examples
    --------
    >>> model = sb.datasets.FareModel()
    >>> [round(model.mean(1000.0, carriers), 2) for carriers in (1, 2, 3)]  # dollars for 1,000 km
    [120.0, 80.0, 60.0]
    >>> round(model.variance(1000.0, 1) ** 0.5, 2)  # standard deviation in dollars
    24.0
    """

    base: float = 20.0
    per_km: float = 0.1
    competition: float = 0.5
    spread: float = 0.2

    def __post_init__(self) -> None:
        for name in ("base", "competition"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise InvalidInputError(f"{name} must be a number >= 0, got {getattr(self, name)}: use 0 to leave it out")
        for name, remedy in (("per_km", "fares grow with distance"), ("spread", "it is the only noise of a fare")):
            if not 0 < getattr(self, name) < float("inf"):
                raise InvalidInputError(f"{name} must be positive, got {getattr(self, name)}: {remedy}")

    def mean(self, km: float, carriers: int) -> float:
        """Mean fare of a flight of `km` km with this number of carriers, in dollars."""
        return (self.base + self.per_km * km) / (1.0 + self.competition * (carriers - 1))

    def variance(self, km: float, carriers: int) -> float:
        """Variance of the fare of a flight, in dollars squared."""
        return (self.spread * self.mean(km, carriers)) ** 2


def boston_san_diego(*, model: FareModel | None = None) -> Dataset:
    """Journeys from Boston to San Diego over 26 airports, each flight towards San Diego: 313 flights, 3,300,091 paths.

    The reward of a flight is minus its fare in US dollars under `model`.
    """
    model = model or FareModel()
    table = bundled_table("air_fares")
    flights = table["connections"]
    return Dataset(
        name="air-fares",
        question="Which flights make the cheapest journey from Boston to San Diego?",
        instance=instance_from_description(
            {
                "family": "paths",
                "name": "Boston → San Diego by air",
                "unit": "USD",
                "note": f"Fares are modelled, not measured: ({model.base:g} + {model.per_km:g} km) / "
                f"(1 + {model.competition:g} (carriers − 1)) dollars a flight, with a standard deviation of "
                f"{model.spread:.0%}. Connections and numbers of carriers are those of July 2026.",
                "edges": [[u, v] for u, v, _, _ in flights],
                "source": table["from"],
                "target": table["to"],
                "theta": [-model.mean(km, carriers) for _, _, km, carriers in flights],
                "variance": [model.variance(km, carriers) for _, _, km, carriers in flights],
                "positions": {code: [x, y] for code, _, _, x, y in table["airports"]},
                "geographic": True,
            }
        ),
        origin="modelled",
        provenance=_PROVENANCE,
        licence=_LICENCE,
    )
