"""Simulations: a specification, replications that are pure functions of it and a seed, executors, results."""

from __future__ import annotations

from semibandits.simulation.results import SimulationResult, load_simulation
from semibandits.simulation.run import simulate

__all__ = ["SimulationResult", "load_simulation", "simulate"]
