"""``semibandits datasets``: what is built in."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from semibandits import datasets as library

HELP = """
List the built-in networks, or the nodes of one.

[bold]Examples[/bold]

\b
semibandits datasets
semibandits datasets germany50
"""


def datasets(
    name: Annotated[str | None, typer.Argument(metavar="NETWORK", help="Show the nodes of this network.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the built-in networks, or the nodes of one."""
    if name is None:
        networks = [library.network(each) for each in library.list_networks()]
        if as_json:
            print(json.dumps([_summary(network) for network in networks], ensure_ascii=False))
        else:
            _print_networks(networks)
        return
    network = library.network(name)
    if as_json:
        nodes = [{"name": node.name, "x": node.x, "y": node.y} for node in network.nodes]
        links = [
            {"ends": list(link.ends), "km": link.km, "utilisation": list(link.utilisation)} for link in network.links
        ]
        print(json.dumps(_summary(network) | {"nodes": nodes, "links": links}, ensure_ascii=False))
    else:
        _print_network(network)


def _summary(network: library.Network) -> dict[str, Any]:
    return {
        "name": network.name,
        "nodes": len(network.nodes),
        "links": len(network.links),
        "geographic": network.geographic,
        "provenance": network.provenance,
    }


def _print_networks(networks: list[library.Network]) -> None:
    console = Console(highlight=False)
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


def _print_network(network: library.Network) -> None:
    console = Console(highlight=False)
    kind = "geographic" if network.geographic else "coordinates of a drawing, no distances"
    console.print(f"{network.name}: {len(network.nodes)} nodes, {len(network.links)} links, {kind}", style="bold")
    console.print(", ".join(node.name for node in network.nodes))
    console.print(f"Source: {network.provenance}.", style="dim")
