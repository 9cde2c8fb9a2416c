"""What a study is: a problem, who plays on it, how its bound is found, and where all of that goes."""

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
"""What a problem can be."""


@dataclass(frozen=True, kw_only=True)
class ProblemChoice:
    """What is decided: exactly one of a built-in dataset, a built-in network, or a file.

    Attributes
    ----------
    dataset, network : str, optional
        Name of a built-in one.
    file : Path, optional
        A .csv or .json file, see docs/cli.md.
    options : ProblemOptions
        What these leave open.

    Raises
    ------
    InvalidInputError
        If none is given, or several are.
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
            raise InvalidInputError(
                f"the problem must be one of {', '.join(KINDS)}, got {' and '.join(given)}: keep one of them"
            )


@dataclass(frozen=True, kw_only=True)
class SimulationOptions:
    """Who plays, against what, and for how long.

    Attributes
    ----------
    policies : tuple of PolicyChoice or str
        Texts are as on the command line, ``NAME`` or ``NAME:key=value,key=value``. All policies of the library by default.
    rewards : str
        "replay", or a law as :func:`semibandits.laws.law_from` reads it: "gaussian", "bernoulli", "poisson:cost", ...
    horizon, replications, seed : int
        Rounds, repetitions of each policy, and the seed of them all.
    checkpoints : tuple of int, optional
        Rounds at which the state is kept, the horizon last; 20 a decade by default.
    delay : int or str
        How many rounds late outcomes are told, or ``geometric:MEAN``.
    loss : float
        Share of outcomes that are never told, in [0, 1).
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
    """How C(theta) is computed; see :func:`semibandits.graves_lai`.

    Attributes
    ----------
    law : str, optional
        The law of the rewards, where nothing is simulated; Gaussian by default. With a simulation it is that of its rewards.
    method : str
        "auto", or one of the methods by name.
    gap : float
        Relative gap to certify, in (0, 1).
    time_limit : float, optional
        Seconds, infinity for as long as it takes. By default 60 beside a simulation, where the bracket reached by then is
        kept; infinity without one, where an end before the gap is reached is an error.
    tie_tolerance : float
        Decisions this near, relative to m max|theta|, count as ties.
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
        Number of processes, -1 for one a core.
    scheduler : str, optional
        Address of a Dask cluster instead, which must be trusted: what it returns is unpickled. Study files cannot name one.
    """

    workers: int = 1
    scheduler: str | None = None


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where results go.

    Attributes
    ----------
    folder : Path, optional
        Where everything is kept; nothing is kept by default.
    figure : Path or bool
        File of the figure; True for ``regret.png`` in the folder of a simulation, if matplotlib is installed.
    report : bool
        Whether the folder gets a report.
    """

    folder: Path | None = None
    figure: Path | bool = True
    report: bool = True


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study: all that :func:`semibandits.studies.run_study` needs to know.

    Attributes
    ----------
    problem : ProblemChoice
        What is decided.
    simulation : SimulationOptions, optional
        Who plays; without it the study asks for the bound alone.
    bound : BoundOptions
        How C(theta) is computed.
    execution : Execution
        Where replications are played.
    output : Output
        Where results go.
    path : Path, optional
        The file that it was read from, for messages.
    """

    problem: ProblemChoice
    simulation: SimulationOptions | None = None
    bound: BoundOptions = field(default_factory=BoundOptions)
    execution: Execution = field(default_factory=Execution)
    output: Output = field(default_factory=Output)
    path: Path | None = field(default=None, compare=False)

    @property
    def bound_seconds(self) -> float | None:
        """Time limit of the bound, None if there is none."""
        limit = self.bound.time_limit
        if limit is None:
            return None if self.simulation is None else BOUND_SECONDS
        return None if limit == float("inf") else limit
