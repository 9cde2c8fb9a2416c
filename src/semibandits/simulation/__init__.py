"""Simulations: a specification, replications that are pure functions of it and a seed, executors, results."""

from semibandits._lazy import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
