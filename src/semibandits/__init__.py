"""Combinatorial semi-bandits: choose a structured decision again and again, and learn from its parts."""

from __future__ import annotations

__version__ = "0.1.0"
