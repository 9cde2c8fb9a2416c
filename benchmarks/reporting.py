"""Output of the benchmarks: tables on the terminal, and one JSON object per row in a file."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from scipy import stats

WIDTH = 130
PACKAGES = ("semibandits", "numpy", "scipy", "numba", "clarabel", "cvxpy")


class Report:
    """Print tables and store the rows."""

    def __init__(self, path: Path | None) -> None:
        self.console = Console(width=WIDTH, highlight=False)
        self._path = path
        if path is not None:
            path.write_text("", encoding="utf-8")

    def machine(self) -> None:
        """Print the versions and the load of the machine."""
        versions = {name: version(name) for name in PACKAGES if find_spec(name)}
        row = {"python": platform.python_version(), "cores": os.cpu_count(), "load": os.getloadavg()[0], **versions}
        self.row("machine", row)
        self.line(", ".join(f"{name} {value}" for name, value in versions.items()))
        self.line(f"Python {row['python']}, {row['cores']} cores, load average {row['load']:.2f}", "")

    def row(self, table: str, row: dict[str, Any]) -> dict[str, Any]:
        """Append a row to the JSON file at once, so that it is kept if the run is interrupted."""
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"table": table, **row}, ensure_ascii=False) + "\n")
        return row

    def line(self, *lines: str) -> None:
        """Print lines below a table."""
        for line in lines:
            self.console.print(line, markup=False)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table; the first column is aligned left, the others right. An empty row draws a line."""
        self.console.print(title, style="bold", markup=False)
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        for k, column in enumerate(columns):
            table.add_column(column, justify="right" if k else "left", no_wrap=True)
        for row in rows:
            if row:
                table.add_row(*row)
            else:
                table.add_section()
        self.console.print(table)

    def doing(self, what: str) -> None:
        """Show the current step on a terminal."""
        if sys.stderr.isatty():
            print(f"\r\x1b[K{what} ", end="", file=sys.stderr, flush=True)

    def done(self) -> None:
        """Clear that line."""
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def digits(number: float, significant: int = 3) -> str:
    """A number with `significant` digits, without an exponent."""
    if number == 0 or number != number:
        return str(number)
    places = max(0, significant - 1 - int(f"{number:e}".split("e")[1]))
    return f"{number:.{places}f}"


def interval(values: np.ndarray) -> str:
    """The mean and the half width of its 95 % interval (Student's t)."""
    if len(values) < 2:
        return f"{values.mean():,.1f}"
    width = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():,.1f} ± {width:,.1f}"


def grouped(lines: Sequence[Sequence[str]], size: int) -> list[Sequence[str]]:
    """Lines of a table with an empty one after each `size`."""
    return [part for k, line in enumerate(lines) for part in (([], line) if k and k % size == 0 else (line,))]
