"""Figures: one function a figure. Each takes a result and an axis, and never calls a solver."""

from semibandits._lazy import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
