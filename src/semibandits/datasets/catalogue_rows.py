"""The built-in datasets and their figures, as recorded: nothing is built or solved to list them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from semibandits.datasets.base import Origin
from semibandits.datasets.registry import ENTRIES, Package

TABLE: Final = "catalogue.json"


@dataclass(frozen=True, kw_only=True)
class CatalogueRow:
    """A dataset, and what is known of it without building it.

    Attributes
    ----------
    name : str
        What :func:`semibandits.datasets.load` knows it by.
    title : str
        What is chosen, in a few words.
    question : str
        What is decided, in one sentence.
    family : str
        One of :data:`semibandits.instances.FAMILIES`.
    d, m : int
        Number of items; items of the largest decision.
    decisions : int or None
        Exact number of decisions, None if it is not known.
    smallest_gap : float or None
        Smallest positive gap of a decision in `unit`, None if it is not known.
    lower, value : float
        ``lower <= C(theta) <= value`` in `unit` per ln T, for independent Gaussian rewards; at most 1e-4 apart, relatively.
    unit : str
        Unit of the rewards, ``""`` if they have none.
    origin : "measured" or "modelled"
        Whether theta comes from observed outcomes, or from a model of them.
    replay : bool
        Whether it has observed outcomes to draw from.
    note, provenance, licence : str
        How the numbers were made, where they come from, and the terms that they are under.
    needs : str or None
        The command that installs the package its data are read from, None if they are bundled.
    installed : bool
        Whether the dataset can be built here and now.
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
    unit: str
    origin: Origin
    replay: bool
    note: str
    provenance: str
    licence: str
    needs: str | None
    installed: bool


def catalogue() -> tuple[CatalogueRow, ...]:
    """All built-in datasets with their recorded figures, by family, in the order of :func:`list_datasets`.

    Datasets whose package is not installed are among them: `installed` is False, and `needs` says how to install it.

    Notes
    -----
    The figures are those of ``tools/rebuild_tables/catalogue.py``; tests compare them with every dataset, built and solved.
    """
    path = files("semibandits.datasets").joinpath("tables", TABLE)
    recorded = json.loads(path.read_text(encoding="utf-8"))
    rows = []
    for name, entry in ENTRIES.items():
        facts = recorded[name]
        count = facts.pop("decisions")  # a text in the file: JSON numbers of many digits are rounded by some readers
        package: Package | None = entry.needs
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
