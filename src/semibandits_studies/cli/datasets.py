"""``semibandits datasets``: the built-in datasets and networks."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from typing import Annotated, Any, Final

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from semibandits import datasets as library
from semibandits.datasets import CatalogueRow
from semibandits.families.registry import FAMILIES
from semibandits.inputs.fields import unknown_name
from semibandits_studies.cli.terminal import facts_table, new_console, print_json
from semibandits_studies.reporting.formatting import amount, bracket_text, cost_text, counted

HELP = """
List the built-in datasets and networks, or describe one.

[bold]Examples[/bold]
semibandits datasets
semibandits datasets flights-on-time
semibandits datasets --networks
semibandits datasets germany50
"""

WIDE: Final = 108
"""Minimum width of the console for titles beside the names rather than below them."""
MISSING: Final = "†"
REPLAY: Final = "*"


def command(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A dataset to describe, or a network whose nodes to list.")
    ] = None,
    networks: Annotated[bool, typer.Option("--networks", help="List the networks instead of the datasets.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the built-in datasets, or show one of them or the nodes of a network."""
    rows = {row.name: row for row in library.catalogue()}
    if networks and name is None:
        _list_networks(new_console(), as_json=as_json)
    elif name is None:
        print_json([_row_facts(row) for row in rows.values()]) if as_json else _print_list(new_console(), list(rows.values()))
    elif name in rows and not networks:
        print_json(_row_facts(rows[name])) if as_json else _print_row(new_console(), rows[name])
    elif name in library.list_networks():
        _show_network(new_console(), library.network(name), as_json=as_json)
    else:
        known = library.list_networks() if networks else (*rows, *library.list_networks())
        raise unknown_name("network" if networks else "dataset or network", name, known)


def _print_list(console: Console, rows: list[CatalogueRow]) -> None:
    """Print a block per family with one or two lines per dataset, and the legend."""
    wide = console.width >= WIDE
    titles = ("dataset", "what is chosen", "d", "m", "decisions", "Δ min", "C(θ)", "unit", "θ is")
    cells = {row.name: _cells(row) for row in rows}
    widths = [max(map(len, column)) for column in zip(titles, *cells.values(), strict=True)]
    console.print(_line(titles, widths, wide), style="dim")
    for family, group in groupby(rows, key=lambda row: row.family):
        console.print()
        console.print(FAMILIES[family].heading, style="bold")
        for row in group:
            console.print(_line(cells[row.name], widths, wide), soft_wrap=True)
            if not wide:
                console.print(f"  {row.title}", style="dim")
    console.print()
    console.print(
        "d: items; m: items of the largest decision; Δ min: the smallest gap, between the best decision and the second best; "
        "C(θ): lower bound on regret per ln T, for Gaussian rewards.",
        style="dim",
    )
    if any(row.replay for row in rows):
        console.print(f"{REPLAY} has observed outcomes: --rewards replay draws from them.", style="dim")
    missing = list(dict.fromkeys(str(row.needs) for row in rows if not row.installed))
    if missing:
        which = " (semibandits datasets NAME says which)" if len(missing) > 1 else ""
        console.print(f"{MISSING} needs a package that is not installed{which}: {'; '.join(missing)}", style="dim")
    console.print("More: semibandits datasets NAME; networks: semibandits datasets --networks", style="dim")


def _line(cells: tuple[str, ...], widths: list[int], wide: bool) -> str:
    """Cells in columns: text aligned left, numbers right."""
    texts = (0, 1, 7, 8)
    kept = [k for k in range(len(cells)) if wide or k != 1]
    return " ".join(cells[k].ljust(widths[k]) if k in texts else cells[k].rjust(widths[k]) for k in kept).rstrip()


def _cells(row: CatalogueRow) -> tuple[str, ...]:
    count = "unknown"
    if row.decisions is not None:
        count = f"{row.decisions:,}" if row.decisions < 10_000_000 else _with_exponent(row.decisions, 2)
    return (
        row.name + ("" if row.installed else MISSING),
        row.title,
        str(row.d),
        str(row.m),
        count,
        "unknown" if row.smallest_gap is None else amount(row.smallest_gap, digits=3),
        f"{row.value:,.0f}" if row.value >= 10_000 else amount(row.value, digits=4),
        row.unit.split(" ")[0],
        row.origin + (REPLAY if row.replay else ""),
    )


