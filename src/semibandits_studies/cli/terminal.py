"""Printing: external text is printed literally and cannot control the terminal."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import suppress
from typing import Any, Final, TextIO, final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from semibandits.errors import Option
from semibandits.formats.printable import visible, without_passwords
from semibandits.formats.text import json_text

OPTION_NAMES: Final = {"capacities": "capacity", "columns": "column", "folder": "output", "policies": "policy"}
"""Options whose name on the command line differs from the one in Python."""
LONGEST_REMARK: Final = 4_000
"""Maximum number of characters of a message."""


@final
class _LiteralConsole(Console):
    """A console that does not interpret markup, emoji codes and escape sequences."""

    def __init__(self) -> None:
        super().__init__(markup=False, emoji=False, highlight=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """Text of any string that is printed, including cells of tables."""
        return super().render_str(visible(text), **options)


def new_console() -> Console:
    """A console on stdout; names, notes and paths may contain ``[b]``, ``:smile:`` and control characters."""
    return _LiteralConsole()


def styled(*lines: str, style: str = "") -> Text:
    """Styled text of one or several lines."""
    return Text("\n".join(map(visible, lines)), style=style)


def facts_table() -> Table:
    """An empty table for names and values, without lines."""
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    return facts


def print_line(text: str) -> None:
    """Print one line of any length on stdout."""
    print(visible(text))


def print_json(value: object) -> None:
    """Print one JSON object on stdout."""
    print(json_text(value))


def print_remark(kind: str, message: str) -> None:
    """Print a message on stderr as one line that starts with `kind`, Error or Warning; a very long one without its middle."""
    line = visible(" ".join(without_passwords(message).split()))
    if len(line) > LONGEST_REMARK:
        line = f"{line[: LONGEST_REMARK // 2]}…{line[-LONGEST_REMARK // 2 :]}"
    try:
        print(f"{kind}: {line}", file=sys.stderr)
    except OSError:  # stderr has no reader; the exit code remains
        forget_output(sys.stderr)


def as_option(option: Option) -> str:
    """An option in a message, written as on the command line."""
    name = "--" + OPTION_NAMES.get(option.name, option.name).replace("_", "-")
    words = []
    for value in option.value if isinstance(option.value, list) else [option.value]:
        words.append(name)
        if value not in (None, True):
            text = str(value)
            words.append(shlex.quote(text) if any(map(str.isspace, text)) else text)
    return " ".join(words)


def forget_output(stream: TextIO) -> None:
    """Discard unwritten output, so that Python does not try to write it again at exit."""
    with suppress(OSError, ValueError):  # a stream without a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
