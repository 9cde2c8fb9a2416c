"""Studies: what is decided, who plays, for how long, and where the results are kept."""
