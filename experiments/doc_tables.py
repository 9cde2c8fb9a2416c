"""Tables that scripts write into pages of docs, each between two comments."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from semibandits.formats.files import write_whole

DOCS: Final = Path(__file__).resolve().parents[1] / "docs"
END: Final = "<!-- end -->"
FREE: Final = {"folder", "of", "workers", "progress", "write"}
"""Options that do not change what is measured."""


def row(cells: Iterable[object]) -> str:
    """A row of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def header(columns: Iterable[str]) -> list[str]:
    """The first two rows of a table."""
    columns = list(columns)
    return [row(columns), f"|{'---|' * len(columns)}"]


def write_between(page: str, script: str, text: str) -> None:
    """Replace the text of a page between the comment with the name of a script and the next end."""
    path, mark = DOCS / page, f"<!-- written by experiments/{script} -->"
    head, _, rest = path.read_text(encoding="utf-8").partition(mark)
    if not rest:
        sys.exit(f"{path} must contain the line {mark}")
    write_whole(path, f"{head}{mark}\n\n{text}\n\n{rest[rest.index(END) :]}".encode())


def options_of(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Options of a script that writes a page, which states what was measured by default."""
    parser.add_argument("--write", action="store_true", help="write the page; needs the other options at their defaults")
    options = parser.parse_args()
    changed = [name for name, value in vars(options).items() if name not in FREE and value != parser.get_default(name)]
    if options.write and changed:
        parser.error(f"--write needs the complete measurement: omit --{changed[0]}")
    return options
