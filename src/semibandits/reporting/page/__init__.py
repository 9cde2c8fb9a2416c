"""The report as one HTML text: styles, scripts and data inside it, nothing fetched, nothing executed but its own script."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

from semibandits._text import json_text, visible
from semibandits.errors import InvalidInputError
from semibandits.reporting.page.markup import slots_of

__all__ = ["render"]

SCHEMA: Final = 1
STYLES: Final = ("page.css", "drawing.css", "print.css")
SCRIPTS: Final = (
    "elements.js", "format.js", "scales.js", "looks.js", "curves.js", "regret.js", "readout.js", "tables.js",
    "layers.js", "labels.js", "links.js", "network.js", "cells.js", "start.js",
)  # fmt: skip
"""In this order they are one script: each file uses functions of those before it, and `start.js` starts."""

_PART: Final = re.compile(r"<!--when:(?P<part>\w+)-->(?P<body>.*?)<!--end:(?P=part)-->\n?", re.DOTALL)
_SLOT: Final = re.compile(r"\{\{(\w+)\}\}")
_WITHIN_LINES: Final = re.compile("[^\n\t]+")


def render(payload: Mapping[str, Any]) -> str:
    """Write the page of a report.

    Parameters
    ----------
    payload : mapping
        What the report shows, as plain JSON values: the title, the answers, the simulation, the items, their values in
        layers, the drawing and the tables. Its keys are described in docs/report.md; all but ``schema`` may be missing
        or None, and the page leaves out what is not there.

    Returns
    -------
    str
        One HTML document that works from a disk. Equal payloads give equal texts.

    Raises
    ------
    InvalidInputError
        If the payload has another schema than 1, or a value that JSON does not know, such as nan.
    """
    if payload.get("schema") != SCHEMA:
        raise InvalidInputError(
            f"schema must be {SCHEMA}, got {payload.get('schema')!r}: make the payload with this version of semibandits"
        )
    payload = _shown(payload)
    data = data_text(payload)
    style, script = "\n".join(map(_asset, STYLES)), _script()
    shown = _parts_of(payload)
    page = _PART.sub(lambda part: part["body"] if part["part"] in shown else "", _asset("page.html"))
    slots = slots_of(payload) | {
        "style": style,
        "script": script,
        "data": data,
        "style_hash": _digest(style),
        "script_hash": _digest(script),
    }
    return _SLOT.sub(lambda slot: slots[slot[1]], page)  # one pass: what fills a slot is never looked through for slots


def data_text(payload: Mapping[str, Any]) -> str:
    """JSON that can stand in a script element: no text in it can end the element.

    Raises
    ------
    InvalidInputError
        If a value is not plain JSON.
    """
    try:
        text = json_text(payload, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"the payload must be plain JSON, got one with an error: {error}") from error
    return text.replace("<", "\\u003c")


def _shown(value: Any) -> Any:
    """A payload whose texts show what is hidden in them, but for the lines and tabs of commands."""
    if isinstance(value, str):
        return _WITHIN_LINES.sub(lambda line: visible(line[0]), value)
    if isinstance(value, Mapping):
        return {_shown(key): _shown(part) for key, part in value.items()}
    return [_shown(part) for part in value] if isinstance(value, list | tuple) else value


def _parts_of(payload: Mapping[str, Any]) -> set[str]:
    """Which optional parts of the page there are."""
    tables = payload.get("tables") or {}
    items = payload.get("items") or {}
    parts = {
        "answers": payload.get("answers"),
        "simulation": (payload.get("simulation") or {}).get("policies"),
        "items": items.get("labels"),
        "plan": payload.get("plan") or payload.get("bound"),
        "provenance": tables.get("provenance") or payload.get("note"),
        "again": tables.get("again"),
    }
    return {part for part, value in parts.items() if value}


@cache
def _asset(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    body = "\n".join(_asset(f"scripts/{name}") for name in SCRIPTS)
    return f'\n(() => {{\n"use strict";\n{body}}})();\n'


def _digest(text: str) -> str:
    """Hash that lets a browser run this text and no other (Content-Security-Policy)."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
