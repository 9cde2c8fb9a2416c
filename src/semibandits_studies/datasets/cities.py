"""Road networks of cities, read from the installed package aequilibrae and never bundled."""

from __future__ import annotations

import io
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from math import cos, hypot, radians
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import numpy as np

from semibandits.errors import SemibanditsError
from semibandits.formats.text import brief
from semibandits.instances import Instance, instance_from_description
from semibandits_studies.datasets.base import Dataset

DATABASE: Final = "project_database.sqlite"
POINT: Final = 43
"""Bytes before the coordinates of a point in SpatiaLite's format."""
SPEEDS: Final = {
    "motorway": 100.0, "trunk": 80.0, "primary": 50.0, "secondary": 45.0, "tertiary": 40.0, "unclassified": 35.0,
    "residential": 25.0, "service": 15.0, "living_street": 15.0, "track": 15.0, "path": 10.0, "footway": 5.0,
}  # fmt: skip
"""Free-flow speeds by type of link, in km/h: assumptions."""
SLOWDOWN: Final = {"primary": 1.4, "secondary": 1.3, "trunk": 1.3, "motorway": 1.2, "tertiary": 1.2}
"""Mean travel time over free-flow time by type of link, 1.1 for all others: assumptions."""
DEVIATION: Final = 0.3
"""Standard deviation of a travel time, as a share of its mean: an assumption."""
BUSIEST: Final = 2.0
"""Load of the busiest link of Sioux Falls over its capacity."""
_OPENSTREETMAP: Final = "OpenStreetMap contributors, Open Database License (ODbL) 1.0; the extract is in aequilibrae, MIT"


@dataclass(frozen=True)
class RoadLink:
    """A link that can be driven from node `tail` to node `head`."""

    tail: int
    head: int
    street: str  # "" if it has no name
    kind: str  # such as "residential"
    km: float
    minutes: float  # free-flow travel time


@dataclass(frozen=True, eq=False)
class RoadNetwork:
    """The road network of a city."""

    name: str
    links: tuple[RoadLink, ...]  # one for each direction of travel
    positions: dict[int, tuple[float, float]]  # longitude and latitude of each node, in degrees

    def __repr__(self) -> str:
        return brief(self)

    def nearest(self, longitude: float, latitude: float) -> int:
        """The node of a link that is nearest to a place."""
        shrink = cos(radians(latitude))

        def distance(v: int) -> float:
            x, y = self.positions[v]
            return hypot((x - longitude) * shrink, y - latitude)

        return min(self.nodes, key=lambda v: (distance(v), v))

    @cached_property
    def nodes(self) -> tuple[int, ...]:
        """Nodes of links, in order of first appearance."""
        return tuple(dict.fromkeys(v for link in self.links for v in (link.tail, link.head)))

    def travel_times(self, title: str, source: int, target: int, slowdown: np.ndarray, note: str) -> Instance:
        """Routes from source to target; the reward of a link is minus its mean travel time in minutes. Links have features.

        `slowdown`, shape (number of links,): mean over free-flow travel time, >= 1. `note`: what is measured and what modelled.
        """
        free = np.array([link.minutes for link in self.links])
        means = free * slowdown
        streets = [link.street for link in self.links]
        instance = instance_from_description(
            {
                "family": "routes",
                "name": title,
                "unit": "min",
                "note": note,
                "edges": [[link.tail, link.head] for link in self.links],
                "source": source,
                "target": target,
                "least": free.tolist(),
                "theta": (-means).tolist(),
                "variance": np.square(DEVIATION * means).tolist(),
                "positions": {str(v): list(self.positions[v]) for v in self.nodes},
                "geographic": True,
                **({"streets": streets} if any(streets) else {}),
            }
        )
        kinds = [link.kind for link in self.links]
        features = {"km": [link.km for link in self.links], "free-flow minutes": free.tolist()}
        return replace(instance, features=features | ({"class": kinds} if len(set(kinds)) > 1 else {}))


def sioux_falls() -> Dataset:
    """From the north-west to the south-east of Sioux Falls, over 76 arcs between 24 nodes."""
    network, loads = _sioux_falls()
    slowdown = 1.0 + 0.15 * loads**4
    note = (
        "Mean travel times are modelled, not measured: the free-flow time of the data, which is also the least one, times "
        f"1 + 0.15 x^4 (BPR), with loads x of equal traffic between all nodes along fastest routes, {BUSIEST:g} on the busiest "
        "link. "
        f"The standard deviation is {DEVIATION:.0%} of the mean."
    )
    return Dataset(
        name="sioux-falls-routing",
        question="Which route takes least time from node 1 to node 20 of Sioux Falls?",
        instance=network.travel_times("Sioux Falls: 1 → 20", 1, 20, slowdown, note),
        origin="modelled",
        provenance=(
            "Network of Sioux Falls with free-flow times (LeBlanc, Morlok, Pierskalla, An efficient approach to solving the road "
            "network equilibrium traffic assignment problem, Transportation Research 9, 1975); read from the Python package "
            "aequilibrae"
        ),
        licence="As in aequilibrae, MIT",
    )


