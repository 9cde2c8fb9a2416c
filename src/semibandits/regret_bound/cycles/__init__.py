"""Bounds from cycles of an exchange graph: presolve, blocks, rows, and the interior-point master."""
