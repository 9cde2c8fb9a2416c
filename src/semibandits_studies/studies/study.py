"""The options of a study: problem, simulation, bound, execution and output."""

# ruff: noqa: RUF009 (options are fields of dataclasses)

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args

from semibandits.errors import InvalidInputError, Option
from semibandits.identification.evidence import THRESHOLDS, Stop
from semibandits.inputs.options import (
    PATH,
    TRUTH,
    Kind,
    UnexpectedValueError,
    is_long,
    is_whole,
    number,
    option,
    read_list,
    read_name,
    read_path,
    read_text,
    whole,
)
from semibandits.instances import ProblemOptions
from semibandits.laws import law_from
from semibandits.laws.plain import KINDS
from semibandits.regret_bound.solve import Method
from semibandits.simulation.checkpoints import LONGEST_HORIZON
from semibandits.simulation.lateness import Geometric
from semibandits.simulation.run import BOUND_SECONDS
from semibandits_studies.studies.policies import ALL_POLICIES, WITHOUT_PLANS, PolicyChoice, named_policies

PROBLEMS: Final = ("dataset", "network", "file")
"""Kinds of problems."""
REPLAY: Final = "replay"
REWARDS: Final = (*KINDS, REPLAY)
ALL_CORES: Final = "auto"
MOST_WORKERS: Final = 10_000
MOST_REPLICATIONS: Final = 10**6
METHODS: Final = get_args(Method)


def _law(value: Any) -> str:
    try:
        law_from(value)
    except InvalidInputError as error:
        raise UnexpectedValueError(str(error)) from error
    return str(value).casefold()


def _rewards(value: Any) -> str:
    name = value.partition(":")[0].strip() if isinstance(value, str) else value
    return _law(value) if read_name(REWARDS, name) != REPLAY else REPLAY


def _workers(value: Any) -> int:
    return -1 if value == ALL_CORES or (is_whole(value) and value == -1) else whole(1, MOST_WORKERS).read(value)


def _delay(value: Any) -> int | str:
    return str(Geometric.of(value)) if isinstance(value, str) else whole(0, LONGEST_HORIZON).read(value)


def _policies(value: Any) -> tuple[PolicyChoice, ...]:
    choices = read_list(_policy, value)
    named_policies(choices)
    return choices


def _policy(value: Any) -> PolicyChoice:
    """A policy from its text, or from a table with its name and parameters."""
    if not isinstance(value, dict):
        return PolicyChoice.of(read_text(value))
    named = PolicyChoice.of(read_text(value.get("name")))
    parameters = dict(named.parameters)
    for key, each in value.items():
        if key == "name":
            continue
        if not isinstance(each, str | int | float) or is_long(each):
            raise UnexpectedValueError
        text = str(each).lower() if isinstance(each, bool) else each
        parameters[key] = text.strip() if isinstance(text, str) else text
    return replace(named, parameters=parameters)


def _figure(value: Any) -> str | bool:
    return value if isinstance(value, bool) else read_path(value)


def _features(value: Any) -> tuple[str, ...]:
    return read_list(read_text, value if isinstance(value, list) else [value])


FEATURES: Final = Kind(
    _features, "a text, or a list of names of columns", lambda names: names[0] if len(names) == 1 else list(names)
)
ITEMS: Final = Kind(partial(read_list, read_text), "a list of items, as they are named in results", list)
_simulation, _solver, _execution = (partial(option, panel=panel) for panel in ("Simulation", "Solver", "Execution"))


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

    dataset: str | None = option(Kind(read_text, "the name of a built-in dataset, in quotes"), 'dataset = "germany50-routing"')
    network: str | None = option(Kind(read_text, "the name of a built-in network, in quotes"), 'network = "germany50"')
    file: Path | None = option(PATH, 'file = "roads.csv"')
    options: ProblemOptions = field(default_factory=ProblemOptions)

    def __post_init__(self) -> None:
        given = [kind for kind in PROBLEMS if getattr(self, kind) is not None]
        if not given:
            raise InvalidInputError(
                f"the problem must be one of {', '.join(PROBLEMS)}, got none of them: give one, for instance ",
                Option("network", "germany50"),
            )
        if len(given) > 1:
            raise InvalidInputError(
                f"the problem must be one of {', '.join(PROBLEMS)}, got {' and '.join(given)}: keep one of them"
            )


