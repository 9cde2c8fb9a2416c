"""The Graves-Lai problem: the regret lower bound C(theta) and the exploration plan that attains it."""

from semibandits.graves_lai.glpg import GLPG, Discretised, GLPGParameters, GLPGStep, discretise
from semibandits.graves_lai.reduction import ReducedProblem
from semibandits.graves_lai.result import ExplorationPlan, GravesLaiResult, Progress, Status
from semibandits.graves_lai.solve import graves_lai

__all__ = [
    "GLPG",
    "Discretised",
    "ExplorationPlan",
    "GLPGParameters",
    "GLPGStep",
    "GravesLaiResult",
    "Progress",
    "ReducedProblem",
    "Status",
    "discretise",
    "graves_lai",
]
