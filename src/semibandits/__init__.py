"""Combinatorial semi-bandits: choose a structured decision again and again, and learn from its parts."""

from __future__ import annotations

from semibandits import datasets, matroids, studies
from semibandits._version import __version__ as __version__
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.decisions.gaps import smallest_gap
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.msets import MSets
from semibandits.decisions.paths import Paths
from semibandits.decisions.spanning_trees import SpanningTrees
from semibandits.errors import (
    ConcurrentUseError,
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
from semibandits.learning.learner import Learner
from semibandits.learning.round import Round
from semibandits.policies.aescb import AESCB
from semibandits.policies.base import Agent, Policy
from semibandits.policies.cucb import CUCB
from semibandits.policies.escb import ESCB
from semibandits.policies.glade import GLADE
from semibandits.policies.ossb import OSSB
from semibandits.policies.radius import Radius
from semibandits.policies.thompson import ThompsonSampling
from semibandits.reporting.report import write_report
from semibandits.rewards.base import RewardModel
from semibandits.rewards.bernoulli import BernoulliRewards
from semibandits.rewards.bounded import BoundedRewards
from semibandits.rewards.correlated import CorrelatedGaussianRewards
from semibandits.rewards.gaussian import GaussianRewards
from semibandits.rewards.replayed import ReplayedRewards
from semibandits.rewards.sampled import SampledRewards
from semibandits.simulation.results import SimulationResult, load_simulation
from semibandits.simulation.run import simulate

__all__ = [
    "AESCB",
    "CUCB",
    "ESCB",
    "GLADE",
    "GLPG",
    "OSSB",
    "Agent",
    "BernoulliRewards",
    "BoundedRewards",
    "ConcurrentUseError",
    "CorrelatedGaussianRewards",
    "DecisionSet",
    "EnumeratedDecisions",
    "ExchangeGraph",
    "ExplorationPlan",
    "GLPGParameters",
    "GaussianRewards",
    "GravesLaiResult",
    "Infeasible",
    "InvalidInputError",
    "Learner",
    "MSets",
    "Matchings",
    "MatroidBases",
    "MatroidIntersection",
    "Paths",
    "Policy",
    "Radius",
    "ReducedProblem",
    "ReplayedRewards",
    "RewardModel",
    "Round",
    "SampledRewards",
    "SemibanditsError",
    "SimulationResult",
    "SolverError",
    "SpanningTrees",
    "ThompsonSampling",
    "TooManyDecisionsError",
    "UnsupportedError",
    "datasets",
    "discretise",
    "graves_lai",
    "load_simulation",
    "matroids",
    "simulate",
    "smallest_gap",
    "studies",
    "write_report",
]
