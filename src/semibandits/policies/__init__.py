"""Policies: rules that choose a decision from the rewards observed so far."""

from semibandits._lazy import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
