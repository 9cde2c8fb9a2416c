"""Options that commands share: what the problem is, and how answers are printed."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

import typer

PROBLEM: Final = "Your problem"
OUTPUT: Final = "Output"

Problem: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="PROBLEM", help="A built-in dataset or network, or a .csv or .json file."),
]
Family: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="paths, trees, matchings, msets, partition or intersection; told from the header where it can be.",
        rich_help_panel=PROBLEM,
    ),
]
Source: TypeAlias = Annotated[str | None, typer.Option(help="First node of the paths.", rich_help_panel=PROBLEM)]
Target: TypeAlias = Annotated[str | None, typer.Option(help="Last node of the paths.", rich_help_panel=PROBLEM)]
Size: TypeAlias = Annotated[int | None, typer.Option(help="Number of items to choose.", rich_help_panel=PROBLEM)]
Saturate: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Sides that a matching covers: both (default), rows, columns or none.", rich_help_panel=PROBLEM),
]
Capacity: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[COLUMN:][NAME=]K",
        help="Items to choose from a group at most: K from each, or NAME=K from one. Repeat it.",
        rich_help_panel=PROBLEM,
    ),
]
Variance: TypeAlias = Annotated[
    float | None,
    typer.Option(help="Variance of each reward, if the file has none: 0.5 by default.", rich_help_panel=PROBLEM),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.", rich_help_panel=OUTPUT)]
