"""Matroids: independence structures that decision sets are built on. One file a family."""
