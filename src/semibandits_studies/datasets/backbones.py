"""Trees in backbone networks: spanning trees, and multicast from a root."""

from __future__ import annotations

from semibandits.errors import InvalidInputError
from semibandits.inputs.fields import unknown_name
from semibandits.instances import Instance, instance_from_description
from semibandits_studies.datasets.base import Dataset
from semibandits_studies.datasets.delays import DelayModel, note_on_delays
from semibandits_studies.datasets.networks import LICENCE, Network, network


def polska_trees() -> Dataset:
    """Spanning trees of the network polska: 18 links, 5,161 trees."""
    return _trees("polska")


def nobel_germany_trees() -> Dataset:
    """Spanning trees of the network nobel-germany: 26 links, about 1e5 trees."""
    return _trees("nobel-germany")


def germany50_trees() -> Dataset:
    """Spanning trees of the network germany50: 88 links, about 5e19 trees."""
    return _trees("germany50")


def nobel_us_multicast() -> Dataset:
    """Multicast trees of the network nobel-us from Ann Arbor, the home of NSFNET: 39 arcs."""
    return _multicast("nobel-us", "Ann-Arbor")


def germany50_multicast() -> Dataset:
    """Multicast trees of the network germany50 from Frankfurt, the main exchange point: 172 arcs."""
    return _multicast("germany50", "Frankfurt")


def multicast_instance(graph: Network, root: str, *, model: DelayModel | None = None) -> Instance:
    """Arborescences of a network: paths from the root, which sends the packets, reach each other node over exactly one arc.

    Every link gives two arcs, except that arcs into the root are omitted. An arborescence is a common independent set of the
    graphic matroid of the links and the partition matroid with at most one arc into each node. The reward of an arc is minus its
    mean delay in ms, and its variance is that of the delay. Both depend on the load in that direction, and both are **modelled,
    not measured**. The network must be geographic.
    """
    if root not in graph.positions:
        raise unknown_name(f"root in {graph.name}", root, graph.positions)
    model = model or DelayModel()
    arcs = []
    for link in graph.links:
        if link.km is None:
            raise InvalidInputError(
                f"delays must rest on geographic coordinates, got the network {graph.name}: choose a geographic one"
            )
        (u, v), (forward, backward) = link.ends, link.utilisation
        arcs += [(u, v, link.km, forward), (v, u, link.km, backward)]
    arcs = [arc for arc in arcs if arc[1] != root]
    return instance_from_description(
        {
            "family": "intersection",
            "name": f"{graph.name}, multicast from {root}",
            "unit": "ms",
            "note": note_on_delays(model),
            "size": len(graph.nodes) - 1,
            "matroids": [
                {"kind": "graphic", "edges": [[u, v] for u, v, _, _ in arcs]},
                {"kind": "partition", "groups": [v for _, v, _, _ in arcs], "capacities": 1},
            ],
            "items": [f"{u} → {v}" for u, v, _, _ in arcs],
            "theta": [-model.mean(km, utilisation) for _, _, km, utilisation in arcs],
            "variance": [model.variance(utilisation) for _, _, _, utilisation in arcs],
            "positions": {name: list(xy) for name, xy in graph.positions.items()},
            "geographic": True,
        }
    )


def _trees(name: str) -> Dataset:
    graph = network(name)
    return Dataset(
        name=f"{name}-backbone",
        question=f"Which links of {name} should carry a broadcast, one tree through all nodes?",
        instance=graph.spanning_trees(),
        origin="modelled",
        provenance=graph.provenance,
        licence=LICENCE,
    )


def _multicast(name: str, root: str) -> Dataset:
    graph = network(name)
    return Dataset(
        name=f"{name}-multicast",
        question=f"Over which links should one packet from {root} reach all other nodes of {name}, each once?",
        instance=multicast_instance(graph, root),
        origin="modelled",
        provenance=graph.provenance,
        licence=LICENCE,
    )
