"""The built-in datasets by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from semibandits.inputs.fields import unknown_name
from semibandits_studies.datasets import airways, backbones, cities, films, flights, power_grid, routing
from semibandits_studies.datasets.base import Dataset


@dataclass(frozen=True)
class Package:
    """A package that contains data which are not bundled."""

    name: str  # import name
    install: str  # the command that installs it

    @property
    def missing(self) -> bool:
        """Whether it is not installed; it is located without importing it."""
        try:
            return find_spec(self.name) is None
        except ValueError:  # None in sys.modules
            return True


TOPOHUB: Final = Package("topohub", "pip install topohub")
RECBOLE: Final = Package("recbole", 'pip install --no-deps "recbole==1.2.1"')
AEQUILIBRAE: Final = Package("aequilibrae", 'pip install --no-deps "aequilibrae==1.7.2"')


@dataclass(frozen=True)
class Entry:
    """A dataset before it is built."""

    build: Callable[[], Dataset]
    title: str  # the choice in a few words
    needs: Package | None = None  # the package with its data, None if they are bundled


ENTRIES: Final[Mapping[str, Entry]] = {
    "germany50-routing": Entry(routing.germany50, "Saarbruecken–Greifswald", TOPOHUB),
    "janos-us-ca-routing": Entry(routing.janos_us_ca, "Seattle–Boston", TOPOHUB),
    "air-fares": Entry(airways.boston_san_diego, "Boston–San Diego"),
    "sioux-falls-routing": Entry(cities.sioux_falls, "across Sioux Falls", AEQUILIBRAE),
    "nauru-routing": Entry(cities.nauru, "across Nauru", AEQUILIBRAE),
    "la-serena-routing": Entry(cities.la_serena, "across La Serena", AEQUILIBRAE),
    "polska-backbone": Entry(backbones.polska_trees, "a tree through 12 cities", TOPOHUB),
    "nobel-germany-backbone": Entry(backbones.nobel_germany_trees, "a tree through 17 cities", TOPOHUB),
    "germany50-backbone": Entry(backbones.germany50_trees, "a tree through 50 cities", TOPOHUB),
    "power-grid": Entry(power_grid.radial, "which lines to close"),
    "flights-on-time": Entry(flights.on_time, "10 punctual routes"),
    "flights-delays": Entry(flights.delays, "10 routes, least delay"),
    "films-shortlist": Entry(films.shortlist, "5 films to recommend", RECBOLE),
    "flights-by-hour": Entry(flights.by_hour, "hours for 12 cities"),
    "occupations-genres": Entry(films.occupations, "genres by occupation", RECBOLE),
    "flights-two-a-carrier": Entry(flights.two_a_carrier, "2 routes of each carrier"),
    "films-two-a-genre": Entry(films.two_a_genre, "2 films of each genre", RECBOLE),
    "flights-quotas": Entry(flights.quotas, "10 routes within quotas"),
    "nobel-us-multicast": Entry(backbones.nobel_us_multicast, "Ann Arbor to 13 cities", TOPOHUB),
    "germany50-multicast": Entry(backbones.germany50_multicast, "Frankfurt to 49 cities", TOPOHUB),
}
"""The datasets, by family; names are words joined by hyphens, different from those of networks."""


def list_datasets() -> tuple[str, ...]:
    """Names of the built-in datasets.

    Returns
    -------
    tuple of str
        The names, by family.

    Examples
    --------
    >>> sb.datasets.list_datasets()[:3]
    ('germany50-routing', 'janos-us-ca-routing', 'air-fares')
    >>> "power-grid" in sb.datasets.list_datasets()
    True
    """
    return tuple(ENTRIES)


def load(name: str) -> Dataset:
    """Built-in dataset by name.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`, for instance ``"germany50-routing"``.

    Returns
    -------
    Dataset
        Decisions, mean rewards and variances, with their source and licence.

    Raises
    ------
    InvalidInputError
        If there is no such dataset.
    SemibanditsError
        If the package with its data is not installed; the message contains the command to install it.

    Examples
    --------
    >>> grid = sb.datasets.load("power-grid")
    >>> grid.decision_set
    SpanningTrees(d=37, nodes=33)
    >>> grid.labels[0], grid.unit, grid.theta.round(3)[:3].tolist()
    ('1 – 2', 'kWh', [-0.996, -5.324, -3.953])
    >>> sb.datasets.load("power-grids")
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: dataset must be a known name, got 'power-grids': did you mean power-grid?
    """
    if name not in ENTRIES:
        raise unknown_name("dataset", name, ENTRIES)
    return ENTRIES[name].build()
