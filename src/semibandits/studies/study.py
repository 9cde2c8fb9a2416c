"""The options of a study: problem, simulation, bound, execution and output."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from semibandits.errors import InvalidInputError, Option
from semibandits.instances import ProblemOptions
from semibandits.regret_bound.solve import Method
from semibandits.simulation.run import BOUND_SECONDS
from semibandits.studies.policies import ALL_POLICIES, PolicyChoice

KINDS: Final = ("dataset", "network", "file")
"""Kinds of problems."""


@dataclass(frozen=True, kw_only=True)
class ProblemChoice:
    """A problem: exactly one of a built-in dataset, a built-in network, or a file.

    Attributes
    ----------
    dataset, network : str, optional
        Name of a built-in dataset or network.
    file : Path, optional
        A .csv or .json file, see docs/cli.md.
    options : ProblemOptions
        Options that complete it.

    Raises
    ------
    InvalidInputError
        If not exactly one is given.

    Examples
    --------
    >>> choice = sb.studies.ProblemChoice(dataset="power-grid", options=sb.studies.ProblemOptions(variance=4.0))
    >>> sb.studies.load_problem(choice).instance.variance[:2].tolist()  # kWh squared
    [4.0, 4.0]
    """

    dataset: str | None = None
    network: str | None = None
    file: Path | None = None
    options: ProblemOptions = field(default_factory=ProblemOptions)

    def __post_init__(self) -> None:
        given = [kind for kind in KINDS if getattr(self, kind) is not None]
        if not given:
            raise InvalidInputError(
                f"the problem must be one of {', '.join(KINDS)}, got none of them: give one, for instance ",
                Option("network", "germany50"),
            )
        if len(given) > 1:
            raise InvalidInputError(f"the problem must be one of {', '.join(KINDS)}, got {' and '.join(given)}: keep one of them")


@dataclass(frozen=True, kw_only=True)
class SimulationOptions:
    """A simulation: policies, rewards, and length.

    Attributes
    ----------
    policies : tuple of str
        As on the command line, ``NAME`` or ``NAME:key=value,key=value``; all policies of the library by default. They are kept
        as :class:`semibandits.studies.policies.PolicyChoice`, which may be passed too.
    rewards : str
        "replay", or a law as :func:`semibandits.laws.law_from` reads it: "gaussian", "bernoulli", "poisson:cost", ...
    horizon, replications, seed : int
        Number of rounds, number of replications of each policy, and the seed of all.
    checkpoints : tuple of int, optional
        Rounds at which the state is recorded, the horizon last; 20 per decade by default.
    delay : int or str
        Delay of outcomes in rounds, or ``geometric:MEAN``.
    loss : float
        Share of outcomes that are never observed, in [0, 1).

    Examples
    --------
    >>> options = sb.studies.SimulationOptions(policies=("CUCB", "OSSB:gamma=0.1"), horizon=1_000, delay="geometric:10")
    >>> len(options.policies), options.replications, options.rewards
    (2, 100, 'gaussian')
    """

    policies: tuple[PolicyChoice | str, ...] = ()
    rewards: str = "gaussian"
    horizon: int = 10_000
    replications: int = 100
    seed: int = 0
    checkpoints: tuple[int, ...] | None = None
    delay: int | str = 0
    loss: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "policies", tuple(map(PolicyChoice.of, self.policies)) or ALL_POLICIES)


@dataclass(frozen=True, kw_only=True)
class BoundOptions:
    """Options of C(theta); see :func:`semibandits.graves_lai`.

    Attributes
    ----------
    law : str, optional
        The law of the rewards, without a simulation; Gaussian by default. With a simulation it is the law of its rewards.
    method : str
        "auto", or the name of a method.
    gap : float
        Relative gap to certify, in (0, 1).
    time_limit : float, optional
        Seconds; infinity for no limit. With a simulation, 60 by default, and the bracket reached is kept. Without one,
        infinity by default, and it is an error if the gap is not reached.
    tie_tolerance : float
        Decisions whose rewards differ by at most this, relative to m times the largest mean of an item in which they
        differ, count as ties.

    Examples
    --------
    >>> grid = sb.studies.find_problem("power-grid")
    >>> study = sb.studies.Study(problem=grid, bound=sb.studies.BoundOptions(method="columns", gap=0.01, time_limit=60.0))
    >>> result = sb.studies.run_study(study)
    >>> result.bound.method, result.bound.gap <= 0.01
    ('columns', True)
    """

    law: str | None = None
    method: Method = "auto"
    gap: float = 1e-4
    time_limit: float | None = None
    tie_tolerance: float = 1e-12


@dataclass(frozen=True, kw_only=True)
class Execution:
    """Where replications are played; results do not depend on it.

    Attributes
    ----------
    workers : int
        Number of processes, -1 for one per core.
    scheduler : str, optional
        Address of a Dask cluster to use instead. It must be trusted: its results are unpickled. Study files cannot contain it.

    Examples
    --------
    >>> sb.studies.Execution(workers=2)
    Execution(workers=2, scheduler=None)
    """

    workers: int = 1
    scheduler: str | None = None


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where results go.

    Attributes
    ----------
    folder : Path, optional
        Folder of all results; by default they are not kept.
    figure : Path, str or bool
        File of the figure; a str is its name in the folder, where it replaces no file that was not drawn by semibandits. True for
        ``regret.png`` in the folder of a simulation, if matplotlib is installed.
    report : bool
        Whether to write a report to the folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> output = sb.studies.Output(folder=Path("grid"), figure=False, report=False)
    >>> result = sb.studies.run_study(sb.studies.Study(problem=sb.studies.find_problem("power-grid"), output=output))
    >>> result.written
    ('instance.json', 'about.json', 'study.toml', 'bound.json')
    """

    folder: Path | None = None
    figure: Path | str | bool = True
    report: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.figure, str) and (self.folder is None or Path(self.figure).name != self.figure):
            raise InvalidInputError(
                f"figure must be a Path, or the name of a file in folder, got {self.figure!r} with folder = {self.folder}: pass "
                "Path(...) for a file elsewhere"
            )

    @property
    def figure_path(self) -> Path | None:
        """The file of a figure that was chosen, None if none was."""
        if isinstance(self.figure, str) and self.folder is not None:
            return self.folder / self.figure
        return self.figure if isinstance(self.figure, Path) else None


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study, the input of :func:`semibandits.studies.run_study`.

    Attributes
    ----------
    problem : ProblemChoice
        The problem.
    simulation : SimulationOptions, optional
        The simulation; without it the study computes only the bound.
    bound : BoundOptions
        Options of C(theta).
    execution : Execution
        Where replications are played.
    output : Output
        Where results go.
    path : Path, optional
        The file of the study, for messages.

    Examples
    --------
    >>> study = sb.studies.Study(
    ...     problem=sb.studies.find_problem("power-grid"), simulation=sb.studies.SimulationOptions(horizon=1_000)
    ... )
    >>> study.simulation.replications, study.bound.gap, study.bound_seconds
    (100, 0.0001, 60.0)
    """

    problem: ProblemChoice
    simulation: SimulationOptions | None = None
    bound: BoundOptions = field(default_factory=BoundOptions)
    execution: Execution = field(default_factory=Execution)
    output: Output = field(default_factory=Output)
    path: Path | None = field(default=None, compare=False)

    @property
    def bound_seconds(self) -> float | None:
        """Time limit of the bound in seconds, None for no limit."""
        limit = self.bound.time_limit
        if limit is None:
            return None if self.simulation is None else BOUND_SECONDS
        return None if limit == float("inf") else limit
