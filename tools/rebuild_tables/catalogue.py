"""Rebuild catalogue.json, and the table of docs/datasets.md: size, smallest gap and C(theta) of every built-in dataset.

    pip install "semibandits[networks]" && pip install --no-deps "recbole==1.2.1" "aequilibrae==1.7.2"
    python tools/rebuild_tables/catalogue.py

C(theta) is a bracket of relative width 1e-4 at most, rounded outwards to nine digits; if a dataset took longer than the time
limit, the bracket reached is recorded and a line says so. Counts are exact; smallest gaps, rewards of the best
decisions, and C(theta) in closed form, are rounded to twelve digits.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from typing import Any

from common import TABLES

from semibandits import GravesLaiResult, TooManyDecisionsError, graves_lai, smallest_gap
from semibandits.datasets import CatalogueRow, Dataset, catalogue, list_datasets, load
from semibandits_studies.reporting.formatting import amount, count_decisions

GAP, TIME_LIMIT = 1e-4, 300.0
PAGE = TABLES.parents[3] / "docs" / "datasets.md"
HEAD = "| dataset | what is chosen | d, m | decisions | Δ min | C(θ) | θ is |\n|---|---|---|---|---|---|---|\n"


def facts(dataset: Dataset) -> dict[str, Any]:
    """The entry of a dataset in the catalogue."""
    count = count_decisions(dataset.decision_set).exact
    result = graves_lai(dataset.decision_set, dataset.theta, dataset.variance, gap=GAP, time_limit=TIME_LIMIT, throw=False)
    if result.gap > GAP:
        print(f"{dataset.name}: {result.lower} to {result.value} after {TIME_LIMIT:g} s", file=sys.stderr)
    return {
        "question": dataset.question,
        "family": dataset.family,
        "d": dataset.decision_set.d,
        "m": dataset.decision_set.m,
        "decisions": None if count is None else str(count),
        "smallest_gap": gap_of(dataset),
        **dict(zip(("lower", "value"), bracket(result), strict=True)),
        "reward": float(f"{result.theta[result.optimal_decision].sum():.12g}"),
        "in_costs": dataset.instance.in_costs,
        "unit": dataset.unit,
        "origin": dataset.origin,
        "replay": dataset.outcomes is not None,
        "features": list(dataset.features or ()),
        "note": dataset.instance.note,
        "provenance": dataset.provenance,
        "licence": dataset.licence,
    }


def gap_of(dataset: Dataset) -> float | None:
    """The smallest gap to twelve digits, or None if too many or all decisions are optimal."""
    try:
        gap = smallest_gap(dataset.decision_set, dataset.theta)
    except TooManyDecisionsError:
        return None
    return float(f"{gap:.12g}") if math.isfinite(gap) else None


def bracket(result: GravesLaiResult) -> tuple[float, float]:
    """Both sides rounded outwards to nine digits; a value in closed form to twelve."""
    if result.lower == result.value:
        value = float(f"{result.value:.12g}")
        return value, value
    return rounded(result.lower, math.floor), rounded(result.value, math.ceil)


def rounded(value: float, direction: Any) -> float:
    """A positive number to nine digits, the last of them rounded down or up."""
    digits = 8 - math.floor(math.log10(value)) if value else 0
    return float(f"{direction(value * 10.0**digits) * 10.0**-digits:.9g}")


def page_row(row: CatalogueRow) -> str:
    """A line of the table of the page."""
    count = "unknown" if row.decisions is None else f"{row.decisions:,}"
    if row.decisions is not None and row.decisions >= 10**7:
        count = f"{row.decisions / 10 ** (len(str(row.decisions)) - 1):.2f}e{len(str(row.decisions)) - 1}"
    gap = "unknown" if row.smallest_gap is None else amount(row.smallest_gap, row.unit, digits=3)
    value = f"{row.value:,.0f} {row.unit}" if row.value >= 10_000 else amount(row.value, row.unit)
    origin = "measured, replay" if row.replay else row.origin
    return f"| `{row.name}` | {row.title} | {row.d}, {row.m} | {count} | {gap} | {value} | {origin} |\n"


def write_page() -> None:
    """Replace the table in the page."""
    before, after = PAGE.read_text(encoding="utf-8").split(HEAD)
    rest = after.lstrip("\n") if after.startswith("\n") else after[after.index("\n\n") :].lstrip("\n")
    PAGE.write_text(before + HEAD + "".join(map(page_row, catalogue())) + "\n" + rest, encoding="utf-8")


def differences(name: str, old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Differences from the recorded entry: brackets must overlap, gaps agree to 1e-9, everything else must be equal."""
    wrong = [f"{name}: {key} is {new[key]!r}, recorded {old.get(key)!r}" for key in new if not agrees(key, old, new)]
    slack = 1e-9 * new["value"]
    if old["lower"] > new["value"] + slack or new["lower"] > old["value"] + slack:
        wrong.append(f"{name}: C is in {[new['lower'], new['value']]}, recorded {[old['lower'], old['value']]}")
    return wrong


def agrees(key: str, old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether one value agrees with the recorded one."""
    if key in ("lower", "value"):
        return True
    if key in ("smallest_gap", "reward") and None not in (old.get(key), new[key]):
        return math.isclose(old[key], new[key], rel_tol=1e-9)
    return bool(old.get(key) == new[key])


def main() -> None:
    """Write the table, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the bundled table, write nothing")
    check = parser.parse_args().check
    target = TABLES / "catalogue.json"
    table = {name: facts(load(name)) for name in list_datasets()}
    if not check:
        target.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        write_page()
        print(f"{target.name} and {PAGE.name}: {len(table)} datasets written")
        return
    old = json.loads(target.read_text(encoding="utf-8"))
    wrong = [] if set(old) == set(table) else [f"datasets are {sorted(table)}, recorded {sorted(old)}"]
    for name in table.keys() & old.keys():
        wrong += differences(name, old[name], table[name])
    print("\n".join(wrong) or f"{target.name}: all {len(table)} datasets agree with the recorded table")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
