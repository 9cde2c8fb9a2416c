"""Figures, one function each. Every function takes a result and an axis, and none calls a solver."""

from semibandits._lazy import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
