"""Figures: one function a figure. Each takes a result and an axis, and never calls a solver."""

from semibandits.plotting.network import plot_network_plan
from semibandits.plotting.plan import plot_item_rates, plot_matching_plan, plot_plan

__all__ = ["plot_item_rates", "plot_matching_plan", "plot_network_plan", "plot_plan"]
