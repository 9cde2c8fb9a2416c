"""The built-in datasets with recorded figures, listed without building or solving them."""

from __future__ import annotations

from dataclasses import dataclass

from semibandits_studies.datasets._tables import bundled_table
from semibandits_studies.datasets.base import Origin
from semibandits_studies.datasets.registry import ENTRIES


@dataclass(frozen=True, kw_only=True)
class CatalogueRow:
    """A dataset with its recorded figures.

    Attributes
    ----------
    name : str
        Its name in :func:`semibandits.datasets.load`.
    title : str
        The choice in a few words.
    question : str
        The decision problem as a question.
    family : str
        One of :data:`semibandits.instances.FAMILIES`.
    d, m : int
        Number of items; number of items of the largest decision.
    decisions : int or None
        Exact number of decisions, None if unknown.
    smallest_gap : float or None
        Smallest positive gap of a decision in `unit`, None if unknown.
    lower, value : float
        ``lower <= C(theta) <= value`` in `unit` per ln T, for independent Gaussian rewards; the relative gap is at most 1e-4.
    reward : float
        Mean reward of the best decision in `unit`.
    in_costs : bool
        Whether rewards are minus costs.
    unit : str
        Unit of the rewards, ``""`` if they have none.
    origin : "measured" or "modelled"
        Whether theta is computed from observed outcomes or from a model.
    replay : bool
        Whether it has observed outcomes.
    features : list of str
        Names of what is known of the items, see :attr:`semibandits.datasets.Dataset.features`.
    note, provenance, licence : str
        How the numbers were computed, the source of the data, and their licence.
    needs : str or None
        The command that installs the package with the data, None if they are bundled.
    installed : bool
        Whether that package is installed; True for bundled data.

    Examples
    --------
    >>> row = next(row for row in sb.datasets.catalogue() if row.name == "power-grid")
    >>> row.question
    'Which 32 of the 37 lines of a power grid should be closed, so that every bus is fed in one way and little energy is lost?'
    >>> print(f"{row.decisions:,} decisions over {row.d} items, C(theta) = {row.value:.1f} {row.unit} per ln T")
    50,751 decisions over 37 items, C(theta) = 79.2 kWh per ln T
    >>> print(f"best cost {row.cost:.1f} {row.unit}, means are {row.origin}")
    best cost 205.8 kWh, means are modelled
    """

    name: str
    title: str
    question: str
    family: str
    d: int
    m: int
    decisions: int | None
    smallest_gap: float | None
    lower: float
    value: float
    reward: float
    in_costs: bool
    unit: str
    origin: Origin
    replay: bool
    features: list[str]
    note: str
    provenance: str
    licence: str
    needs: str | None
    installed: bool

    @property
    def cost(self) -> float | None:
        """Mean cost of the best decision in `unit`, None if the dataset is in rewards."""
        return 0.0 - self.reward if self.in_costs else None


def catalogue() -> tuple[CatalogueRow, ...]:
    """All built-in datasets with their recorded figures.

    Returns
    -------
    tuple of CatalogueRow
        By family, in the order of :func:`list_datasets`. Datasets whose package is not installed are included: `installed` is
        False, and `needs` is the command to install it.

    Notes
    -----
    The figures are computed by ``tools/rebuild_tables/catalogue.py``; tests build and solve every dataset to compare them.

    Examples
    --------
    >>> rows = sb.datasets.catalogue()
    >>> for row in rows[:3]:
    ...     print(f"{row.name}: {row.d} items, {row.decisions:,} decisions")
    germany50-routing: 69 items, 1,442 decisions
    janos-us-ca-routing: 57 items, 401 decisions
    air-fares: 313 items, 3,300,091 decisions
    >>> [row.name for row in rows if row.needs is None]  # bundled
    ['air-fares', 'power-grid', 'flights-on-time', 'flights-delays', 'flights-by-hour', 'flights-two-a-carrier', 'flights-quotas']
    """
    recorded = bundled_table("catalogue")
    rows = []
    for name, entry in ENTRIES.items():
        facts = recorded[name]
        count = facts.pop("decisions")  # a string in the file, since some JSON readers round long integers
        package = entry.needs
        rows.append(
            CatalogueRow(
                name=name,
                title=entry.title,
                decisions=None if count is None else int(count),
                needs=package.install if package else None,
                installed=not (package and package.missing),
                **facts,
            )
        )
    return tuple(rows)
