"""What is printed: consoles that take every text literally, and lines on stdout and stderr."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text


def new_console() -> Console:
    """A console on stdout without markup and emoji codes: names, notes and paths may hold ``[b]`` and ``:smile:``."""
    return Console(markup=False, emoji=False, highlight=False)


def styled(*lines: str, style: str = "") -> Text:
    """Text in a style, of one or several lines."""
    return Text("\n".join(lines), style=style)
