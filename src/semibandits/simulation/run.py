"""The entry point of simulations."""

from __future__ import annotations

import contextlib
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import joblib
import numba
import numpy as np

from semibandits._typing import ArrayLike, IntArray
from semibandits._version import __version__
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.signs import warn_of_signs
from semibandits.errors import InvalidInputError, SolverError, TooManyDecisionsError, UnsupportedError
from semibandits.families.description import fingerprint
from semibandits.features.design import Design
from semibandits.identification.evidence import Stop
from semibandits.inputs.arguments import hinted, whole
from semibandits.inputs.outcomes import whole_number
from semibandits.laws import Bernoulli
from semibandits.laws.gaussian import bounded_by
from semibandits.laws.plain import plain, text
from semibandits.policies.base import Policy
from semibandits.regret_bound import GravesLaiResult
from semibandits.regret_bound.cuts.linear import IN_SPAN, span_distance
from semibandits.regret_bound.solve import solve_bound
from semibandits.rewards.base import RewardModel
from semibandits.simulation.executors import run
from semibandits.simulation.lateness import Distribution, Lateness
from semibandits.simulation.parts import Parts
from semibandits.simulation.progress import reporter
from semibandits.simulation.replication import Trajectory
from semibandits.simulation.results import SimulationResult
from semibandits.simulation.specification import Specification
from semibandits.simulation.trial import play_trial

BOUND_SECONDS = 60.0
"""Time limit of the lower bound; its certificate states the precision reached."""
UNKNOWN = "no bound is known here under features"


