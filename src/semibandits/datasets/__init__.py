"""Real instances with their provenance: which numbers are measured, and which are modelled."""

from semibandits.datasets.delays import DelayModel
from semibandits.datasets.networks import Link, Network, Node, list_networks, network

__all__ = ["DelayModel", "Link", "Network", "Node", "list_networks", "network"]
