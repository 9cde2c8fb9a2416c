"""Graphs: arcs, shortest paths, cycles, matchings, and the exchange graph."""
