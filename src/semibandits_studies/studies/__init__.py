"""Studies: a problem, the policies that play on it, its bound, and the folder of the results."""
