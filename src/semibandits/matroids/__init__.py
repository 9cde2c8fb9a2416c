"""Matroids: independence structures that decision sets are built on. One file a family."""

from semibandits._lazy import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
