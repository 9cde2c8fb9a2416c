"""Text files of networks and of assignment problems, written again as tables with tabs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from semibandits.errors import InvalidInputError
from semibandits_studies.instances.numbers import is_number

_ATTRIBUTES: Final = re.compile(r"\S{1,200} \S{1,200} \{")
"""A line of networkx.write_edgelist."""
_DIMACS: Final = re.compile(r"^p[ \t]+([a-z]+)[ \t]+[0-9]", re.MULTILINE)
_SEPARATED: Final = re.compile(r"[,;\t|]")
_CELLS: Final = re.compile(r"[,;|\s]+")
_REMARKS: Final = ("#", "%")
_END_OF_METADATA: Final = "<END OF METADATA>"


def as_tabs(text: str, path: object, recognised: Callable[[list[str]], int]) -> tuple[str, tuple[str, ...]]:
    """A text with tabs between its cells, and notes on its format; lines keep their numbers.

    The formats are TNTP, shortest paths of DIMACS, assignment problems of OR-Library, and lines with blanks between cells. The
    last of remarks that begin with # or % may be a header. Other texts stay. `recognised` counts the known names in a row.
    """
    first = text.lstrip().split("\n", 1)[0].rstrip()
    if _END_OF_METADATA in text:
        return "\n".join(_of_tntp(text.split("\n"))), ()
    kind = _DIMACS.search(text[: 2**20]) if first.split()[0] in ("c", "p") else None
    if kind is not None and kind[1] == "sp":
        arcs = ["\t".join(line.split()[1:]) if line.startswith("a") else "" for line in text.split("\n")]
        arcs[text[: kind.start()].count("\n")] = "tail\thead\tlength"
        return "\n".join(arcs), ("Read from the lines of a DIMACS file as tail, head and length.",)
    if kind is not None:
        raise InvalidInputError(
            f"{path} must be a DIMACS file of shortest paths (p sp), got {kind[0][:-2]!r}: write it as a table, such as "
            "tail,head,costs, with a line for each arc"
        )
    if _ATTRIBUTES.match(first):
        raise InvalidInputError(
            f"{path} must have a header, got attributes of networkx, {first[:40]!r}: write the graph by "
            "networkx.to_pandas_edgelist(graph).to_csv('links.csv', index=False)"
        )
    if first.isdecimal() and 1 < (n := int(first[:6])) < 10_000:
        numbers = text.split()[1:]
        if len(numbers) == n * n and all(map(is_number, numbers)):
            rows = [[str(k + 1), *numbers[k * n : k * n + n]] for k in range(n)]
            table = [["costs", *(row[0] for row in rows)], *rows]
            return "\n".join(map("\t".join, table)), ("Read as an assignment problem of OR-Library.",)
    return text if _SEPARATED.search(first) and not first.startswith(_REMARKS) else _of_blanks(text.split("\n"), recognised), ()


def _of_tntp(lines: list[str]) -> list[str]:
    """The lines of a network of TNTP; names of several words stand between tabs."""
    end = next(k for k, line in enumerate(lines) if _END_OF_METADATA in line)
    table = [""] * (end + 1)
    for line in lines[end + 1 :]:
        cells = line.strip(" \t~;")
        table.append("\t".join(re.split(r"[ \t]*\t[ \t]*" if "~" in line and "\t" in cells else r"[ \t]+", cells)))
    return table


def _of_blanks(lines: list[str], recognised: Callable[[list[str]], int]) -> str:
    """The lines with tabs in place of blanks, if these separate as many cells on each line; a header may be a remark."""
    filled = [k for k, line in enumerate(lines) if line.strip()]
    remarks = next((i for i, k in enumerate(filled) if not lines[k].startswith(_REMARKS)), 0)
    if remarks:
        last, below = filled[remarks - 1], lines[filled[remarks]]
        name = lines[last].lstrip("# \t" if _SEPARATED.search(lines[last]) else "#% ")
        if recognised(_CELLS.split(name)) > 1 and any(map(is_number, filter(None, _CELLS.split(below)))):
            lines[last], remarks = name, remarks - 1
    is_name = recognised([lines[filled[remarks]].strip()]) > 0
    if not is_name and not any(_SEPARATED.search(lines[k]) for k in filled[remarks : remarks + 100]):
        first, *rows = [lines[k].split() for k in filled[remarks:]]
        is_even = len(first) > 1 and {len(row) for row in rows} in ({len(first)}, {len(first) + 1})
        if is_even and all(is_number(row[-1]) for row in rows):
            return "\n".join("\t".join(line.split()) if k >= filled[remarks] else "" for k, line in enumerate(lines))
    return "\n".join(lines)
