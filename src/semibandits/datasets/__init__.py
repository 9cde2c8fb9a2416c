"""Real instances with their provenance: which numbers are measured, and which are modelled."""

from semibandits.datasets.airways import FareModel
from semibandits.datasets.base import Dataset
from semibandits.datasets.catalogue import CatalogueRow, catalogue
from semibandits.datasets.delays import DelayModel
from semibandits.datasets.networks import Link, Network, Node, list_networks, network
from semibandits.datasets.power_grid import LossModel
from semibandits.datasets.registry import list_datasets, load

__all__ = [
    "CatalogueRow",
    "Dataset",
    "DelayModel",
    "FareModel",
    "Link",
    "LossModel",
    "Network",
    "Node",
    "catalogue",
    "list_datasets",
    "list_networks",
    "load",
    "network",
]
