"""Combinatorial semi-bandits: choose a structured decision again and again, and learn from its parts."""

from __future__ import annotations

from semibandits import matroids
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.msets import MSets
from semibandits.decisions.paths import Paths
from semibandits.decisions.spanning_trees import SpanningTrees
from semibandits.errors import (
    Infeasible,
    InvalidInputError,
    SemibanditsError,
    SolverError,
    TooManyDecisionsError,
    UnsupportedError,
)
from semibandits.graves_lai import (
    GLPG,
    ExplorationPlan,
    GLPGParameters,
    GravesLaiResult,
    ReducedProblem,
    discretise,
    graves_lai,
)

__version__ = "0.1.0"

__all__ = [
    "GLPG",
    "DecisionSet",
    "EnumeratedDecisions",
    "ExchangeGraph",
    "ExplorationPlan",
    "GLPGParameters",
    "GravesLaiResult",
    "Infeasible",
    "InvalidInputError",
    "MSets",
    "Matchings",
    "MatroidBases",
    "MatroidIntersection",
    "Paths",
    "ReducedProblem",
    "SemibanditsError",
    "SolverError",
    "SpanningTrees",
    "TooManyDecisionsError",
    "UnsupportedError",
    "discretise",
    "graves_lai",
    "matroids",
]
