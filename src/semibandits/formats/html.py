"""Plain HTML for notebooks: everything is escaped, and no colours are set, so that it is readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from semibandits.formats.printable import visible


def html_block(title: str, *parts: str) -> str:
    """A title in bold above parts that are HTML already."""
    return f"<div><strong>{_text(title)}</strong>{''.join(parts)}</div>"


def html_facts(facts: Iterable[tuple[str, str]]) -> str:
    """A table of names and texts, one pair a row."""
    rows = "".join(
        f'<tr><th style="text-align:left">{_text(name)}</th><td style="text-align:left">{_text(fact)}</td></tr>'
        for name, fact in facts
    )
    return f"<table><tbody>{rows}</tbody></table>"


def html_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, text: int = -1) -> str:
    """A table with a header; numbers are aligned to the right, and the column number `text` to the left."""
    sides = ["right"] * len(columns)
    sides[text] = "left"
    head = _cells("th", columns, sides)
    body = "".join(_cells("td", row, sides) for row in rows)
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def html_remark(text: str) -> str:
    """A line of text; nothing if it is empty."""
    return f"<div>{_text(text)}</div>" if text else ""


def _cells(tag: str, texts: Sequence[str], sides: Sequence[str]) -> str:
    cells = (f'<{tag} style="text-align:{side}">{_text(text)}</{tag}>' for text, side in zip(texts, sides, strict=True))
    return f"<tr>{''.join(cells)}</tr>"


def _text(text: str) -> str:
    return escape(visible(text))
