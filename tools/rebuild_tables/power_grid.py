"""Rebuild power_grid.json: the 33-bus distribution grid of Baran and Wu (1989).

    pip download --no-deps pandapower==3.5.6
    python tools/rebuild_tables/power_grid.py pandapower-3.5.6-py3-none-any.whl

The package is under the 3-clause BSD licence. Buses are numbered from 1, as in most of the literature. Their positions are
ours: the main feeder from left to right, its branches above and below, so that the five normally open lines are
vertical.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from common import lines, member, package_facts, run

CASE = "pandapower/networks/power_system_test_case_jsons/case33bw.json"


def build(packages: list[Path]) -> str:
    """The table as JSON: buses with position and load (kW, kvar), lines with resistance, reactance (ohm) and whether open."""
    [package] = packages
    grid = json.loads(member(package, CASE))["_object"]
    edges: list[object] = [
        [*sorted((row["from_bus"] + 1, row["to_bus"] + 1)), *impedance(row), not row["in_service"]]
        for row in records(grid["line"])
    ]
    [root] = [row["bus"] + 1 for row in records(grid["ext_grid"])]
    loads = {row["bus"] + 1: [round(1000 * row[key], 6) for key in ("p_mw", "q_mvar")] for row in records(grid["load"])}
    buses: list[object] = [
        [number, *place(number), *loads.get(number, [0.0, 0.0])] for number in range(1, len(records(grid["bus"])) + 1)
    ]
    [volts] = {row["vn_kv"] for row in records(grid["bus"])}
    head = {"source": package_facts(package), "file": CASE, "substation": root, "kilovolts": volts}
    return json.dumps(head)[:-1] + f',\n "buses": {lines(buses)},\n "lines": {lines(edges)}\n}}\n'


def impedance(row: dict[str, Any]) -> tuple[float, float]:
    """Resistance and reactance of a line, in ohm."""
    return row["r_ohm_per_km"] * row["length_km"], row["x_ohm_per_km"] * row["length_km"]


def records(frame: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of a table of pandapower, in the order of its index."""
    table = json.loads(frame["_object"])
    rows = zip(table["index"], table["data"], strict=True)
    return [dict(zip(table["columns"], row, strict=True)) for _, row in sorted(rows, key=lambda pair: pair[0])]


def place(bus: int) -> tuple[float, float]:
    """Position of a bus in drawings."""
    if bus <= 18:  # the main feeder, with an arch over the line from 9 to 15
        return float(bus), {10: 0.6, 11: 1.0, 12: 1.2, 13: 1.0, 14: 0.6}.get(bus, 0.0)
    if bus <= 22:  # above, from 2
        return {19: 2.5, 20: 5.0, 21: 8.0, 22: 12.0}[bus], 2.5
    if bus <= 25:  # far below, from 3
        return {23: 4.0, 24: 7.5, 25: 11.0}[bus], -4.0
    return {26: 6.5, 27: 8.0, 28: 9.5, 29: 11.0, 30: 13.0, 31: 14.5, 32: 16.0, 33: 18.0}[bus], -2.0  # below, from 6


if __name__ == "__main__":
    run("power_grid.json", build, ["pandapower"], __doc__.splitlines()[0])
