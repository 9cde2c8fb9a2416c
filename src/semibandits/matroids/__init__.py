"""Matroids: independence structures that decision sets are built on. One file a family."""

from semibandits.matroids.axioms import check_axioms
from semibandits.matroids.base import Matroid
from semibandits.matroids.graphic import Graphic
from semibandits.matroids.laminar import Laminar
from semibandits.matroids.linear import Linear
from semibandits.matroids.oracle import Oracle
from semibandits.matroids.partition import Partition
from semibandits.matroids.transversal import Transversal
from semibandits.matroids.uniform import Uniform

__all__ = [
    "Graphic",
    "Laminar",
    "Linear",
    "Matroid",
    "Oracle",
    "Partition",
    "Transversal",
    "Uniform",
    "check_axioms",
]
