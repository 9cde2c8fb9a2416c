"""Matroids: independent sets and their exchanges."""
