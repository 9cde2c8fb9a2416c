"""The live page: a learner as it is now, in the style of the report and drawn by the same scripts."""

from __future__ import annotations

from typing import Final

from semibandits_server.web import asset, joined_scripts, joined_styles

__all__ = ["page_files"]

STYLES: Final = ("live.css",)
SCRIPTS: Final = ("requests.js", "cards.js", "estimates.js", "exploration.js", "waiting.js", "live.js")
"""Concatenated in this order, after the shared ones: each uses functions of those before it, and `live.js` runs them."""


def page_files() -> dict[str, bytes]:
    """The page ``index.html`` with its style and script, by name. The page contains nothing about learners; it asks for it."""
    texts = {
        "index.html": asset(__name__, "page.html"),
        "live.css": joined_styles(__name__, STYLES),
        "live.js": joined_scripts(__name__, SCRIPTS),
    }
    return {name: text.encode() for name, text in texts.items()}
