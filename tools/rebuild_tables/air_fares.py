"""Rebuild air_fares.json: flights between the busiest airports of the USA that lead from Boston towards San Diego.

    pip download --no-deps bokeh_sampledata==2026.1
    python tools/rebuild_tables/air_fares.py bokeh_sampledata-2026.1-py3-none-any.whl

Both files of the package are in the public domain: airports of OurAirports, and connections of the US Bureau of
Transportation Statistics, namely the distinct (carrier, origin, destination) of flights in July 2026 that were flown at
least four times.

Airports: Boston, San Diego and the 25 with most connections, counted over distinct directed pairs of airports. A connection
counts if it leads to an airport that is nearer to San Diego, by great circle, and lies on a path from Boston to San Diego.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
from collections import Counter
from pathlib import Path

from common import lines, member, package_facts, run

FOLDER = "bokeh_sampledata/_data/"
SOURCE, TARGET, HUBS = "BOS", "SAN", 25
EARTH = 6371.0
"""Mean radius, km."""


def build(packages: list[Path]) -> str:
    """The table as JSON: airports with their position, connections with km and the number of operating carriers."""
    [package] = packages
    airports = {row["IATA"]: row for row in read(member(package, FOLDER + "airports.csv")) if row["IATA"]}
    routes = {
        (row["Airline"], row["Source"], row["Destination"])
        for row in read(gzip.decompress(member(package, FOLDER + "routes.csv.gz")))
        if row["Source"] in airports and row["Destination"] in airports and row["Source"] != row["Destination"]
    }
    carriers = Counter((u, v) for _, u, v in routes)
    degree = Counter(airport for pair in sorted(carriers) for airport in pair)
    chosen = {airport for airport, _ in sorted(degree.items(), key=lambda each: (-each[1], each[0]))[:HUBS]}
    chosen |= {SOURCE, TARGET}
    places = {code: (float(airports[code]["Longitude"]), float(airports[code]["Latitude"])) for code in sorted(chosen)}
    left = {code: great_circle(place, places[TARGET]) for code, place in places.items()}
    arcs = [(u, v) for u, v in sorted(carriers) if u in chosen and v in chosen and left[u] > left[v]]
    useful = reached(arcs, SOURCE) & reached([(v, u) for u, v in arcs], TARGET)
    rows: list[object] = [
        [u, v, round(great_circle(places[u], places[v]), 1), carriers[u, v]] for u, v in arcs if {u, v} <= useful
    ]
    names: list[object] = [
        [code, airports[code]["Name"], airports[code]["City"], *(round(x, 4) for x in place)]
        for code, place in places.items()
        if code in useful
    ]
    head = {"source": package_facts(package), "from": SOURCE, "to": TARGET}
    return json.dumps(head)[:-1] + f',\n "airports": {lines(names)},\n "connections": {lines(rows)}\n}}\n'


def read(content: bytes) -> csv.DictReader[str]:
    """Rows of a CSV file."""
    return csv.DictReader(content.decode("utf-8-sig").splitlines())


def great_circle(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Distance in km between two positions, given by longitude and latitude in degrees, by the haversine formula."""
    (x, y), (u, v) = (tuple(map(math.radians, place)) for place in (a, b))
    h = math.sin((v - y) / 2) ** 2 + math.cos(y) * math.cos(v) * math.sin((u - x) / 2) ** 2
    return 2 * EARTH * math.asin(math.sqrt(h))


def reached(arcs: list[tuple[str, str]], start: str) -> set[str]:
    """All nodes that can be reached from `start`."""
    found, queue = {start}, [start]
    while queue:
        at = queue.pop()
        new = {v for u, v in arcs if u == at} - found
        found |= new
        queue += new
    return found


if __name__ == "__main__":
    run("air_fares.json", build, ["bokeh_sampledata"], __doc__.splitlines()[0])
