"""Policies in the world: ask for a decision, tell what came of it."""

from __future__ import annotations

from semibandits.learning.learner import Learner
from semibandits.learning.round import Round

__all__ = ["Learner", "Round"]
