"""The Graves-Lai problem: the regret lower bound C(theta) and the exploration plan that attains it."""

from semibandits.graves_lai.result import ExplorationPlan, GravesLaiResult, Progress, Status
from semibandits.graves_lai.solve import graves_lai

__all__ = ["ExplorationPlan", "GravesLaiResult", "Progress", "Status", "graves_lai"]
