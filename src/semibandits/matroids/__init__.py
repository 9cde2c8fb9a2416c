"""Matroids: independence structures that decision sets are built on. One file a family."""

from semibandits.matroids.base import Matroid
from semibandits.matroids.graphic import Graphic
from semibandits.matroids.oracle import Oracle
from semibandits.matroids.partition import Partition
from semibandits.matroids.uniform import Uniform

__all__ = ["Graphic", "Matroid", "Oracle", "Partition", "Uniform"]
