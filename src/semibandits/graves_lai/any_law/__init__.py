"""The Graves-Lai problem over the circulations of an exchange graph, for any law with a convex divergence."""
