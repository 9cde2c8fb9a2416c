"""GLPG, the projected subgradient method of Cuvelier, Combes, Gourdin (ALT 2021), with its errata corrected."""

from semibandits.regret_bound.glpg.algorithm import GLPG, GLPGStep
from semibandits.regret_bound.glpg.discretise import Discretised, discretise
from semibandits.regret_bound.glpg.parameters import GLPGParameters
from semibandits.regret_bound.glpg.reduction import ReducedProblem

__all__ = ["GLPG", "Discretised", "GLPGParameters", "GLPGStep", "ReducedProblem", "discretise"]
