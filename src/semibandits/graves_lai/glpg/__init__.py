"""GLPG, the projected subgradient method of Cuvelier, Combes, Gourdin (ALT 2021), with its errata mended."""

from semibandits.graves_lai.glpg.algorithm import GLPG, GLPGStep
from semibandits.graves_lai.glpg.discretise import Discretised, discretise
from semibandits.graves_lai.glpg.parameters import GLPGParameters
from semibandits.graves_lai.reduction import ReducedProblem

__all__ = ["GLPG", "Discretised", "GLPGParameters", "GLPGStep", "ReducedProblem", "discretise"]
