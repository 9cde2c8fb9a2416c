"""What the report and the live page share: styles, scripts that format and draw, and policies for their contents."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import Final

__all__ = ["asset", "content_hash", "joined_scripts", "joined_styles"]

STYLES: Final = ("base.css", "tables.css", "bars.css", "cells.css")
SCRIPTS: Final = ("elements.js", "format.js", "scales.js", "tables.js", "lanes.js", "cells.js")
"""Concatenated in this order, before those of a page: each file uses functions of those before it."""


def asset(package: str, name: str) -> str:
    """Text of a file in a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def joined_styles(package: str, names: tuple[str, ...]) -> str:
    """The shared styles, and those of a page."""
    shared = [asset(__name__, f"styles/{name}") for name in STYLES]
    return "\n".join([*shared, *(asset(package, name) for name in names)])


def joined_scripts(package: str, names: tuple[str, ...]) -> str:
    """The shared scripts, and those of a page, as one function that is called at once."""
    shared = [asset(__name__, f"scripts/{name}") for name in SCRIPTS]
    own = [asset(package, f"scripts/{name}") for name in names]
    return '\n(() => {\n"use strict";\n' + "\n".join([*shared, *own]) + "})();\n"


def content_hash(text: str) -> str:
    """Hash by which a browser accepts this style or script and no other (Content-Security-Policy)."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
