"""A study with its instance, rewards and policies, built as they are asked for."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any, final

from semibandits.errors import InvalidInputError
from semibandits.instances import Instance
from semibandits.policies.base import Policy
from semibandits.reporting.figures import check_figure
from semibandits.reporting.sources import INSTANCE
from semibandits.rewards.base import RewardModel
from semibandits.rewards.gaussian import GaussianRewards
from semibandits.simulation.specification import Specification
from semibandits.studies.bound_file import gaussian_twin
from semibandits.studies.folder import RunFolder
from semibandits.studies.policies import named_policies
from semibandits.studies.problems import load_problem
from semibandits.studies.rewards import reward_model
from semibandits.studies.study import SimulationOptions, Study
from semibandits.studies.study_file import in_words_of


@final
class Task:
    """A study with all that its words stand for.

    Parameters
    ----------
    study : Study
        What was asked for.
    redraw : bool
        Whether a figure that the user names is drawn again for a finished study.

    Raises
    ------
    InvalidInputError
        If the problem is none; other errors show as soon as what they are about is asked for.
    """

    def __init__(self, study: Study, redraw: bool) -> None:
        self.study, self._redraw = study, redraw
        with in_words_of(study.path, "problem"):
            self.problem = load_problem(study.problem)
        self.instance: Instance = self.problem.instance
        self.bound: dict[str, Any] | None = None  # what bound.json holds, as soon as it is known

    @property
    def inputs(self) -> tuple[Path, ...]:
        """Files that the study is read from."""
        return tuple(path for path in (self.study.path, self.study.problem.file) if path is not None)

    @property
    def asked(self) -> SimulationOptions:
        """What is simulated."""
        assert self.study.simulation is not None
        return self.study.simulation

    @cached_property
    def rewards(self) -> RewardModel:
        """The law of the rewards; Gaussian where nothing is simulated."""
        if self.study.simulation is None:
            return GaussianRewards(self.instance.theta, variance=self.instance.variance)
        with in_words_of(self.study.path, "simulation"):
            return reward_model(self.problem, self.asked.rewards, self.study.problem.options.variance)

    @cached_property
    def policies(self) -> dict[str, Policy]:
        """Who plays, by name."""
        with in_words_of(self.study.path, "simulation"):
            return named_policies(self.asked.policies)

    @cached_property
    def specification(self) -> Specification:
        """What is simulated, checked."""
        asked, rewards, policies = self.asked, self.rewards, self.policies
        with in_words_of(self.study.path, "simulation"):
            return Specification.of(
                self.instance.decision_set,
                rewards,
                policies,
                horizon=asked.horizon,
                replications=asked.replications,
                seed=asked.seed,
                checkpoints=asked.checkpoints,
            )

    @cached_property
    def twin(self) -> Instance:
        """The instance that the bound is computed for."""
        return gaussian_twin(self.instance, self.rewards)

    def figure(self, *, only_missing: bool) -> Path | None:
        """The file that the user names for the figure, if it is to be drawn."""
        figure = self.study.output.figure
        if not isinstance(figure, Path) or (only_missing and figure.exists() and not self._redraw):
            return None
        return figure

    @property
    def instance_content(self) -> bytes:
        """What the instance is kept as."""
        return (json.dumps(self.instance.description, ensure_ascii=False, indent=1) + "\n").encode()

    @property
    def bytes(self) -> int:
        """Size of the finished replications on disk, about."""
        numbers = len(self.specification.checkpoints) * (self.instance.decision_set.d + 5)
        return 8 * numbers * len(self.policies) * self.asked.replications

    def check(self) -> None:
        """Raise all doubts that need no solver."""
        if self.study.simulation is not None:
            self.specification  # noqa: B018 (built to be checked)
        figure = self.figure(only_missing=False)
        if figure is not None:
            with in_words_of(self.study.path, "output"):
                check_figure(figure)

    def check_instance_file(self, folder: RunFolder) -> None:
        """A file of that name which is not ours must not be lost."""
        path = folder.path / INSTANCE
        if folder.has_begun or folder.is_input(INSTANCE) or not path.exists():
            return
        if path.read_bytes() != self.instance_content:
            raise InvalidInputError(
                f"the folder {str(folder.path)!r} must be without {INSTANCE}, got another instance in it: choose another folder"
            )
