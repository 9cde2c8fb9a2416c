"""Communication networks of SNDlib, read from the installed package topohub."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np

from semibandits._typing import ArrayLike
from semibandits.errors import InvalidInputError, SemibanditsError
from semibandits.formats.text import brief
from semibandits.inputs.fields import unknown_name
from semibandits.instances import Instance, instance_from_description
from semibandits_studies.datasets.delays import DelayModel, note_on_delays

if TYPE_CHECKING:
    import networkx as nx

_GEOGRAPHIC: Final = {
    "abilene", "brain", "cost266", "dfn-bwin", "dfn-gwin", "geant", "germany50", "janos-us", "janos-us-ca", "nobel-eu",
    "nobel-germany", "nobel-us", "pdh", "polska",
}  # fmt: skip
_DRAWN: Final = {
    "atlanta", "di-yuan", "france", "giul39", "india35", "newyork", "norway", "pioro40", "sun", "ta1", "ta2", "zib54",
}  # fmt: skip
"""Networks with positions in a drawing; the distances that topohub computes from them are meaningless."""

_PROVENANCE: Final = (
    "SNDlib 1.0 (Orlowski, Wessaely, Pioro, Tomaszewski, Networks 55, 2010), sndlib.put.poznan.pl; "
    "as converted by the Python package topohub (Jurkiewicz, SoftwareX 24, 2023), which is under the MIT licence"
)
LICENCE: Final = (
    "MIT (the package topohub, which states no other terms for SNDlib's instances); publications cite both references"
)


@dataclass(frozen=True)
class Node:
    """A node of a network.

    Attributes
    ----------
    name : str
        Its name in SNDlib.
    x, y : float
        Longitude and latitude in degrees if the network is geographic, otherwise a position in a drawing.

    Examples
    --------
    >>> node = sb.datasets.network("polska").nodes[0]
    >>> print(f"{node.name}: longitude {node.x:.1f}, latitude {node.y:.1f}")
    Gdansk: longitude 18.6, latitude 54.2
    >>> sb.datasets.Node("north", x=0.0, y=1.0)
    Node(name='north', x=0.0, y=1.0)
    """

    name: str
    x: float
    y: float


@dataclass(frozen=True)
class Link:
    """A link of a network, usable in both directions.

    Attributes
    ----------
    ends : tuple of str
        Names of its nodes.
    km : float or None
        Great-circle distance of its ends in km, computed by topohub (Earth's radius 6,372.8 km, unrounded
        coordinates); None if the network is not geographic.
    utilisation : tuple of float
        Load in percent of the busiest link, from the first end to the second and back, when the demands of SNDlib
        follow shortest paths with equal splits. Computed, not measured.

    Examples
    --------
    >>> link = sb.datasets.network("polska").links[0]
    >>> print(f"{' - '.join(link.ends)}: {link.km:.0f} km")
    Gdansk - Warsaw: 274 km
    >>> sb.datasets.Link(ends=("north", "south"), km=12.0, utilisation=(100.0, 80.0))
    Link(ends=('north', 'south'), km=12.0, utilisation=(100.0, 80.0))
    """

    ends: tuple[str, str]
    km: float | None
    utilisation: tuple[float, float]


@dataclass(frozen=True)
class Network:
    """A communication network.

    Attributes
    ----------
    name : str
        Its name in SNDlib.
    geographic : bool
        Whether its coordinates are longitude and latitude; if not, it has a topology but no distances.
    nodes : tuple of Node
    links : tuple of Link
    provenance : str
        Source and licence of the data.

    Examples
    --------
    >>> network = sb.datasets.network("polska")
    >>> len(network.nodes), len(network.links), network.geographic
    (12, 18, True)
    >>> longest = max(network.links, key=lambda link: link.km)
    >>> print(f"{' - '.join(longest.ends)}: {longest.km:.0f} km")
    Bialystok - Rzeszow: 355 km
    >>> cables = sb.SpanningTrees([link.ends for link in network.links])
    >>> cables.d, cables.m
    (18, 11)
    >>> network.delay_routes("Gdansk", "Krakow").decision_set
    Routes(d=18, m=11, source='Gdansk', target='Krakow')
    """

    name: str
    geographic: bool
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    provenance: str = _PROVENANCE

    def __repr__(self) -> str:
        return brief(self)

    @cached_property
    def positions(self) -> Mapping[str, tuple[float, float]]:
        """Coordinates of each node by name."""
        return {node.name: (node.x, node.y) for node in self.nodes}

    def graph(self) -> nx.Graph[str]:
        """The topology, with the attributes ``km`` (geographic networks only) and ``utilisation`` of its links."""
        import networkx as nx

        graph: nx.Graph[str] = nx.Graph(name=self.name)
        graph.add_nodes_from(node.name for node in self.nodes)
        for link in self.links:
            graph.add_edge(*link.ends, utilisation=link.utilisation)
            if link.km is not None:
                graph.edges[link.ends]["km"] = link.km
        return graph

    def delay_dag(self, source: str, target: str, *, model: DelayModel | None = None) -> Instance:
        """Paths on which every link leads closer to `target`, with modelled delays.

        A link may be used from u to v if the network distance to `target`, the shortest over links in km, is smaller at
        v than at u. Links on no path from `source` to `target` are omitted. The reward of a link is minus its mean delay
        in ms, and its variance is that of the delay, both from `model`: **modelled, not measured**.

        Parameters
        ----------
        source, target : str
            Names of two different nodes.
        model : DelayModel, optional
            The model of delays.

        Raises
        ------
        InvalidInputError
            If the network is not geographic, or a node is unknown, or both are the same.
        """
        self._check_distances()
        self._check_ends(source, target)
        model = model or DelayModel()
        arcs = self._arcs_towards(source, target)
        return instance_from_description(
            {
                "family": "paths",
                "name": f"{self.name}, {source} → {target}",
                "unit": "ms",
                "note": note_on_delays(model),
                "edges": [[u, v] for u, v, _, _ in arcs],
                "source": source,
                "target": target,
                "theta": [-model.mean(km, utilisation) for _, _, km, utilisation in arcs],
                "variance": [model.variance(utilisation) for _, _, _, utilisation in arcs],
                "positions": {name: list(xy) for name, xy in self.positions.items()},
                "geographic": True,
            }
        )

    def delay_routes(self, source: str, target: str, *, model: DelayModel | None = None) -> Instance:
        """Routes over all links, each of which can be used both ways, with modelled delays.

        The reward of a link is minus its mean delay in ms. The delay is at least that of propagation. Where traffic loads the two
        directions of a link differently, the busier one counts. Means and variances are from `model`: **modelled, not measured**.

        Parameters
        ----------
        source, target : str
            Names of two different nodes.
        model : DelayModel, optional
            The model of delays.

        Raises
        ------
        InvalidInputError
            If the network is not geographic, or a node is unknown, or both are the same.
        """
        self._check_distances()
        self._check_ends(source, target)
        model = model or DelayModel()
        lengths = self._lengths()
        busier = [max(link.utilisation) for link in self.links]
        return instance_from_description(
            {
                "family": "routes",
                "name": f"{self.name}, {source} → {target}, all links",
                "unit": "ms",
                "note": note_on_delays(model),
                "edges": [list(link.ends) for link in self.links],
                "directed": False,
                "source": source,
                "target": target,
                "least": [model.propagation(km) for km in lengths],
                "theta": [-model.mean(km, load) for km, load in zip(lengths, busier, strict=True)],
                "variance": [model.variance(load) for load in busier],
                "positions": {name: list(xy) for name, xy in self.positions.items()},
                "geographic": True,
            }
        )

    def spanning_trees(self, *, variance: ArrayLike = 0.5, model: DelayModel | None = None) -> Instance:
        """Spanning trees; the reward of a link is minus its propagation delay in ms.

        Parameters
        ----------
        variance : array_like of float, scalar or shape (d,)
            Variance of a measured delay in ms squared. It is an assumption; the data do not contain it.
        model : DelayModel, optional
            Provides the speed of light; queues are ignored.

        Raises
        ------
        InvalidInputError
            If the network is not geographic, or a variance is not positive.
        """
        self._check_distances()
        model = model or DelayModel()
        return instance_from_description(
            {
                "family": "trees",
                "name": f"{self.name}, spanning trees",
                "unit": "ms",
                "note": f"Delays are modelled, not measured: km / {model.speed:g}. The variance is an assumption.",
                "edges": [list(link.ends) for link in self.links],
                "theta": [-model.propagation(km) for km in self._lengths()],
                "variance": np.asarray(variance).tolist(),
                "positions": {name: list(xy) for name, xy in self.positions.items()},
                "geographic": True,
            }
        )

    def _arcs_towards(self, source: str, target: str) -> list[tuple[str, str, float, float]]:
        """Arcs (u, v, km, utilisation) that lower the distance to `target` and lie on a path from `source`."""
        import networkx as nx

        distance = nx.single_source_dijkstra_path_length(self.graph(), target, weight="km")
        arcs = []
        for link, km in zip(self.links, self._lengths(), strict=True):
            (u, v), (forward, backward) = link.ends, link.utilisation
            if distance[u] > distance[v]:
                arcs.append((u, v, km, forward))
            elif distance[v] > distance[u]:
                arcs.append((v, u, km, backward))
        graph: nx.DiGraph[str] = nx.DiGraph((u, v) for u, v, _, _ in arcs)
        on_a_path = (nx.descendants(graph, source) | {source}) & (nx.ancestors(graph, target) | {target})
        return [arc for arc in arcs if arc[0] in on_a_path and arc[1] in on_a_path]

    def _check_ends(self, source: str, target: str) -> None:
        for key, name in (("source", source), ("target", target)):
            if name not in self.positions:
                raise unknown_name(f"{key} in {self.name}", name, self.positions)
        if source == target:
            raise InvalidInputError(f"source and target must differ, got {source!r} for both: choose another target")

    def _lengths(self) -> list[float]:
        return [link.km for link in self.links if link.km is not None]

    def _check_distances(self) -> None:
        if not self.geographic:
            raise InvalidInputError(
                f"delays must rest on geographic coordinates, got the network {self.name}, whose coordinates are "
                "positions in a drawing: choose a geographic network, or give its topology your own numbers in a file"
            )


def list_networks() -> tuple[str, ...]:
    """Names of the built-in networks: all 26 networks of SNDlib, of which 14 are geographic.

    Returns
    -------
    tuple of str
        The names, in alphabetical order. :class:`Network` cites the source.

    Examples
    --------
    >>> names = sb.datasets.list_networks()
    >>> len(names), names[:3]
    (26, ('abilene', 'atlanta', 'brain'))
    """
    return tuple(sorted(_GEOGRAPHIC | _DRAWN))


def network(name: str) -> Network:
    """Built-in network by name.

    Parameters
    ----------
    name : str
        One of :func:`list_networks`, for instance ``"germany50"``.

    Returns
    -------
    Network
        Its nodes and links.

    Raises
    ------
    InvalidInputError
        If there is no such network.
    SemibanditsError
        If the package topohub, which contains the data, is not installed.

    Examples
    --------
    >>> polska = sb.datasets.network("polska")
    >>> print(f"{len(polska.nodes)} cities, {len(polska.links)} links, {sum(link.km for link in polska.links):,.0f} km")
    12 cities, 18 links, 3,386 km
    >>> sb.datasets.network("poland")
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: network must be a known name, got 'poland': did you mean polska?
    """
    if name not in list_networks():
        raise unknown_name("network", name, list_networks())
    try:
        folder = files("topohub")
    except ModuleNotFoundError as error:
        raise SemibanditsError(
            "built-in networks need the package topohub, which is not installed: run pip install topohub"
        ) from error
    # The file is read here, since topohub.get does not close it.
    raw = json.loads(folder.joinpath("data", "sndlib", f"{name}.json").read_text(encoding="utf-8"))
    geographic = name in _GEOGRAPHIC
    names = {node["id"]: str(node["name"]) for node in raw["nodes"]}
    return Network(
        name=name,
        geographic=geographic,
        nodes=tuple(Node(names[node["id"]], *map(float, node["pos"])) for node in raw["nodes"]),
        links=tuple(
            Link(
                ends=(names[edge["source"]], names[edge["target"]]),
                km=float(edge["dist"]) if geographic else None,
                utilisation=(float(edge["ecmp_fwd"]["org"]), float(edge["ecmp_bwd"]["org"])),
            )
            for edge in raw["edges"]
        ),
    )
