"""Routing: paths through networks."""

from __future__ import annotations

from semibandits.datasets.base import Dataset
from semibandits.datasets.networks import LICENCE, network


def germany50() -> Dataset:
    """Packets from Saarbruecken to Greifswald through the network germany50."""
    return _routing("germany50", "Saarbruecken", "Greifswald")


def _routing(name: str, source: str, target: str) -> Dataset:
    graph = network(name)
    return Dataset(
        name=f"{name}-routing",
        question=f"Which way should packets go from {source} to {target}?",
        instance=graph.delay_dag(source, target),
        origin="modelled",
        provenance=graph.provenance,
        licence=LICENCE,
    )
