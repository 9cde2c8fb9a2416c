"""A study with its instance, rewards and policies, built on first use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from semibandits._typing import BoolArray
from semibandits.decisions.signs import warn_of_signs
from semibandits.errors import InvalidInputError, Option
from semibandits.formats.files import read_bytes
from semibandits.inputs.fields import unknown_name
from semibandits.instances import Instance
from semibandits.laws import Bernoulli, Gaussian, Law
from semibandits.laws.plain import title
from semibandits.policies.base import Policy
from semibandits.policies.baseline import Baseline
from semibandits.regret_bound.result import GravesLaiResult
from semibandits.rewards.base import RewardModel
from semibandits.rewards.gaussian import GaussianRewards
from semibandits.simulation.lateness import Lateness
from semibandits.simulation.parts import TIMINGS
from semibandits.simulation.specification import Specification
from semibandits_studies.instances.files import json_bytes
from semibandits_studies.reporting.figures import check_figure, is_drawn
from semibandits_studies.reporting.sources import ABOUT, BOUND, INSTANCE, REPORT, STUDY
from semibandits_studies.studies.bound_file import gaussian_twin, is_of_study
from semibandits_studies.studies.features import design_of, with_features
from semibandits_studies.studies.folder import FIGURE, SUMMARY, RunFolder
from semibandits_studies.studies.policies import named_policies
from semibandits_studies.studies.problems import load_problem
from semibandits_studies.studies.rewards import law_of_instance, reward_model
from semibandits_studies.studies.study import SimulationOptions, Study
from semibandits_studies.studies.study_file import in_table

MINIMIZE: Final = ("for the shortest one, use ", Option("minimize", True), " or name the column cost")


@final
class Task:
    """A study with the objects that it describes. The problem is validated at once, other objects where they are first used.

    With `redraw`, a finished study draws its figure again, if it names a file for it.
    """

    def __init__(self, study: Study, redraw: bool) -> None:
        self.study, self._redraw = study, redraw
        with in_table(study.path, "problem"):
            self.problem = load_problem(study.problem)
        self.instance: Instance = self.problem.instance
        if study.simulation is not None:
            with in_table(study.path, "simulation"):
                self.instance = with_features(self.instance, study.simulation.features, study.problem)
                self.problem = replace(self.problem, instance=self.instance)
        self.bound: dict[str, Any] | None = None  # content of bound.json, once it is known

    @property
    def simulation(self) -> SimulationOptions:
        """Options of the simulation."""
        assert self.study.simulation is not None
        return self.study.simulation

    @cached_property
    def rewards(self) -> RewardModel:
        """The reward model; Gaussian without a simulation."""
        if self.study.simulation is None:
            return GaussianRewards(self.instance.theta, variance=self.instance.variance)
        with in_table(self.study.path, "simulation"):
            return reward_model(self.problem, self.simulation.rewards, self.study.problem.options.variance)

    @cached_property
    def law(self) -> Law:
        """The law of the bound: that of the rewards, or Gaussian if that is unknown."""
        if self.study.simulation is None and self.study.bound.law is not None:
            with in_table(self.study.path, "bound"):
                return law_of_instance(self.instance, self.study.bound.law)
        known = self.rewards.law
        return Gaussian(self.twin.variance) if known is None or known.is_quadratic else known

    @cached_property
    def policies(self) -> dict[str, Policy]:
        """Policies by name."""
        with in_table(self.study.path, "simulation"):
            policies, today = named_policies(self.simulation.policies), self.simulation.today
            return policies | ({"today": Baseline(self._items(today), name="today")} if today else {})

    def _items(self, names: Sequence[str]) -> BoolArray:
        """Mask of the items with these names; pairs may also be written with a hyphen."""
        labels, chosen = self.instance.labels, np.zeros(len(self.instance.labels), dtype=np.bool_)
        for name in names:
            found = [k for k, label in enumerate(labels) if name in (label, label.replace(" – ", " - "))]
            parts = [part.strip() for part in name.split(",")]
            if not found and set(parts) <= set(labels):
                remedy = ("write ", Option("today", parts))
                raise InvalidInputError(f"items of today must be named one by one, got {name!r}: ", *remedy)
            if not found:
                raise unknown_name("item of today", name, labels)
            chosen[found[0]] = True
        return chosen

    @cached_property
    def specification(self) -> Specification:
        """The validated specification of the simulation."""
        rewards, policies, options = self.rewards, self.policies, self.simulation
        length = {name: getattr(options, name) for name in ("horizon", "replications", "seed", "checkpoints")}
        with in_table(self.study.path, "simulation"):
            lateness = Lateness.of(options.delay, options.loss)
            features = design_of(self.instance, options.features)
            plays, means = options.prior_plays, self.instance.theta
            prior = (None, None, None) if plays is None else (means, plays, None)
            return Specification.of(
                self.instance.decision_set, rewards, policies, lateness=lateness, prior=prior, features=features,
                stop=options.stop, **length,
            )  # fmt: skip

    @cached_property
    def twin(self) -> Instance:
        """The instance of the bound, with the variances that policies receive."""
        return gaussian_twin(self.instance, self.rewards)

    def is_bounded_by(self, bound: GravesLaiResult) -> bool:
        """Whether the bound is one for the simulated rewards, and for policies that know these features."""
        table = None if self.study.simulation is None else self.specification.linear_in
        if (table is None) != (bound.features is None):
            return False
        return self.rewards.law is not None and title(bound.law) == title(self.rewards.law)

    def figure(self, folder: RunFolder | None) -> Path | None:
        """The file that was chosen for the figure, None if it is not to be drawn.

        If only its name was chosen, a file of that name in the folder that was not drawn by semibandits is refused.
        """
        figure = self.study.output.figure_path
        is_finished = folder is not None and folder.is_finished and not self._redraw
        if figure is None or (is_finished and figure.exists()):
            return None
        if isinstance(self.study.output.figure, str) and figure.exists() and not is_drawn(figure):
            with in_table(self.study.path, "output"):
                raise InvalidInputError(
                    f"figure must be the name of a new file, got {figure}, which was not drawn by semibandits: choose another"
                )
        return figure

    @property
    def instance_content(self) -> bytes:
        """Content of the instance file."""
        return json_bytes(self.instance.description)

    @property
    def bytes(self) -> int:
        """Approximate size of the finished replications on disk."""
        numbers = len(self.specification.checkpoints) * (self.instance.decision_set.d + 5)
        return 8 * numbers * len(self.policies) * self.simulation.replications

    def check(self) -> None:
        """Validate everything that needs no solver."""
        if self.study.simulation is not None:
            self.specification  # noqa: B018 (built to validate it)
            if self.study.bound.law is not None:
                with in_table(self.study.path, "bound"):
                    raise InvalidInputError(
                        f"law must be left out beside a simulation, got {self.study.bound.law!r}: that of its rewards is used"
                    )
        if not isinstance(self.law, Bernoulli) and not isinstance(self.rewards.told_law, Bernoulli):
            warn_of_signs(self.instance.decision_set, self.instance.theta, remedy=MINIMIZE, stacklevel=3)
        figure = self.study.output.figure_path
        if figure is not None:
            with in_table(self.study.path, "output"):
                check_figure(figure, made=self.study.output.folder)

    def check_files(self, folder: RunFolder) -> None:
        """Refuse to overwrite files that no study has written."""
        self.figure(folder)  # raises an error if it would replace another file
        if folder.has_begun:
            return
        is_same = folder.keeps(INSTANCE) and read_bytes(folder.path / INSTANCE) == self.instance_content
        if folder.keeps(INSTANCE) and not is_same:
            raise InvalidInputError(
                f"the folder {str(folder.path)!r} must be without {INSTANCE}, got another instance in it: choose another folder"
            )
        if is_same or folder.keeps(STUDY) or is_of_study(folder.path / BOUND):
            return
        names = [ABOUT, BOUND] + [REPORT] * self.study.output.report
        if self.study.simulation is not None:
            names += [SUMMARY, TIMINGS] + [FIGURE] * (self.study.output.figure is True)
        foreign = [name for name in names if folder.keeps(name)]
        if foreign:
            raise InvalidInputError(
                f"the folder {str(folder.path)!r} must be without {', '.join(foreign)} before a study starts, got files that no "
                "study has written: choose another folder, or move them"
            )
