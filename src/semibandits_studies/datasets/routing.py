"""Routing: paths through networks."""

from __future__ import annotations

from semibandits_studies.datasets.base import Dataset
from semibandits_studies.datasets.networks import LICENCE, network


def germany50() -> Dataset:
    """Packets from Saarbruecken to Greifswald through the network germany50: 69 links, 1,442 paths."""
    return _routing("germany50", "Saarbruecken", "Greifswald")


def janos_us_ca() -> Dataset:
    """Packets from Seattle to Boston through the network janos-us-ca: 57 links, 401 paths."""
    return _routing("janos-us-ca", "Seattle", "Boston")


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