@hinted
def simulate(
    decision_set: DecisionSet,
    rewards: RewardModel,
    policies: Policy | Iterable[Policy] | Mapping[str, Policy],
    horizon: int = 10_000,
    replications: int = 100,
    seed: int = 0,
    n_jobs: int = 1,
    progress: bool | Callable[[int, int], None] = False,
    *,
    checkpoints: ArrayLike | None = None,
    delay: int | str | Sequence[int] | IntArray | Distribution = 0,
    loss: float = 0.0,
    bound: bool | GravesLaiResult = True,
    scheduler: Any = None,
    folder: str | os.PathLike[str] | None = None,
    resume: bool = False,
    extend: bool = False,
    prior_means: ArrayLike | None = None,
    prior_plays: ArrayLike | None = None,
    prior_costs: ArrayLike | None = None,
    features: Any = None,
    stop_at: float | Stop | None = None,
) -> SimulationResult:
    """Play policies in an environment, many times, and keep their regret.

    Every replication of a policy depends on the specification and its own seed alone: results have the same bits for any
    number of workers, on a cluster, and after a resume.

    Parameters
    ----------
    decision_set : DecisionSet
        The decisions X over d items.
    rewards : RewardModel
        The environment, for instance ``GaussianRewards(theta)``. Policies receive its variance, never its means.
    policies : Policy, iterable of Policy, or mapping from name to Policy
        Policies to play. Their names, by default those of their classes, must differ.
    horizon : int
        Number of rounds T, >= 1.
    replications : int
        Repetitions of each policy, >= 1.
    seed : int
        Seed, >= 0. Replication i of every policy plays against the same random numbers.
    n_jobs : int
        Largest number of worker processes; 1 plays in this process, -1 starts one per core. There are never more than
        replications of all policies.
    progress : bool or callable
        True for a progress bar on the error stream, or ten lines where that is no terminal, as in notebooks; or a function that
        is called with the number of finished replications and their total number.
    checkpoints : array_like of int, shape (c,), optional
        Rounds after which the state is recorded, increasing, the last one the horizon; by default 20 per decade.
    delay : int, str, sequence of int, or frozen distribution
        Delay D of outcomes in rounds: the outcome of round t is observed before round t + D + 1 is chosen; outcomes that are due
        at the same time are observed in the order of their rounds. An integer >= 0; ``"geometric:100"`` for geometric delays
        with that mean; a sequence of observed delays, which are resampled; or an object with a method
        ``rvs(size=, random_state=)``, such as a distribution of SciPy, of numbers >= 0, which are rounded down. Outcomes due
        after the horizon are never observed.
    loss : float
        In [0, 1): share of the rounds, drawn at random, whose outcome is never observed. Such a round is forgotten when its
        outcome would have been due, as by a service with a time-out.
    bound : bool or GravesLaiResult
        Whether to compute C(theta), for at most 60 seconds, if the law of the rewards is known (`RewardModel.law`); or a result
        for these decisions, means, variances and laws.
    scheduler : str or distributed.Client, optional
        Address of a Dask scheduler, or a client: replications are played on its workers, which need this library. It must be
        trusted, since its results are unpickled, which can run code. If it has one thread in all, replications are played here.
    folder : path, optional
        Folder for finished replications while others are played, and for the result and the timings at the end.
    resume : bool
        Whether to continue the run in `folder`. If that is finished, its result is read and nothing is played. It may have
        fewer replications or policies: then only the others are played.
    extend : bool
        The same, also if the run in `folder` has a shorter horizon. All replications are then played again, since the state of
        policies at the end of a run is not kept; up to the earlier horizon they are the same. The earlier result remains until
        the new one is complete. A run that was interrupted while it was extended is continued by `resume`, too.
    prior_means, prior_plays : array_like of float, shape (d,), optional
        What all policies know before the first round, see :class:`Learner`.
    prior_costs : array_like of float, shape (d,), optional
        Mean costs instead of `prior_means`.
    features : array_like of shape (d, k), frame, mapping by label, mapping of columns, or {"pooled", "additive"}, optional
        What is known of each item, so that items tell of each other, for all policies but those with ``features=False``: see
        :class:`Learner`. Rounds are then played in Python. With a table, C(theta) is that under the features if Gaussian means
        are linear in them and decisions can be listed; otherwise none is known, and ``provenance["no_bound"]`` has the reason.
        Named features leave C(theta) as it is.
    stop_at : float or Stop, optional
        A confidence, such as 0.95: a replication stops learning once it is as sure that its best decision is the best one, and
        plays that one to the end. Checked whenever the number of rounds has grown by 1 %. `Stop` also takes the loss that does
        not matter. By default replications never stop.

    Returns
    -------
    SimulationResult
        Regret, rewards, plays of each item and oracle calls at the checkpoints; C(theta) if it is known.

    Raises
    ------
    InvalidInputError
        If an argument is malformed, the folder holds another simulation, or the scheduler cannot be reached; or if one round of
        your own classes, which is played first, gives no decision or no finite rewards.
    SolverError
        If a policy finds no decision, or workers keep dying.

    Warns
    -----
    LongestPathWarning
        If the decisions are paths and all mean rewards are positive, but no probabilities: the longest path is best.
    EmptyDecisionWarning
        If no mean reward is positive, and the best decision has no items.

    Examples
    --------
    >>> clicks = sb.BernoulliRewards([0.1, 0.3, 0.5, 0.7])  # on four articles, two of which are shown in each round
    >>> result = sb.simulate(sb.MSets(4, 2), clicks, [sb.CUCB(), sb.OSSB()], horizon=200, replications=3, seed=0)
    >>> result.regret["OSSB"].shape  # replications, checkpoints
    (3, 36)
    >>> print(f"mean regret of OSSB after {result.horizon} rounds: {result.regret['OSSB'][:, -1].mean():.1f}")
    mean regret of OSSB after 200 rounds: 18.1
    >>> print(f"C(theta) = {result.lower_bound:.2f} per ln T")
    C(theta) = 3.52 per ln T
    """
    specification = Specification.of(
        decision_set,
        rewards,
        policies,
        horizon=horizon,
        replications=replications,
        seed=seed,
        checkpoints=checkpoints,
        lateness=Lateness.of(delay, loss),
        prior=(prior_means, prior_plays, prior_costs),
        features=features,
        stop=stop_at,
    )
    if not isinstance(rewards.told_law, Bernoulli):
        warn_of_signs(decision_set, rewards.theta, stacklevel=3)
    return play_specification(
        specification, n_jobs=n_jobs, progress=progress, bound=bound, scheduler=scheduler, folder=folder, resume=resume,
        extend=extend,
    )  # fmt: skip


def play_specification(
    specification: Specification,
    *,
    n_jobs: int = 1,
    progress: bool | Callable[[int, int], None] = False,
    bound: bool | GravesLaiResult = True,
    scheduler: Any = None,
    folder: str | os.PathLike[str] | None = None,
    resume: bool = False,
    extend: bool = False,
) -> SimulationResult:
    """Play a specification; see :func:`simulate` for the parameters and errors."""
    remedy = "pass the number of workers, or -1 for one per core"
    workers = joblib.cpu_count() if n_jobs == -1 else whole_number(whole(n_jobs), "n_jobs", least=1, remedy=remedy)
    if (resume or extend) and folder is None:
        name = "extend" if extend else "resume"
        raise InvalidInputError(f"{name} needs the folder of the earlier run, got folder=None: pass it")
    if isinstance(bound, GravesLaiResult):
        rewards, decision_set = specification.rewards, specification.decision_set
        variance = np.broadcast_to(rewards.variance, rewards.theta.shape)
        is_other = bound.law.is_quadratic and not np.array_equal(bound.variance, variance)
        if not np.array_equal(bound.theta, rewards.theta) or is_other:
            raise InvalidInputError(
                "bound must belong to the means and variances of the rewards, got the bound of others: pass bound=True"
            )
        table = specification.linear_in
        if not np.array_equal(np.empty(0) if table is None else table.matrix, () if bound.features is None else bound.features):
            raise InvalidInputError(
                "bound must belong to the features that policies know, got the bound of others or of none: pass bound=True"
            )
        if bound.decision_set is not decision_set and fingerprint(bound.decision_set) != fingerprint(decision_set):
            raise InvalidInputError("bound must belong to the decision set, got the bound of another: pass bound=True")
    play_trial(specification)
    if folder is None:
        return _played(specification, bound, workers, scheduler, progress, None)
    about = {"versions": versions(), "bound": bool(bound)}
    with contextlib.closing(Parts(folder, specification, about, resume=resume, extend=extend)) as parts:
        result = parts.finished()
        return result if result is not None else _played(specification, bound, workers, scheduler, progress, parts)


