"""Studies: what is decided, who plays, for how long, and where the results are kept."""

from semibandits.studies.problems import Problem, find_problem, load_problem
from semibandits.studies.run import StudyResult, run_study
from semibandits.studies.study import BoundOptions, Execution, Output, ProblemChoice, SimulationOptions, Study
from semibandits.studies.study_file import read_study

__all__ = [
    "BoundOptions",
    "Execution",
    "Output",
    "Problem",
    "ProblemChoice",
    "SimulationOptions",
    "Study",
    "StudyResult",
    "find_problem",
    "load_problem",
    "read_study",
    "run_study",
]
