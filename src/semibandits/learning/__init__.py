"""Policies in the world: ask for a decision, tell what came of it."""

from semibandits._lazy import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
