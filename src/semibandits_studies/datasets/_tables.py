"""The bundled tables, which tools/rebuild_tables writes."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def bundled_table(name: str) -> Any:
    """Content of a bundled table."""
    return json.loads(files("semibandits_studies.datasets").joinpath("tables", f"{name}.json").read_text(encoding="utf-8"))
