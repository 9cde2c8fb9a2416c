"""What is printed: every text from outside is taken literally, and none of it acts on the terminal."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any, TextIO, final

from rich.console import Console
from rich.text import Text

from semibandits._text import json_text, visible


@final
class _LiteralConsole(Console):
    """A console on which a text is one line without markup, emoji codes and escape sequences."""

    def __init__(self) -> None:
        super().__init__(markup=False, emoji=False, highlight=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """All that is printed as a string, cells of tables included."""
        return super().render_str(visible(text), **options)


def new_console() -> Console:
    """A console on stdout: names, notes and paths may hold ``[b]``, ``:smile:`` and control characters."""
    return _LiteralConsole()


def styled(*lines: str, style: str = "") -> Text:
    """Text in a style, of one or several lines."""
    return Text("\n".join(map(visible, lines)), style=style)


def print_line(text: str) -> None:
    """Print a line on stdout, as long as it may be."""
    print(visible(text))


def print_json(value: object) -> None:
    """Print one JSON object on stdout."""
    print(json_text(value))


def print_remark(kind: str, message: str) -> None:
    """Print a line on stderr that begins with Error or Warning; a message of several lines becomes one."""
    try:
        print(f"{kind}: {visible(' '.join(message.split()))}", file=sys.stderr)
    except OSError:  # nobody reads it; the exit code still tells what happened
        forget_output(sys.stderr)


def forget_output(stream: TextIO) -> None:
    """Let Python not try again, on its way out, to write what could not be written."""
    with suppress(OSError, ValueError):  # a stream without a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
