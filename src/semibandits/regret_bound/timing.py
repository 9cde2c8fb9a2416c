"""How methods keep to a time limit: how long they may take beyond it, and what they raise."""

from __future__ import annotations

SETUP = 0.5
"""Seconds in which a problem may be set up, however small the time limit is."""
SHORTLY = 0.5
"""Seconds for what a bracket cannot do without, also after the deadline. It takes a few hundredths for 100,000 arcs."""


class TimeIsUp(Exception):  # noqa: N818 (not an error)
    """The time limit has passed before the problem was set up."""
