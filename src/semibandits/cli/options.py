"""Options shared by several commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

PROBLEM: Final = "Problem"
OUTPUT: Final = "Output"
EXECUTION: Final = "Execution"

Problem: TypeAlias = Annotated[
    str, typer.Argument(metavar="PROBLEM", help="A built-in dataset or network, or a table (.csv, .xlsx, ...) or .json file.")
]
Family: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="paths, routes, trees, matchings, msets, partition or intersection; often clear from the header.",
        rich_help_panel=PROBLEM,
    ),
]
Source: TypeAlias = Annotated[str | None, typer.Option(help="First node of the paths or routes.", rich_help_panel=PROBLEM)]
Target: TypeAlias = Annotated[str | None, typer.Option(help="Last node of the paths or routes.", rich_help_panel=PROBLEM)]
Undirected: TypeAlias = Annotated[
    bool, typer.Option("--undirected", help="Links of routes can be used in both directions.", rich_help_panel=PROBLEM)
]
Size: TypeAlias = Annotated[
    int | None, typer.Option(help="Number of items to choose, within the capacities if any.", rich_help_panel=PROBLEM)
]
Saturate: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Sides that a matching must cover: both (default), rows, columns or none.", rich_help_panel=PROBLEM),
]
Capacity: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[COLUMN:][NAME=]K",
        help="Largest number of items from each group, or with NAME=K from one group. Repeatable.",
        rich_help_panel=PROBLEM,
    ),
]
Minimize: TypeAlias = Annotated[
    bool, typer.Option("--minimize", help="The numbers of a table are costs.", rich_help_panel=PROBLEM)
]
Column: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ROLE=NAME",
        help="Column of a table for a role: theta, costs, variance, least, item, group, tail, head, ... Repeatable.",
        rich_help_panel=PROBLEM,
    ),
]
Variance: TypeAlias = Annotated[
    float | None, typer.Option(help="Variance of each reward, if the file has none; 0.5 by default.", rich_help_panel=PROBLEM)
]
TEXTS: Final = "Texts for tables, figures and reports"
Title: TypeAlias = Annotated[str | None, typer.Option(help="Title, by default the file's name.", rich_help_panel=TEXTS)]
Unit: TypeAlias = Annotated[
    str | None, typer.Option(help="Unit of the rewards or costs, as in clicks or min.", rich_help_panel=TEXTS)
]
Question: TypeAlias = Annotated[str | None, typer.Option(help="The question that the report answers.", rich_help_panel=TEXTS)]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.", rich_help_panel=OUTPUT)]
Extend: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--extend",
        help="Continue the run in the folder up to a longer horizon: all replications are simulated again.",
        rich_help_panel=OUTPUT,
    ),
]
Progress: TypeAlias = Annotated[
    bool | None,
    typer.Option(help="Show progress on stderr; by default on a terminal, elsewhere once a minute.", rich_help_panel=OUTPUT),
]
Plot: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="File of the figure (.png, .pdf or .svg), instead of regret.png in the folder.",
        rich_help_panel=OUTPUT,
    ),
]
WORKERS: Final = typer.Option("--workers", "-j", metavar="N", help="Processes; auto: one per core.", rich_help_panel=EXECUTION)
Scheduler: TypeAlias = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Dask cluster, as in tcp://host:8786.", rich_help_panel=EXECUTION)
]
