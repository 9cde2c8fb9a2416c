"""What proves both ends of a bracket, outside the solvers."""