def _played(
    specification: Specification,
    bound: bool | GravesLaiResult,
    workers: int,
    scheduler: Any,
    progress: bool | Callable[[int, int], None],
    parts: Parts | None,
) -> SimulationResult:
    """Play the missing replications and assemble the result."""
    limit, reason = _bound(specification, bound)
    found = {} if parts is None else parts.load()
    jobs = [(p, i) for i in range(specification.replications) for p in specification.policies if (p, i) not in found]
    seconds: dict[str, dict[int, float]] = {}
    total = len(specification.policies) * specification.replications
    try:
        with reporter(progress, len(found), total) as tell:
            for policy, replication, trajectory, elapsed in run(specification, jobs, workers, scheduler):
                found[policy, replication] = trajectory
                if parts is not None:
                    parts.save(policy, replication, trajectory)
                seconds.setdefault(policy, {})[replication] = elapsed  # of saved replications only
                tell(len(found))
    finally:
        if parts is not None and seconds:
            parts.write_timings(seconds)
    result = _assembled(specification, found, limit, reason)
    if parts is not None:
        result.save(parts.result)
        parts.clear()
    return result


def linear_bound(specification: Specification) -> tuple[Design | None, str | None]:
    """The table of features under which C(theta) is, None if there is none; and the reason if it is not known there."""
    features, law = specification.linear_in, specification.rewards.law
    if features is None:
        return None, None
    if law is None or not bounded_by(law, specification.decision_set.upper).is_quadratic:
        return None, f"{UNKNOWN}: the rewards are not Gaussian, or their means have a known upper bound"
    if span_distance(features.matrix, specification.rewards.theta) > IN_SPAN:
        return None, f"{UNKNOWN}: the means are not linear in the features"
    return features, None


def _bound(specification: Specification, bound: bool | GravesLaiResult) -> tuple[GravesLaiResult | None, str | None]:
    """C(theta) with its plan, if it bounds the regret; with a table of features, the reason if it is not known."""
    rewards = specification.rewards
    law = rewards.law
    if isinstance(bound, GravesLaiResult):
        same = law is not None and (bound.law == law or (bound.law.is_quadratic and law.is_quadratic))
        return (bound if same else None), None
    features, reason = linear_bound(specification)
    if reason is not None or not bound or law is None:
        return None, reason
    try:
        return solve_bound(
            specification.decision_set, rewards.theta, time_limit=BOUND_SECONDS, throw=False, law=law, features=features
        ), None
    except (SolverError, UnsupportedError, TooManyDecisionsError):
        return None, None if features is None else f"{UNKNOWN}: there are too many decisions to list"


def _assembled(
    specification: Specification, found: Mapping[tuple[str, int], Trajectory], limit: GravesLaiResult | None, reason: str | None
) -> SimulationResult:
    def stacked(name: str) -> dict[str, Any]:
        records = {
            policy: np.stack([getattr(found[policy, i], name) for i in range(specification.replications)])
            for policy in specification.policies
        }
        for record in records.values():
            record.setflags(write=False)  # spares the result a copy
        return records

    names = [field.name for field in fields(Trajectory) if field.name != "stops" or specification.stop is not None]
    known: dict[str, Any] = {name: stacked(name) for name in names}
    if limit is not None:
        known |= {"lower_bound": limit.lower, "lower_bound_interval": (limit.lower, limit.value)}
        if np.isfinite(limit.value):
            known |= {"rates": limit.rates, "suboptimal_items": limit.suboptimal_items}
    law, best = specification.rewards.law, specification.decision_set.maximize(specification.rewards.theta.copy())
    return SimulationResult(
        policies=tuple(specification.policies),
        checkpoints=specification.checkpoints,
        items=tuple(str(item) for item in specification.decision_set.items),
        best_mean=float(specification.rewards.theta[best].sum()),
        provenance={
            "specification": specification.description,
            "law": None if law is None else plain(law) or {"name": text(law)},  # only the name of a user's own law
            "versions": versions(),
            **({} if reason is None else {"no_bound": reason}),
        },
        **known,
    )


def versions() -> dict[str, str]:
    """Versions of this library and of the software that its results depend on."""
    return {"semibandits": __version__, "numpy": np.__version__, "numba": numba.__version__, "python": platform.python_version()}
