"""Figures, one function each. Every function takes a result and an axis, and none calls a solver."""
