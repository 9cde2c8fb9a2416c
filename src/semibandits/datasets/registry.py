"""The built-in datasets by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from semibandits.datasets import routing
from semibandits.datasets.base import Dataset
from semibandits.instances.families import unknown_name

DATASETS: Final[Mapping[str, Callable[[], Dataset]]] = {
    "germany50-routing": routing.germany50,
}
"""What builds each dataset; names are words joined by hyphens and none is that of a network."""


def list_datasets() -> tuple[str, ...]:
    """Names of the built-in datasets, by family."""
    return tuple(DATASETS)


def load(name: str) -> Dataset:
    """Built-in dataset by name.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`, for instance ``"germany50-routing"``.

    Raises
    ------
    InvalidInputError
        If there is no such dataset.
    SemibanditsError
        If the package that holds its data is not installed; the message says how to install it.
    """
    if name not in DATASETS:
        raise unknown_name("dataset", name, DATASETS)
    return DATASETS[name]()