def _print_row(console: Console, row: CatalogueRow) -> None:
    """Print the question, the figures, the source and the use of one dataset."""
    one, several, item, items = FAMILIES[row.family].nouns
    if row.decisions is None:
        count = f"an unknown number of {several}"
    elif row.decisions < 10**12:
        count = counted(row.decisions, one, several)
    else:
        count = f"{_with_exponent(row.decisions, 3)} {several}"
    bracket = bracket_text(row.lower, row.value).replace(" ≤ C(θ) ≤ ", " to ").removeprefix("C(θ) = ")
    facts = facts_table()
    facts.add_row("Decisions", f"{count} of at most {counted(row.m, item, items)}, out of {row.d:,}")
    cost = row.cost
    facts.add_row(f"Best {one}", amount(row.reward, row.unit) if cost is None else f"costs {cost_text(cost, row.unit)}")
    facts.add_row("Smallest gap", "unknown" if row.smallest_gap is None else amount(row.smallest_gap, row.unit))
    facts.add_row("C(θ)", f"{bracket} {row.unit}".rstrip() + " per ln T")
    if row.features:
        facts.add_row("Features", ", ".join(row.features))
    facts.add_row("Numbers", row.note or row.origin)
    facts.add_row("Source", row.provenance)
    facts.add_row("Licence", row.licence)
    if row.needs:
        facts.add_row("Needs", row.needs + (" (installed)" if row.installed else " (not installed)"))
    console.print(f"{row.name}: {row.title}", style="bold")
    console.print(row.question)
    console.print()
    console.print(facts)
    console.print()
    console.print("Use", style="dim")
    for line in _uses(row):
        console.print(f"  {line}", soft_wrap=True)


def _row_facts(row: CatalogueRow) -> dict[str, Any]:
    return {**asdict(row), "cost": row.cost}


def _with_exponent(count: int, places: int) -> str:
    """A count as ``9.24e17``, also if it is too large for a float."""
    exponent = len(str(count)) - 1
    return f"{count / 10**exponent:.{places}f}e{exponent}"


def _uses(row: CatalogueRow) -> list[str]:
    means = "costs=dataset.costs" if row.in_costs else "dataset.theta"
    simulate = [f"semibandits simulate {row.name} --horizon 10000 --replications 20"]
    if row.replay:
        simulate.append(f"{simulate[0]} --rewards replay")
    if row.features:
        simulate.append(f"semibandits simulate {row.name} --features {row.name} -p GLADE -p GLADE:features=false")
    return [
        f"semibandits bound {row.name}",
        *simulate,
        "",
        "import semibandits as sb",
        f'dataset = sb.datasets.load("{row.name}")',
        f"sb.graves_lai(dataset.decision_set, {means}, variance=dataset.variance)",
    ]


def _list_networks(console: Console, *, as_json: bool) -> None:
    networks = [library.network(each) for each in library.list_networks()]
    if as_json:
        print_json([_summary(network) for network in networks])
        return
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("network")
    table.add_column("nodes", justify="right")
    table.add_column("links", justify="right")
    table.add_column("coordinates")
    for network in networks:
        kind = "geographic" if network.geographic else "a drawing: topology only, no distances"
        table.add_row(network.name, str(len(network.nodes)), str(len(network.links)), kind)
    console.print(table)
    console.print(f"Source: {networks[0].provenance}.", style="dim")


def _show_network(console: Console, network: library.Network, *, as_json: bool) -> None:
    if as_json:
        nodes = [{"name": node.name, "x": node.x, "y": node.y} for node in network.nodes]
        links = [{"ends": list(link.ends), "km": link.km, "utilisation": list(link.utilisation)} for link in network.links]
        print_json(_summary(network) | {"nodes": nodes, "links": links})
        return
    kind = "geographic" if network.geographic else "coordinates of a drawing, no distances"
    console.print(f"{network.name}: {len(network.nodes)} nodes, {len(network.links)} links, {kind}", style="bold")
    console.print(", ".join(node.name for node in network.nodes))
    console.print(f"Source: {network.provenance}.", style="dim")


def _summary(network: library.Network) -> dict[str, Any]:
    return {
        "name": network.name,
        "nodes": len(network.nodes),
        "links": len(network.links),
        "geographic": network.geographic,
        "provenance": network.provenance,
    }