def nauru() -> Dataset:
    """From the airport of Nauru to Anabar in the north-east of the island."""
    network = road_network("nauru", "Nauru")
    return _city(
        "nauru-routing",
        "Nauru: from the airport to Anabar",
        "Which route takes least time from the airport of Nauru to Anabar?",
        network,
        network.nearest(166.9190, -0.5472),
        network.nearest(166.9525, -0.5090),
    )


def la_serena() -> Dataset:
    """From the Plaza de Armas of La Serena to a crossing 2.9 km to the south-east, in the network of La Serena and Coquimbo."""
    network = road_network("coquimbo", "La Serena and Coquimbo")
    return _city(
        "la-serena-routing",
        "La Serena: from the Plaza de Armas to Raúl Salamanca Jorquera",
        "Which route takes least time from the Plaza de Armas of La Serena to a crossing 2.9 km to the south-east?",
        network,
        network.nearest(-71.2520, -29.9027),
        network.nearest(-71.2331, -29.9226),
    )


def _city(name: str, title: str, question: str, network: RoadNetwork, source: int, target: int) -> Dataset:
    slowdown = np.array([SLOWDOWN.get(link.kind, 1.1) for link in network.links])
    note = (
        "Travel times are modelled, not measured: the least one is the length over an assumed speed for the type of link, and "
        f"the mean is 1.1 to 1.4 times as long, more on main roads. The standard deviation is {DEVIATION:.0%} of the mean."
    )
    return Dataset(
        name=name,
        question=question,
        instance=network.travel_times(title, source, target, slowdown, note),
        origin="modelled",
        provenance=f"Roads of {network.name} from OpenStreetMap, read from the Python package aequilibrae",
        licence=_OPENSTREETMAP,
    )


def road_network(archive: str, name: str) -> RoadNetwork:
    """The road network of a city, from OpenStreetMap. `archive` is an example of aequilibrae, "nauru" or "coquimbo"."""
    links = []
    with _database(archive) as database:
        positions = _positions(database)
        query = "SELECT a_node, b_node, direction, distance, link_type, name FROM links ORDER BY link_id"
        for a, b, direction, metres, kind, street in database.execute(query):
            if kind not in SPEEDS or a == b:
                continue  # connectors of zones, which are no roads, and loops
            km = metres / 1000.0
            minutes = 60.0 * km / SPEEDS[kind]
            for tail, head, sign in ((a, b, 1), (b, a, -1)):
                if direction * sign >= 0:
                    links.append(RoadLink(tail, head, street or "", kind, km, minutes))
    return RoadNetwork(name, tuple(links), positions)


def _sioux_falls() -> tuple[RoadNetwork, np.ndarray]:
    """The network, and the load of each link over its capacity."""
    import networkx as nx

    with _database("sioux_falls") as database:
        positions = _positions(database)
        query = "SELECT a_node, b_node, distance, free_flow_time, capacity_ab FROM links ORDER BY link_id"
        rows = database.execute(query).fetchall()
    links = tuple(RoadLink(a, b, "", "road", metres / 1000.0, minutes) for a, b, metres, minutes, _ in rows)
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_weighted_edges_from((link.tail, link.head, link.minutes) for link in links)
    flows = nx.edge_betweenness_centrality(graph, normalized=False, weight="weight")
    loads = np.array([flows[a, b] / capacity for a, b, _, _, capacity in rows])
    return RoadNetwork("Sioux Falls", links, positions), BUSIEST * loads / loads.max()


def _positions(database: sqlite3.Connection) -> dict[int, tuple[float, float]]:
    rows = database.execute("SELECT node_id, geometry FROM nodes")
    return {node: struct.unpack_from("<dd", geometry, POINT) for node, geometry in rows}


@contextmanager
def _database(archive: str) -> Iterator[sqlite3.Connection]:
    """The database of an example of aequilibrae, which is located without importing the package."""
    spec = find_spec("aequilibrae")
    if spec is None or spec.origin is None:
        raise SemibanditsError(
            "road networks of cities need the package aequilibrae, which is not installed: "
            'run pip install --no-deps "aequilibrae==1.7.2"'
        )
    data = (Path(spec.origin).parent / "reference_files" / f"{archive}.zip").read_bytes()
    with ZipFile(io.BytesIO(data)) as files, closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(files.read(DATABASE))
        yield database
