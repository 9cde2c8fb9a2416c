"""The report as one HTML document with its styles, scripts and data inside: it fetches nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from jinja2 import ChainableUndefined, Environment, Template
from markupsafe import Markup, escape

from semibandits.errors import InvalidInputError
from semibandits.formats.printable import visible
from semibandits.formats.text import json_text
from semibandits_server.web import asset, content_hash, joined_scripts, joined_styles

__all__ = ["render"]

SCHEMA: Final = 2
STYLES: Final = ("charts.css", "drawing.css", "print.css")
SCRIPTS: Final = (
    "looks.js", "curves.js", "regret.js", "readout.js", "tables.js", "layers.js", "labels.js", "links.js", "network.js",
    "bars.js", "start.js",
)  # fmt: skip
"""Concatenated in this order, after the shared ones: each uses functions of those before it, and `start.js` runs them."""
_WITHIN_LINES: Final = re.compile("[^\n\t]+")
_BREAKS: Final = re.compile("(?<=[a-z])(?=[A-Z])|(?=[(])|(?<=[=,])")


def render(payload: Mapping[str, Any]) -> str:
    """Write the page of a report, an HTML document that works from a disk. Equal payloads give equal texts.

    The payload consists of plain JSON values. Its keys are described in docs/report.md; all but ``schema`` may be missing or
    None, and the page leaves out what is missing.
    """
    if payload.get("schema") != SCHEMA:
        raise InvalidInputError(
            f"schema must be {SCHEMA}, got {payload.get('schema')!r}: make the payload with this version of semibandits"
        )
    payload = _shown(payload)
    style, script = _assets()
    return _template().render(payload, data=Markup(data_text(payload)), style=Markup(style), script=Markup(script))


def data_text(payload: Mapping[str, Any]) -> str:
    """JSON that can stand in a script element: no text in it can end the element."""
    try:
        text = json_text(payload, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"the payload must be plain JSON, got one with an error: {error}") from error
    return text.replace("<", "\\u003c")


def _shown(value: Any) -> Any:
    """A payload whose texts show hidden characters, except line breaks and tabs."""
    if isinstance(value, str):
        return _WITHIN_LINES.sub(lambda line: visible(line[0]), value)
    if isinstance(value, Mapping):
        return {_shown(key): _shown(part) for key, part in value.items()}
    return [_shown(part) for part in value] if isinstance(value, list | tuple) else value


@cache
def _assets() -> tuple[str, str]:
    return joined_styles(__name__, STYLES), joined_scripts(__name__, SCRIPTS)


@cache
def _template() -> Template:
    """The page; missing values and None are empty."""
    environment = Environment(
        autoescape=True, undefined=ChainableUndefined, finalize=lambda value: "" if value is None else value
    )
    environment.filters |= {"hash": content_hash, "size": _size, "unbroken": _unbroken, "breakable": _breakable}
    return environment.from_string(asset(__name__, "page.html"))


def _size(headline: str) -> str:
    """Class of a headline: smaller if it is long or has a word that would not fit on a line."""
    if len(headline) > 90:
        return "very-long"
    return "long" if len(headline) > 34 or max(map(len, headline.split()), default=0) > 13 else "short"


def _unbroken(text: object) -> str:
    """Keep ``ln T`` on one line."""
    return "" if text is None else str(text).replace("ln T", "ln\u00a0T")


def _breakable(name: str) -> Markup:
    """Let a browser break a name such as ThompsonSampling(scale=2.0) at its capitals and signs."""
    return Markup(_BREAKS.sub("<wbr>", str(escape(name))))
