"""Real instances with their provenance: which numbers are measured, and which are modelled."""

from semibandits.datasets.base import Dataset
from semibandits.datasets.delays import DelayModel
from semibandits.datasets.networks import Link, Network, Node, list_networks, network
from semibandits.datasets.registry import list_datasets, load

__all__ = [
    "Dataset",
    "DelayModel",
    "Link",
    "Network",
    "Node",
    "list_datasets",
    "list_networks",
    "load",
    "network",
]