@dataclass(frozen=True, kw_only=True)
class SimulationOptions:
    """A simulation: policies, rewards, and length.

    Attributes
    ----------
    policies : tuple of str
        As on the command line, ``NAME`` or ``NAME:key=value,key=value``; all policies of the library by default, with `features`
        those that make no plans. They are kept as :class:`semibandits_studies.studies.policies.PolicyChoice`, which may be
        passed too.
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
    stop_at, stop_within : float, optional
        Confidence at which a replication stops, in (0, 1), and the loss that does not matter, see :class:`semibandits.Stop`; by
        default it never stops.
    today : sequence of str, optional
        Items that are chosen today, as they are named in results: a :class:`semibandits.Baseline` named "today" plays them.
    prior_plays : int, optional
        How many outcomes each mean of the problem is worth, as a prior of all policies; by default there is none.
    stop_threshold : str, optional
        "proved", the default with `stop_at`, or "customary".

    features : tuple of str
        What items tell of each other, see :class:`semibandits.Learner`: "pooled", "additive", the name of a table with a line for
        each item, or names of columns of the problem's own file. By default nothing.

    Raises
    ------
    InvalidInputError
        If `stop_within` or `stop_threshold` is given without `stop_at`.

    Examples
    --------
    >>> options = sb.studies.SimulationOptions(policies=("CUCB", "OSSB:gamma=0.1"), horizon=1_000, delay="geometric:10")
    >>> len(options.policies), options.replications, options.rewards
    (2, 100, 'gaussian')
    """

    policies: tuple[PolicyChoice | str, ...] = _simulation(
        Kind(_policies, "a list of policies, each a text, or a table with the key name", lambda choices: list(map(str, choices))),
        'policies = ["CUCB", "OSSB:gamma=0.1"]',
        "A policy; all policies by default. Repeatable.",
        metavar="NAME[:KEY=VALUE,...]",
        also=("-p",),
        default=(),
    )
    horizon: int = _simulation(
        whole(1, LONGEST_HORIZON),
        "horizon = 20000",
        "Rounds T, as in 1e5.",
        metavar="ROUNDS",
        also=("-T",),
        is_checked=True,
        default=10_000,
    )
    replications: int = _simulation(
        whole(1, MOST_REPLICATIONS),
        "replications = 100",
        "Replications of each policy.",
        metavar="N",
        also=("-n",),
        is_checked=True,
        default=100,
    )
    seed: int = _simulation(whole(0), "seed = 0", "Equal seeds give equal results.", metavar="N", is_checked=True, default=0)
    rewards: str = _simulation(
        Kind(_rewards, f"one of {', '.join(REWARDS)}", str.casefold),
        'rewards = "gaussian"',
        "gaussian, bernoulli, poisson or gamma, parameters as in poisson:cost; replay: the outcomes of a dataset.",
        metavar="LAW",
        also=("--law",),
        default="gaussian",
    )
    delay: int | str = _simulation(
        Kind(_delay, 'a number of rounds of at least 0, or "geometric:MEAN"'),
        "delay = 100",
        "Delay of outcomes in rounds; geometric:100 draws delays with this mean.",
        metavar="ROUNDS",
        is_checked=True,
        default=0,
    )
    loss: float = _simulation(
        number(lambda v: 0 <= v < 1, "a number from 0 to below 1"),
        "loss = 0.1",
        "Share of outcomes that are never observed, as in 0.1.",
        metavar="SHARE",
        is_checked=True,
        default=0.0,
    )
    stop_at: float | None = _simulation(
        number(lambda v: 0 < v < 1, "a number between 0 and 1"),
        "stop_at = 0.95",
        "Stop a replication once it is as sure of its best decision, and play that one to the end.",
        metavar="CONFIDENCE",
        is_checked=True,
    )
    stop_within: float | None = _simulation(
        number(lambda v: 0 <= v < math.inf, "a number of at least 0"),
        "stop_within = 0.01",
        "With --stop-at: the loss that does not matter, in the unit of the rewards.",
        metavar="LOSS",
        is_checked=True,
    )
    stop_threshold: str | None = _simulation(
        Kind(partial(read_name, THRESHOLDS), " or ".join(THRESHOLDS)),
        'stop_threshold = "customary"',
        "With --stop-at: proved, the default, or customary, which needs fewer rounds and is not proved.",
        metavar="NAME",
        is_checked=True,
    )
    today: tuple[str, ...] = _simulation(
        ITEMS,
        'today = ["Storm", "Cup"]',
        "An item that is chosen today: a policy of this name plays these items, for comparison. Repeatable.",
        metavar="ITEM",
        default=(),
    )
    prior_plays: int | None = _simulation(
        whole(1),
        "prior_plays = 5",
        "Start all policies with the means of PROBLEM, each worth so many outcomes.",
        metavar="N",
        is_checked=True,
    )
    checkpoints: tuple[int, ...] | None = option(
        Kind(partial(read_list, whole(1).read), "a list of rounds, the last one the horizon", list), "checkpoints = [100, 1000]"
    )
    features: tuple[str, ...] = _simulation(
        FEATURES,
        'features = "pooled"',
        "What items tell of each other: pooled, additive, a table of features, or a feature of PROBLEM by name. Repeatable.",
        metavar="NAME",
        default=(),
    )

    def __post_init__(self) -> None:
        usual = WITHOUT_PLANS if self.features else ALL_POLICIES
        object.__setattr__(self, "policies", tuple(map(PolicyChoice.of, self.policies)) or usual)
        given = [name for name in ("stop_within", "stop_threshold") if getattr(self, name) is not None]
        if given and self.stop_at is None:
            raise InvalidInputError(Option(given[0]), " must be used with a confidence, got none: add ", Option("stop_at", 0.95))

    @property
    def stop(self) -> Stop | None:
        """When a replication stops, None if never."""
        if self.stop_at is None:
            return None
        return Stop(self.stop_at, self.stop_within or 0.0, self.stop_threshold or THRESHOLDS[0])


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

    law: str | None = _solver(
        Kind(_law, "a law such as gaussian, bernoulli, poisson:cost"),
        'law = "bernoulli"',
        "gaussian, bernoulli, poisson or gamma; parameters as in gaussian:upper=0, poisson:cost, gamma:shape=2,cost.",
        metavar="LAW",
        also=("--rewards",),
        shown="gaussian",
    )
    method: Method = _solver(
        Kind(partial(read_name, METHODS), f"one of {', '.join(METHODS)}"),
        'method = "auto"',
        "auto, closed-form, cycles, columns, glpg or enumeration.",
        default="auto",
    )
    gap: float = _solver(
        number(lambda v: 0 < v < 1, "a number between 0 and 1"), "gap = 1e-4", "Relative gap to certify.", default=1e-4
    )
    time_limit: float | None = _solver(
        number(lambda v: v > 0, "a positive number of seconds, or inf"),
        "time_limit = 60",
        "Seconds after which to print the bracket reached, with exit code 3.",
    )
    tie_tolerance: float = _solver(
        number(lambda v: 0 <= v < 1e-3, "a number from 0 to 1e-3"),
        "tie_tolerance = 1e-12",
        "Decisions whose rewards differ by at most this, relative to the means in which they differ, tie.",
        default=1e-12,
    )


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

    workers: int = _execution(
        Kind(
            _workers, f'a number from 1 to {MOST_WORKERS:,}, or "{ALL_CORES}"', lambda count: ALL_CORES if count == -1 else count
        ),
        f'workers = "{ALL_CORES}"',
        "Processes; auto: one per core.",
        metavar="N",
        also=("-j",),
        is_checked=True,
        default=1,
    )
    scheduler: str | None = _execution(help="Dask cluster, as in tcp://host:8786.", metavar="ADDRESS")


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

    folder: Path | None = option(PATH, 'folder = "results"')
    figure: Path | str | bool = option(
        Kind(_figure, "true, false, or the name of a file in quotes"), 'figure = "regret.pdf"', default=True
    )
    report: bool = option(TRUTH, "report = true", default=True)

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
